// Forward error correction over datagrams: what is sent beside the packets themselves, and what that repairs.

/** @typedef {import("../decode/types.mjs").Fec} Fec */
/**
 * A datagram: which packet it is, from 0, or -1: one that repairs; its block, from 0.
 * @typedef {{packet: number, block: number}} Sent
 */

/**
 * All datagrams of so many packets, in the order of time.
 * @param {Fec | null} code
 * @param {number} packets
 * @returns {Sent[]}
 */
export function datagrams(code, packets) {
  if (code === null) return Array.from({ length: packets }, (_, packet) => ({ packet, block: packet }));
  if (code.kind === "repetition") return repeated(code, packets);
  const repairs = code.kind === "parity" ? 1 : code.n - code.k;
  /** @type {Sent[]} */
  const found = [];
  for (let first = 0, block = 0; first < packets; first += code.k, block++) {
    const after = Math.min(first + code.k, packets);
    for (let packet = first; packet < after; packet++) found.push({ packet, block });
    for (let repair = 0; repair < repairs; repair++) found.push({ packet: -1, block });
  }
  return found;
}

/**
 * @param {Extract<Fec, {kind: "repetition"}>} code
 * @param {number} packets
 */
function repeated({ copies, gap }, packets) {
  /** @type {Sent[]} */
  const found = [];
  for (let at = 0; at < packets + (copies - 1) * gap; at++) {
    for (let copy = 0; copy < copies; copy++) {
      const packet = at - copy * gap;
      if (packet >= 0 && packet < packets) found.push({ packet, block: packet });
    }
  }
  return found;
}

/**
 * For each packet, when it came by itself and when it could be used, by itself or repaired (NaN: never).
 * @param {Fec | null} code
 * @param {number} packets
 * @param {readonly Sent[]} plan
 * @param {readonly number[]} arrived when each datagram of the plan came; NaN: never
 */
export function usable(code, packets, plan, arrived) {
  if (code === null) return { received: [...arrived], usableS: [...arrived] };
  const times = arrived.map((at) => (Number.isNaN(at) ? Number.POSITIVE_INFINITY : at));
  const came = new Array(packets).fill(Number.POSITIVE_INFINITY);
  /** @type {{times: number[], packets: Set<number>}[]} */
  const blocks = [];
  plan.forEach(({ packet, block }, i) => {
    blocks[block] ??= { times: [], packets: new Set() };
    blocks[block].times.push(times[i]);
    if (packet < 0) return;
    blocks[block].packets.add(packet);
    came[packet] = Math.min(came[packet], times[i]);
  });
  const used = [...came];
  for (const block of blocks) {
    const needed = Math.min(code.kind === "repetition" ? 1 : code.k, block.packets.size);
    const restored = Float64Array.from(block.times).sort()[needed - 1];
    for (const packet of block.packets) used[packet] = Math.min(used[packet], restored);
  }
  const finite = (/** @type {number[]} */ values) =>
    values.map((at) => (at === Number.POSITIVE_INFINITY ? Number.NaN : at));
  return { received: finite(came), usableS: finite(used) };
}
