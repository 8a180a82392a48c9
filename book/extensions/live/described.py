"""What a lab program's bytes mean, as JSON whose leaves can be set."""

from __future__ import annotations

from typing import Any

from live.planned import Plan

Json = dict[str, Any]
Path = tuple[str | int, ...]


def described_of(plan: Plan) -> Json:
    """Its own: nobody else has any part of it."""
    described = {"manifest": plan.manifest, "memory_mb": plan.memory_mb, "until_s": plan.until_s}
    copy: Json = _copied(described)
    return copy


def put(value: Any, path: Path, leaf: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = leaf


def leaf_at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list | tuple) else value
