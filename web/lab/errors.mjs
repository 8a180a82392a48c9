// @ts-check
/* What the lab of a page fails with. */

/**
 * "unsupported": this browser or address cannot. "fetch": a piece did not arrive. "damaged": it arrived twice, and both
 * times it was not what it should be. "limit": of time or bytes. "cancelled": by whoever asked. "failed": the machine.
 * @typedef {"unsupported" | "fetch" | "damaged" | "limit" | "cancelled" | "failed"} Kind
 */

export class LabError extends Error {
  /**
   * @param {Kind} kind
   * @param {string} message for the reader
   */
  constructor(kind, message) {
    super(message);
    this.name = "LabError";
    this.kind = kind;
  }
}

export const cancelled = () => new LabError("cancelled", "The run was cancelled.");
