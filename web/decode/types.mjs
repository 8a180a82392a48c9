// What the manifest of a run says, as far as decoding asks: types, and nothing that runs.

/**
 * A device of the network as it was built. queue: a rate and a queue sit there; from, to: of which direction. classes:
 * the major number of a qdisc with classes -> what it is.
 * @typedef {{index: number, ns: number, name: string, host: string, peer: string, role: string, queue: boolean,
 *   from: string, to: string, mac: string,
 *   classes?: Record<string, {kind: string, classes: readonly string[]}>}} Device
 */
/**
 * One direction of a link as it was built: devices by their index.
 * @typedef {{out: number, into: number, enter: number | null, mid: readonly number[], leave: number | null,
 *   queue: number, detach: boolean}} DirectedPath
 */
/**
 * A code as a layout has it: each packet repeated, or blocks of k packets with as many that repair.
 * @typedef {{kind: "repetition", copies: number, gap: number} | {kind: "parity", k: number}
 *   | {kind: "reed_solomon", k: number, n: number}} Fec
 */
/**
 * A flow as it was compiled; what stands behind start_s is of some kinds only.
 * @typedef {{id: number, name: string, src: string, dst: string, protocol: string, cc: string | null, sport: number,
 *   dport: number, saddr: string, daddr: string, start_s?: number, kind?: string, both_send?: boolean,
 *   objects?: readonly string[], sizes?: readonly number[], ladder?: readonly number[], segments?: number,
 *   plays_with?: number, packets?: number, routed?: boolean, fec?: Fec | null,
 *   devices?: readonly Device[]}} FlowLayout
 */
/**
 * routes: destinations and gateways; forwards: of a switch, to which neighbour it sends what is for an address.
 * @typedef {{ns: number, addresses: Record<string, string>, routes: readonly (readonly [string, string])[],
 *   forwards?: Record<string, string>}} HostLayout
 */
/**
 * @typedef {{id: number, host: string, command: string, at_s: number}} CommandLayout
 */
/**
 * Names and numbers as they were compiled.
 * @typedef {{hosts: Record<string, HostLayout>, flows: readonly FlowLayout[], interfaces: readonly Device[],
 *   ways: readonly DirectedPath[], commands: readonly CommandLayout[]}} Layout
 */

/**
 * Which packets belong to a class.
 * @typedef {{src?: string, dst?: string, protocol?: string, port?: number, sport?: number, dport?: number,
 *   mark?: number}} MatchSpec
 */
/** @typedef {{name: string, match: readonly MatchSpec[], queue: QueueSpec}} ClassSpec */
/**
 * @typedef {{kind: string, packets: number | null, bytes: number | null, options: Record<string, unknown>,
 *   classes?: readonly ClassSpec[], default?: string | null}} QueueSpec
 */
/**
 * @typedef {{rate: number | null, queue: QueueSpec | null, loss: {kind: string} | null,
 *   wire_limit: number | null}} DirectionSpec
 */
/**
 * @typedef {{a: string, b: string, forward: DirectionSpec, backward: DirectionSpec, nic_a?: unknown,
 *   nic_b?: unknown}} LinkSpec
 */
/**
 * A flow as an experiment writes it; of each kind other fields.
 * @typedef {Record<string, any> & {kind?: string, protocol?: string}} FlowSpec
 */
/**
 * A change of a link, of a port (which has no `link`) or of a sysctl.
 * @typedef {{kind: "link" | "nic" | "sysctl", at: number, link?: readonly [string, string],
 *   direction?: "both" | "forward" | "backward", set?: Partial<DirectionSpec>}} ChangeSpec
 */
/**
 * @typedef {{topology: {links: readonly LinkSpec[]}, flows: readonly FlowSpec[],
 *   changes: readonly ChangeSpec[], probes: readonly string[],
 *   capture: readonly {host: string, interface: string | null}[], seed?: number}} ExperimentSpec
 */
/**
 * What a manifest has. virtual_s: how long the run was; null or nothing: the raw file tells.
 * @typedef {{experiment: ExperimentSpec, layout: Layout, virtual_s?: number | null}} Manifest
 */

export {};
