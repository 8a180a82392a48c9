"""A book of one page, the bench, built as the real one, and served with the site's policy."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.browser import served
from tests.browser import pages

ROOT = Path(__file__).parents[3]
TOC = "format: jb-book\nroot: index\nchapters: [{file: book/bench}]\n"
INDEX = "# A small book\n\nWith {cite:p}`rfc5681`.\n\n```{bibliography}\n```\n"


def built(folder: Path) -> Path:
    """The site. Links of the page to the rest of the book are warnings."""
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("node_modules"))
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "_toc.yml").write_text(TOC)
    (folder / "index.md").write_text(INDEX)
    done = pages.build(folder)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder / "_build/html"


@contextlib.contextmanager
def bench_site(folder: Path) -> Iterator[str]:
    """Its page's address, on a host that sends the Content-Security-Policy of the real site."""
    site = built(folder)
    extensions = str(ROOT / "book/extensions")
    if extensions not in sys.path:
        sys.path.append(extensions)
    from policy import POLICY  # type: ignore[import-not-found,unused-ignore]

    with served(site, headers={"Content-Security-Policy": POLICY}) as address:
        yield f"{address}book/bench.html"
