"""The site's Content-Security-Policy: what a page may load and run, and that every page keeps to it.

POLICY allows scripts that are files of the site, and WebAssembly; no script that stands in a page, no `eval`.
What the theme and other extensions write into pages becomes a file beside them, after all pages are written.
Hosts that read `_headers` send the policy; the site works without it as well.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'wasm-unsafe-eval'",
        # Figures say in a style attribute how high they will be, so that text does not jump when they are
        # drawn; formulas and Vega's SVG have such attributes, too. A style runs nothing.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",  # the theme's style sheets have their icons within
        "worker-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)
HEADERS = f"/*\n  Content-Security-Policy: {POLICY}\n"

LATE = 800
"""When "build-finished" calls it: before the service worker is written, which names every file."""

_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>\s*", re.S)
_ELSEWHERE = re.compile(r"\s(src|type)=")  # its content is not run as it stands here: a file's, or data


def without_inline(page: str, address: str) -> tuple[str, dict[str, str]]:
    """The page with a file in place of each script, or row of scripts, that stands in it. `address`: of the
    folder of static files, seen from the page. Beside it the files: name -> content."""
    parts: list[str] = []
    files: dict[str, str] = {}
    row: list[str] = []

    def end_row() -> None:
        if row:
            content = "\n".join(row) + "\n"
            name = f"inline-{hashlib.sha256(content.encode()).hexdigest()[:12]}.js"
            files[name] = content
            parts.append(f'<script src="{address}/{name}"></script>\n')
            row.clear()

    at = 0
    for found in _SCRIPT.finditer(page):
        if found.start() > at:
            end_row()
            parts.append(page[at : found.start()])
        at = found.end()
        if _ELSEWHERE.search(found[1]):
            end_row()
            parts.append(found[0])
        else:
            row.append(found[2].strip())
    end_row()
    return "".join(parts) + page[at:], files


def keep(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written."""
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    static = site / "_static"
    for path in sorted(site.rglob("*.html")):
        if static in path.parents:
            continue  # a theme's template, copied with its files
        page = path.read_text(encoding="utf-8")
        kept, files = without_inline(page, Path(os.path.relpath(static, path.parent)).as_posix())
        for name, content in files.items():
            (static / name).write_text(content, encoding="utf-8")
        if kept != page:
            path.write_text(kept, encoding="utf-8")
    (site / "_headers").write_text(HEADERS, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", keep, priority=LATE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
