// Where the hosts of a network are drawn, as labkit/charts/placement.py has it: a row for chains, a star, a tree
// downwards, else a circle. Positions have no unit: x to the right, y upwards, neighbours about 1 apart.

/** @typedef {[number, number]} Place */
/** @typedef {Map<string, Place>} Places */
/** @typedef {Map<string, string[]>} Graph host -> its neighbours, in the order of the links */

/**
 * A place for every host, the same for the same network.
 * @param {readonly string[]} names
 * @param {readonly {a: string, b: string}[]} links
 * @returns {Places}
 */
export function positions(names, links) {
  const graph = graphOf(names, links);
  const far = new Map(names.map((name) => [name, Math.max(...distances(graph, name).values())]));
  const tree = links.length === names.length - 1 && distances(graph, names[0]).size === names.length;
  if (names.length < 2 || !tree) return circle(names, null);
  const least = Math.min(...far.values());
  const centers = names.filter((name) => far.get(name) === least);
  const [center] = centers;
  const most = Math.max(...[...graph.values()].map((others) => others.length));
  if (centers.length === 1 && far.get(center) === 1 && most > 2)
    return circle(neighbours(graph, center), center);
  const depth = distances(graph, center);
  const leaves = new Set(
    names.filter((name) => neighbours(graph, name).length === 1).map((leaf) => depth.get(leaf)),
  );
  if (centers.length === 1 && most > 2 && leaves.size === 1 && branches(graph, center)) {
    return downwards(graph, center);
  }
  return row(graph, longest(graph, names, far));
}

/**
 * @param {readonly string[]} names
 * @param {readonly {a: string, b: string}[]} links
 * @returns {Graph}
 */
function graphOf(names, links) {
  /** @type {Graph} */
  const graph = new Map(names.map((name) => [name, []]));
  for (const { a, b } of links) {
    neighbours(graph, a).push(b);
    neighbours(graph, b).push(a);
  }
  return graph;
}

/**
 * @param {Graph} graph
 * @param {string} name
 */
function neighbours(graph, name) {
  const found = graph.get(name);
  if (found === undefined) throw new RangeError(`the network has no host ${name}`);
  return found;
}

/**
 * How many links away every host is from one.
 * @param {Graph} graph
 * @param {string} from
 */
function distances(graph, from) {
  const found = new Map([[from, 0]]);
  for (const [name, distance] of found) {
    for (const other of neighbours(graph, name)) if (!found.has(other)) found.set(other, distance + 1);
  }
  return found;
}

/**
 * Does a host below the root, too, have several below it, and is the root no link of a chain?
 * @param {Graph} graph
 * @param {string} root
 */
function branches(graph, root) {
  const inner = [...graph].filter(([name, others]) => name !== root && others.length > 1);
  const children = new Set(inner.map(([, others]) => others.length - 1));
  return children.size === 1 && [...children][0] > 1;
}

/**
 * On a circle, from the left clockwise.
 * @param {readonly string[]} names
 * @param {string | null} around in its middle
 * @returns {Places}
 */
function circle(names, around) {
  if (names.length < 2 && around === null) return new Map(names.map((name) => [name, [0, 0]]));
  const radius = Math.max(1, (0.8 * names.length) / Math.PI);
  /** @type {Places} */
  const found = new Map(around === null ? [] : [[around, [0, 0]]]);
  names.forEach((name, i) => {
    const turn = Math.PI - (2 * Math.PI * i) / names.length;
    found.set(name, [radius * Math.cos(turn), 0.75 * radius * Math.sin(turn)]);
  });
  return found;
}

/**
 * Leaves in a row, everything else above the middle of what hangs on it.
 * @param {Graph} graph
 * @param {string} root
 */
function downwards(graph, root) {
  /** @type {Places} */
  const found = new Map();
  let leaves = 0;
  /** @type {(name: string, above: string | null, level: number) => number} */
  const place = (name, above, level) => {
    const children = neighbours(graph, name).filter((child) => child !== above);
    const below = children.map((child) => place(child, name, level + 1));
    if (below.length === 0) below.push(leaves++);
    const middle = (below[0] + below[below.length - 1]) / 2;
    found.set(name, [middle, -1 * level]);
    return middle;
  };
  place(root, null, 0);
  return found;
}

/**
 * The longest path as a row; leaves at its ends stacked, the others hanging below.
 * @param {Graph} graph
 * @param {readonly string[]} path
 */
function row(graph, path) {
  /** @type {Places} */
  const found = new Map(path.map((name, i) => [name, [i, 0]]));
  const last = path.length - 1;
  const sides = [
    { near: path[1], end: path[0], x: 0 },
    { near: path[last - 1], end: path[last], x: last },
  ];
  for (const { near, end, x } of path.length > 2 ? sides : []) {
    if (path.length > 4 || (near === path[last - 1] && path[1] === path[last - 1])) continue;
    const rest = neighbours(graph, near).filter(
      (name) => !path.includes(name) && neighbours(graph, name).length === 1,
    );
    [end, ...rest].forEach((name, i) => {
      found.set(name, [x, 0.8 * (rest.length / 2 - i)]);
    });
  }
  path.forEach((name, x) => {
    hang(graph, name, x, found);
  });
  return found;
}

/**
 * What is not placed yet goes below its neighbour, side by side.
 * @param {Graph} graph
 * @param {string} name
 * @param {number} x
 * @param {Places} found
 */
function hang(graph, name, x, found) {
  const below = neighbours(graph, name).filter((child) => !found.has(child));
  const [, y] = /** @type {Place} */ (found.get(name));
  below.forEach((child, i) => {
    found.set(child, [x + 0.5 * (i - (below.length - 1) / 2), y - 1]);
  });
  for (const child of below) hang(graph, child, /** @type {Place} */ (found.get(child))[0], found);
}

/**
 * The longest path of a tree; of equal ones that of the hosts named first.
 * @param {Graph} graph
 * @param {readonly string[]} names
 * @param {ReadonlyMap<string, number>} far how many links away each host's farthest one is
 */
function longest(graph, names, far) {
  const most = Math.max(...far.values());
  const [first, ...others] = names.filter((name) => far.get(name) === most);
  const reach = distances(graph, first);
  const last = /** @type {string} */ (others.find((name) => reach.get(name) === most));
  const path = [last];
  while (path[0] !== first) {
    const next = neighbours(graph, path[0]).find(
      (name) => Number(reach.get(name)) < Number(reach.get(path[0])),
    );
    path.unshift(/** @type {string} */ (next));
  }
  return path;
}
