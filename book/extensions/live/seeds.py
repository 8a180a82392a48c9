"""Where the seed of an experiment stands in its program: hashes of texts with it (compile/steps.py)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from labkit.compile.steps import wire_seed
from labkit.widgets.payload import diff
from live.planned import Plan
from live.slots import Json, copied, described_of, leaf_at, put

Slot = dict[str, Any]
_WIDTHS = (8, 4)


def seed_slots(base: Plan, seed: int, other: Plan, other_seed: int) -> list[Slot] | None:
    """Of a program, from another that differs in nothing but the seed; None if not all of it is explained."""
    if len(base.program) != len(other.program):
        return None
    texts = list(_texts(base.manifest["experiment"]))
    found: list[Slot] = []
    covered = -1
    for at, (a, b) in enumerate(zip(base.program, other.program, strict=True)):
        if a == b or at <= covered:
            continue
        slot = _slot_at(at, base.program, seed, other.program, other_seed, texts)
        if slot is None:
            return None
        covered = slot["at"] + slot["width"] - 1
        found.append(slot)
    before, after = copied(described_of(base)), copied(described_of(other))
    for path, *new in diff(before, after):
        leaf = _leaf(leaf_at(before, tuple(path)), new[0] if new else None, seed, other_seed, texts)
        if leaf is None:
            return None
        found.append({"path": path, **leaf})
    return found


def seeded(plan: Plan, slots: list[Slot], seed: int) -> tuple[bytes, Json]:
    """Program and description with another seed."""
    program, described = bytearray(plan.program), copied(described_of(plan))
    for slot in slots:
        if "path" in slot:
            value = seed + slot["plus"] if "plus" in slot else _hash(slot["text"], seed)
            put(described, tuple(slot["path"]), value)
        elif slot["text"] is None:
            program[slot["at"] : slot["at"] + 32] = _whole(seed)
        else:
            number = _hash(slot["text"], seed) & ((1 << 8 * slot["width"]) - 1)
            program[slot["at"] : slot["at"] + slot["width"]] = number.to_bytes(slot["width"], "little")
    return bytes(program), described


def _texts(exp: Json) -> Iterator[str]:
    """What may stand behind the seed: of each way, for changes, chains and flows."""
    hosts = [host["name"] if isinstance(host, dict) else host for host in exp["topology"]["hosts"]]
    numbers = range(-1 - len(exp.get("flows", ())), len(exp.get("changes", ())) + 2)
    whats = [*map(str, numbers), *(f"{what} {n}" for what in ("chain", "draws") for n in numbers)]
    for src in hosts:
        for dst in hosts:
            if src != dst:
                yield from (f"/{src}/{dst}/{what}" for what in whats)


def _hash(text: str, seed: int) -> int:
    src, dst, what = text.removeprefix("/").split("/")
    return wire_seed(seed, src, dst, what)


def _whole(seed: int) -> bytes:
    return hashlib.sha256(f"labkit {seed}".encode()).digest()


def _slot_at(at: int, a: bytes, seed: int, b: bytes, other: int, texts: list[str]) -> Slot | None:
    for start in range(max(at - 8, 0), at + 1):
        if a[start : start + 32] == _whole(seed) and b[start : start + 32] == _whole(other):
            return {"at": start, "width": 32, "text": None}
    for text in texts:
        known = [(program, _hash(text, one)) for program, one in ((a, seed), (b, other))]
        for width in _WIDTHS:
            words = [
                (program, (n & ((1 << 8 * width) - 1)).to_bytes(width, "little")) for program, n in known
            ]
            for start in range(max(at - width + 1, 0), at + 1):
                if all(program[start : start + width] == word for program, word in words):
                    return {"at": start, "width": width, "text": text}
    return None


def _leaf(before: Any, after: Any, seed: int, other: int, texts: list[str]) -> Slot | None:
    if isinstance(before, int) and isinstance(after, int) and before - seed == after - other:
        return {"plus": before - seed}
    for text in texts:
        if before == _hash(text, seed) and after == _hash(text, other):
            return {"text": text}
    return None
