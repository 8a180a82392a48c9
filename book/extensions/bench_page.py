"""The `bench` directive: where the bench stands in its page, and the scripts that this page loads.

Its figures need no specs from here: web/charts makes them, equal to labkit.charts. Where the site
carries no laboratory, words stand in its place.
"""

from __future__ import annotations

from typing import Any

import lab_files
import vega_files
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

SCRIPT = "bench/page.mjs"
STYLE = "bench.css"
WAITS = "The bench is loaded. It needs JavaScript."
MISSING = (
    "This copy of the book was built without the laboratory of a page (labkit kernel build --wasm). The same "
    "experiments run in a notebook: make lab."
)


class Bench(nodes.General, nodes.Element):  # type: ignore[misc]
    """The place that page.mjs fills."""


class BenchDirective(SphinxDirective):
    """`{bench}`: no content, no options."""

    def run(self) -> list[nodes.Node]:
        if not lab_files.is_carried():
            return [nodes.note("", nodes.paragraph("", MISSING))]
        return [Bench()]


def visit(self: Any, node: Bench) -> None:
    self.body.append(f'<div id="lp-bench"><p>{WAITS}</p></div>\n')
    raise nodes.SkipNode


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Only the bench's page loads it, after what draws its figures."""
    if doctree is None or not any(doctree.findall(Bench)):
        return
    vega_files.add_scripts(app)
    app.add_js_file(lab_files.script(SCRIPT), type="module")
    app.add_css_file(STYLE)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("bench", BenchDirective)
    app.add_node(Bench, html=(visit, None))
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
