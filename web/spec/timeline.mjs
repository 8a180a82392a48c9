// The links of an experiment over time: as they were written, and after each change.

/** @typedef {import("../decode/types.mjs").ExperimentSpec} ExperimentSpec */
/** @typedef {import("../decode/types.mjs").LinkSpec} LinkSpec */
/** @typedef {import("../decode/types.mjs").DirectionSpec} DirectionSpec */
/** @typedef {import("../decode/types.mjs").ChangeSpec} ChangeSpec */

/** @type {import("../decode/types.mjs").QueueSpec} */
const DEFAULT_QUEUE = { kind: "pfifo", packets: 100, bytes: null, options: {} };

/** A state of all links, and since when (s). */
export class Timeline {
  /** @param {ExperimentSpec} experiment */
  constructor(experiment) {
    /** @type {Map<string, LinkSpec>} */
    const now = new Map(experiment.topology.links.map((link) => [ends(link.a, link.b), link]));
    this._states = [{ at: Number.NEGATIVE_INFINITY, links: new Map(now) }];
    const changes = experiment.changes.filter((change) => change.kind !== "sysctl");
    for (const change of changes.sort((a, b) => a.at - b.at)) {
      if (change.link !== undefined) {
        const key = ends(...change.link);
        now.set(key, changed(this._link(now, key), change));
      }
      this._states.push({ at: change.at, links: new Map(now) });
    }
  }

  /**
   * One way of a link as it was at a time.
   * @param {string} host
   * @param {string} peer
   * @param {number} timeS
   */
  direction(host, peer, timeS) {
    const link = this._link(this._at(timeS).links, ends(host, peer));
    return link.a === host ? link.forward : link.backward;
  }

  /**
   * The link between two hosts as it was written.
   * @param {string} host
   * @param {string} peer
   */
  written(host, peer) {
    return this._link(this._states[0].links, ends(host, peer));
  }

  /**
   * When the last change before a time was (s), or at it.
   * @param {number} timeS
   */
  lastChange(timeS) {
    return this._at(timeS).at;
  }

  /** @param {number} timeS */
  _at(timeS) {
    return this._states.findLast((state) => state.at <= timeS) ?? this._states[0];
  }

  /**
   * @param {ReadonlyMap<string, LinkSpec>} links
   * @param {string} key
   * @returns {LinkSpec}
   */
  _link(links, key) {
    const found = links.get(key);
    if (found === undefined) throw new RangeError(`no link ${key.replace("\0", " - ")}`);
    return found;
  }
}

/**
 * Of a link whichever way it is named.
 * @param {string} a
 * @param {string} b
 */
function ends(a, b) {
  return [a, b].sort().join("\0");
}

/**
 * A link after a change of its directions.
 * @param {LinkSpec} link
 * @param {ChangeSpec} change
 * @returns {LinkSpec}
 */
function changed(link, { set = {}, direction, link: [first] = ["", ""] }) {
  const both = direction === "both";
  const turned = first !== link.a;
  const forward = both || (direction === "forward") !== turned;
  const backward = both || (direction === "backward") !== turned;
  return {
    ...link,
    forward: forward ? withFields(link.forward, set) : link.forward,
    backward: backward ? withFields(link.backward, set) : link.backward,
  };
}

/**
 * A direction with some fields set anew: a rate has a queue, and nothing else has.
 * @param {DirectionSpec} way
 * @param {Partial<DirectionSpec>} set
 * @returns {DirectionSpec}
 */
function withFields(way, set) {
  const found = { ...way, ...set };
  if (found.rate === null && !("queue" in set)) found.queue = null;
  if (found.rate !== null && found.queue === null) found.queue = DEFAULT_QUEUE;
  return found;
}
