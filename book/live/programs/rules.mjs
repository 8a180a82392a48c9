// @ts-check
/* The number in a program that a number on a knob stands for (book/extensions/live/rules.py), in exact arithmetic. */

/**
 * Whole numbers are texts: they may have more than 53 bits.
 * @typedef {{p: string, q: string, mode: "round" | "floor" | "ceil", plus?: string, inverse?: boolean, low?: string,
 *   high?: string}} Rule
 */
/** @typedef {{over: bigint, under: bigint}} Fraction over / under; under is positive */

/**
 * A number as it is written.
 * @param {number} x
 * @returns {Fraction}
 */
export function exact(x) {
  const [digits, exponent = "0"] = String(x).split("e");
  const [whole, part = ""] = digits.split(".");
  const shift = Number(exponent) - part.length;
  const over = BigInt(whole + part);
  return shift >= 0
    ? { over: over * 10n ** BigInt(shift), under: 1n }
    : { over, under: 10n ** BigInt(-shift) };
}

/**
 * @param {Rule} rule
 * @param {Fraction} x
 */
export function value(rule, x) {
  const { over, under } = times(rule, x);
  let found = ROUND[rule.mode](over, under) + BigInt(rule.plus ?? 0);
  if (rule.low !== undefined && found < BigInt(rule.low)) found = BigInt(rule.low);
  if (rule.high !== undefined && found > BigInt(rule.high)) found = BigInt(rule.high);
  return found;
}

/**
 * Not rounded, as the nearest number that JavaScript has.
 * @param {Rule} rule
 * @param {Fraction} x
 */
export function nearest(rule, x) {
  const { over, under } = times(rule, x);
  if (over < 0n) return -quotient(-over, under);
  return quotient(over, under);
}

/**
 * @param {Rule} rule
 * @param {Fraction} x
 * @returns {Fraction}
 */
function times({ p, q, inverse }, x) {
  const [over, under] = inverse ? [x.under, x.over] : [x.over, x.under];
  const made = { over: over * BigInt(p), under: under * BigInt(q) };
  return made.under < 0n ? { over: -made.over, under: -made.under } : made;
}

/**
 * With 64 bits at least, the last of which says whether anything is left: so it is rounded once.
 * @param {bigint} over
 * @param {bigint} under
 */
function quotient(over, under) {
  const shift = Math.max(0, 64 + under.toString(2).length - over.toString(2).length);
  const grown = over << BigInt(shift);
  const whole = grown / under;
  const sticky = whole * under === grown ? whole : whole | 1n;
  return Number(sticky) * 2 ** -shift;
}

/**
 * @param {bigint} over
 * @param {bigint} under
 */
function floor(over, under) {
  const whole = over / under;
  return over < 0n && whole * under !== over ? whole - 1n : whole;
}

const ROUND = {
  floor,
  /** @param {bigint} over @param {bigint} under */
  ceil: (over, under) => -floor(-over, under),
  /** To the nearest, of two to the even one. @param {bigint} over @param {bigint} under */
  round(over, under) {
    const below = floor(2n * over + under, 2n * under);
    const half = (2n * over + under) % (2n * under) === 0n;
    return half && below % 2n !== 0n ? below - 1n : below;
  },
};
