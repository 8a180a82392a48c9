// @ts-check
/* Seeds as a reader types them: "4", "1-5", "2, 3, 9". */

export const MOST_SEEDS = 20;

/**
 * @param {string} typed
 * @returns {number[] | null} null: nothing was typed
 * @throws {RangeError} with what would be right
 */
export function seedsOf(typed) {
  const parts = typed
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (!parts.length) return null;
  const seeds = new Set(parts.flatMap(spread));
  if (seeds.size > MOST_SEEDS) throw new RangeError(`${seeds.size} seeds: ${MOST_SEEDS} at most`);
  return [...seeds];
}

/** @param {string} part */
function spread(part) {
  const found = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(part);
  const [low, high] = [Number(found?.[1]), Number(found?.[2] ?? found?.[1])];
  if (!found || !Number.isSafeInteger(low) || !Number.isSafeInteger(high) || high < low) {
    throw new RangeError(`“${part}”: write whole numbers, as in 4 or 1-5 or 2, 3, 9`);
  }
  if (high - low >= MOST_SEEDS) throw new RangeError(`“${part}”: ${MOST_SEEDS} seeds at most`);
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}
