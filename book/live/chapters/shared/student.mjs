// Student's t: how far a mean of few values may be off.

const SHARE = 0.95;
const NORMAL = 1.959963984540054; // the 97.5 % quantile of the normal distribution
const MANY = 200;

/**
 * The chance that |t| is below a value: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.7.3 and
 * 26.7.4, finite sums for a whole number of degrees of freedom.
 * @param {number} t above 0
 * @param {number} freedom 1 or more
 */
function within(t, freedom) {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const odd = freedom % 2 === 1;
  let term = odd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k < freedom; k += 2) {
    term *= ((k - 1) / k) * cosine * cosine;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}

/**
 * The 97.5 % quantile by its expansion in 1 / freedom: 26.7.5 there.
 * @param {number} freedom large
 */
function expanded(freedom) {
  const x = NORMAL;
  const terms = [
    x,
    (x ** 3 + x) / 4,
    (5 * x ** 5 + 16 * x ** 3 + 3 * x) / 96,
    (3 * x ** 7 + 19 * x ** 5 + 17 * x ** 3 - 15 * x) / 384,
    (79 * x ** 9 + 776 * x ** 7 + 1482 * x ** 5 - 1920 * x ** 3 - 945 * x) / 92160,
  ];
  return terms.reduce((sum, term, power) => sum + term / freedom ** power, 0);
}

/**
 * The 97.5 % quantile: between plus and minus it t is in 95 of 100 cases.
 * @param {number} freedom a whole number from 1 on
 */
export function tQuantile(freedom) {
  if (!Number.isInteger(freedom) || freedom < 1) {
    throw new RangeError(`freedom=${freedom}: must be a whole number from 1 on`);
  }
  if (freedom > MANY) return expanded(freedom);
  let [low, high] = [0, 13];
  while (high - low > Number.EPSILON * high) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (within(middle, freedom) < SHARE) low = middle;
    else high = middle;
  }
  return high;
}
