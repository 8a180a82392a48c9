// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { LabError } from "../../../web/lab/lab.mjs";
import { endOf, sorry } from "../../../web/widgets/runs.mjs";

/** @type {import("../../../web/widgets/runs.mjs").Planned} */
const PLANNED = {
  program: new Uint8Array(),
  manifest: /** @type {any} */ ({ experiment: { flows: [{ size: null }] } }),
  by: "site",
  memory_mb: 128,
  until_s: 60,
};

test("where something of a given size is sent, its time is but a limit", () => {
  const flows = [{ size: 1e6 }];
  const sized = (/** @type {any} */ experiment) => ({
    ...PLANNED,
    manifest: /** @type {any} */ ({ experiment }),
  });
  assert.equal(endOf(PLANNED), 60);
  assert.equal(endOf(sized({ flows })), null);
  assert.equal(endOf(sized({ flows, duration: 60 })), 60);
});

test("what is said of a run that came to nothing", () => {
  assert.equal(sorry(new LabError("cancelled", "Not run.")), "Cancelled.");
  assert.equal(sorry(new LabError("limit", "It met its limit.")), "It met its limit.");
});
