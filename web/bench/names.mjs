// Values as the book's text writes them: "10 Mbit/s" for what is typed as 10mbit, "CUBIC" for the kernel's cubic.

import { LOSSES, ofKind } from "./fields.mjs";

/** @typedef {import("./form.mjs").LossForm} LossForm */

/** @type {Readonly<Record<string, string>>} of those that are not the kernel's with a capital */
const CONTROLS = {
  bbr: "BBR",
  bic: "BIC",
  cdg: "CDG",
  cubic: "CUBIC",
  dctcp: "DCTCP",
  highspeed: "HighSpeed",
  htcp: "H-TCP",
  lp: "TCP-LP",
  nv: "NV",
  yeah: "YeAH",
};

/** @param {string | undefined} name of a congestion control; "" is Linux's own choice */
export function ccName(name) {
  const chosen = name?.trim() || "cubic";
  return CONTROLS[chosen] ?? chosen[0].toUpperCase() + chosen.slice(1);
}

const UNIT = /^([\d.]+)\s*(%|[a-zµ]+?)(\/s)?$/i;
const BITS = /^([kmgt])?bit$/i;

/**
 * A quantity with its unit, spaced and spelt as in the text; what has no unit stays as it is.
 * @param {string | undefined} text
 */
export function spoken(text) {
  const typed = text?.trim() ?? "";
  const [, number, unit] = UNIT.exec(typed) ?? [];
  if (unit === undefined) return typed;
  const [isRate, prefix = ""] = BITS.exec(unit) ?? [];
  if (!isRate) return `${number} ${unit}`;
  return `${number} ${prefix.toLowerCase() === "k" ? "k" : prefix.toUpperCase()}bit/s`;
}

/** @param {LossForm} loss of a kind */
export function lossName({ kind, texts }) {
  if (kind === "random") return `${spoken(texts.p)} loss`;
  if (kind === "drop_packets") return `loss of packets ${texts.numbers}`;
  if (kind === "every_nth") return `loss of one packet in ${texts.n}`;
  return `loss ${(ofKind(LOSSES, kind)?.label ?? "").replace(/ \(.*/, "")}`;
}
