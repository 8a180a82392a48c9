// How many bytes a film takes as labkit writes it in Python, where 1.0 is written otherwise than 1: a film is cut by its
// size, and is to be cut at the same place.

/**
 * @param {object} film
 * @param {readonly number[]} fractions the numbers in it that are floats in Python
 */
export function sizeOf(film, fractions) {
  const text = JSON.stringify(film);
  const more = fractions.reduce((sum, one) => sum + written(one).length - JSON.stringify(one).length, 0);
  return new TextEncoder().encode(text).length + more;
}

/**
 * A float as Python writes it: "1.0", "-0.0", "5e-05".
 * @param {number} value
 */
function written(value) {
  if (Object.is(value, -0)) return "-0.0";
  if (Number.isInteger(value)) return `${value}.0`;
  if (Math.abs(value) >= 1e-4) return String(value);
  const [digits, exponent] = value.toExponential().split("e-");
  return `${digits}e-${exponent.padStart(2, "0")}`;
}
