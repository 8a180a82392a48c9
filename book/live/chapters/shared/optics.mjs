// Light to bit errors: a photodiode limited by thermal noise, as labkit.models.optics has it.

const SENSITIVITY_DBM = -17; // of 1000BASE-SX (IEEE 802.3, clause 38): there a bit error rate of 1e-12
const Q_AT_SENSITIVITY = 7.034;
const FAR = 2.5; // from here on the continued fraction is the better one
const EPSILON = 2 ** -53;

/**
 * Bit error rate at a received power: erfc(Q / sqrt 2) / 2.
 * @param {number} powerDbm
 */
export function ber(powerDbm) {
  const q = Q_AT_SENSITIVITY * 10 ** ((powerDbm - SENSITIVITY_DBM) / 10);
  return erfc(q / Math.SQRT2) / 2;
}

/**
 * The complementary error function.
 * @param {number} x from 0
 */
export function erfc(x) {
  return x < FAR ? 1 - near(x) : far(x);
}

/**
 * erf by its series (Abramowitz and Stegun, 7.1.6), of which no term is negative.
 * @param {number} x
 */
function near(x) {
  let [term, sum] = [x, x];
  for (let n = 1; term > sum * EPSILON; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/**
 * By its continued fraction (7.1.14), from the inside.
 * @param {number} x
 */
function far(x) {
  let inner = x;
  for (let n = 60; n > 0; n--) inner = x + n / 2 / inner;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * inner);
}
