"""What a page waits for before it shows a word: one style sheet, and a script that knows whether it is dark.

The theme and the extensions link fifteen style sheets and as many scripts in each page's head. All sheets of
the site become one file, which each page then has already; the scripts behind them move to the page's end, in
their order. Where web/styles.mjs can run, the sheet keeps the rules that some page needs: a third.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from sphinx.application import Sphinx

LATE = 940
"""When "build-finished" calls it: after all else that writes scripts, before offline.py lists the files."""
WING = Path(__file__).parents[2] / "web"
NAME = "styles-{}.css"
STATIC = "_static"

_SHEET = re.compile(r'<link\b(?=[^>]*\srel="stylesheet")[^>]*?\shref="([^"]+)"[^>]*>\s*')
_AT_ONCE = re.compile(r"<script\b(?![^>]*\s(?:defer|async|type)\b)(?=[^>]*\ssrc=)[^>]*></script>\s*")
_HEAD_ENDS, _ENDS = "</head>", "</body>"
_IMPORT = re.compile(r'@import\s+(?:url\()?["\']([^"\']+)["\']\)?\s*;')
_CHARSET = re.compile(r"@charset[^;]+;")
_URL = re.compile(r"""url\((["']?)(?!["']?(?:data:|https?:|#|/))([^"')]+)\1\)""")


def sheets(page: str, address: str) -> list[str]:
    """The style sheets of a page, by their path from the site's root. address: of the page."""
    found = (urljoin(address, urlsplit(href).path) for href in _SHEET.findall(page))
    return [path for path in found if not urlsplit(path).scheme]


def joined(site: Path, paths: Iterable[str]) -> str:
    """One sheet for all of them, as it would lie in _static. Raises OSError for one that is not there."""
    return "".join(_text(site, path) for path in paths)


def _text(site: Path, path: str) -> str:
    text = _CHARSET.sub("", (site / path).read_text(encoding="utf-8"))

    def address(found: re.Match[str]) -> str:
        there = urljoin(path, found[2])
        return f"url({found[1]}{posixpath.relpath(there, STATIC)}{found[1]})"

    text = _URL.sub(address, text)
    text = _IMPORT.sub(lambda found: _text(site, urljoin(path, found[1])), text)
    return f"{text.rstrip()}\n"


def with_one(page: str, address: str, sheet: str) -> str:
    """The page with this sheet in place of its own, and at its end the scripts that stood behind them."""
    first = _SHEET.search(page)
    if first is None:
        return page
    before = page[: first.start()]
    head, head_ends, body = _SHEET.sub("", page[first.start() :]).partition(_HEAD_ENDS)
    scripts = "".join(_AT_ONCE.findall(head))
    here = posixpath.relpath(sheet, posixpath.dirname(address) or ".")
    link = f'<link rel="stylesheet" href="{here}" />\n'
    body, ends, rest = body.rpartition(_ENDS)
    return f"{before}{link}{_AT_ONCE.sub('', head)}{head_ends}{body}{scripts}{ends}{rest}"


def keep(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written."""
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    files = [path for path in sorted(site.rglob("*.html")) if site / STATIC not in path.parents]
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in files}
    every = dict.fromkeys(sheet for address, page in pages.items() for sheet in sheets(page, address))
    text = joined(site, every)
    for old in (site / STATIC).glob(NAME.format("*")):
        old.unlink()
    made = site / STATIC / NAME.format("made")
    made.write_text(text, encoding="utf-8")
    if (WING / "node_modules/purgecss").is_dir():
        subprocess.run(["node", WING / "styles.mjs", site.resolve(), made.resolve()], check=True)
    digest = hashlib.sha256(made.read_bytes()).hexdigest()[:12]
    sheet = made.rename(made.with_name(NAME.format(digest))).relative_to(site).as_posix()
    for address, page in pages.items():
        (site / address).write_text(with_one(page, address, sheet), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", keep, priority=LATE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
