// An array of numbers of which nobody knows how long it will be.

const FIRST = 1024;

/** Numbers, one after the other. */
export class Growing {
  constructor() {
    this._room = new Float64Array(FIRST);
    this.length = 0;
  }

  /** @param {number} value */
  push(value) {
    if (this.length === this._room.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this._room);
      this._room = larger;
    }
    this._room[this.length++] = value;
  }

  /** A copy of all of them. */
  values() {
    return this._room.slice(0, this.length);
  }
}
