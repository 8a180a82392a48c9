// @ts-check
/* The packets of a run, host by host: which flow's, which were lost or sent again; a file for Wireshark. */

import { textsOf } from "../charts/runs.mjs";
import { pieces } from "../decode/csv.mjs";
import { button, element } from "../widgets/dom.mjs";
import { labelled, menu } from "./controls.mjs";
import { fatesOf } from "./fates.mjs";
import { PagedTable } from "./paged_table.mjs";
import { save } from "./saving.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */

const HIDDEN = [
  ...["ip_id", "tsval", "tsecr", "captured", "checksum", "sack1_left", "sack1_right"],
  ...["sack2_left", "sack2_right", "sack3_left", "sack3_right", "sack4_left", "sack4_right"],
];

export class PacketsView {
  /**
   * @param {Result} result
   * @param {() => Table | null} ledger null: there is none
   * @param {string} stem of files
   */
  constructor(result, ledger, stem) {
    this.result = result;
    this.ledger = ledger;
    this.stem = stem;
    const { capture } = result.recorded.experiment;
    const hosts = [...new Set(capture.map(({ host }) => host))];
    this.box = element("div", {});
    if (hosts.length === 0) {
      const cure = "No host was captured: choose some under The run, More.";
      this.box.append(element("p", { className: "lp-note", textContent: cure }));
      return;
    }
    this.host = menu(
      hosts.map((host) => [host, host]),
      hosts[0],
    );
    this.flow = menu([["", "all"]], "");
    this.which = menu(
      [
        ["", "all"],
        ["either", "lost or sent again"],
        ["lost", "lost"],
        ["again", "sent again"],
      ],
      "",
    );
    this.host.addEventListener("change", () => this.read());
    for (const select of [this.flow, this.which]) select.addEventListener("change", () => this.filter());
    this.table = new PagedTable("Packets of one host", { hidden: HIDDEN, mark: (row) => this.mark(row) });
    const keep = element(
      "div",
      { className: "lp-buttons" },
      button("Save this host’s packets (.pcapng)", () => this.keep()),
      button("Save this table (.csv)", () => this.keepTable()),
    );
    const chosen = [
      labelled("Host", this.host),
      labelled("Flow", this.flow),
      labelled("Packets", this.which),
    ];
    this.box.append(element("div", { className: "lp-fields" }, ...chosen), this.table.box, keep);
    this.read();
  }

  /** Another host. */
  read() {
    if (!this.host || !this.flow) return;
    this.packets = this.result.packetTable(this.host.value);
    this.fates = fatesOf(this.packets, this.ledger());
    this.flows = textsOf(this.packets, "flow");
    const chosen = this.flow.value;
    const names = [...new Set(this.flows)].filter(Boolean);
    this.flow.replaceChildren(new Option("all", ""), ...names.map((name) => new Option(name)));
    this.flow.value = names.includes(chosen) ? chosen : "";
    this.filter();
  }

  filter() {
    const { packets, fates, flows } = this;
    if (!packets || !fates || !flows || !this.table) return;
    const [flow, which] = [this.flow?.value ?? "", this.which?.value ?? ""];
    const rows = [];
    for (let i = 0; i < packets.length; i++) {
      if (flow && flows[i] !== flow) continue;
      const [lost, again] = [fates.lost[i] !== null, fates.again[i] === 1];
      const asked = { lost, again, either: lost || again }[which];
      if (asked === undefined || asked) rows.push(i);
    }
    this.table.show(packets, rows);
  }

  /** @param {number} row */
  mark(row) {
    const why = this.fates?.lost[row] ?? null;
    const again = this.fates?.again[row] === 1;
    if (why === null && !again) return null;
    const text = [again ? "sent again" : "", why === null ? "" : `lost: ${why}`].filter(Boolean).join(", ");
    return { name: why === null ? "lp-again" : "lp-lost", text };
  }

  keep() {
    const host = this.host?.value ?? "";
    const data = /** @type {BlobPart} */ (this.result.pcapng(host));
    save(`${this.stem}-${host}.pcapng`, [data], "application/x-pcapng");
  }

  keepTable() {
    if (!this.packets) return;
    save(`${this.stem}-${this.host?.value}-packets.csv`, [...pieces(this.packets)], "text/csv");
  }
}
