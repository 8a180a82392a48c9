"""Builds the static site into _build/html, or below a folder that is named; warnings are errors.

Then looks at what was built: a fresh index.html (jupyter-book 2 would ignore _config.yml, build nothing
and exit 0), and no page that loads anything from another host.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

INDEX = Path("genindex.md")
"""The contents list files only. The page of the index is Sphinx's own, whatever stands in its file."""
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\ssrc=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|icon|preconnect|modulepreload))"""
    r"""[^>]*?\shref=["']?((?:https?:)?//[^"'\s>]+)""",
    re.IGNORECASE,
)


def loaded_from_elsewhere(html: str) -> list[str]:
    """Addresses on other hosts that a browser fetches when it shows this page. Links are not among them."""
    return [src or href for src, href in LOADED.findall(html)]


def main(folder: str = ".") -> int:
    """Build into folder/_build and look. Returns the exit code."""
    site = Path(folder, "_build", "html")
    for stale in (site, site.with_name(".doctrees")):  # an old doctree would keep its warnings to itself
        shutil.rmtree(stale, ignore_errors=True)
    start = time.time()
    jupyter_book = str(Path(sys.executable).with_name("jupyter-book"))
    build = [jupyter_book, "build", ".", "--toc", "book/_toc.yml", "--path-output", folder]
    if not INDEX.exists():
        INDEX.write_text("# Index\n")
    same = os.environ | {"PYTHONHASHSEED": "0"}  # a set that a signature prints stands in one order
    if code := subprocess.run(
        [*build, "-W", "-n", "--keep-going", "--quiet"], env=same, check=False
    ).returncode:
        return code

    index = site / "index.html"
    if not index.exists() or index.stat().st_mtime < start:
        print(f"{index} was not built: is jupyter-book still below version 2?", file=sys.stderr)
        return 1
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(site.rglob("*.html"))}
    faults = [f"{page}: loads {url}" for page, html in pages.items() for url in loaded_from_elsewhere(html)]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(pages)} pages in {time.time() - start:.0f} s: {index}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
