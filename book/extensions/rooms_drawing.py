"""The `rooms` directive: labkit's rooms and which imports which, drawn when the book is built.

What imports what is found in the sources by scripts/rooms.py. The drawing is an SVG within the page, in the
page's colours; a table beneath it says the same in words.
"""

from __future__ import annotations

import ast
import html
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import networkx as nx
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

Arrow = tuple[str, str]

STEP, BOX_WIDTH, BOX_HEIGHT, LEFT, TOP = 26, 78, 20, 1, 4  # CSS pixels
LEAST_REACH, REACH = (
    22,
    16,
)  # how far to the right an arrow goes: to the next room, and more for each further one
BEND = 0.75  # of the distance to its control points is as far as such a curve goes


def script(root: Path) -> ModuleType:
    """scripts/rooms.py of the tree that the book is of."""
    spec = importlib.util.spec_from_file_location("rooms", root / "scripts/rooms.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def direct(arrows: list[Arrow]) -> set[Arrow]:
    """The arrows that no way over other rooms stands for. arrows: without a circle."""
    return set(nx.transitive_reduction(nx.DiGraph(arrows)).edges)


def draw(rooms: list[str], arrows: list[Arrow]) -> str:
    """An SVG: the rooms from top to bottom, each arrow from a room to one that it imports."""
    row = {room: TOP + BOX_HEIGHT // 2 + i * STEP for i, room in enumerate(rooms)}
    strong = direct([(a, b) for a, b in arrows if row[a] > row[b]])
    groups = "".join(_room(room, row, arrows, strong) for room in rooms)
    longest = max((abs(row[a] - row[b]) // STEP for a, b in arrows), default=1)
    width = LEFT + BOX_WIDTH + round(BEND * (LEAST_REACH + REACH * longest)) + 4
    height = 2 * TOP + BOX_HEIGHT + (len(rooms) - 1) * STEP
    up = all(row[a] > row[b] for a, b in arrows)
    way = "each leads up" if up else "some lead down, which is wrong"
    says = f"{len(rooms)} rooms, from {rooms[0]} down to {rooms[-1]}; {len(arrows)} arrows: {way}."
    return (
        f'<svg class="lp-rooms" role="img" aria-label="{html.escape(says)}" viewBox="0 0 {width} {height}" '
        f'style="width: {width}px">'
        '<defs><marker id="lp-head" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" '
        'orient="auto"><path d="M0,0 L6,3 L0,6 z"/></marker></defs>'
        f"{groups}</svg>"
    )


def _room(room: str, row: dict[str, int], arrows: list[Arrow], strong: set[Arrow]) -> str:
    y = row[room]
    paths = "".join(_path(row, arrow, arrow in strong) for arrow in arrows if arrow[0] == room)
    box = f'<rect x="{LEFT}" y="{y - BOX_HEIGHT // 2}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="4"/>'
    text = f'<text x="{LEFT + BOX_WIDTH // 2}" y="{y + 4}">{html.escape(room)}</text>'
    return f'<g class="lp-room">{paths}{box}{text}</g>'


def _path(row: dict[str, int], arrow: Arrow, strong: bool) -> str:
    start, end = row[arrow[0]], row[arrow[1]]
    up = start > end
    x = LEFT + BOX_WIDTH
    reach = x + LEAST_REACH + REACH * abs(start - end) // STEP
    near = 4 if up else -4  # it leaves and comes in on the side of its other end
    kind = ("lp-strong" if strong else "lp-weak") + ("" if up else " lp-wrong")
    curve = f"M{x},{start - near} C{reach},{start - near} {reach},{end + near} {x + 1},{end + near}"
    return f'<path class="{kind}" marker-end="url(#lp-head)" d="{curve}"/>'


def purpose(path: Path) -> str:
    """The first sentence of a module's docstring."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = " ".join(said.split("\n\n")[0].split())
    return first.split(". ")[0].rstrip(".") + "."


class Rooms(SphinxDirective):
    """`{rooms}`: the drawing and its table."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        found = script(root)
        present = {room: files for room, files in found.rooms().items() if room in found.ORDER}
        for files in present.values():
            for file in files:
                self.env.note_dependency(str(root / file))
        arrows = list(found.arrows())
        drawing = nodes.raw("", draw(list(present), arrows), format="html")
        rows = []
        for room in present:
            file = root / "labkit" / room / "__init__.py"
            what = purpose(file if file.exists() else file.parent.with_suffix(".py"))
            targets = ", ".join(b for a, b in arrows if a == room) or "nothing"
            rows.append((nodes.literal("", room), nodes.Text(what.replace("`", "")), nodes.Text(targets)))
        return [nodes.container("", drawing, classes=["lp-drawing"]), _table(rows)]


def _table(rows: list[tuple[nodes.Node, ...]]) -> nodes.table:
    names = tuple(nodes.Text(name) for name in ("room", "what is in it", "imports from"))
    head, body = nodes.thead("", _row(names)), nodes.tbody("", *map(_row, rows))
    widths = [nodes.colspec(colwidth=width) for width in (1, 4, 3)]
    return nodes.table(
        "", nodes.tgroup("", *widths, head, body, cols=3), classes=["lp-columns", "lp-of-rooms"]
    )


def _row(cells: tuple[nodes.Node, ...]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("rooms", Rooms)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
