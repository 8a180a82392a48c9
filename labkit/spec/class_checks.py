"""What must hold between the classes of a queue, and between them and its kind. Knows no Queue: names and
shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from labkit.qdiscs import CLASSFUL
from labkit.qdiscs.classful import Classful, Share
from labkit.qdiscs.qdisc import Fault, Qdisc
from labkit.schema.base import did_you_mean

Named = tuple[str, bool, Share]  # name, whether it says what belongs to it, what it is promised
_EXAMPLES = {"rate": '"2mbit"'}


def class_faults(
    qdisc: Qdisc, classes: Sequence[Named], default: str | None, *, own_map: bool
) -> list[Fault]:
    """All that is wrong with them. own_map: an option of the qdisc says where packets go that match
    nothing."""
    kind, known = qdisc.kind, qdisc.classful
    if known is None:
        text = f"{kind} has no classes: of those with classes there are {', '.join(CLASSFUL)}"
        return [((), text)] if classes or default is not None else []
    if not classes:
        text = f'{kind} passes no packet without classes: write classes=[QueueClass("a"), ...]'
        return [] if known.optional and default is None else [((), text)]
    faults: list[Fault] = []
    if not known.least <= len(classes) <= known.most:
        faults.append((("classes",), f": {len(classes)} of them: {kind} has {known.least} to {known.most}"))
    for i, (name, _, share) in enumerate(classes):
        if name in [other[0] for other in classes[:i]]:
            text = f"={name!r}: a second class of that name: give it another"
            faults.append((("classes", i, "name"), text))
        faults += [(("classes", i, field), text) for field, text in _fields(kind, known, share)]
    return faults + list(_default(kind, classes, default, own_map=own_map))


def _fields(kind: str, known: Classful, share: Share) -> Iterator[tuple[str, str]]:
    for field, value in asdict(share).items():
        if value is None and field in known.needs:
            yield field, f": missing: a class of {kind} needs it: write {field}={_EXAMPLES[field]}"
        if value is not None and field not in known.fields:
            has = " and ".join(known.fields) or "a name, a match and a queue only"
            yield field, f": a class of {kind} has {has}: leave it out"
    if share.rate is not None and share.ceil is not None and share.ceil < share.rate:
        yield "ceil", f"={share.ceil}: less than its rate ({share.rate}), which it has for sure: raise ceil"


def _default(kind: str, classes: Sequence[Named], default: str | None, *, own_map: bool) -> Iterator[Fault]:
    """Every packet has its class, and every class its packets."""
    names = [name for name, _, _ in classes]
    if own_map:
        if default is not None:
            yield ("default",), f"={default!r}: the option priomap says it already: give one of them"
        return
    if default is None:
        fix = f"name the class that gets what matches none: default={names[-1]!r}"
        yield ("default",), f": missing: {kind} wants a class for every packet: {fix}"
    elif default not in names:
        text = f"={default!r}: no such class{did_you_mean(default, names)}: there are {', '.join(names)}"
        yield ("default",), text
    for i, (name, matches, _) in enumerate(classes):
        if not matches and name != default and default in names:
            text = f': missing: no packet would come to {name!r}: write match={{"port": 80}}, or leave it out'
            yield ("classes", i, "match"), text
