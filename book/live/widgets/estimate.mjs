// @ts-check
/* How long a run will take on this device, of what was seen of its beginning. */

/** Virtual and wall time of a run, as it went on; both in seconds. */
export class Course {
  constructor() {
    /** From the epoch on: before it the network is set up, at another pace.
     * @type {[virtual: number, wall: number][]} */
    this.points = [];
  }

  /**
   * @param {number} virtual since the epoch
   * @param {number} wall since the start
   */
  add(virtual, wall) {
    if (virtual >= 0) this.points.push([virtual, wall]);
  }

  /** Wall time from the first to the last that was seen. */
  get seen_s() {
    return this.points.length ? this.points[this.points.length - 1][1] - this.points[0][1] : 0;
  }

  /**
   * Wall time from the start until this virtual time. Code is compiled while it runs, so the pace is that of the later
   * half of what was seen. Infinity: nothing has moved yet.
   * @param {number} until
   */
  wallUntil(until) {
    const last = this.points.at(-1);
    if (!last) return Infinity;
    const [virtual, wall] = last;
    if (virtual >= until) return wall;
    const half = wall - this.seen_s / 2;
    const later = this.points.find(([, at]) => at >= half) ?? last;
    const [from, since] = later[0] < virtual ? later : this.points[0];
    return from < virtual ? wall + ((wall - since) / (virtual - from)) * (until - virtual) : Infinity;
  }
}
