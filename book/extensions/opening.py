"""The `opening` directive: the experiment at the top of the book's first page.

What it shows is a chapter's explorer, some of whose knobs stand still: goodput from the chapter's recording,
packets from book/data/opening.json (scripts/opening.py), which pages fetch. web/opening moves it.
"""

from __future__ import annotations

import hashlib
import json
from html import escape
from pathlib import Path
from typing import Any

import lab_files
import yaml
from docutils import nodes
from live import slices
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FILMS = Path(__file__).parents[1] / "data/opening.json"
SCRIPT, STYLE, LIVE = "opening.js", "opening.css", "opening/live.mjs"
MEASURE = "Goodput"


class Opening(nodes.General, nodes.Element):  # type: ignore[misc]
    """told: what the directive says; held: what the script starts from."""


class OpeningDirective(SphinxDirective):
    """`{opening} CHAPTER WIDGET`, with YAML: question; answers, each with `say` and `verdict`; asked, the
    values of knobs in the question; fixed, those of knobs that stand still; start, where the others begin;
    live, the words beside "Run it here"; ways, links as [words, page]."""

    required_arguments = 2
    has_content = True

    def run(self) -> list[nodes.Node]:
        told = yaml.safe_load("\n".join(self.content))
        stem, name = self.arguments
        try:
            stored = slices.recorded(stem)[name].stored
            held = held_of(stored, told)
        except (KeyError, ValueError, OSError) as fault:
            raise self.error(f"opening: {type(fault).__name__}: {fault}") from None
        self.env.note_dependency(str(slices.CHAPTERS / f"{stem}.ipynb"))
        self.env.note_dependency(str(FILMS))
        return [Opening(told=told, held=held)]


def held_of(stored: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Of a recorded explorer: the knobs to turn, and what was measured where the others stand as they are
    told. Raises KeyError for a knob, ValueError for a value that it has not."""
    knobs = {knob["name"]: dict(knob) for knob in stored["knobs"]}
    for name, text in told["start"].items():
        knobs[name]["default"] = knobs[name]["texts"].index(text)
    for name, text in told["asked"].items():
        knobs[name]["texts"].index(text)
    runs = {}
    for key, point in stored["points"].items():
        places = map(int, key.split(","))
        values = {name: knob["texts"][i] for (name, knob), i in zip(knobs.items(), places, strict=True)}
        if all(values[name] == text for name, text in told["fixed"].items()):
            said = json.dumps(sorted(values.items()), separators=(",", ":"), ensure_ascii=False)
            runs[said] = {"key": key, "goodput": dict(point["summary"])[MEASURE]}
    if not runs:
        raise ValueError(f"no run was recorded with {told['fixed']}")
    turned = [knob for name, knob in knobs.items() if name not in told["fixed"]]
    return {"knobs": turned, "runs": runs, **{key: told[key] for key in ("fixed", "asked", "answers")}}


def films_name() -> str:
    """Of the file with the packets: another name where they are other ones."""
    return f"opening-{hashlib.sha256(FILMS.read_bytes()).hexdigest()[:12]}.json"


def html(told: dict[str, Any], held: dict[str, Any], address: Any) -> str:
    """All that stands there before the script runs: question, answers and what was measured are text."""
    data = json.dumps(held, ensure_ascii=False).replace("<", "\\u003c")
    answers = "".join(f"<span>{escape(answer['say'])}</span>" for answer in held["answers"])
    start = {knob["name"]: knob["texts"][knob["default"]] for knob in held["knobs"]} | held["fixed"]
    first = held["runs"][json.dumps(sorted(start.items()), separators=(",", ":"), ensure_ascii=False)]
    ways = "".join(
        f'<a class="lp-button{"" if i else " lp-first"}" href="{escape(address(page))}">{escape(words)}</a>'
        for i, (words, page) in enumerate(told["ways"])
    )
    return f"""<div class="lp-opening lp-figure" id="opening">
<script type="application/json">{data}</script>
<p class="lp-question">{escape(told["question"])}</p>
<div class="lp-answers" role="group" aria-label="Your guess">{answers}</div>
<p class="lp-verdict" role="status"></p>
<div class="lp-moving"></div>
<div class="lp-controls" role="group" aria-label="Knobs"></div>
<p class="lp-measured">{MEASURE} <output class="lp-number">{escape(first["goodput"])}</output></p>
<div class="lp-start lp-here"><p class="lp-said" role="status">{escape(told["live"])}</p></div>
<p class="lp-ways">{ways}</p>
</div>
"""


def visit(self: Any, node: Opening) -> None:
    builder, here = self.builder, self.builder.current_docname
    live = f"./{lab_files.script(LIVE)}" if lab_files.is_carried() else None
    held = {**node["held"], "films": f"./{films_name()}", "live": live}
    self.body.append(html(node["told"], held, lambda page: builder.get_relative_uri(here, page)))
    raise nodes.SkipNode


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Only its own page loads them."""
    if doctree is None or not any(doctree.findall(Opening)):
        return
    app.add_js_file(SCRIPT, defer="defer")
    app.add_css_file("player.css")
    app.add_css_file(STYLE)


def lay(app: Sphinx, exception: Exception | None) -> None:
    """The packets, among the site's files."""
    if exception is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / films_name()).write_bytes(FILMS.read_bytes())


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("opening", OpeningDirective)
    app.add_node(Opening, html=(visit, None))
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", lay)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
