"""Where the hosts of a network are drawn: a row for chains, a star, a tree downwards, else a circle.

Positions have no unit: x to the right, y upwards, neighbours about 1 apart.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from labkit.spec import Topology

Positions = dict[str, tuple[float, float]]


def positions(topology: Topology) -> Positions:
    """A place for every host, the same for the same network."""
    graph = topology.graph()
    if not (len(graph) > 1 and nx.is_tree(graph)):
        return _circle(list(topology.names), around=None)
    far = _eccentricities(graph)
    centers = [name for name in topology.names if far[name] == min(far.values())]
    most = max(degree for _, degree in graph.degree())
    if len(centers) == 1 and far[centers[0]] == 1 and most > 2:
        return _circle(list(graph[centers[0]]), around=centers[0])
    leaves = {name for name, degree in graph.degree() if degree == 1}
    depth = nx.single_source_shortest_path_length(graph, centers[0])
    if (
        len(centers) == 1
        and most > 2
        and len({depth[leaf] for leaf in leaves}) == 1
        and _branches(graph, centers[0])
    ):
        return _downwards(graph, centers[0])
    return _row(graph, topology)


def _branches(graph: nx.Graph[str], root: str) -> bool:
    """Whether below the root, too, a host has several below it, and the root is no link of a chain."""
    children = [len(graph[name]) - 1 for name in graph if name != root and len(graph[name]) > 1]
    return len(set(children)) == 1 and children[0] > 1


def _circle(names: list[str], around: str | None) -> Positions:
    """On a circle, from the left clockwise; `around` in its middle."""
    if names == [*names[:1]] and around is None:
        return {names[0]: (0.0, 0.0)}
    radius = max(1.0, 0.8 * len(names) / math.pi)
    found = {} if around is None else {around: (0.0, 0.0)}
    for i, name in enumerate(names):
        turn = math.pi - 2 * math.pi * i / len(names)
        found[name] = (radius * math.cos(turn), 0.75 * radius * math.sin(turn))
    return found


def _downwards(graph: nx.Graph[str], root: str) -> Positions:
    """Leaves in a row, everything else above the middle of what hangs on it."""
    found: Positions = {}
    leaves = 0

    def place(name: str, above: str | None, level: int) -> float:
        nonlocal leaves
        below = [place(child, name, level + 1) for child in graph[name] if child != above]
        if not below:
            below = [float(leaves)]
            leaves += 1
        middle = (below[0] + below[-1]) / 2
        found[name] = (middle, -1.0 * level)
        return middle

    place(root, None, 0)
    return found


def _row(graph: nx.Graph[str], topology: Topology) -> Positions:
    """The longest path as a row; leaves at its ends stacked, the others hanging below."""
    path = _longest(graph, list(topology.names))
    found: Positions = {name: (float(i), 0.0) for i, name in enumerate(path)}
    if len(path) > 2:
        for near, end, x in ((path[1], path[0], 0.0), (path[-2], path[-1], len(path) - 1.0)):
            rest = [name for name in graph[near] if name not in path and len(graph[name]) == 1]
            if len(path) > 4 or (near == path[-2] and path[1] == path[-2]):
                continue
            for i, name in enumerate([end, *rest]):
                found[name] = (x, 0.8 * (len(rest) / 2 - i))
    for x, name in enumerate(path):
        _hang(graph, name, float(x), found)
    return found


def _hang(graph: nx.Graph[str], name: str, x: float, found: Positions) -> None:
    """What is not placed yet goes below its neighbour, side by side."""
    below = [child for child in graph[name] if child not in found]
    y = found[name][1]
    for i, child in enumerate(below):
        found[child] = (x + 0.5 * (i - (len(below) - 1) / 2), y - 1)
    for child in below:
        _hang(graph, child, found[child][0], found)


def _eccentricities(graph: nx.Graph[str]) -> dict[str, int]:
    """How many links away each host's farthest one is."""
    return {name: max(nx.single_source_shortest_path_length(graph, name).values()) for name in graph}


def _longest(graph: nx.Graph[str], names: list[str]) -> list[str]:
    """The longest path; of equal ones that of the hosts named first."""
    far = _eccentricities(graph)
    ends = [name for name in names if far[name] == max(far.values())]
    reach = nx.single_source_shortest_path_length(graph, ends[0])
    other = next(name for name in ends if reach[name] == far[ends[0]])
    path: list[str] = nx.shortest_path(graph, ends[0], other)
    return path
