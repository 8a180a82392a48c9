"""The site without a network, and as something to install: what is kept, its manifest, its icons.

`offline.json` lists every address that pages load, with a digest of what lies there; `sw.js`, at the site's
root, is web/offline/sw.mjs with the digest of that list. Both are written last of all, after the button that
has all of it kept (book/templates/offline.html) has been told how much that is.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import vl_convert
from sphinx.application import Sphinx

import labkit

WORKER = Path(labkit.__file__).parents[1] / "web/offline/sw.mjs"
LOGO = Path(__file__).parents[1] / "static/logo.svg"
LAST = 950
"""When "build-finished" calls it: after all others."""

LISTING, SERVICE_WORKER, MANIFEST = "offline.json", "sw.js", "manifest.webmanifest"
ICONS = {192: "icon-192.png", 512: "icon-512.png"}
INK, PAPER = "#0b3954", "#ffffff"

LAB = "_static/lab"
SEARCH = "_static/search"
NOT_KEPT = (f"{LAB}/web/offline/", f"{LAB}/web/node_modules/")
"""The worker itself; and what is fetched over plain http:, where browsers have no such worker."""
PYTHON = f"{LAB}/python/"
"""Some 10 MB, kept by the laboratory when it is first used; its modules are kept with all others."""
OTHER_FORM = f"{LAB}/machine/lab-"
"""The kernel for browsers without stacks of their own; the others keep the other form (sw.mjs)."""
SIZE = "@WHOLE@"
"""In a page: how much all of it is, in MB."""
NOT_LOADED = (".html", ".ttf")  # pages are listed as pages; browsers that have workers take .woff2
_STILL = re.compile(r"<noscript>.*?</noscript>", re.S)  # pictures for browsers that run no scripts
_LOADED = re.compile(r"""<(?:script|img|link|source)\b[^>]*?\s(?:src|href)=["']([^"']+)["']""")
_VEGA = re.compile(r'\bdata-vega="([^"]+)"')
_IN_STYLE = re.compile(r"""url\(["']?([^"')]+)["']?\)""")


def addresses(site: Path) -> Iterator[str]:
    """Of every page and of all that a page loads, relative to the site's root, as they are asked for."""
    loaded: set[str] = set()
    for page in sorted(site.rglob("*.html")):
        address = page.relative_to(site).as_posix()
        if address.startswith("_"):
            continue  # a theme's template
        yield address
        html = _STILL.sub("", page.read_text(encoding="utf-8"))
        loaded.update(urljoin(address, found) for found in _LOADED.findall(html))
        loaded.update(f"_static/{name}" for name in _VEGA.findall(html))
    for style in [name for name in loaded if urlsplit(name).path.endswith(".css")]:
        text = _file(site, style).read_text(encoding="utf-8") if _file(site, style).is_file() else ""
        loaded.update(urljoin(style, found) for found in _IN_STYLE.findall(text))
    loaded.update(path.relative_to(site).as_posix() for path in site.glob(f"{LAB}/**/*") if path.is_file())
    loaded.update(path.relative_to(site).as_posix() for path in site.glob(f"{SEARCH}/**/*"))
    for address in sorted(loaded):
        if _is_kept(address) and _file(site, address).is_file():
            yield address


def _is_kept(address: str) -> bool:
    path = urlsplit(address).path
    if urlsplit(address).scheme or urlsplit(address).netloc or "#" in address or path.endswith(NOT_LOADED):
        return False
    return path.endswith(".mjs") if path.startswith(PYTHON) else not path.startswith(NOT_KEPT)


def _file(site: Path, address: str) -> Path:
    return site / urlsplit(address).path


def listing(site: Path) -> dict[str, str]:
    """Address -> digest of what lies there."""
    return {
        address: hashlib.sha256(_file(site, address).read_bytes()).hexdigest()[:16]
        for address in addresses(site)
    }


def megabytes(site: Path) -> int:
    """What a browser fetches to keep all of it, compressed as servers do it; rounded up."""
    kept = {_file(site, address) for address in addresses(site) if not address.startswith(OTHER_FORM)}
    return math.ceil(sum(len(gzip.compress(path.read_bytes(), 6)) for path in kept) / 1e6)


def _say_how_much(site: Path) -> None:
    size = str(megabytes(site))
    for page in site.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        if SIZE in html:
            page.write_text(html.replace(SIZE, size), encoding="utf-8")


def manifest(title: str) -> dict[str, Any]:
    """What a browser asks for when it installs a page (W3C: Web Application Manifest)."""
    icons = [{"src": "_static/logo.svg", "sizes": "any", "type": "image/svg+xml"}]
    icons += [{"src": name, "sizes": f"{size}x{size}", "type": "image/png"} for size, name in ICONS.items()]
    return {
        "name": title,
        "short_name": title,
        "description": "An interactive textbook on TCP, loss and congestion control, with its laboratory",
        "lang": "en",
        "start_url": "./index.html",
        "scope": "./",
        "display": "minimal-ui",
        "theme_color": INK,
        "background_color": PAPER,
        "icons": icons,
    }


def write(site: Path, title: str) -> None:
    """All of it."""
    (site / MANIFEST).write_text(json.dumps(manifest(title), indent=1) + "\n", encoding="utf-8")
    logo = LOGO.read_text(encoding="utf-8")
    for size, name in ICONS.items():
        (site / name).write_bytes(vl_convert.svg_to_png(logo, scale=size / 64))
    _say_how_much(site)
    text = json.dumps(listing(site), indent=0) + "\n"
    (site / LISTING).write_text(text, encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    worker = WORKER.read_text(encoding="utf-8").replace("@LISTING@", digest)
    (site / SERVICE_WORKER).write_text(worker, encoding="utf-8")


def add_links(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """To the manifest and an icon, on every page."""
    pathto = context["pathto"]
    context["metatags"] = context.get("metatags", "") + (
        f'\n<link rel="manifest" href="{pathto(MANIFEST, 1)}"/>'
        f'\n<link rel="apple-touch-icon" href="{pathto(ICONS[192], 1)}"/>'
        f'\n<meta name="theme-color" content="{INK}"/>'
    )


def finish(app: Sphinx, exception: Exception | None) -> None:
    """When all else is written."""
    if exception is None and app.builder.format == "html":
        write(Path(app.outdir), app.config.html_title or app.config.project)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_js_file("offline.js", defer="defer")
    app.connect("html-page-context", add_links)
    app.connect("build-finished", finish, priority=LAST)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
