// Networks of the menu: hosts, which of them are joined and how, and where each stands in a drawing. The first five
// are labkit's own (labkit/spec/topologies.py); the others are those of chapters.

/** @typedef {"link" | "bottleneck" | "access"} Role */
/** @typedef {{a: string, b: string, role: Role}} Joint */
/** @typedef {{hosts: string[], joints: Joint[], at: Record<string, [number, number]>}} Network at: x and y from 0 */
/** @typedef {{name: string, label: string, low: number, high: number, start: number}} Parameter */
/**
 * names: of the leaves of a star. make's numbers are in the order of `parameters`. ends: between whom flows go at
 * first.
 * @typedef {{kind: string, label: string, parameters: readonly Parameter[], make: (...n: number[]) => Network,
 *   ends: (...n: number[]) => [string, string][]}} Shape
 */

/**
 * @param {string} name
 * @param {number} n
 */
const numbered = (name, n) => (n === 1 ? [name] : counted(n).map((i) => `${name}${i}`));
/** @param {number} n */
const counted = (n) => Array.from({ length: n }, (_, i) => i + 1);

/** Of n things in a column, where the i-th (from 0) stands beside a column whose middle is `middle`. */
const row = (/** @type {number} */ i, /** @type {number} */ n, middle = 0) => middle + i - (n - 1) / 2;

/** @returns {Network} */
function pair() {
  return {
    hosts: ["left", "right"],
    joints: [{ a: "left", b: "right", role: "bottleneck" }],
    at: { left: [0, 0], right: [2, 0] },
  };
}

/**
 * @param {number} n
 * @returns {Network}
 */
function dumbbell(n) {
  const [lefts, rights] = [numbered("left", n), numbered("right", n)];
  return {
    hosts: [...lefts, "r1", "r2", ...rights],
    joints: [
      ...lefts.map((a) => joint(a, "r1", "access")),
      joint("r1", "r2", "bottleneck"),
      ...rights.map((b) => joint("r2", b, "access")),
    ],
    at: {
      ...column(lefts, 0),
      r1: [1, 0],
      r2: [2.4, 0],
      ...column(rights, 3.4),
    },
  };
}

/**
 * @param {string} a
 * @param {string} b
 * @param {Role} role
 * @returns {Joint}
 */
function joint(a, b, role) {
  return { a, b, role };
}

/**
 * @param {readonly string[]} names
 * @param {number} x
 * @returns {Record<string, [number, number]>}
 */
function column(names, x) {
  return Object.fromEntries(names.map((name, i) => [name, [x, row(i, names.length)]]));
}

const LEAVES = ["left", "right", "top", "bottom"];

/** @param {number} n */
const leaves = (n) => (n <= LEAVES.length ? LEAVES.slice(0, n) : numbered("leaf", n));

/**
 * @param {number} n
 * @returns {Network}
 */
function star(n) {
  const names = leaves(n);
  const [left, right, top, bottom] = [
    [0, 0],
    [3, 0],
    [1.5, -1],
    [1.5, 1],
  ];
  const sides = [left, right, top, bottom];
  const round = (/** @type {number} */ i) => {
    if (n <= LEAVES.length) return sides[i];
    const angle = (2 * Math.PI * i) / n + Math.PI;
    return [1.5 + 1.5 * Math.cos(angle), (n > 8 ? 2 : 1.2) * Math.sin(angle)];
  };
  return {
    hosts: ["center", ...names],
    joints: names.map((leaf) => joint("center", leaf, "link")),
    at: /** @type {Record<string, [number, number]>} */ ({
      center: [1.5, 0],
      ...Object.fromEntries(names.map((leaf, i) => [leaf, round(i)])),
    }),
  };
}

/**
 * @param {number} hops
 * @returns {Network}
 */
function parkingLot(hops) {
  const routers = counted(hops + 1).map((i) => `r${i}`);
  /** @type {Network} */
  const made = {
    hosts: ["left", ...routers, "right"],
    joints: [joint("left", "r1", "access")],
    at: { left: [0, 0], right: [hops * 1.6 + 2, 0] },
  };
  routers.forEach((router, i) => {
    made.at[router] = [1 + i * 1.6, 0];
  });
  for (const i of counted(hops)) {
    const [here, there] = [routers[i - 1], routers[i]];
    made.hosts.push(`left${i}`, `right${i}`);
    made.joints.push(
      joint(`left${i}`, here, "access"),
      joint(here, there, "bottleneck"),
      joint(there, `right${i}`, "access"),
    );
    made.at[`left${i}`] = [1 + (i - 1) * 1.6 + 0.35, 1];
    made.at[`right${i}`] = [1 + i * 1.6 - 0.35, 1];
  }
  made.joints.push(joint(/** @type {string} */ (routers.at(-1)), "right", "access"));
  return made;
}

/**
 * @param {number} depth
 * @param {number} fanout
 * @returns {Network}
 */
function tree(depth, fanout) {
  /** @type {Network} */
  const made = { hosts: ["r"], joints: [], at: { r: [0, 0] } };
  let level = [{ name: "r", path: "", middle: 0 }];
  for (let below = depth - 1; below >= 0; below--) {
    const width = fanout ** below; // leaves under each child
    const next = [];
    for (const parent of level) {
      for (const i of counted(fanout)) {
        const path = parent.path ? `${parent.path}-${i}` : String(i);
        const child = (below ? "r" : "h") + path;
        const middle = parent.middle + (i - (fanout + 1) / 2) * width;
        made.joints.push(joint(parent.name, child, "link"));
        made.at[child] = [(depth - below) * 1.4, middle];
        next.push({ name: child, path, middle });
      }
    }
    made.hosts.push(...next.map((one) => one.name));
    level = next;
  }
  return made;
}

/**
 * @param {number} n
 * @returns {Network}
 */
function line(n) {
  const names = ["left", ...(n === 1 ? ["router"] : counted(n).map((i) => `router${i}`)), "right"];
  return {
    hosts: names,
    joints: names
      .slice(1)
      .map((b, i) => joint(names[i], b, i === names.length - 2 ? "bottleneck" : "access")),
    at: Object.fromEntries(names.map((name, i) => [name, [i * 1.5, 0]])),
  };
}

/**
 * @param {number} n
 * @returns {Network}
 */
function fork(n) {
  const names = n === 2 ? ["near", "far"] : numbered("sender", n);
  return {
    hosts: [...names, "router", "right"],
    joints: [...names.map((a) => joint(a, "router", "access")), joint("router", "right", "bottleneck")],
    at: { ...column(names, 0), router: [1.3, 0], right: [3, 0] },
  };
}

/** @returns {Network} */
function offices() {
  return {
    hosts: ["left", "gw1", "gw2", "right"],
    joints: [
      joint("left", "gw1", "access"),
      joint("gw1", "gw2", "bottleneck"),
      joint("gw2", "right", "access"),
    ],
    at: { left: [0, 0], gw1: [1, 0], gw2: [2.6, 0], right: [3.6, 0] },
  };
}

/** @param {string} name @param {string} label @param {number} high @param {number} [start] @param {number} [low] */
const number = (name, label, high, start = 1, low = 1) => ({ name, label, low, high, start });

/** @type {readonly Shape[]} */
export const SHAPES = [
  { kind: "pair", label: "Pair", parameters: [], make: pair, ends: () => [["left", "right"]] },
  {
    kind: "dumbbell",
    label: "Dumbbell",
    parameters: [number("n", "Pairs", 30, 2)],
    make: dumbbell,
    ends: (n) => numbered("left", n).map((left, i) => [left, numbered("right", n)[i]]),
  },
  {
    kind: "star",
    label: "Star",
    parameters: [number("leaves", "Leaves", 20, 4, 2)],
    make: star,
    ends: (n) => [[leaves(n)[0], leaves(n)[1]]],
  },
  {
    kind: "parking_lot",
    label: "Parking lot",
    parameters: [number("hops", "Bottlenecks", 8, 2)],
    make: parkingLot,
    ends: (n) => [
      ["left", "right"],
      ...counted(n).map((i) => /** @type {[string, string]} */ ([`left${i}`, `right${i}`])),
    ],
  },
  {
    kind: "tree",
    label: "Tree",
    parameters: [number("depth", "Levels", 4, 2), number("fanout", "Branches of each", 3, 2, 2)],
    make: tree,
    ends: (depth, fanout) => [[`h${path(depth, 1)}`, `h${path(depth, fanout)}`]],
  },
  {
    kind: "line",
    label: "Line with routers (chapters 1, 5, 8)",
    parameters: [number("routers", "Routers", 6)],
    make: line,
    ends: () => [["left", "right"]],
  },
  {
    kind: "fork",
    label: "Several to one (chapters 9, 21)",
    parameters: [number("n", "Senders", 20, 2, 2)],
    make: fork,
    ends: (n) => (n === 2 ? ["near", "far"] : numbered("sender", n)).map((from) => [from, "right"]),
  },
  {
    kind: "offices",
    label: "Two offices and their gateways (chapter 32)",
    parameters: [],
    make: offices,
    ends: () => [["left", "right"]],
  },
];

/** @param {number} depth @param {number} branch */
const path = (depth, branch) => Array(depth).fill(branch).join("-");
