"""Altair charts as notebooks keep them: Vega-Lite JSON, and in words what it shows.

Knows nothing of networks. `%load_ext labkit` switches it on. No picture is kept: JupyterLab draws the JSON,
the site draws it too and makes its own pictures while it is built, and fonts stay out of the recordings.
"""

from __future__ import annotations

import re
from typing import Any

import altair

# Altair writes Vega-Lite 6. JupyterLab (4.6 is the latest) draws what is marked as Vega-Lite 3 to 5, and
# marked so it draws these charts as they are meant; marked as 6 it shows their text instead.
MIME = "application/vnd.vegalite.v5+json"

Json = dict[str, Any]
_HASHED = re.compile(r"data-[0-9a-f]{32}")


def bundle(spec: dict[str, Any], **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """MIME bundle of a Vega-Lite chart. Its text is the chart's description, else its title."""
    return {MIME: steady(spec), "text/plain": words(spec)}, {}


def steady(spec: Json) -> Json:
    """The chart with names of its data that do not change when the data does."""
    bare, held = split(spec)
    return {**bare, "datasets": held} if held else bare


def split(spec: Json) -> tuple[Json, dict[str, list[Json]]]:
    """A chart without its data, and the data by name; names that Altair hashed become data-1, data-2 ..."""
    held: dict[str, list[Json]] = {}
    given = spec.get("datasets", {})
    names: dict[str, str] = {}

    def walk(part: Any) -> Any:
        if isinstance(part, list):
            return [walk(item) for item in part]
        if not isinstance(part, dict):
            return part
        return {key: named(item) if key == "data" else walk(item) for key, item in part.items()}

    def named(data: Any) -> Any:
        if not isinstance(data, dict) or not ("values" in data or data.get("name") in given):
            return data
        old = data.get("name") or f"inline-{len(names)}"
        if old not in names:
            fresh = f"data-{len(names) + 1}"
            names[old] = fresh if _HASHED.fullmatch(old) or "name" not in data else old
            held[names[old]] = list(given[old] if old in given else data["values"])
        return {**{key: item for key, item in data.items() if key != "values"}, "name": names[old]}

    return walk({key: item for key, item in spec.items() if key != "datasets"}), held


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
