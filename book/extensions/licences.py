"""What the site carries of others: names, versions and licences, from the packages that it is taken from.

`{carried}` is the table. The licences' texts, and the source of what is ours in the kernel in WebAssembly, go
into FOLDER, below the static files.
"""

from __future__ import annotations

import json
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import vl_convert
from docutils import nodes
from lab_files import machine
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import labkit
from labkit.execute.wasm.linked import Linked

FOLDER = "licences"
SOURCE = "machine-source.zip"
PROJECT = Path(labkit.__file__).parents[1]
NPM = PROJECT / "web/node_modules"
OURS = (
    "labkit/execute/agent",
    "labkit/execute/guest/kernel",
    "labkit/execute/guest/modules",
    "labkit/execute/wasm",
    "LICENSES",
)
"""What the kernel in WebAssembly is made of, the agent in it, beside Linux."""
PYTHON = (
    "pydantic",
    "pydantic-core",
    "pyroute2",
    "annotated-types",
    "lazy-loader",
    "typing-extensions",
    "typing-inspection",
)
_TEXTS = ("license", "licence", "copying", "notice")


@dataclass(frozen=True)
class Carried:
    """what, of which version ("": this build has it not), from where, for what; texts: licences' files."""

    what: str
    version: str
    home: str
    use: str
    licence: str
    texts: tuple[Path, ...] = ()


def carried() -> list[Carried]:
    """All of it, in the order of the page's table."""
    return [*_machine(), *_python(), *_figures(), *_pages()]


def _machine() -> Iterator[Carried]:
    found = machine()
    release = found.kernel.release if isinstance(found, Linked) else ""
    gpl = PROJECT / "LICENSES/GPL-2.0-only.txt"
    yield Carried(
        "Linux",
        release,
        "https://www.kernel.org/",
        "the laboratory of a page, with our patches",
        "GPL-2.0-only",
        (gpl,),
    )


def _python() -> Iterator[Carried]:
    yield _npm("pyodide", "https://pyodide.org/", "Python in a page, for the bench", "MPL-2.0")
    lock = NPM / "pyodide/pyodide-lock.json"
    version = json.loads(lock.read_bytes())["info"]["python"] if lock.is_file() else ""
    yield Carried("CPython", version, "https://www.python.org/", "part of Pyodide", "PSF-2.0")
    for name in PYTHON:
        yield _installed(name, "describes experiments, in a page's Python")


def _figures() -> Iterator[Carried]:
    for what, version, home in (
        ("Vega", vl_convert.get_vega_version(), "https://github.com/vega/vega"),
        ("Vega-Lite", vl_convert.get_vegalite_versions()[-1], "https://github.com/vega/vega-lite"),
        ("vega-embed", vl_convert.get_vega_embed_version(), "https://github.com/vega/vega-embed"),
    ):
        yield Carried(what, version, home, "draws the figures", "BSD-3-Clause")
    yield Carried("D3", "as in Vega", "https://d3js.org/", "part of Vega", "ISC")


def _pages() -> Iterator[Carried]:
    home = "https://github.com/paulmillr/noble-hashes"
    yield _npm("@noble/hashes", home, "digests where a browser has none, over plain http:", "MIT")
    for name in (
        "sphinx",
        "sphinx-book-theme",
        "pydata-sphinx-theme",
        "myst-nb",
        "sphinx-copybutton",
        "sphinx-design",
        "sphinx-exercise",
        "sphinx-reredirects",
        "sphinx-togglebutton",
    ):
        yield _installed(name, "the pages' look and their scripts")
    yield _installed("pagefind-bin", "the search")
    theme = "as in pydata-sphinx-theme"
    yield Carried("Bootstrap", theme, "https://getbootstrap.com/", "the pages' look", "MIT")
    licence = "icons CC-BY-4.0, fonts OFL-1.1"
    yield Carried("Font Awesome Free", theme, "https://fontawesome.com/", "icons", licence)
    yield Carried("clipboard.js", "as in sphinx-copybutton", "https://clipboardjs.com/", "copies code", "MIT")


def _npm(name: str, home: str, use: str, licence: str) -> Carried:
    about = NPM / name / "package.json"
    version = json.loads(about.read_bytes())["version"] if about.is_file() else ""
    texts = tuple(path for path in (NPM / name / "LICENSE",) if path.is_file())
    return Carried(name, version, home, use, licence, texts)


def _installed(name: str, use: str) -> Carried:
    """Of a Python package that is installed here."""
    home = f"https://pypi.org/project/{name}/"
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return Carried(name, "", home, use, "as its page says")
    about = found.metadata
    fields = [text for key in ("License-Expression", "License") for text in about.get_all(key) or []]
    said = [text.splitlines()[0] for text in fields if text]  # some have the whole text there
    classifiers = about.get_all("Classifier") or []
    classified = [line.rpartition(":: ")[2] for line in classifiers if "License ::" in line]
    licence = [*said, *classified, "as its page says"][0]
    return Carried(name, found.version, home, use, licence.removesuffix(" License"), _texts(name))


def _texts(name: str) -> tuple[Path, ...]:
    """Files of a package's own description that are licences."""
    files = distribution(name).files or []
    found = [Path(str(file.locate())) for file in files if ".dist-info" in str(file)]
    return tuple(path for path in found if path.name.lower().startswith(_TEXTS))


def text_name(one: Carried, path: Path) -> str:
    """What a licence's text is called on the site."""
    return re.sub(r"[ ./@]+", "-", f"{one.what}-{path.stem}".lower()).strip("-") + ".txt"


class CarriedTable(SphinxDirective):
    """`{carried}`: a row for each."""

    def run(self) -> list[nodes.Node]:
        up = posixpath.relpath("_static", posixpath.dirname(self.env.docname) or ".")
        head = nodes.thead("", _row(*map(nodes.Text, ("what", "version", "for", "licence"))))
        body = nodes.tbody()
        for one in carried():
            name = nodes.reference("", one.what, refuri=one.home)
            texts: list[nodes.Node] = [nodes.Text(one.licence)]
            for path in one.texts:
                address = f"{up}/{FOLDER}/{text_name(one, path)}"
                texts += [nodes.Text(" "), nodes.reference("", "(text)", refuri=address)]
            version = one.version or "not in this build"
            body += _row(name, nodes.Text(version), nodes.Text(one.use), nodes.inline("", "", *texts))
        widths = [nodes.colspec(colwidth=width) for width in (3, 2, 4, 3)]
        return [nodes.table("", nodes.tgroup("", *widths, head, body, cols=4), classes=["lp-columns"])]


def _row(*cells: nodes.Node) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def write(folder: Path) -> None:
    """Texts and source."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in carried():
        for path in one.texts:
            (folder / text_name(one, path)).write_bytes(path.read_bytes())
    with zipfile.ZipFile(folder / SOURCE, "w", zipfile.ZIP_DEFLATED) as made:
        for part in OURS:
            for path in sorted((PROJECT / part).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    entry = zipfile.ZipInfo(
                        path.relative_to(PROJECT).as_posix()
                    )  # of no date: alike each time
                    made.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


def lay(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written."""
    if exception is None and app.builder.format == "html":
        write(Path(app.outdir) / "_static" / FOLDER)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("carried", CarriedTable)
    app.connect("build-finished", lay)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
