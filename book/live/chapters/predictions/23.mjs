// Chapter 23: how many small pings a cable with a few bit errors loses.

/**
 * Pings sent less those answered, as `ping` itself says.
 * @param {import("../shared/types.mjs").Result} result
 */
function lost(result) {
  const words = String(result.table("commands").value("stdout", 0)).trim().split(/\s+/);
  return Number(words[0]) - Number(words[3]);
}

export const widgets = { "predict-ping": { measure: lost } };
