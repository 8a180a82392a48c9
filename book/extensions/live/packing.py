"""Plans as JSON that is small: each by what is different in it from an earlier one. programs.mjs reads it.

program    the bytes as hexadecimal digits; or
like       the number of an earlier plan, and bytes: [[offset, hexadecimal digits], ...] that differ
manifest   what the bytes mean; or changes: [[path, value] to set, [path] to delete, ...] in that of `of`
memory_mb  MiB of the kernel that runs it
until_s    the virtual time at which it ends, or null

A column of values is a list of them; of numbers, {over, by}: the first, and by how much each of the others is
more than the one before it, each as a whole number to be divided.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from live.described import diff
from live.planned import Plan

_EXACT = 2**53  # up to here whole numbers are themselves in JavaScript
_NEAR = 8  # bytes that are the same between two that differ: one run of them is shorter than two


def packed(value: Any) -> str:
    """JSON, deflated, in base64."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    pressing = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(pressing.compress(text) + pressing.flush()).decode()


def written(plans: Sequence[Plan]) -> list[dict[str, Any]]:
    """All of them, in order."""
    found: list[dict[str, Any]] = []
    lengths: dict[int, int] = {}
    for number, plan in enumerate(plans):
        like = lengths.setdefault(len(plan.program), number)
        entry: dict[str, Any] = {"memory_mb": plan.memory_mb, "until_s": plan.until_s}
        if like == number:
            entry["program"] = plan.program.hex()
        else:
            entry |= {"like": like, "bytes": different(plans[like].program, plan.program)}
        if number == 0:
            entry["manifest"] = plan.manifest
        else:
            entry |= {"of": like if like < number else 0}
            entry["changes"] = diff(plans[entry["of"]].manifest, plan.manifest)
        found.append(entry)
    return found


def different(old: bytes, new: bytes) -> list[tuple[int, str]]:
    """Runs of bytes of `new` that are not as in `old`, which is as long."""
    runs: list[list[int]] = []
    for at, (before, after) in enumerate(zip(old, new, strict=True)):
        if before != after:
            if runs and at - runs[-1][1] <= _NEAR:
                runs[-1][1] = at + 1
            else:
                runs.append([at, at + 1])
    return [(start, new[start:end].hex()) for start, end in runs]


def column(values: Sequence[Any]) -> Any:
    """As a page reads it."""
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in values):
        return values
    exact = [Decimal(str(one)) for one in values]
    places = max(-int(one.normalize().as_tuple().exponent) for one in exact)  # behind the point
    over = 10 ** max(places, 0)
    whole = [int(one * over) for one in exact]
    if over >= _EXACT or max(map(abs, whole)) >= _EXACT:
        return values
    return {"over": over, "by": [whole[0], *(after - before for before, after in pairwise(whole))]}
