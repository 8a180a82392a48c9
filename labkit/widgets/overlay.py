"""Several runs in one Vega-Lite chart: the current one as it is, earlier ones behind it in dashed greys.

Works on any chart that can be layered. Knows Vega-Lite, and nothing of networks.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
RUNS = 3
"""So many runs at most are shown together."""

GREYS = ("#767676", "#949494")
DASHES = ([6, 3], [2, 3])
_CONCAT = ("vconcat", "hconcat", "concat")
_FACETS = ("row", "column", "facet")
_COLOURED = ("color", "fill", "stroke", "shape", "strokeDash", "opacity", "fillOpacity", "strokeOpacity")
_INNER = ("mark", "layer", "encoding", "transform", "data", "params", "resolve", "projection")
_LINES, _FILLED = ("line", "trail", "rule"), ("bar", "area", "rect", "arc")
_SHAPE = ("interpolate", "orient", "clip")


def can_overlay(spec: Json) -> bool:
    """Facets and repeats cannot be layered."""
    if any(key in spec for key in ("facet", "repeat", "spec")):
        return False
    if any(channel in spec.get("encoding", {}) for channel in _FACETS):
        return False
    return all(can_overlay(part) for key in (*_CONCAT, "layer") for part in spec.get(key, []))


def overlay(spec: Json, earlier: list[Json]) -> Json:
    """One chart of several, all without data: `earlier` are the runs before, the latest first.

    The data of run k before this one is asked for by the name it has, followed by "@k".
    """
    for key in _CONCAT:
        if key in spec:
            parts = [
                overlay(part, [old[key][i] for old in earlier if len(old.get(key, [])) > i])
                for i, part in enumerate(spec[key])
            ]
            return {**spec, key: parts}
    kinds = _telling(spec)
    ghosts = [ghost for age, old in enumerate(earlier, 1) if (ghost := _ghost(_body(old), age, kinds))]
    body, outer = _body(spec), {key: item for key, item in spec.items() if key not in _INNER}
    layers = [body, *ghosts[::-1]] if _filled(body) else [*ghosts[::-1], body]
    return {**outer, "layer": layers}


def _body(spec: Json) -> Json:
    return {key: item for key, item in spec.items() if key in _INNER}


def _filled(spec: Json) -> bool:
    return _mark(spec) in _FILLED or any(_filled(part) for part in spec.get("layer", []))


def _mark(spec: Json) -> str:
    mark = spec.get("mark", "")
    return str(mark.get("type")) if isinstance(mark, dict) else str(mark)


def _telling(spec: Json) -> set[str]:
    """The kinds of mark that are worth a ghost: curves and bars, points where there is nothing else."""
    found = {_mark(spec)} if "mark" in spec else set()
    found = found.union(*map(_telling, spec.get("layer", [])))
    return found & {"line", "trail", *_FILLED} or found & {"point", "circle", "square", "tick"}


def _ghost(spec: Json, age: int, kinds: set[str]) -> Json | None:
    """An earlier run's marks of these kinds: grey, dashed, without colours and legends; None if none is."""
    kept = {key: item for key, item in _body(_renamed(spec, age)).items() if key != "params"}
    if "encoding" in kept:
        kept["encoding"] = _grey(kept["encoding"])
    if "layer" in kept:
        kept["layer"] = [ghost for part in spec["layer"] if (ghost := _ghost(part, age, kinds))]
        return kept if kept["layer"] else None
    if _mark(spec) not in kinds:
        return None
    old = spec["mark"] if isinstance(spec["mark"], dict) else {}
    kept["mark"] = {**_style(_mark(spec), age), **{key: old[key] for key in _SHAPE if key in old}}
    return kept


def _style(mark: str, age: int) -> Json:
    grey, dash = GREYS[age - 1], DASHES[age - 1]
    if mark in _FILLED:
        return {"type": mark, "fill": grey, "fillOpacity": 0.08, "stroke": grey, "strokeDash": dash}
    if mark in _LINES:
        return {"type": mark, "color": grey, "strokeDash": dash, "strokeWidth": 1.2}
    return {"type": "point", "color": grey, "filled": False, "size": 20}


def _grey(encoding: Json) -> Json:
    """Without colours and dashes; what they told apart stays apart."""
    kept = {channel: item for channel, item in encoding.items() if channel not in _COLOURED}
    split_by = [
        {"field": item["field"], "type": "nominal"}
        for channel, item in encoding.items()
        if channel in _COLOURED and isinstance(item, dict)
        if item.get("type") == "nominal" and "field" in item
    ]
    detail = kept.get("detail", [])
    detail = [*(detail if isinstance(detail, list) else [detail]), *split_by]
    unique = [item for i, item in enumerate(detail) if item not in detail[:i]]
    return {**kept, "detail": unique} if unique else kept


def _renamed(part: Any, age: int) -> Any:
    """With the data of an earlier run."""
    if isinstance(part, list):
        return [_renamed(item, age) for item in part]
    if not isinstance(part, dict):
        return part
    changed = {key: _renamed(item, age) for key, item in part.items()}
    data = changed.get("data")
    if isinstance(data, dict) and "name" in data:
        changed["data"] = {**data, "name": f"{data['name']}@{age}"}
    return changed
