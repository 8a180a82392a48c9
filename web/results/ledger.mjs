// The loss ledger: one row for every packet that left a host and did not arrive, and what happened next. What its
// columns say: Result.units("ledger").

import { LEDGER } from "../decode/facts.mjs";
import { each, floats, ints, named, seconds, Table, valueAt } from "../decode/table.mjs";
import { Accounts, LOST } from "./accounts.mjs";
import { balance } from "./balance.mjs";
import { bursts } from "./bursts.mjs";
import { mended } from "./sides.mjs";
import { endSeq, transmissions } from "./transmissions.mjs";
import { windows } from "./window_at_loss.mjs";

/** @typedef {import("./result.mjs").Result} Result */

/**
 * One row per packet that left a host and did not arrive, in the order in which they were sent.
 * @param {Result} result captured at both ends of every flow: see `needs`
 * @returns {Table}
 * @throws {import("./balance.mjs").LedgerError} if the run does not add up
 * @throws {import("./result.mjs").ProbeMissingError}
 * @throws {import("./captured.mjs").CaptureMissingError}
 */
export function ledger(result) {
  return ledgerOf(new Accounts(result));
}

/**
 * The same of accounts that were made.
 * @param {Accounts} accounts
 */
export function ledgerOf(accounts) {
  balance(accounts);
  const { packets, drops, places } = accounts;
  const { table, fate, drop } = packets;
  const lost = Int32Array.from([...fate.keys()].filter((i) => fate[i] === LOST));
  const fell = Array.from(lost, (i) => drop[i]);
  const transmission = transmissions(table);
  const found = mended(accounts, transmission);
  const retransmitted = seconds(Array.from(lost, (i) => found.get(i)?.retransmittedNs ?? -1));
  const window = windows(accounts, lost, retransmitted.values);
  const rows = table.pick(lost);
  const end = endSeq(table);
  const ends = Array.from(lost, end);
  /** @param {string} name */
  const numbers = (name) => Array.from(lost, (_, n) => Number(valueAt(rows.column(name), n)));
  const [seq, ack] = [numbers("seq"), numbers("ack")];
  const pure = ends.map((behind, n) => behind === seq[n]);
  return new Table({
    sent_s: rows.column("time_s"),
    lost_s: seconds(fell.map((i) => drops.frames.atNs[i])),
    flow: rows.column("flow"),
    way: rows.column("way"),
    seq: ints(seq.map((first, n) => (pure[n] ? ack[n] : first))),
    end_seq: ints(ends.map((behind, n) => (pure[n] ? ack[n] : behind))),
    payload: rows.column("payload"),
    transmission: ints(Int32Array.from(lost, (i) => transmission[i])),
    host: each(fell.map((i) => places.where[i].host)),
    peer: each(fell.map((i) => places.where[i].peer)),
    cause: each(fell.map((i) => places.why[i])),
    reason: named(
      fell.map((i) => accounts.reasonNames.indexOf(drops.reasons[i])),
      accounts.reasonNames,
    ),
    burst: ints(bursts(accounts, lost)),
    found_by: named(
      Int32Array.from(lost, (i) => LEDGER.foundBy.indexOf(found.get(i)?.foundBy ?? "")),
      LEDGER.foundBy,
    ),
    retransmitted_s: retransmitted,
    recovered_s: seconds(Array.from(lost, (i) => found.get(i)?.recoveredNs ?? -1)),
    cwnd_before: floats(window.before),
    cwnd_after: floats(window.after),
  });
}
