"""What a user says of a queue, in the words of the `tc` manual pages, as the plug-ins want it.

Every option is read with its unit, an unknown one is refused, and the plug-in computes the message
once, so that values which do not go together fail here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyroute2.netlink.rtnl.tcmsg import plugins

from labkit.errors import SpecError
from labkit.qdiscs.tc_options import ALIASES, LIMITS, OPTIONS, REQUIRED

Scalar = bool | int | float | str
Reader = Callable[[Any], Any]


def leaf_qdisc(
    kind: str, packets: int | None, bytes: int | None, options: Mapping[str, Scalar]
) -> dict[str, Any]:
    """The keywords for `ip.tc("add", kind, index, **keywords)` or `message.tc`.

    packets, bytes: the limit, whichever the kind counts; options: e.g. {"target": "5ms", "ecn": True};
    ecn=False is `noecn`. Raises SpecError, naming the qdisc, the option and what would be right.
    """
    if kind not in OPTIONS:
        raise SpecError(f"qdisc {kind!r} is not known: use {', '.join(OPTIONS)}")
    keywords: dict[str, Any] = {}
    for given, value in options.items():
        name, value = ALIASES.get(given, (given, value)) if value is True else (given, value)
        key, read = _known(kind, given, name.replace("-", "_"))
        try:
            parsed = read(value)
        except ValueError as error:
            raise SpecError(f"{kind}: {given}={value!r}: {error}") from None
        keywords[key] = parsed
    _limit(kind, packets, bytes, keywords)
    compute = getattr(plugins.get(kind), "get_parameters", dict)
    try:
        compute(dict(keywords))
    except ValueError as error:
        raise SpecError(f"{kind}: {str(error).removeprefix(f'{kind}: ')}") from None
    return keywords


def _known(kind: str, given: str, name: str) -> tuple[str, Reader]:
    if name not in OPTIONS[kind]:
        allowed = ", ".join(sorted(OPTIONS[kind])) or "none"
        raise SpecError(f"{kind}: unknown option {given!r}: allowed are {allowed}")
    found = OPTIONS[kind][name]
    return found if isinstance(found, tuple) else (name, found)


def _limit(kind: str, packets: int | None, bytes: int | None, keywords: dict[str, Any]) -> None:
    """Put the limit where the kind wants it, from the argument or from the option `limit`."""
    unit, key = LIMITS.get(kind, ("nothing", ""))
    given = {"packets": packets, "bytes": bytes}
    for name, value in given.items():
        if value is not None and name != unit:
            raise SpecError(f"{kind}: is limited in {unit}: leave {name} out")
    limit = given.get(unit)
    if limit is not None and key in keywords:
        raise SpecError(f"{kind}: {key}= and {unit}= say the same: give one of them")
    if limit is not None:
        keywords[key] = limit
    if kind in REQUIRED and key not in keywords:
        example = '"64kB"' if unit == "bytes" else "100"
        raise SpecError(f"{kind}: has no limit of its own: write {unit}={example}")
