"""What the site takes from the vl-convert package: Vega as one script, and pictures of charts.

Nothing is fetched: the package has Vega in it, and a chart that names data elsewhere is refused.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

import altair
import vl_convert
from jsonschema import ValidationError
from sphinx.application import Sphinx

SNIPPET = "window.vegaEmbed = vegaEmbed;"  # all that lostpackets.js uses
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


@dataclass(frozen=True)
class Picture:
    """A chart as SVG; width and height in CSS pixels."""

    svg: str
    width: float
    height: float


def script_name() -> str:
    """Its file name has its versions, so that no browser keeps an old one."""
    vega, lite = vl_convert.get_vega_version(), vl_convert.get_vegalite_versions()[-1]
    return f"vega-{vega}-lite-{lite}-embed-{vl_convert.get_vega_embed_version()}.js"


def add_scripts(app: Sphinx) -> None:
    """What draws the figures of this page, in the order that the browser runs it."""
    draws: dict[str, Any] = {"defer": "defer", "data-vega": script_name()}
    app.add_js_file("narrow.js", defer="defer")
    app.add_js_file("lostpackets.js", **draws)


def script() -> str:
    """Vega, Vega-Lite, vega-embed and what they need, as one script whose names stay its own. Takes a second
    or two. It is no module: browsers load none in a page that is opened as a file."""
    bundle = vl_convert.javascript_bundle(SNIPPET, vl_version=vl_convert.get_vegalite_versions()[-1])
    return f'(() => {{\n"use strict";\n{bundle}\n}})();\n'


def picture(spec: dict[str, Any]) -> Picture:
    """The chart drawn. Raises ValueError with the reason if it cannot be, or wants data from elsewhere."""
    for url in _urls(spec):
        raise ValueError(f"it loads {url}: put the data into the chart")
    try:
        svg = str(vl_convert.vegalite_to_svg(spec))
    except ValueError as fault:
        raise ValueError(_reason(spec, fault)) from None
    size = _SIZE.search(svg)
    if not size:
        raise ValueError("Vega gave a picture without a size")
    return Picture(svg, float(size[1]), float(size[2]))


def _urls(part: Any) -> list[str]:
    """Every data address in a chart, wherever it stands. Data itself is not looked into."""
    if isinstance(part, list):
        return [url for item in part for url in _urls(item)]
    if not isinstance(part, dict):
        return []
    data = part.get("data")
    own = [data["url"]] if isinstance(data, dict) and isinstance(data.get("url"), str) else []
    deeper = [value for key, value in part.items() if key not in ("data", "datasets", "usermeta")]
    return own + _urls(deeper)


def _reason(spec: dict[str, Any], fault: ValueError) -> str:
    """Why Vega cannot draw it: where it is no Vega-Lite, which Altair knows; else what Vega says."""
    try:
        altair.Chart.from_dict(spec)
    except ValidationError as known:
        return f"{known.json_path} is {known.instance!r:.100}, which Vega-Lite does not know"
    return " ".join(str(fault).split())[:400]


def file_name(svg: str) -> str:
    """The same picture, the same name."""
    return f"figure-{hashlib.sha256(svg.encode()).hexdigest()[:16]}.svg"
