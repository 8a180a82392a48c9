// @ts-check
/* One direction of a link in the form: its rate and delay, its queue, how it loses packets. */

import { element } from "../widgets/dom.mjs";
import { fieldBox, fieldsBox, fieldset, labelled, menu, textBox } from "./controls.mjs";
import { QUEUES } from "./facts.mjs";
import { LOSSES, ofKind, WAY_FIELDS } from "./fields.mjs";

/** @typedef {import("./form.mjs").WayForm} WayForm */

/**
 * @param {string} title
 * @param {WayForm} way
 * @param {string} path
 * @param {() => void} changed
 */
export function wayView(title, way, path, changed) {
  const fields = fieldsBox(WAY_FIELDS, way.texts, path, changed);
  return fieldset(title, fields, queueView(way, path, changed), lossView(way, path, changed));
}

/**
 * @param {WayForm} way
 * @param {string} path
 * @param {() => void} changed
 */
function queueView(way, path, changed) {
  const kinds = Object.keys(QUEUES).map((kind) => /** @type {[string, string]} */ ([kind, kind]));
  const kind = menu(
    [["", way.texts.rate?.trim() ? "labkit’s (pfifo, 100)" : "none"], ...kinds],
    way.queue.kind,
  );
  const rest = element("div", { className: "lp-rest" });
  /** @type {(name: "limit" | "options", text: string) => void} */
  const set = (name, text) => {
    way.queue[name] = text;
    changed();
  };
  const show = () => {
    rest.replaceChildren();
    const known = QUEUES[way.queue.kind];
    if (known === undefined) return;
    if (known.limit) {
      const what = known.limit === "packets" ? "Limit, packets" : "Limit, bytes";
      const quantity = /** @type {const} */ ({ packets: "packets", bytes: "size" })[known.limit];
      const hint = known.limit === "packets" ? "100" : "150kB";
      const field = { label: what, quantity, hint, path: `${path}.queue.${known.limit}` };
      rest.append(textBox(field, way.queue.limit, (text) => set("limit", text)));
    }
    if (known.options.length) {
      const field = /** @type {const} */ ({ label: "Options", quantity: "text", hint: "ecn, target=5ms" });
      const box = textBox({ ...field, path: `${path}.queue.options` }, way.queue.options, (text) =>
        set("options", text),
      );
      const note = element("p", {
        className: "lp-note",
        textContent: `It takes ${known.options.join(", ")}.`,
      });
      note.id = `${box.querySelector("input")?.id}-note`;
      box.querySelector("input")?.setAttribute("aria-describedby", note.id);
      box.append(note);
      box.classList.add("lp-broad");
      rest.append(box);
    }
  };
  kind.addEventListener("change", () => {
    Object.assign(way.queue, {
      kind: kind.value,
      limit: usualLimit(kind.value, way.queue.limit),
      options: "",
    });
    show();
    changed();
  });
  show();
  const box = labelled("Queue", kind, `${path}.queue.kind`);
  return element("div", { className: "lp-fields" }, box, rest);
}

/**
 * A limit that goes with the kind: what was typed, if it counts the same.
 * @param {string} kind
 * @param {string} before
 */
function usualLimit(kind, before) {
  const known = QUEUES[kind];
  if (!known?.limit) return "";
  const isBytes = /B$/.test(before.trim());
  if (before && (known.limit === "bytes") === isBytes) return before;
  return known.required ? { packets: "100", bytes: "150kB" }[known.limit] : "";
}

/**
 * @param {WayForm} way
 * @param {string} path
 * @param {() => void} changed
 */
function lossView(way, path, changed) {
  const kinds = LOSSES.map(({ kind, label }) => /** @type {[string, string]} */ ([kind, label]));
  const kind = menu([["", "nothing"], ...kinds], way.loss.kind);
  const rest = element("div", { className: "lp-rest" });
  const show = () => {
    const fields = ofKind(LOSSES, way.loss.kind)?.fields ?? [];
    rest.replaceChildren(...fields.map((field) => fieldBox(field, way.loss.texts, `${path}.loss`, changed)));
  };
  kind.addEventListener("change", () => {
    const fields = ofKind(LOSSES, kind.value)?.fields ?? [];
    const texts = Object.fromEntries(fields.map(({ name, hint }) => [name, hint ?? ""]));
    Object.assign(way.loss, { kind: kind.value, texts });
    show();
    changed();
  });
  show();
  const box = labelled("The wire loses", kind, `${path}.loss.kind`);
  box.classList.add("lp-broad");
  return element("div", { className: "lp-fields" }, box, rest);
}
