"""Where the seed of an experiment stands in its program: hashes of texts with it (compile/steps.py).

seeds     [[{at, width, text} or {path, text} or {path, plus}, ...], ...]
seeded    for each plan the number of its seeds, or null
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from labkit.compile.steps import wire_seed
from labkit.errors import LabkitError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.spec import Experiment
from live.described import Json, described_of, diff, leaf_at, put
from live.planned import Plan, plan

Slot = dict[str, Any]
_WIDTHS = (8, 4)
_OTHER_SEED, _THIRD_SEED = 918_273_645, 20
_LONGEST = 32_000  # bytes of a program in which seeds are looked for


def seed_sets(plans: Sequence[Sequence[Plan]]) -> Json:
    """`seeds` and `seeded`: of each plan that a page has, with what it makes of that in a table."""
    sets: list[list[Slot]] = []
    return {"seeds": sets, "seeded": [_set_of(alike, sets) for alike in plans]}


def _set_of(plans: Sequence[Plan], sets: list[list[Slot]]) -> int | None:
    """The number of the set that holds for them; a new one is put to the others."""
    first = plans[0]
    if len(first.program) > _LONGEST:
        return None
    thirds = [(one, _reseeded(one, _THIRD_SEED)) for one in plans]
    for number, known in enumerate(sets):
        if all(_holds(known, *one) for one in thirds):
            return number
    other = _reseeded(first, _OTHER_SEED)
    seed = first.manifest["experiment"]["seed"]
    found = None if other is None else seed_slots(first, seed, other, _OTHER_SEED)
    if found is None or not all(_holds(found, *one) for one in thirds):
        return None
    sets.append(found)
    return len(sets) - 1


def _holds(slots: list[Slot], one: Plan, third: Plan | None) -> bool:
    """Whether they make a plan the one that is compiled with the third seed."""
    wanted = third and (third.program, described_of(third))
    return _fits(slots, one) and seeded(one, slots, _THIRD_SEED) == wanted


def _fits(slots: Sequence[Slot], one: Plan) -> bool:
    """Whether the places are there at all."""
    if any("at" in slot and slot["at"] + slot["width"] > len(one.program) for slot in slots):
        return False
    flows = len(one.manifest["layout"]["flows"])
    return all(
        slot["path"][3] < flows
        for slot in slots
        if "path" in slot and slot["path"][1:3] == ["layout", "flows"]
    )


def _reseeded(one: Plan, seed: int) -> Plan | None:
    try:
        return plan(Experiment.model_validate(one.manifest["experiment"]).replace(seed=seed), BUILT_IN)
    except LabkitError:
        return None


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
    before, after = described_of(base), described_of(other)
    for path, *new in diff(before, after):
        leaf = _leaf(leaf_at(before, tuple(path)), new[0] if new else None, seed, other_seed, texts)
        if leaf is None:
            return None
        found.append({"path": path, **leaf})
    return found


def seeded(plan: Plan, slots: list[Slot], seed: int) -> tuple[bytes, Json]:
    """Program and description with another seed."""
    program, described = bytearray(plan.program), described_of(plan)
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
