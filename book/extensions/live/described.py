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


def diff(old: Any, new: Any, path: tuple[str | int, ...] = ()) -> list[list[Any]]:
    """[path, value] to set and [path] to delete, that make `new` of `old`."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = [[[*path, key]] for key in old if key not in new]
        for key, item in new.items():
            here = (*path, key)
            found += diff(old[key], item, here) if key in old else [[[*here], item]]
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [change for i in range(len(old)) for change in diff(old[i], new[i], (*path, i))]
    return [] if old == new and type(old) is type(new) else [[[*path], new]]


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
