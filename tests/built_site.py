"""Which files of the built site a page depends on: what all pages share, and what is its own.

A page's own are its HTML, the pictures and downloads that this names, and the programs of its widgets. Files
that list all of the site (the search index, the service worker's listing) change with every page, and no page
looks otherwise for it but the search. What Sphinx notes for itself differs from folder to folder. The
laboratory is fetched when a reader runs something; only the page that names its scripts, the bench, loads it
at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

_NAMED = ("_images", "_downloads", "_static/licences")
LAB = "_static/lab"
_PROGRAMS = f"{LAB}/chapters"
_SOURCES = "_sources"  # what the button "show source" hands out
_NOTE = ".buildinfo"
_INDEX = "_static/search"
_LISTINGS = ("objects.inv", "offline.json", "sw.js")
_SEARCH = "search"


def shared(site: Path) -> str:
    """A digest of the files that are no page's own, list no pages, and are loaded with any page."""
    return _digest(site, (file for file in _shared(site) if not file.is_relative_to(site / LAB)))


def laboratory(site: Path) -> str:
    """The same of what runs experiments in a page."""
    return _digest(site, (file for file in _shared(site) if file.is_relative_to(site / LAB)))


def _shared(site: Path) -> Iterator[Path]:
    owned = (*_NAMED, _INDEX, _PROGRAMS, _SOURCES, _NOTE)
    for file in site.rglob("*"):
        name = file.relative_to(site).as_posix()
        if file.suffix != ".html" and name not in _LISTINGS and not name.startswith(owned):
            yield file


def own(site: Path, page: str) -> str:
    """A digest of the files that only matter to this page, "chapters/01-name", and others that name them."""
    html = (site / f"{page}.html").read_text()
    named = [file for folder in _NAMED for file in (site / folder).rglob("*") if file.name in html]
    programs = site / _PROGRAMS / f"{Path(page).name}.json"
    listing = [*(site / _INDEX).rglob("*")] if page == _SEARCH else []
    loaded = laboratory(site) if f"{LAB}/" in html else ""
    return loaded + _digest(site, [site / f"{page}.html", programs, *named, *listing])


def _digest(site: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        if file.is_file():
            digest.update(f"{file.relative_to(site)} ".encode() + file.read_bytes())
    return digest.hexdigest()
