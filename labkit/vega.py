"""Altair charts in a notebook and on a page without scripts: one bundle, the chart as JSON and as a picture.

Knows nothing of networks. `%load_ext labkit` switches it on.
"""

from __future__ import annotations

import html
from typing import Any

import altair

_STYLE = "max-width:100%;height:auto"


def bundle(spec: dict[str, Any], **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """MIME bundle of a Vega-Lite chart: its JSON, which JupyterLab draws, and the SVG inline in HTML.

    The picture asks no other host for anything. Its text for screen readers is the chart's description.
    """
    import vl_convert  # not at the top: it takes longer to load than a run does

    major = altair.SCHEMA_VERSION.lstrip("v").split(".")[0]
    svg = vl_convert.vegalite_to_svg(spec).replace("<svg ", f'<svg style="{_STYLE}" aria-hidden="true" ', 1)
    said = html.escape(str(spec.get("description", "")))
    figure = f'<div class="chart" role="img" aria-label="{said}">{svg}</div>'
    return {f"application/vnd.vegalite.v{major}+json": spec, "text/html": figure}, {}


def enable() -> None:
    """From now on charts are shown so."""
    altair.renderers.register("labkit", bundle)
    altair.renderers.enable("labkit")
