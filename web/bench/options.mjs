// Settings by name as one line of text: "target=5ms, ecn" is {target: "5ms", ecn: true}.

/** @typedef {string | number | boolean} Scalar */

const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

/**
 * @param {string} text settings between commas or on lines of their own
 * @returns {Record<string, Scalar>}
 */
export function settings(text) {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
  return Object.fromEntries(
    parts.map((part) => {
      const [name, ...rest] = part.split("=");
      return [name.trim(), rest.length ? scalar(rest.join("=").trim()) : true];
    }),
  );
}

/**
 * @param {string} text
 * @returns {Scalar}
 */
function scalar(text) {
  if (text === "true" || text === "false") return text === "true";
  return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}

/**
 * The line that `settings` reads so; null if no line says this.
 * @param {Readonly<Record<string, unknown>>} given
 * @param {string} [between]
 * @returns {string | null}
 */
export function line(given, between = ", ") {
  const parts = Object.entries(given).map(([name, value]) => (value === true ? name : `${name}=${value}`));
  const text = parts.join(between);
  const back = settings(text);
  const names = Object.keys(given);
  const same = names.length === Object.keys(back).length && names.every((name) => back[name] === given[name]);
  return same ? text : null;
}
