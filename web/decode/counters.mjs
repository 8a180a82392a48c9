// The kernel's counters before and after a run: /proc/net/{snmp,netstat,softnet_stat} and link statistics.

import { PHASE_SAMPLE } from "../program/structs.mjs";
import { RawFormatError } from "./bytes.mjs";
import { messages, nested } from "./dumps.mjs";
import { LINK_STATS } from "./facts.mjs";
import { Phases } from "./phases.mjs";
import { device } from "./queues.mjs";
import { ints, Table } from "./table.mjs";

/** @typedef {import("./recorded.mjs").Recorded} Recorded */
/** @typedef {import("./raw.mjs").KeptFile} KeptFile */

const NEWLINK = 16;
const INDEX = 20; // where a message has ifi_index
const LINK = 32; // where its attributes begin, after struct ifinfomsg
const STATS64 = 23; // IFLA_STATS64
const WORD = 8;
const SNMP = ["/proc/net/snmp", "/proc/net/netstat"];
const SOFTNET_STAT = "/proc/net/softnet_stat";
/** @type {readonly (readonly [number, string])[]} */
const SOFTNET = [
  [0, "processed"],
  [1, "dropped"],
  [2, "time_squeeze"],
  [9, "received_rps"],
  [10, "flow_limit_count"],
];
// Where Python's splitlines and split part a text: what the kernel writes has none of the odd ones, a damaged file may.
// biome-ignore lint/suspicious/noControlCharactersInRegex: separators are control characters
const LINES = /\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: separators are control characters
const SPACES = /[\t-\r\x1c-\x1f\x85\u2028\u2029\p{Zs}]+/u;

/**
 * Each host's SNMP counters, as nstat names them ("TcpRetransSegs", "TcpExtTCPTimeouts").
 * @param {Recorded} run
 * @throws {RawFormatError}
 */
export function counters({ records, layout }) {
  const hosts = new Map(Object.entries(layout.hosts).map(([name, { ns }]) => [ns, name]));
  const phases = new Phases();
  for (const file of records.files()) {
    const host = hosts.get(file.ns);
    if (!SNMP.includes(file.path) || host === undefined || file.phase >= PHASE_SAMPLE) continue;
    const found = pairs(file).map(([name, value]) => ({ names: [host, name], value }));
    phases.keep(file.phase, found);
  }
  return phases.table(["host", "name"]);
}

/**
 * "Tcp: a b" over "Tcp: 1 2" -> ["Tcpa", 1], ["Tcpb", 2].
 * @param {KeptFile} file
 * @returns {[string, number][]}
 */
function pairs(file) {
  const lines = file.text.split(LINES);
  /** @type {[string, number][]} */
  const found = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const [prefix, columns] = parted(lines[i]);
    const [, values] = parted(lines[i + 1]);
    for (let j = 0; j < columns.length && j < values.length; j++) {
      found.push([
        prefix + columns[j],
        whole(values[j], 10, `${file.path} is no table of counters`, file.offset),
      ]);
    }
  }
  return found;
}

/**
 * What is in front of a colon, and the words behind it.
 * @param {string} line
 * @returns {[string, string[]]}
 */
function parted(line) {
  const colon = line.indexOf(":");
  return colon < 0 ? [line, []] : [line.slice(0, colon), words(line.slice(colon + 1))];
}

/** @param {string} text */
function words(text) {
  return text.split(SPACES).filter((word) => word !== "");
}

/**
 * @param {string} word
 * @param {10 | 16} base
 * @param {string} what an error says
 * @param {number} offset
 */
function whole(word, base, what, offset) {
  const good = base === 10 ? /^[+-]?\d+(_\d+)*$/ : /^[+-]?(0x_?)?[0-9a-f]+(_[0-9a-f]+)*$/i;
  if (!good.test(word)) throw new RawFormatError(`${what} ('${word}' is no number)`, offset);
  return Number.parseInt(word.replaceAll("_", ""), base);
}

/**
 * The kernel's input queues, of which there is one per CPU.
 * @param {Recorded} run
 * @throws {RawFormatError}
 */
export function softnet({ records }) {
  const phases = new Phases();
  for (const file of records.files()) {
    if (file.path !== SOFTNET_STAT || file.phase >= PHASE_SAMPLE) continue;
    const lines = file.text.split(LINES).filter((line, i, all) => line !== "" || i < all.length - 1);
    const found = lines.flatMap((line, cpu) => {
      const values = words(line);
      const there = SOFTNET.filter(([place]) => place < values.length);
      return there.map(([place, name]) => {
        const value = whole(values[place], 16, `${file.path} is no table of numbers`, file.offset);
        return { names: [String(cpu), name], value };
      });
    });
    phases.keep(file.phase, found);
  }
  const table = phases.table(["cpu", "name"]);
  const cpu = Array.from({ length: table.length }, (_, row) => Number(table.value("cpu", row)));
  return new Table({ ...table.columns, cpu: ints(cpu) });
}

/**
 * Each device's statistics.
 * @param {Recorded} run
 * @throws {RawFormatError}
 */
export function interfaces({ records, layout }) {
  const { bytes } = records;
  const tunnels = layout.flows.flatMap((flow) => flow.devices ?? []);
  const known = new Map([...layout.interfaces, ...tunnels].map((one) => [device(one), one]));
  const found = messages(records, NEWLINK);
  const short = found.find(({ size }) => size < LINK);
  if (short) throw new RawFormatError("a netlink message of a device that is cut off", short.offset);
  const phases = new Phases();
  for (const { phase, ns, offset, size } of found) {
    const one = known.get(device({ ns, index: bytes.i4(offset + INDEX) }));
    if (one === undefined) continue;
    const [stats] = nested(bytes, offset + LINK, offset + size, [STATS64]);
    const there = LINK_STATS.slice(0, Math.floor(stats.size / WORD));
    phases.keep(
      phase,
      there.map((name, i) => ({
        names: [one.host, one.name, one.peer, one.role, name],
        value: bytes.u8(stats.at + i * WORD),
      })),
    );
  }
  return phases.table(["host", "interface", "peer", "role", "name"]);
}
