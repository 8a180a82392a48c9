// When the time of a flow was over, by which its goodput is counted: as `Traffic.until` of each kind has it.

/**
 * A flow as an experiment writes it; of each kind other fields.
 * @typedef {{kind?: string, protocol?: string, size?: number | null, duration?: number | null, rate?: number | null,
 *   count?: number | null, every?: number}} FlowSpec
 */
/**
 * How a flow ended: its row of the table `flows`; NaN: never.
 * @typedef {{complete: boolean, startS: number, lastByteS: number, endS: number}} Ended
 */

/**
 * Is it over when a given amount has arrived?
 * @param {FlowSpec} flow
 */
function sized(flow) {
  switch (flow.kind) {
    case undefined:
      return flow.size !== null;
    case "requests":
      return flow.count !== null;
    default:
      return flow.kind === "web_page";
  }
}

/**
 * In s.
 * @param {FlowSpec} flow
 * @param {Ended} ended
 * @param {number} runS when the run ended
 */
export function until(flow, ended, runS) {
  if (flow.kind === "tunnel") return runS;
  if (flow.kind === "trains" || flow.kind === "pings") {
    return Math.min(ended.startS + (flow.count ?? 0) * (flow.every ?? 0), runS);
  }
  if (flow.kind === undefined && flow.protocol === "udp") return ofUdp(flow, ended, runS);
  if (ended.complete && sized(flow)) return ended.lastByteS;
  return flow.duration ? Math.min(ended.startS + flow.duration, runS) : ended.endS;
}

/**
 * When its sender was done, or its last datagram's arrival if that was later.
 * @param {FlowSpec} flow
 * @param {Ended} ended
 * @param {number} runS
 */
function ofUdp({ duration, size, rate }, ended, runS) {
  const lasts = [];
  if (duration) lasts.push(duration);
  if (size && rate) lasts.push((8 * size) / rate);
  const sentS = Math.min(ended.startS + Math.min(...lasts), runS);
  return Number.isNaN(ended.lastByteS) ? sentS : Math.max(sentS, ended.lastByteS);
}
