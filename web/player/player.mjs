// Some seconds of a run as a film, for the packet player of labkit/player/static: the same as labkit's player() in
// Python makes of the same bytes.

import { general } from "../charts/words.mjs";
import { FILM } from "../decode/facts.mjs";
import { valueAt } from "../decode/table.mjs";
import { instants } from "./between.mjs";
import { described, shownTable } from "./described.mjs";
import { packed } from "./film.mjs";
import { chosen, roundTripNs } from "./interval.mjs";
import { Journeys, rowsOf } from "./journeys.mjs";
import { sending } from "./senders.mjs";
import { sizeOf } from "./size.mjs";
import { stage } from "./stage.mjs";

/** @typedef {import("../results/result.mjs").Result} Result */
/** @typedef {import("./interval.mjs").Span} Span */
/** @typedef {ReturnType<Player["_film"]>} Film */
/**
 * between: from when to when (s since the start of the run); else from one round trip before the first loss to one after
 * it was mended, ten round trips at least. name: of the figure. kernel, seed: with which the run was made; the seed of
 * an experiment that was read as JSON is exact up to 2^53.
 * @typedef {{between?: readonly [number, number] | null, name?: string, caption?: string, kernel?: string,
 *   seed?: number}} Options
 */

const TRIP_S = 3; // of real time, for a round trip to begin with
const NS_PER_US = 1000;
const CAPTION =
  "Packets on their way, from the captures of every host. What is lost falls out where it was lost.";

/** Seconds in which more happened than a page can hold; says which part of them fits. */
export class FilmTooLargeError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "FilmTooLargeError";
  }
}

/**
 * All that the player shows.
 * @param {Result} result captured at every host: see `filmNeeds`
 * @param {Options} [options]
 * @returns {Film}
 * @throws {FilmTooLargeError}
 * @throws {import("./interval.mjs").SpanError}
 * @throws {import("../results/result.mjs").ProbeMissingError}
 * @throws {import("../results/captured.mjs").CaptureMissingError}
 */
export function filmOf(result, options = {}) {
  return new Player(new Journeys(result), options).film(options.between ?? null);
}

/** What films of a run have in common: several of its seconds can be shown one after the other. */
export class Player {
  /**
   * @param {Journeys} found
   * @param {Options} [options]
   */
  constructor(found, { name = "player", caption = CAPTION, kernel = "", seed } = {}) {
    this.found = found;
    this.more = instants(found);
    this.senders = sending(found);
    const { experiment } = found.accounts.run;
    this.told = { name, caption };
    this.by = { kernel, seed: seed ?? experiment.seed ?? 0 };
  }

  /**
   * @param {readonly [number, number] | null} [between] what does not fit is left out at the end, if nobody says
   */
  film(between = null) {
    const { begin, end: wanted } = chosen(this.found, between);
    let end = wanted;
    for (;;) {
      const made = this._film({ begin, end });
      const taken = sizeOf(made, fractionsOf(made));
      if (taken <= FILM.mostBytes) {
        if (end < wanted && between !== null) throw tooLarge(begin, end, wanted);
        return made;
      }
      end = begin + Math.trunc((end - begin) * Math.min(0.95, FILM.mostBytes / taken));
    }
  }

  /** @param {Span} span */
  _film({ begin, end }) {
    const { found } = this;
    const which = this._shown(begin, end);
    const trip = Math.floor(roundTripNs(found) / NS_PER_US);
    const flows = found.table.column("flow");
    const seen = new Set(which.map((i) => valueAt(flows, i)));
    return {
      format: FILM.format,
      ...this.told,
      description: described(found, which, begin, end),
      span: [Math.floor(begin / NS_PER_US), Math.ceil(end / NS_PER_US)],
      speed: step(trip / 1e6 / TRIP_S),
      trip,
      ...this.by,
      ...stage(found, begin / 1e9),
      flows: this._flows(),
      ...packed(found, this.more, which),
      senders: this.senders.filter((one) => seen.has(one.flow)).map((one) => one.shown(begin, end)),
      table: shownTable(found, which),
    };
  }

  /**
   * The packets that were under way in these seconds, and what senders had outstanding at the beginning.
   * @param {number} begin
   * @param {number} end
   */
  _shown(begin, end) {
    const { leftNs, endedNs, length } = this.found;
    const waiting = new Set(this.senders.flatMap((sender) => sender.outstanding(begin)));
    return rowsOf(length, (i) => (leftNs[i] <= end && endedNs[i] >= begin) || waiting.has(i));
  }

  _flows() {
    const { layout } = this.found.accounts.run;
    return layout.flows.map(({ name, cc, protocol }, n) => ({
      name,
      kind: cc || protocol,
      color: FILM.colors[n % FILM.colors.length],
    }));
  }
}

/**
 * What of a film are floats in Python.
 * @param {Film} film
 */
function fractionsOf({ hosts, speed, table }) {
  const times = table.columns.flatMap(([title], column) => (title.endsWith("(s)") ? [column] : []));
  const cells = table.rows.flatMap((row) => times.map((column) => row[column]));
  const places = hosts.flatMap(({ x, y }) => [x, y]);
  return [speed, ...places, ...cells.filter((cell) => typeof cell === "number")];
}

/**
 * @param {number} begin
 * @param {number} end
 * @param {number} wanted
 */
function tooLarge(begin, end, wanted) {
  const [from, fits, to] = [begin, end, wanted].map((ns) => general(ns / 1e9));
  const most = `${FILM.mostBytes / 1000} kB`;
  return new FilmTooLargeError(
    `player: what was under way from ${from} to ${to} s takes more than ${most}: write between=(${from}, ${fits})`,
  );
}

/**
 * 1, 2 or 5 times a power of ten, the nearest below.
 * @param {number} speed
 */
function step(speed) {
  const power = 10 ** Math.floor(Math.log10(speed));
  const found = [5, 2, 1].find((one) => one * power <= speed * 1.000001) ?? 1;
  return Number(general(found * power));
}
