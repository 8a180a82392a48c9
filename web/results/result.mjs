// What a run measured: tables with the columns, units and names that labkit's Result has in Python.

import { aqm } from "../decode/aqm.mjs";
import { backlog } from "../decode/backlog.mjs";
import { ccInfo } from "../decode/cc_info.mjs";
import { classes } from "../decode/classes.mjs";
import { commands } from "../decode/commands.mjs";
import { packetTable } from "../decode/connections.mjs";
import { counters, interfaces, softnet } from "../decode/counters.mjs";
import { PLAIN, PROBE_OF, UNITS } from "../decode/facts.mjs";
import { lostFrames } from "../decode/frames.mjs";
import { plainTable } from "../decode/plain_tables.mjs";
import { queue } from "../decode/queue_events.mjs";
import { qdiscTable } from "../decode/queues.mjs";
import { Recorded } from "../decode/recorded.mjs";
import { lossStates } from "../decode/states.mjs";
import { Table } from "../decode/table.mjs";
import { tcpInfo } from "../decode/tcp_info.mjs";
import { calls } from "../traffic/call.mjs";
import { flows, goodput } from "../traffic/ends.mjs";
import { pages } from "../traffic/exchanges.mjs";
import { playback } from "../traffic/stream.mjs";
import { captured } from "./captured.mjs";
import { drops } from "./drops.mjs";
import { pcapng } from "./pcapng.mjs";

/** @typedef {import("../decode/types.mjs").Manifest} Manifest */

/** @type {Readonly<Record<string, (run: Recorded, result: Result) => Table>>} */
const TABLES = {
  ...Object.fromEntries(
    Object.entries(PLAIN).map(([name, plain]) => [name, (run) => plainTable(run, plain)]),
  ),
  aqm,
  backlog,
  calls,
  cc_info: ccInfo,
  classes,
  commands,
  counters,
  drops: (run, result) =>
    drops(run, {
      queue: () => result.table("queue"),
      classes: () => result.table("classes"),
      interfaces: () => result.table("interfaces"),
    }),
  flows,
  goodput: (run, result) => goodput(run, result.table("flows")),
  interfaces,
  loss_states: lossStates,
  pages,
  playback,
  qdiscs: (run) => qdiscTable(run.qdiscs),
  queue,
  softnet,
  tcp_info: tcpInfo,
};

/** A table that needs a probe which the experiment did not have; says which. */
export class ProbeMissingError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "ProbeMissingError";
  }
}

/** The result of a run: tables are read from the raw file when first asked for, then kept. */
export class Result {
  /**
   * @param {Uint8Array} raw what the agent wrote
   * @param {Manifest} manifest
   * @throws {import("../decode/bytes.mjs").RawFormatError}
   */
  constructor(raw, manifest) {
    this.recorded = new Recorded(raw, manifest);
    /** @type {Map<string, Table>} */
    this._made = new Map();
  }

  /** The names of all tables. */
  static get tables() {
    return Object.keys(TABLES).sort();
  }

  /**
   * Column -> its unit or what it says.
   * @param {string} name of a table, or "packet_table"
   * @returns {Readonly<Record<string, string>>}
   */
  static units(name) {
    const found = UNITS[name];
    if (found === undefined) throw new RangeError(noTable(name));
    return found;
  }

  /**
   * @param {string} name
   * @returns {Table}
   * @throws {ProbeMissingError}
   * @throws {import("../decode/bytes.mjs").RawFormatError}
   */
  table(name) {
    const known = this._made.get(name);
    if (known !== undefined) return known;
    if (!Object.hasOwn(TABLES, name)) throw new RangeError(noTable(name));
    this._needs(name);
    const made = TABLES[name](this.recorded, this);
    this._made.set(name, made);
    return made;
  }

  /**
   * Was what a table is made of recorded?
   * @param {string} name
   */
  _needs(name) {
    const needed = PROBE_OF[name];
    if (needed === undefined) return;
    const { probe, events, nothing } = needed;
    if (!this.recorded.experiment.probes.includes(probe)) {
      throw new ProbeMissingError(`${name} was not recorded: run again with probes={"${probe}"}`);
    }
    if (!events.every((event) => this.recorded.trace.formats.has(event))) {
      throw new ProbeMissingError(`${probe}: nothing to trace: ${nothing}`);
    }
  }

  /** Mbit/s of payload per flow, over the time that it was given. */
  goodput() {
    return this.table("goodput");
  }

  /** Segments retransmitted per flow; missing for others than TCP. */
  retransmits() {
    const flows = this.table("flows");
    return new Table({ flow: flows.column("flow"), retransmits: flows.column("retransmits") });
  }

  /** Events that the trace buffer had no room for: tables of events have gaps then. */
  get lostTraceEvents() {
    return this.recorded.trace.lost;
  }

  /**
   * All events of one name ("tcp/tcp_probe") as the kernel has them.
   * @param {string} event
   * @throws {ProbeMissingError}
   */
  trace(event) {
    const name = event.replace(":", "/");
    const { formats } = this.recorded.trace;
    if (!formats.has(name)) {
      throw new ProbeMissingError(
        `${name} was not traced: traced are ${[...formats.keys()].sort().join(", ")}`,
      );
    }
    return this.recorded.trace.table(name);
  }

  /**
   * The packets that passed a host, one row each.
   * @param {string} host
   * @param {string} [interface_] only of this one
   * @throws {import("./captured.mjs").CaptureMissingError}
   */
  packetTable(host, interface_) {
    const { frames, names } = captured(this.recorded, host, interface_);
    return packetTable(frames, names, this.recorded.layout.flows);
  }

  /**
   * Captured packets as a file for Wireshark; without a host all of them.
   * @param {string} [host]
   * @param {string} [interface_] only of this one
   * @throws {import("./captured.mjs").CaptureMissingError}
   */
  pcapng(host, interface_) {
    const { frames, names } = captured(this.recorded, host, interface_);
    return pcapng(frames, names);
  }

  /** Frames that the captures had no time for. */
  get lostFrames() {
    return [...lostFrames(this.recorded.records).values()].reduce((sum, count) => sum + count, 0);
  }
}

/** @param {string} name */
function noTable(name) {
  return `no table ${name}: the tables are ${Result.tables.join(", ")}`;
}
