"""The parts of a drawn network in pixels: hosts and their names, wires, words on links, queue symbols."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from labkit.charts import theme
from labkit.charts.link_text import both_ways
from labkit.spec import Link, Topology

if TYPE_CHECKING:
    from labkit.charts.placement import Positions

_DOWN, _ACROSS = 110.0, 180.0  # pixels from one row or column to the next, at most
_CROWDED, _NARROW = 90.0, 50.0  # pixels between neighbours: names all on one side; upright
_SHARED, _MOST_QUEUES = 3, 30  # links with the same words share them below; more links show no queues
_LINE, _ROOM = 14, 55  # pixels from line to line; degrees between a name and the next link
_BELOW, _BESIDE = 270, 45
_NAMES = {  # side of the host -> where its name goes, in pixels, and how it is aligned
    _BELOW: (0, 24, "center"),
    90: (0, -22, "center"),
    _BESIDE: (13, -15, "left"),
    135: (-13, -15, "right"),
    315: (13, 15, "left"),
    225: (-13, 15, "right"),
}


@dataclass(frozen=True)
class Sketch:
    """Tables of what to draw; x to the right and y down, in pixels. size: of a host."""

    hosts: pd.DataFrame
    links: pd.DataFrame
    labels: pd.DataFrame
    queues: pd.DataFrame
    note: pd.DataFrame
    size: float

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """By the names of the figure's data, rounded to a tenth of a pixel."""
        names = ("hosts", "links", "labels", "queues", "note")
        return {name: getattr(self, name).round(1) for name in names}

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """left, right, top, bottom, with room for names and words."""
        x, y = self.hosts["x"], self.hosts["y"]
        tops = [float(y.min()) - 30, *(self.labels["y"] - _LINE)]
        bottom = float(y.max()) + (90 if self._upright else 45) + (22 if len(self.note) else 0)
        return float(x.min()) - 70, float(x.max()) + 70, min(tops), bottom

    @property
    def _upright(self) -> bool:
        return bool((self.hosts["turn"] != 0).any())


def sketch(network: Topology) -> Sketch:
    """Everything in its place."""
    from labkit.charts.placement import positions  # networkx takes longer to load than all other figures

    places = _pixels(positions(network))
    links = network.links
    size = max(8.0, min(26.0, 0.55 * _spacing(places)))
    said = [_words(link, places) for link in links]
    common = _common(said)
    hosts = pd.DataFrame([_host(network, name, places) for name in places])
    above = set(hosts.loc[(hosts["name_y"] < hosts["y"]) & (hosts["align"] == "center"), "name"])
    labels = [
        _label(link, text, places, bool(link.ends & above))
        for link, text in zip(links, said, strict=True)
        if text not in ("", common)
    ]
    queues = (
        [mark for link in links for mark in _queues(link, places, size)] if len(links) <= _MOST_QUEUES else []
    )
    foot = float(hosts["y"].max()) + (100 if (hosts["turn"] != 0).any() else 54)
    note = [{"x": float(hosts["x"].min()) - 40, "y": foot, "text": f"Each unlabelled link: {_flat(common)}"}]
    return Sketch(
        hosts,
        pd.DataFrame([_wire(link, places) for link in links], columns=["x", "y", "x2", "y2"]),
        pd.DataFrame(labels, columns=["x", "y", "text", "align"]),
        pd.DataFrame(queues, columns=["x", "y", "angle"]),
        pd.DataFrame(note if common else [], columns=["x", "y", "text"]),
        size,
    )


def _pixels(places: Positions) -> Positions:
    """Positions as pixels, y downwards, no wider than a figure."""
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    across = min(_ACROSS, (theme.WIDTH - 60) / ((max(xs) - min(xs)) or 1))
    return {
        name: (round((x - min(xs)) * across, 1), round((max(ys) - y) * _DOWN, 1))
        for name, (x, y) in places.items()
    }


def _spacing(places: Positions, row: float | None = None) -> float:
    """The smallest distance of two hosts in one row: in that at y = `row`, or in any."""
    found = [
        abs(x2 - x)
        for name, (x, y) in places.items()
        for other, (x2, y2) in places.items()
        if name < other and abs(y2 - y) < 20 and (row is None or abs(row - y) < 20)
    ]
    return min(found, default=_ACROSS)


def _host(network: Topology, name: str, places: Positions) -> dict[str, object]:
    """A host with its name, where no link goes; upright in a narrow row."""
    x, y = places[name]
    others = [
        places[link.b if link.a == name else link.a] for link in network.links if name in (link.a, link.b)
    ]
    ways = [math.degrees(math.atan2(y - y2, x2 - x)) for x2, y2 in others]
    spacing = _spacing(places, y)
    side = _free_side(ways, [_BELOW, _BESIDE] if spacing < _CROWDED else list(_NAMES))
    upright = side == _BELOW and spacing < _NARROW
    dx, dy, align = _NAMES[side]
    return {
        "name": name,
        "x": x,
        "y": y,
        "kind": "switch" if name in network.switches else "host" if len(others) < 2 else "router",
        "name_x": x + dx,
        "name_y": y + (16 if upright else dy),
        "align": "left" if upright else align,
        "turn": 90 if upright else 0,
    }


def _free_side(ways: list[float], sides: list[int]) -> int:
    """The first side (degrees, counterclockwise from the right) that is free of links, or the freest."""
    room = {side: min((abs((side - way + 180) % 360 - 180) for way in ways), default=180.0) for side in sides}
    return next((side for side in sides if room[side] >= _ROOM), max(sides, key=lambda side: room[side]))


def _wire(link: Link, places: Positions) -> dict[str, float]:
    return dict(zip(("x", "y", "x2", "y2"), (*places[link.a], *places[link.b]), strict=True))


def _words(link: Link, places: Positions) -> str:
    """What stands on a link: first what holds both ways, then each way's own behind an arrow."""
    there, back = both_ways(link)
    (x, y), (x2, y2) = places[link.a], places[link.b]
    arrows = ("↓", "↑") if abs(x2 - x) < 20 else ("→", "←")
    if (y2 < y) if abs(x2 - x) < 20 else (x2 < x):
        arrows = arrows[::-1]
    both = [part for part in there if part in back]
    lines = [" · ".join(both[i : i + 2]) for i in range(0, len(both), 2)]
    for arrow, own in zip(arrows, (there, back), strict=True):
        if rest := [part for part in own if part not in both]:
            lines.append(f"{arrow} {' · '.join(rest)}")
    return "\n".join(line for pair in lines for line in _broken(pair))


def _broken(line: str) -> list[str]:
    """A queue has a line of its own, as links are short."""
    return line.replace(" · queue", "\nqueue").split("\n")


def _flat(text: str) -> str:
    return text.replace("\n", " · ")


def _common(said: list[str]) -> str:
    """The words that most links share, if so many do that they had better stand once."""
    text, n = Counter(said).most_common(1)[0] if said else ("", 0)
    return text if n >= _SHARED else ""


def _label(link: Link, text: str, places: Positions, name_above: bool) -> dict[str, object]:
    """Words above the middle of a level link, and above the names there; beside a steep one."""
    (x, y), (x2, y2) = places[link.a], places[link.b]
    steep = abs(y2 - y) > 0.25 * abs(x2 - x)
    more = text.count("\n")
    lift = _LINE / 2 * more if steep else 14 + _LINE * more + (18 if name_above else 0)
    return {
        "x": (x + x2) / 2 + (12 if steep else 0),
        "y": (y + y2) / 2 - lift,
        "text": text,
        "align": "left" if steep else "center",
    }


def _queues(link: Link, places: Positions, size: float) -> list[dict[str, float]]:
    """A symbol near the host in which a queue is, turned along the link."""
    found = []
    for way, a, b in ((link.forward, link.a, link.b), (link.backward, link.b, link.a)):
        if way.queue is not None:
            (x, y), (x2, y2) = places[a], places[b]
            turn, along = math.atan2(y2 - y, x2 - x), min(size + 1, 0.3 * math.hypot(x2 - x, y2 - y))
            place = {
                "x": x + along * math.cos(turn),
                "y": y + along * math.sin(turn),
                "angle": math.degrees(turn),
            }
            found.append({name: round(value, 1) for name, value in place.items()})
    return found
