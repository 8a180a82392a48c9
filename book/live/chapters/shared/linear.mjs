// Small dense linear algebra: QR by Householder's reflections, and triangles. A matrix is an array of rows.

/** @typedef {number[][]} Matrix */

/**
 * Euclidean length; does not overflow.
 * @param {readonly number[]} values
 */
export function norm(values) {
  return Math.hypot(...values);
}

/**
 * r, upper triangular, with q r = the matrix whose columns stand in this order, and q^T b. At each step the longest
 * column that is left comes next, so that what is dependent comes last.
 * @param {Matrix} matrix with as many rows as columns, or more
 * @param {readonly number[]} b
 * @returns {{r: Matrix, order: number[], qtb: number[]}}
 */
export function qr(matrix, b) {
  const columns = matrix[0].length;
  const a = matrix.map((row) => [...row]);
  const qtb = [...b];
  const order = Array.from({ length: columns }, (_, j) => j);
  for (let k = 0; k < columns; k++) {
    const lengths = order.slice(k).map((_, j) => norm(a.slice(k).map((row) => row[k + j])));
    const next = k + lengths.indexOf(Math.max(...lengths));
    if (next > k) {
      for (const row of a) [row[k], row[next]] = [row[next], row[k]];
      [order[k], order[next]] = [order[next], order[k]];
    }
    reflect(a, qtb, k);
  }
  return { r: a.slice(0, columns), order, qtb: qtb.slice(0, columns) };
}

/**
 * Makes what is below the diagonal of column k vanish.
 * @param {Matrix} a
 * @param {number[]} b is reflected, too
 * @param {number} k
 */
function reflect(a, b, k) {
  const length = norm(a.slice(k).map((row) => row[k]));
  if (!(length > 0)) return;
  const alpha = a[k][k] > 0 ? -length : length;
  const v = a.slice(k).map((row, i) => (i === 0 ? row[k] - alpha : row[k]) / length);
  const scale = 2 / v.reduce((sum, one) => sum + one * one, 0);
  const { length: columns } = a[0];
  for (let j = k; j < columns; j++) {
    const along = scale * v.reduce((sum, one, i) => sum + one * a[k + i][j], 0);
    v.forEach((one, i) => {
      a[k + i][j] -= along * one;
    });
  }
  const along = scale * v.reduce((sum, one, i) => sum + one * b[k + i], 0);
  v.forEach((one, i) => {
    b[k + i] -= along * one;
  });
}

/**
 * x of r x = b; from the first vanishing diagonal on its elements are 0.
 * @param {Matrix} r upper triangular
 * @param {readonly number[]} b
 */
export function backward(r, b) {
  const zero = r.findIndex((row, i) => row[i] === 0);
  const rank = zero < 0 ? r.length : zero;
  const x = new Array(r.length).fill(0);
  for (let i = rank - 1; i >= 0; i--) {
    const known = r[i].slice(0, rank).reduce((sum, one, j) => (j > i ? sum + one * x[j] : sum), 0);
    x[i] = (b[i] - known) / r[i][i];
  }
  return x;
}

/**
 * x of r^T x = b.
 * @param {Matrix} r upper triangular, without a zero on its diagonal
 * @param {readonly number[]} b
 */
export function forward(r, b) {
  /** @type {number[]} */
  const x = [];
  r.forEach((row, i) => {
    const known = x.reduce((sum, one, j) => sum + r[j][i] * one, 0);
    x.push((b[i] - known) / row[i]);
  });
  return x;
}

/**
 * Values in another order: the one at order[j] comes j-th.
 * @param {readonly number[]} values
 * @param {readonly number[]} order
 */
export function ordered(values, order) {
  return order.map((place) => values[place]);
}

/**
 * Back from that order.
 * @param {readonly number[]} values
 * @param {readonly number[]} order
 */
export function restored(values, order) {
  const found = new Array(values.length);
  order.forEach((place, j) => {
    found[place] = values[j];
  });
  return found;
}

/**
 * The x that makes |matrix x - b| smallest.
 * @param {Matrix} matrix
 * @param {readonly number[]} b
 */
export function leastSquares(matrix, b) {
  const { r, order, qtb } = qr(matrix, b);
  return restored(backward(r, qtb), order);
}
