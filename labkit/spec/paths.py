"""Fields of a spec by dotted path: "flows.cc", "flows[0].size", "links.r1-r2.forward.loss", "seed".

Knows how specs are nested, and nothing of what is done with them.
"""

from __future__ import annotations

import re
from typing import Any

from labkit.errors import SpecError
from labkit.schema.base import FaultsError, Spec, did_you_mean, no_field
from labkit.spec import Direction, Experiment, Host, Link, Switch, Traffic

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_OF_TOPOLOGY = ("hosts", "links")


def with_field(exp: Experiment, path: str, value: Any) -> Experiment:
    """The experiment with one field changed, validated again.

    "flows.cc" is all flows that have a cc, "flows[0].cc" the first, "flows.left-right.cc" the one of that
    name; in the same way "links" (by their two hosts; "b-a" is seen from b, so that forward is from b to a)
    and "hosts". "links.loss" holds both ways. "sysctls.net.ipv4.tcp_sack" names a sysctl. Raises SpecError,
    which names the path.
    """
    try:
        changed: Experiment = _set(exp, _steps(path), value)
    except SpecError as error:
        raise SpecError(f"{path} = {value!r}: {str(error).removeprefix(path)}") from None
    return changed


def _steps(path: str) -> list[str | int]:
    found = list(_STEP.finditer(path))
    if not found or re.fullmatch(rf"(?:{_STEP.pattern}|\.)+", path) is None:
        raise SpecError('no path of a field: write it as "flows.cc" or "links.r1-r2.forward.loss"')
    return [int(match[2]) if match[2] else match[1] for match in found]


def _set(part: Any, steps: list[str | int], value: Any) -> Any:
    """`part` with the field that the steps lead to changed."""
    if not steps:
        return value
    if isinstance(part, tuple):
        return _set_in_list(part, steps, value)
    if isinstance(part, dict):
        return {**part, ".".join(map(str, steps)): value}
    if not isinstance(part, Spec):
        raise SpecError(f"has no field {_shown(steps)}: it is {part!r}")
    name, rest = str(steps[0]), steps[1:]
    if isinstance(part, Experiment) and name in _OF_TOPOLOGY:
        return part.replace(topology=_set(part.topology, steps, value))
    if isinstance(part, Link) and name in Direction.model_fields:
        ways = {way: _set(getattr(part, way), steps, value) for way in ("forward", "backward")}
        return part.replace(**ways)
    if name not in type(part).model_fields:
        raise FaultsError([((name,), no_field(type(part), name))])
    new = _set(getattr(part, name), rest, value)
    return part.changed({name: new}) if isinstance(part, Direction) else part.replace(**{name: new})


def _set_in_list(items: tuple[Any, ...], steps: list[str | int], value: Any) -> tuple[Any, ...]:
    """One item by its number or name, or else all of them."""
    first, rest = steps[0], steps[1:]
    if isinstance(first, int):
        if first >= len(items):
            raise SpecError(f"[{first}]: there are {len(items)}, counted from 0")
        return (*items[:first], _set(items[first], rest, value), *items[first + 1 :])
    names = {name: i for i, item in enumerate(items) for name in _names(item)}
    if first in names:
        i = names[first]
        turned = isinstance(items[i], Link) and first != f"{items[i].a}-{items[i].b}"
        return (*items[:i], _set(items[i], _turn(rest) if turned else rest, value), *items[i + 1 :])
    mine = [first in type(item).model_fields or _spread(item, first) for item in items]
    if items and not any(mine):
        known = [*names, *dict.fromkeys(name for item in items for name in type(item).model_fields)]
        listed = ", ".join(list(names)[:10])
        raise SpecError(f"{first!r}: no such name or field{did_you_mean(first, known)}: there are {listed}")
    if not items:
        raise SpecError(f"{first!r}: there is none")
    return tuple(_set(item, steps, value) if has else item for item, has in zip(items, mine, strict=True))


def _names(item: Any) -> list[str]:
    if isinstance(item, Link):
        return [f"{item.a}-{item.b}", f"{item.b}-{item.a}"]
    return [item.name] if isinstance(item, Traffic | Host | Switch) and item.name is not None else []


def _spread(item: Any, name: str) -> bool:
    return isinstance(item, Link) and name in Direction.model_fields


def _turn(steps: list[str | int]) -> list[str | int]:
    """The same field of a link as seen from its other end."""
    other = {"forward": "backward", "backward": "forward"}
    return [other.get(str(steps[0]), steps[0]), *steps[1:]] if steps else steps


def _shown(steps: list[str | int]) -> str:
    return ".".join(map(str, steps))
