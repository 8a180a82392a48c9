// @ts-check
/* What a reader may keep of the latest run: its packets for Wireshark, its tables as CSV, and where there is Python the
 * result itself. */

import { button, element } from "./dom.mjs";

/**
 * The files of the latest run, when they are asked for. result: null where there is no such file; says: told what it waits
 * for. Each rejects with an Error whose message is for the reader.
 * @typedef {object} Files
 * @property {() => Promise<string[]>} tables the names of those that it recorded
 * @property {(table: string) => Promise<BlobPart[]>} csv
 * @property {(say: (text: string) => void) => Promise<BlobPart[]>} pcapng
 * @property {(() => Promise<BlobPart[]>) | null} result
 */

export class Downloads {
  /**
   * @param {string} id
   * @param {Files} files
   */
  constructor(id, files) {
    this.files = files;
    this.stem = "";
    this.tables = element("select", { id: `${id}-table` });
    const label = element("label", { htmlFor: this.tables.id, textContent: "Table" });
    this.said = element("p", { className: "lp-note", role: "status" });
    this.saves = [
      this.#save("Save table (.csv)", "text/csv", "csv", () => files.csv(this.tables.value)),
      this.#save("Save capture (.pcapng)", "application/x-pcapng", "pcapng", () =>
        files.pcapng((text) => this.#say(text)),
      ),
    ];
    const { result } = files;
    if (result) this.saves.push(this.#save("Save result (.zip)", "application/zip", "zip", result));
    const rows = element("div", { className: "lp-saving" }, label, this.tables, ...this.saves);
    const fold = element("summary", { textContent: "Keep this run" });
    this.box = element("details", { className: "lp-keep", hidden: true }, fold, rows, this.said);
    this.box.addEventListener("toggle", () => void this.#told(() => this.#list()));
  }

  /**
   * The latest run is at hand.
   * @param {string} stem of the files' names
   */
  offer(stem) {
    this.stem = stem.replaceAll(/[^\w.-]+/g, "-");
    this.said.textContent = "";
    this.tables.replaceChildren();
    this.box.hidden = false;
    void this.#told(() => this.#list());
  }

  /** Nothing is at hand: what is shown was recorded, or is an earlier run. */
  withdraw() {
    this.box.hidden = true;
  }

  /** The tables are made when somebody looks for them. */
  async #list() {
    if (this.box.hidden || !this.box.open || this.tables.options.length) return;
    const names = await this.files.tables();
    this.tables.replaceChildren(...names.map((name) => new Option(name)));
  }

  /**
   * @param {string} text
   * @param {string} type
   * @param {string} ending
   * @param {() => Promise<BlobPart[]>} parts
   */
  #save(text, type, ending, parts) {
    return button(text, () =>
      this.#told(async () => {
        const name = ending === "csv" ? `${this.stem}-${this.tables.value}` : this.stem;
        save(`${name}.${ending}`, await parts(), type);
      }),
    );
  }

  /** @param {string} text */
  #say(text) {
    this.said.textContent = text;
  }

  /** @param {() => Promise<void>} work */
  async #told(work) {
    for (const one of this.saves) one.disabled = true;
    try {
      await work();
      this.said.textContent = "";
    } catch (error) {
      this.said.textContent = `Not saved: ${error instanceof Error ? error.message : error}`;
    } finally {
      for (const one of this.saves) one.disabled = false;
    }
  }
}

/**
 * @param {string} name
 * @param {BlobPart[]} parts
 * @param {string} type
 */
function save(name, parts, type) {
  const href = URL.createObjectURL(new Blob(parts, { type }));
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
