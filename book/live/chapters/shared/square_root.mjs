// The square-root law: the rate of an ideal Reno by its loss rate. M. Mathis and others, CCR 27(3), 1997.

/**
 * Bit/s of payload, 8 mss c / (rtt sqrt(p)); infinite where nothing is lost.
 * @param {number} p share of packets that are congestion signals
 * @param {number} rtt s
 * @param {number} mss bytes of payload in a packet
 * @param {number} c the law's constant
 */
export function squareRootRate(p, rtt, mss, c) {
  return (8 * mss * (c / Math.sqrt(p))) / rtt;
}
