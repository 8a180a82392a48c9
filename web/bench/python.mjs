// Python expressions, written as one would: on one line if it fits, else an argument on each.

/**
 * A call, a list, or a dict (call "{"); a text is an expression as it stands.
 * @typedef {string | {call: string, args: Expression[], named: [string, Expression][]} | {list: Expression[]}
 *   | {dict: [string, Expression][]}} Expression
 */

const WIDTH = 88;

/**
 * @param {unknown} value of JSON
 * @returns {Expression}
 */
export function literal(value) {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return { list: value.map(literal) };
  if (typeof value === "object") {
    return { dict: Object.entries(value).map(([name, one]) => [name, literal(one)]) };
  }
  return JSON.stringify(value); // numbers and strings are written alike
}

/**
 * @param {string} name
 * @param {Expression[]} args
 * @param {[string, Expression][]} [named]
 * @returns {Expression}
 */
export function call(name, args, named = []) {
  return { call: name, args, named };
}

/**
 * @param {Expression} expression
 * @param {number} [indent] spaces before its first line
 * @param {number} [before] characters that stand before it on that line
 * @param {number} [after] and behind its last one
 * @returns {string}
 */
export function written(expression, indent = 0, before = 0, after = 0) {
  if (typeof expression === "string") return expression;
  const { open, parts, close } = opened(expression);
  const flat = `${open}${parts.map(([lead, part]) => lead + written(part, 0, -1e9)).join(", ")}${close}`;
  if (indent + before + flat.length + after <= WIDTH) return flat;
  if (parts.length === 0) return flat;
  const inner = indent + 4;
  const [short, rest] = ledBy(parts);
  const filled = lines(short, inner);
  const others = rest.map(([lead, part]) => `${lead}${written(part, inner, lead.length, 1)},`);
  return `${open}\n${[...filled, ...others].map((one) => " ".repeat(inner) + one).join("\n")}\n${" ".repeat(indent)}${close}`;
}

/**
 * What leads as texts without a name, which may share a line; and the rest.
 * @param {[string, Expression][]} parts
 * @returns {[string[], [string, Expression][]]}
 */
function ledBy(parts) {
  const until = parts.findIndex(([lead, part]) => lead !== "" || typeof part !== "string");
  const count = until < 0 ? parts.length : until;
  return [parts.slice(0, count).map(([, part]) => /** @type {string} */ (part)), parts.slice(count)];
}

/**
 * @param {readonly string[]} texts
 * @param {number} indent
 */
function lines(texts, indent) {
  /** @type {string[]} */
  const made = [];
  for (const text of texts) {
    const last = made.at(-1);
    if (last !== undefined && indent + last.length + text.length + 2 <= WIDTH) {
      made[made.length - 1] = `${last} ${text},`;
    } else made.push(`${text},`);
  }
  return made;
}

/**
 * @param {Exclude<Expression, string>} expression
 * @returns {{open: string, parts: [string, Expression][], close: string}}
 */
function opened(expression) {
  if ("list" in expression) {
    return { open: "[", parts: expression.list.map((one) => ["", one]), close: "]" };
  }
  if ("dict" in expression) {
    const parts = expression.dict.map(
      ([name, one]) => /** @type {[string, Expression]} */ ([`${JSON.stringify(name)}: `, one]),
    );
    return { open: "{", parts, close: "}" };
  }
  const { call: name, args, named } = expression;
  return {
    open: `${name}(`,
    parts: [
      ...args.map((one) => /** @type {[string, Expression]} */ (["", one])),
      ...named.map(([key, one]) => /** @type {[string, Expression]} */ ([`${key}=`, one])),
    ],
    close: ")",
  };
}
