"""Which pages of the site are visited again after a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import built_site

ONE, TWO, SEARCH = "chapters/01-a", "chapters/02-b", "search"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name, content in {
        "chapters/01-a.html": '<img src="../_images/figure-1.svg">',
        "chapters/02-b.html": '<img src="../_images/figure-2.svg"><a href="../_downloads/0a/rows.csv">',
        "search.html": "",
        "_images/figure-1.svg": "1",
        "_images/figure-2.svg": "2",
        "_downloads/0a/rows.csv": "a,b",
        "_static/lab/chapters/01-a.json": "{}",
        "_static/page.js": "",
        "_sources/chapters/01-a.md": "words",
        "searchindex.js": "",
        "sw.js": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def digests(site: Path) -> dict[str, str]:
    return {page: built_site.shared(site) + built_site.own(site, page) for page in (ONE, TWO, SEARCH)}


@pytest.mark.parametrize(
    ("file", "pages"),
    [
        ("chapters/01-a.html", {ONE}),
        ("_images/figure-1.svg", {ONE}),
        ("_static/lab/chapters/01-a.json", {ONE}),
        ("_downloads/0a/rows.csv", {TWO}),
        ("searchindex.js", {SEARCH}),
        ("sw.js", set()),
        ("_sources/chapters/01-a.md", set()),
        ("_static/page.js", {ONE, TWO, SEARCH}),
    ],
)
def test_a_change_concerns_the_pages_that_show_it(site: Path, file: str, pages: set[str]) -> None:
    before = digests(site)
    (site / file).write_text((site / file).read_text() + " changed")
    now = digests(site)
    assert {page for page in now if now[page] != before[page]} == pages
