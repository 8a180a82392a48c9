// What labkit says is wrong with an experiment: one line each, led by the path of the field that it is about.

/** @typedef {{path: string, text: string, said: string}} Fault path: "" if the line names none; said: what follows it */

const LED =
  /^((?:topology|flows|changes|commands|servers|capture|probes|sysctls|seed|duration|time_limit|sample_interval)(?:\[\d+\]|\.[\w-]+)*)\s*(?:[=:[]|$)/;

const VALUE = /^=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^:]*)/;

/**
 * @param {string} message of labkit's SpecError
 * @returns {Fault[]}
 */
export function faultsIn(message) {
  return message
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((text) => {
      const path = LED.exec(text)?.[1] ?? "";
      const rest = text
        .slice(path.length)
        .replace(VALUE, "")
        .replace(/^\s*:\s*/, "");
      return { path, text, said: path ? rest.replace(/ \(link [^()]*\)$/, "") : text };
    });
}

/**
 * Paths of fields that a fault may belong to, the nearest first: of its own path, of what stands for it in the form, of
 * what it is in.
 * @param {string} path
 * @returns {string[]}
 */
export function candidates(path) {
  const found = [];
  for (let at = path; at; at = at.replace(/(\.[^.[\]]+|\[\d+\])$/, "")) {
    found.push(at);
    if (/\.queue$/.test(at)) found.push(`${at}.options`, `${at}.packets`, `${at}.bytes`, `${at}.kind`);
    if (/\.loss$/.test(at)) found.push(`${at}.kind`);
    if (/^flows\[\d+\]$/.test(at)) found.push(`${at}.kind`);
    if (!/[.[]/.test(at)) break;
  }
  return [...new Set(found)];
}
