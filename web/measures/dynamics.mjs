// How one TCP flow went over its time: its window, its rate, its queue, what it lost and how it took it.

import { linear, mean, sum } from "../charts/numpy_arithmetic.mjs";
import { numbersOf, textsOf } from "../charts/runs.mjs";
import { givenUntil } from "../traffic/ends.mjs";
import { counted } from "./network_measures.mjs";
import { rowsBy } from "./values_by_flow.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("../decode/table.mjs").Table} Table */
/** @typedef {import("./values_by_flow.mjs").Rows} Rows */
/** @typedef {{values: number[], weights: number[]}} Weighed */

const WIRE = ["wire loss", "named loss", "burst loss"];
const RECOVERIES = ["TcpExtTCPSackRecovery", "TcpExtTCPRenoRecovery"];
const TIMEOUTS = "TcpExtTCPTimeouts";

/** The tables of a run with one flow. */
class Watched {
  /**
   * @param {Result} result
   * @param {number} since
   */
  constructor(result, since) {
    this.result = result;
    this.since = since;
    const flows = result.table("flows");
    this.startS = numbersOf(flows, "start_s")[0];
    this.givenS = givenUntil(result.recorded, flows)[0] - this.startS;
  }

  /**
   * Rows of one side's samples; of a sender's at one instant the first.
   * @param {"sender" | "receiver"} side
   */
  rows(side) {
    const info = this.result.table("tcp_info");
    const [sides, times] = [textsOf(info, "side"), numbersOf(info, "time_s")];
    const seen = new Set();
    return [...sides.keys()].filter((row) => {
      if (sides[row] !== side || (side === "sender" && seen.has(times[row]))) return false;
      seen.add(times[row]);
      return true;
    });
  }

  /** @param {string} column of the sender's samples */
  sender(column) {
    const values = numbersOf(this.result.table("tcp_info"), column);
    return this.rows("sender").map((row) => values[row]);
  }

  /**
   * @param {"sender" | "receiver"} side
   * @param {string} column
   */
  last(side, column) {
    return numbersOf(this.result.table("tcp_info"), column)[this.rows(side).at(-1) ?? -1] ?? Number.NaN;
  }

  /**
   * A column's values and how long (s) each was the last one seen. since: s of the flow's time.
   * @param {string} column
   * @param {number} [since]
   * @returns {Weighed}
   */
  overTime(column, since = 0) {
    const time = this.sender("time_s");
    const from = Math.max(this.startS + since, this.since);
    const weights = time.map((at, i) =>
      at < from ? 0 : Math.max((time[i + 1] ?? this.startS + this.givenS) - at, 0),
    );
    return { values: this.sender(column), weights };
  }

  /** @param {string} column of the later half of the flow's time */
  later(column) {
    return this.overTime(column, this.givenS / 2);
  }

  /** Mbit/s of payload acknowledged in each whole second of the flow's time. */
  seconds() {
    const time = [0, ...this.sender("time_s").map((at) => at - this.startS)];
    const acked = [0, ...this.sender("bytes_acked")];
    const ends = Array.from({ length: Math.floor(this.givenS + 1e-9) + 1 }, (_, s) => linear(s, time, acked));
    return ends.slice(1).map((end, s) => 8e-6 * (end - ends[s]));
  }

  /** The later half of them, with the one in the middle. */
  laterSeconds() {
    return this.seconds().slice(Math.floor(Math.floor(this.givenS + 1e-9) / 2));
  }

  /**
   * Packets by which cwnd grew from one sample to the next, below ssthresh or not.
   * @param {boolean} slowStart
   */
  steps(slowStart) {
    const [cwnd, ssthresh] = [this.sender("snd_cwnd"), this.sender("snd_ssthresh")];
    const grown = cwnd.slice(1).map((window, i) => ({ by: window - cwnd[i], below: cwnd[i] < ssthresh[i] }));
    return sum(grown.filter(({ by, below }) => by > 0 && below === slowStart).map(({ by }) => by));
  }

  moderations() {
    const [cwnd, ssthresh, again, state] = ["snd_cwnd", "snd_ssthresh", "total_retrans", "ca_state"].map(
      (column) => this.sender(column),
    );
    return cwnd.filter(
      (window, i) =>
        i > 0 &&
        window < cwnd[i - 1] &&
        ssthresh[i] === ssthresh[i - 1] &&
        again[i] === again[i - 1] &&
        state[i] === 0 &&
        state[i - 1] === 0,
    ).length;
  }

  /** Packets in all queues at each sample of the flow's time, and cwnd then. */
  queued() {
    const table = this.result.table("backlog");
    const [times, packets] = [numbersOf(table, "time_s"), numbersOf(table, "backlog_packets")];
    const [at, cwnd] = [this.sender("time_s"), this.sender("snd_cwnd")];
    const from = Math.max(at[0], this.since);
    return [...rowsBy(table, "time_s").values()]
      .filter(([row]) => times[row] >= from)
      .map((rows) => ({
        queue: sum(rows.map((row) => packets[row])),
        cwnd: linear(times[rows[0]], at, cwnd),
      }));
  }

  /** @param {readonly string[]} causes */
  dropped(causes) {
    return textsOf(this.result.table("drops"), "cause").filter((cause) => causes.includes(cause)).length;
  }

  /**
   * By how much counters of the flow's host have moved; of several flows: of all hosts.
   * @param {readonly string[]} names
   * @param {"src" | "dst"} [end]
   */
  count(names, end = "src") {
    const { flows } = this.result.recorded.experiment;
    return counted(this.result, names, flows.length === 1 ? flows[0][end] : undefined);
  }
}

/** @param {Weighed} weighed */
function weighedMean({ values, weights }) {
  const all = sum(weights);
  return all > 0 ? sum(values.map((value, i) => value * weights[i])) / all : Number.NaN;
}

/** @param {Weighed} weighed */
function weighedStd({ values, weights }) {
  const middle = weighedMean({ values, weights });
  return Math.sqrt(weighedMean({ values: values.map((value) => (value - middle) ** 2), weights }));
}

/**
 * Of a sample of values.
 * @param {readonly number[]} values
 */
function std(values) {
  const middle = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
}

/** @type {Record<string, (run: Watched) => number>} */
const FIGURES = {
  rate: (run) => mean(run.seconds()),
  rate_std: (run) => std(run.seconds()),
  rate_cv: (run) => std(run.seconds()) / mean(run.seconds()),
  rate_later: (run) => mean(run.laterSeconds()),
  rate_cv_later: (run) => std(run.laterSeconds()) / mean(run.laterSeconds()),
  cwnd_mean: (run) => weighedMean(run.overTime("snd_cwnd")),
  cwnd_std: (run) => weighedStd(run.overTime("snd_cwnd")),
  cwnd_mean_later: (run) => weighedMean(run.later("snd_cwnd")),
  cwnd_cv_later: (run) => weighedStd(run.later("snd_cwnd")) / weighedMean(run.later("snd_cwnd")),
  packets_per_10ms: (run) => run.last("sender", "data_segs_out") / run.givenS / 100,
  data_packets: (run) => run.last("sender", "data_segs_out"),
  acks: (run) => run.last("receiver", "segs_out"),
  acks_per_packet: (run) => run.last("receiver", "segs_out") / run.last("receiver", "data_segs_in"),
  queue_over_cwnd: (run) => mean(run.queued().map(({ queue, cwnd }) => queue / cwnd)),
  queue_mean: (run) => mean(run.queued().map(({ queue }) => queue)),
  avoidance_steps: (run) => run.steps(false),
  slow_start_steps: (run) => run.steps(true),
  moderations: (run) => run.moderations(),
  recoveries: (run) => run.count(RECOVERIES),
  timeouts: (run) => run.count([TIMEOUTS]),
  congestion_signals: (run) => run.count([...RECOVERIES, TIMEOUTS]),
  retransmitted: (run) => run.last("sender", "total_retrans"),
  induced_losses: (run) => run.dropped(WIRE),
  queue_losses: (run) => run.dropped(["queue full"]),
  duplicate_acks: (run) => run.last("receiver", "rcv_ooopack") - run.count(["TcpExtTCPAckCompressed"], "dst"),
  rtt_mean: (run) => weighedMean(run.overTime("rtt")) / 1000,
};
const OF_THE_NETWORK = ["recoveries", "timeouts", "congestion_signals", "induced_losses", "queue_losses"];

/**
 * @param {Result} result
 * @param {string} name
 * @param {number} since
 * @returns {Rows}
 * @throws {RangeError} for a figure of a flow where there are several
 */
export function dynamics(result, name, since) {
  const flows = result.table("flows");
  const isOne = flows.length === 1 && flows.value("protocol", 0) === "tcp";
  if (!isOne && !OF_THE_NETWORK.includes(name)) {
    throw new RangeError(`measure='${name}': takes an experiment with one TCP flow`);
  }
  const label = isOne ? String(flows.value("flow", 0)) : "all";
  return new Map([[label, FIGURES[name](new Watched(result, since))]]);
}
