// @ts-check
/* What a reader did on this site, kept on the reader's device: an entry for each page. Where a browser keeps nothing, nothing
 * is remembered. */

const PREFIX = "lost-packets ";

/** @typedef {Record<string, any>} Entry by what it is of: a figure's id, a quiz's, "read" */

export class Memory {
  /**
   * @param {string} root the site's address
   * @param {Storage | null} [storage]
   */
  constructor(root, storage = stored()) {
    this.root = new URL(root).pathname;
    this.storage = storage;
  }

  /**
   * Of a page's address.
   * @param {string} address
   * @returns {Entry}
   */
  entry(address) {
    const text = this.storage?.getItem(this.#key(address));
    try {
      const found = JSON.parse(text ?? "{}");
      return found && typeof found === "object" ? found : {};
    } catch {
      return {}; // not written by us
    }
  }

  /**
   * @param {string} address
   * @param {string} name
   * @param {unknown} value null: nothing any more
   */
  put(address, name, value) {
    const { [name]: _, ...others } = this.entry(address);
    const entry = value === null ? others : { ...others, [name]: value };
    try {
      if (Object.keys(entry).length) this.storage?.setItem(this.#key(address), JSON.stringify(entry));
      else this.storage?.removeItem(this.#key(address));
    } catch (error) {
      console.warn("this is not remembered:", error); // the device has no room for it
    }
  }

  get isEmpty() {
    return this.#keys().length === 0;
  }

  forget() {
    for (const key of this.#keys()) this.storage?.removeItem(key);
  }

  #keys() {
    const keys = Array.from({ length: this.storage?.length ?? 0 }, (_, i) => this.storage?.key(i) ?? "");
    return keys.filter((key) => key.startsWith(PREFIX + this.root));
  }

  /** @param {string} address */
  #key(address) {
    return PREFIX + new URL(address, location.href).pathname;
  }
}

/** @returns {Storage | null} */
function stored() {
  try {
    return window.localStorage;
  } catch {
    return null; // the reader has forbidden it
  }
}
