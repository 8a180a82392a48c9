// Numbers and lists as a sentence has them: what a figure's description is written with.

const FAR = 21; // digits that tell a tie from what lies beside it

/**
 * Is a number in decimal writing exactly half way between two of so many digits behind the point, or before it?
 * @param {string} exact more digits than are kept
 * @param {number} kept length of what is kept
 */
function isTie(exact, kept) {
  return /^\.?50*$/.test(exact.slice(kept));
}

/**
 * `f"{x:.{digits}f}"`: halves go to the even digit.
 * @param {number} x
 * @param {number} digits
 * @returns {string}
 */
export function fixed(x, digits) {
  if (!Number.isFinite(x)) return general(x);
  if (Object.is(x, -0)) return `-${fixed(0, digits)}`;
  const text = x.toFixed(digits);
  const exact = x.toFixed(Math.min(digits + FAR, 100));
  const kept = exact.slice(0, digits === 0 ? exact.indexOf(".") : exact.indexOf(".") + 1 + digits);
  return isTie(exact, kept.length) && Number(kept.at(-1)) % 2 === 0 ? kept : text;
}

/**
 * With so many digits that count, as [sign, digits, exponent]: d.ddd times ten to the exponent.
 * @param {number} x not 0
 * @param {number} digits
 * @returns {[string, string, number]}
 */
function scientific(x, digits) {
  const sign = x < 0 ? "-" : "";
  const [near, nearExponent] = Math.abs(x)
    .toExponential(digits - 1)
    .split("e");
  const [far, exponent] = Math.abs(x)
    .toExponential(digits + FAR)
    .split("e");
  const kept = digits === 1 ? far.slice(0, 1) : far.slice(0, digits + 1);
  if (isTie(far, kept.length) && Number(kept.at(-1)) % 2 === 0) {
    return [sign, kept.replace(".", ""), Number(exponent)];
  }
  return [sign, near.replace(".", ""), Number(nearExponent)];
}

/**
 * Digits at their places, without an exponent and without zeros at the end.
 * @param {string} digits
 * @param {number} exponent of the first
 */
function positional(digits, exponent) {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`.replace(/0+$/, "");
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const part = digits.slice(exponent + 1).replace(/0+$/, "");
  return part ? `${whole}.${part}` : whole;
}

/**
 * `f"{x:.{digits}g}"`.
 * @param {number} x
 * @param {number} [digits]
 */
export function general(x, digits = 6) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [sign, kept, exponent] = scientific(x, digits);
  if (exponent >= -4 && exponent < digits) return sign + positional(kept, exponent);
  return `${sign}${positional(kept, 0)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/**
 * Thousands told apart: "35,595".
 * @param {string} digits
 */
export function grouped(digits) {
  return digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

/**
 * Three digits that count, no exponent: "0.0123", "9.56", "142", "35,595".
 * @param {number} value
 */
export function number(value) {
  if (Number.isNaN(value)) return "unknown";
  if (value === 0) return "0";
  if (Math.abs(value) >= 99.95) return Number.isFinite(value) ? grouped(fixed(value, 0)) : general(value);
  const [sign, digits, exponent] = scientific(value, 3);
  return sign + positional(digits, exponent);
}

/**
 * "1 packet", "no packets", "147 packets".
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export function count(n, one, many = `${one}s`) {
  if (n === 1) return `1 ${one}`;
  return `${n === 0 ? "no" : grouped(String(n))} ${many}`;
}

/**
 * "never", "once", "twice", "5 times".
 * @param {number} n
 */
export function times(n) {
  return ["never", "once", "twice"][n] ?? `${grouped(String(n))} times`;
}

/**
 * "a", "a and b", "a, b and c".
 * @param {readonly string[]} parts
 */
export function listing(parts) {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}

/**
 * The sentences of the first few, and how many more there are.
 * @param {readonly string[]} parts
 * @param {number} most
 * @param {string} what
 */
export function limited(parts, most, what) {
  const more = parts.length - most;
  return parts.slice(0, most).join(" ") + (more > 0 ? ` And ${more} more ${what}.` : "");
}

/**
 * A first letter in upper case, the others in lower case.
 * @param {string} text
 */
export function capitalized(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}
