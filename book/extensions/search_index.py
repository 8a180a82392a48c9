"""What the search page looks into: an index of the book's prose, by Pagefind, and the glossary's other names.

Each page is handed to Pagefind as its titles, terms and paragraphs alone, so that what a reader sees of a
result is a sentence, and each heading with the address of its section. Pagefind cuts its index into pieces:
a search fetches a few of them, and a page that nobody searches from fetches none. Sphinx's own index, which
all of the theme's pages would fetch, is removed.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pagefind_bin
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

FOLDER = "_static/search"
OTHER_NAMES = "other_names.json"
UNUSED = ("pagefind-*ui*", "pagefind-highlight.js", "pagefind-modular*", "wasm.unknown.pagefind")
"""What Pagefind writes besides: faces that this site does not show, other languages."""
REPLACED = ("searchindex.js", "_static/searchtools.js", "_static/language_data.js")
BEFORE_OFFLINE = 940
"""When "build-finished" calls it: the service worker lists all that is there."""

NOT_PROSE = (nodes.table, nodes.literal_block, nodes.citation, addnodes.compact_paragraph)
GOALS = "after-this-chapter-you-can"
"""A section of every chapter: a list of what it teaches, and no sentences."""
SIGNS = (
    dict.fromkeys(("text", "mathrm", "mathit", "operatorname", "left", "right"), "")
    | {"times": "×", "cdot": "·", "approx": "≈", "le": "≤", "ge": "≥", "pm": "±", "sqrt": "√", "to": "→"}
    | {unicodedata.name(sign).rpartition(" ")[2].lower(): sign for sign in "αβγδεζηθκλμνξπρστφχψω"}
)
"""What LaTeX's names are typed as."""
HEAVIEST = 10
"""The most that Pagefind lets a word count for, in a page's title."""
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}")
_NAME = re.compile(r"\\([a-zA-Z]+)")
_OTHER_NAME = re.compile(r"^See (.+?)\.")

_made: dict[str, str] = {}
"""Page -> what Pagefind is given of it."""


def prose(doctree: nodes.document) -> Iterator[str]:
    """A page as HTML without anything but headings, terms and paragraphs."""
    for node in doctree.findall(nodes.TextElement):
        parent = node.parent
        if any(_is_left_out(above) for above in _above(node)):
            continue
        if isinstance(node, nodes.title) and isinstance(parent, nodes.section):
            level = sum(isinstance(above, nodes.section) for above in _above(node))
            weight = f' data-pagefind-weight="{HEAVIEST}"' if level == 1 else ""
            yield _element(f"h{min(level, 6)}", parent["ids"][:1], _words(node), weight)
        elif isinstance(node, nodes.term | addnodes.desc_signature):
            name = node.get("fullname") or _words(node)
            yield _element("dt", node["ids"][:1], name, ' data-pagefind-weight="6"')
        elif isinstance(node, nodes.paragraph | nodes.caption):
            yield _element("p", [], _words(node))


def _is_left_out(node: nodes.Node) -> bool:
    return isinstance(node, NOT_PROSE) or (isinstance(node, nodes.section) and GOALS in node["ids"])


def _words(node: nodes.Element) -> str:
    """Its text, formulas in it as one would type them."""
    copy = node.deepcopy()
    for formula in list(copy.findall(nodes.math)):
        formula.replace_self(nodes.Text(typed(formula.astext())))
    text: str = copy.astext()
    return text


def typed(formula: str) -> str:
    """LaTeX without its signs: 2/\\ln 2 is 2/ln 2, \\gamma is γ."""
    text = _FRACTION.sub(r"\1/\2", formula)
    text = _NAME.sub(lambda found: SIGNS.get(found[1], found[1]), text)
    return re.sub(r"[{}\\]", "", text.replace("\\,", " ").replace("\\%", "%"))


def _above(node: nodes.Node) -> Iterator[nodes.Node]:
    while (node := node.parent) is not None:
        yield node


def _element(tag: str, ids: list[str], text: str, more: str = "") -> str:
    address = f' id="{html.escape(ids[0])}"' if ids else ""
    return f"<{tag}{address}{more}>{html.escape(' '.join(text.split()))}</{tag}>"


def other_names(doctree: nodes.document) -> dict[str, list[str]]:
    """The glossary's entries that only say "See ...": name, in small letters -> the terms that are meant."""
    found = {}
    for item in doctree.findall(nodes.definition_list_item):
        term, definition = item.children[0], item.children[-1]
        if told := _OTHER_NAME.match(definition.astext().strip()):
            found[term.astext().casefold()] = told[1].split(" and ")
    return found


def note(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Of each page that is written from a source."""
    if doctree is None:
        return
    body = "\n".join(prose(doctree))
    number = ".".join(str(part) for part in app.env.toc_secnumbers.get(page, {}).get("", ()))
    _made[f"{page}.html"] = (
        f'<!doctype html><html lang="en"><title></title>'
        f'<body data-pagefind-body data-pagefind-meta="number:{number}">{body}</body></html>'
    )
    if page == "book/glossary":
        _made[OTHER_NAMES] = json.dumps(other_names(doctree), ensure_ascii=False, indent=0)


def write(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written."""
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    there = site / FOLDER
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _made.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        command = [
            pagefind_bin.get_executable(),
            "--site",
            folder,
            "--output-path",
            there,
            "--keep-index-url",
        ]
        subprocess.run([*command, "--silent"], check=True)
    for pattern in UNUSED:
        for path in there.glob(pattern):
            path.unlink()
    (there / OTHER_NAMES).write_text(_made.get(OTHER_NAMES, "{}"), encoding="utf-8")
    for name in REPLACED:
        (site / name).unlink(missing_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", note)
    app.connect("build-finished", write, priority=BEFORE_OFFLINE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
