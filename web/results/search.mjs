// Bisection.

/**
 * Where a value belongs in ascending ones: before its equals ("left") or behind them.
 * @param {ArrayLike<number>} values
 * @param {number} value
 * @param {"left" | "right"} side
 */
export function sortedPlace(values, value, side) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value || (side === "right" && values[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
