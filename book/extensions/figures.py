"""Charts and widgets of a notebook as figures of the page: which outputs become one, which scripts it needs.

What a figure's HTML looks like is in figure_html.py, its table in figure_table.py, Vega in vega_files.py, the
packet player in player_files.py. An output is a figure if its type is one of KINDS. `lostpackets.js` draws
it; without scripts a picture stands in its place.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, ClassVar

import figure_html
import lab_files
import live_programs
import player_files
import vega_files
import widget_files
from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer, load_mime_renders
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

KINDS = {
    "application/vnd.labkit.explorer+json": "explorer",
    "application/vnd.labkit.predict+json": "predict",
    "application/vnd.labkit.player+json": "player",
    "application/vnd.labkit.mystery+json": "mystery",
    "application/vnd.vegalite.v5+json": "vegalite",
    "application/vnd.vegalite.v6+json": "vegalite",
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"  # needs a running kernel, which the site has not
SCRIPTS = {  # drawn by scripts of their own
    "explorer": [widget_files.SCRIPT],
    "predict": [widget_files.SCRIPT],
    "mystery": ["mystery.js"],
    "player": [player_files.site_name(name) for name in player_files.SCRIPTS],
}


LIVE = {"explorer", "predict"}  # may be run by the reader, where the site carries the laboratory


class LpFigure(nodes.General, nodes.Element):  # type: ignore[misc]
    """One figure. kind, name, payload; shown: the chart of its picture; cell: whose output, from 1."""


class FigurePlugin:
    """MyST-NB's way to take over a type of output; it asks no more of a plugin than these two."""

    mime_priority_overrides: ClassVar[Sequence[tuple[str, str, int | None]]] = [
        *(("*", mime, rank) for rank, mime in enumerate(KINDS, 1)),
        ("*", WIDGET_VIEW, None),
    ]

    @staticmethod
    def handle_mime(renderer: NbElementRenderer, data: MimeData, inline: bool) -> list[nodes.Element] | None:
        if inline or data.mime_type not in KINDS:
            return None
        payload: Any = data.content
        cell = (data.cell_index or 0) + 1
        name = figure_html.name_of(payload) or f"figure-{cell}-{(data.output_index or 0) + 1}"
        kind = KINDS[data.mime_type]
        shown = payload if kind == "vegalite" else None
        figure = LpFigure(kind=kind, name=name, payload=payload, shown=shown, cell=cell)
        figure.source, figure.line = renderer.source, data.line
        return [figure]


def settle(app: Sphinx, document: nodes.document) -> None:
    """One figure per output: a chart beside a widget is the widget's picture. Then each gets its id."""
    ranks = list(KINDS.values())
    for bundle in document.findall(nodes.container):
        if bundle.get("nb_element") != "mime_bundle":
            continue
        figures = sorted(bundle.findall(LpFigure), key=lambda figure: ranks.index(figure["kind"]))
        for other in figures[1:]:
            figures[0]["shown"] = other["shown"]
            other.parent.remove(other)
    for figure in document.findall(LpFigure):
        figure["ids"] = [_free_id(document, nodes.make_id(figure["name"]))]
        document.ids[figure["ids"][0]] = figure


def _free_id(document: nodes.document, wanted: str) -> str:
    """A chart that is shown twice, or has a heading's name, gets a number behind its name."""
    names = chain([wanted], (f"{wanted}-{number}" for number in count(2)))
    return next(name for name in names if name not in document.ids)


def visit(self: Any, node: LpFigure) -> None:
    """Write the figure, and its picture to a file of its own: who has scripts need not load it.

    What is wrong with it becomes a warning that names it, and words in its place; the page goes on.
    """
    kind, name, payload, shown = (node[key] for key in ("kind", "name", "payload", "shown"))

    def part(make: Callable[[], str]) -> str:
        try:
            return make()
        except ValueError as fault:
            log.warning("figure %r (cell %s): %s", name, node["cell"], fault, location=node)
            return figure_html.error(name, str(fault))

    view = part(lambda: figure_html.view(payload, *_picture(self.builder, shown)))
    table = part(lambda: figure_html.table(kind, name, payload, shown))
    docname = self.builder.current_docname
    refused = live_programs.refused(self.builder.app, docname, name) if kind in LIVE else ""
    self.body.append(figure_html.figure(kind, node["ids"][0], name, payload, view, table, refused))
    raise nodes.SkipNode


def _picture(builder: Any, spec: Any) -> tuple[vega_files.Picture | None, str]:
    """The chart as a file among the page's images, and its address as seen from the page."""
    if spec is None:
        return None, ""
    picture = vega_files.picture(spec)
    file = vega_files.file_name(picture.svg)
    folder = Path(builder.outdir) / builder.imagedir
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(picture.svg, encoding="utf-8")
    return picture, posixpath.join(builder.imgpath, file)


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Only pages with figures load what draws them; Vega itself is loaded by lostpackets.js when needed."""
    kinds = {figure["kind"] for figure in doctree.findall(LpFigure)} if doctree else set()
    if kinds:
        vega_files.add_scripts(app)
    scripts = dict.fromkeys(script for kind in sorted(kinds & SCRIPTS.keys()) for script in SCRIPTS[kind])
    for script in scripts:
        has_lab = (
            script == widget_files.SCRIPT and pagename.startswith("chapters/") and lab_files.is_carried()
        )
        lab: dict[str, Any] = {"data-start": lab_files.script("widgets/start.mjs")} if has_lab else {}
        app.add_js_file(script, defer="defer", **lab)
    if "player" in kinds:
        app.add_css_file(player_files.site_name(player_files.STYLE))


def serve_scripts(app: Sphinx, exception: Exception | None) -> None:
    """Vega, Vega-Lite and vega-embed from the vl-convert package, into the site's own files; from labkit the
    packet player and the widgets' style."""
    if exception is None and app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        (static / vega_files.script_name()).write_text(vega_files.script(), encoding="utf-8")
        player_files.write(static)
        widget_files.write(static)


def setup(app: Sphinx) -> dict[str, Any]:
    # MyST-NB finds plugins among the entry points of installed packages; this is the list it keeps of them.
    plugins = load_mime_renders()
    if FigurePlugin not in plugins:
        plugins.append(FigurePlugin)
    app.add_node(LpFigure, html=(visit, None))
    app.connect("doctree-read", settle)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", serve_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
