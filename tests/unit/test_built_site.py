"""Which pages of the site are visited again after a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import built_site

ONE, TWO, SEARCH, BENCH = "chapters/01-a", "chapters/02-b", "search", "book/bench"
ALL = {ONE, TWO, SEARCH, BENCH}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name, content in {
        "chapters/01-a.html": '<img src="../_images/figure-1.svg">',
        "chapters/02-b.html": '<img src="../_images/figure-2.svg"><a href="../_downloads/0a/rows.csv">'
        '<a href="../_static/licences/source.zip">',
        "search.html": "",
        "book/bench.html": '<script type="module" src="../_static/lab/web/bench/page.mjs"></script>',
        "_static/lab/web/lab/lab.mjs": "",
        "_static/licences/source.zip": "",
        ".buildinfo": "config: 1",
        "_images/figure-1.svg": "1",
        "_images/figure-2.svg": "2",
        "_downloads/0a/rows.csv": "a,b",
        "_static/lab/chapters/01-a.json": "{}",
        "_static/page.js": "",
        "_sources/chapters/01-a.md": "words",
        "_static/search/pagefind-entry.json": "",
        "sw.js": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def digests(site: Path, shared: str) -> dict[str, str]:
    return {page: shared + built_site.own(site, page) for page in sorted(ALL)}


def looked_at(site: Path) -> dict[str, str]:
    return digests(site, built_site.shared(site))


def run(site: Path) -> dict[str, str]:
    return digests(site, built_site.shared(site) + built_site.laboratory(site))


@pytest.mark.parametrize(
    ("file", "pages", "ran"),
    [
        ("chapters/01-a.html", {ONE}, {ONE}),
        ("_images/figure-1.svg", {ONE}, {ONE}),
        ("_static/lab/chapters/01-a.json", {ONE}, {ONE}),
        ("_downloads/0a/rows.csv", {TWO}, {TWO}),
        ("_static/search/pagefind-entry.json", {SEARCH}, {SEARCH}),
        ("sw.js", set(), set()),
        (".buildinfo", set(), set()),
        ("_static/licences/source.zip", {TWO}, {TWO}),
        ("_sources/chapters/01-a.md", set(), set()),
        ("_static/page.js", ALL, ALL),
        ("_static/lab/web/lab/lab.mjs", {BENCH}, ALL),
    ],
)
def test_a_change_concerns_the_pages_that_show_it(
    site: Path, file: str, pages: set[str], ran: set[str]
) -> None:
    """pages: which are looked at again; ran: which run experiments again."""
    before = looked_at(site), run(site)
    (site / file).write_text((site / file).read_text() + " changed")
    changed = [
        {page for page in then if now[page] != then[page]}
        for then, now in zip(before, (looked_at(site), run(site)), strict=True)
    ]
    assert changed == [pages, ran]
