"""Altair charts as notebooks keep them: Vega-Lite JSON, and in words what it shows.

Knows nothing of networks. `%load_ext labkit` switches it on. No picture is kept: JupyterLab draws the JSON,
the site draws it too and makes its own pictures while it is built, and fonts stay out of the recordings.
"""

from __future__ import annotations

from typing import Any

import altair

# Altair writes Vega-Lite 6. JupyterLab (4.6 is the latest) draws what is marked as Vega-Lite 3 to 5, and
# marked so it draws these charts as they are meant; marked as 6 it shows their text instead.
MIME = "application/vnd.vegalite.v5+json"


def bundle(spec: dict[str, Any], **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """MIME bundle of a Vega-Lite chart. Its text is the chart's description, else its title."""
    return {MIME: spec, "text/plain": words(spec)}, {}


def words(spec: dict[str, Any]) -> str:
    """The chart's description on one line, else its title."""
    title = spec.get("title", "")
    if isinstance(title, dict):
        title = title.get("text", "")
    title = " ".join(title) if isinstance(title, list) else title
    return " ".join(str(spec.get("description") or title or "A chart without a description").split())


def enable() -> None:
    """From now on charts are shown so."""
    altair.renderers.register("labkit", bundle)
    altair.renderers.enable("labkit")
