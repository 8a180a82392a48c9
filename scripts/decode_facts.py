"""What labkit's Python declares and its JavaScript needs, too: web/decode/facts.mjs, and of measures
web/measures/measure_facts.mjs.

Tables and their units, probes, structs, queueing disciplines, the ledger's words for causes, measures' titles
and units: they stand in Python once, and this writes them down.

    python -m scripts.decode_facts
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from labkit.charts import theme
from labkit.decode import cc_info, counters, port_losses, tcp_info
from labkit.measures import vocabulary
from labkit.measures import word as measured
from labkit.player import between, film, interval, journeys, notebook
from labkit.qdiscs import CLASSFUL, KINDS, cake
from labkit.results.ledger import (
    accounts,
    causes,
    damaged,
    drop_places,
    flooded,
    flow_over,
    listening,
    port_causes,
    recovery,
    sightings,
)
from scripts.table_facts import NAMES, Typed, tables

_WING = Path(__file__).resolve().parents[1] / "web"
FILE = _WING / "decode/facts.mjs"
MEASURES = _WING / "measures/measure_facts.mjs"
_HEAD = "// What labkit's Python declares and this needs, too. Made by scripts/decode_facts.py.\n"
_DEPTHS = {"PLAIN": 3, "TRAFFIC": 1, "SHOWN": 1}
"""Of facts that are many and short."""


def fields(struct: np.dtype[Any]) -> list[dict[str, Any]]:
    """Name, offset and size of each field."""
    assert struct.fields
    return [
        {"name": name, "at": int(at), "size": part.itemsize} for name, (part, at, *_) in struct.fields.items()
    ]


def aqm() -> Mapping[str, Any]:
    """Kind of qdisc -> column -> where its xstats have it, its type, how much one of it is."""
    return {
        kind: {
            name: {"offset": column.offset, "type": column.type.removeprefix("<"), "unit": column.unit}
            for name, column in qdisc.columns.items()
        }
        for kind, qdisc in KINDS.items()
        if qdisc.columns
    }


def cakes() -> Mapping[str, Any]:
    """Where cake says what of its tins."""
    return {
        "mostTins": max(cake.TINS),
        "tinNames": {str(number): names for number, names in cake.TINS.items()},
        "tinStats": cake.TIN_STATS,
        "tinCounters": {
            name: {"attribute": attribute, "type": kind.removeprefix("<")}
            for name, (attribute, kind) in cake.TIN_COUNTERS.items()
        },
    }


def words() -> Mapping[str, Any]:
    """What the ledger calls the causes of losses, and by what it knows them."""
    return {
        "words": {
            "full": causes.FULL,
            "earlyDrop": causes.EARLY_DROP,
            "ackFiltered": causes.ACK_FILTERED,
            "wireLoss": causes.WIRE_LOSS,
            "burstLoss": causes.BURST_LOSS,
            "named": causes.NAMED,
            "wireFull": causes.WIRE_FULL,
            "corrupted": causes.CORRUPTED,
            "linkDown": causes.LINK_DOWN,
            "queueReplaced": causes.QUEUE_REPLACED,
        },
        "ofReason": causes.OF_REASON,
        "ofPlace": {" ".join(place): cause for place, cause in causes.OF_PLACE.items()},
        "withoutReason": causes.WITHOUT_REASON,
        "ackFilter": causes.ACK_FILTER,
        "flushed": causes.FLUSHED,
        "replaced": causes.REPLACED,
    }


def of_ports() -> Mapping[str, Any]:
    """What the teaching NIC's numbers stand for."""
    return {
        "names": {str(number): name for number, name in port_causes.NAMES.items()},
        "runt": port_causes.RUNT,
        "shortest": port_causes.SHORTEST,
        "length": port_losses.LENGTH,
        "carrier": port_losses.CARRIER,
        "leaving": drop_places.LEAVING,
        "either": drop_places.EITHER,
    }


def useless() -> Mapping[str, Any]:
    """How a packet is known that had reached its socket."""
    return {
        "reasons": sorted(sightings.ARRIVED),
        "functions": (*sightings.OPENING, sightings.OUT_OF_ORDER, sightings.UNREAD),
        "inQueue": sightings.IN_QUEUE,
    }


def ledger() -> Mapping[str, Any]:
    """Words of the ledger, and in how many bits a damaged frame may differ from its packet."""
    return {
        "foundBy": recovery.FOUND_BY,
        "duplicates": recovery.DUPTHRESH,
        "overflow": listening.OVERFLOW,
        "request": listening.REQUEST,
        "noSocket": flow_over.NO_SOCKET,
        "cookie": flow_over.COOKIE,
        "flowOver": flow_over.FLOW_OVER,
        "flooded": flooded.FLOODED,
        "otherHost": flooded.OTHER_HOST,
        "ofASwitch": flooded.OF_A_SWITCH,
        "other": accounts.OTHER,
        "few": damaged.FEW,
        "any": damaged.ANY,
    }


def films() -> Mapping[str, Any]:
    """What a film of the packet player is made by."""
    return {
        "format": film.FORMAT,
        "mostBytes": film.LIMIT_BYTES,
        "kinds": film.KINDS,
        "dequeued": between.DEQUEUED,
        "started": between.STARTED,
        "cameIn": between.CAME_IN,
        "roundTrips": interval.ROUND_TRIPS,
        "probes": sorted(journeys.PROBES),
        "colors": theme.COLORS,
        "scripts": notebook.SCRIPTS,
        "style": notebook.STYLE,
    }


def layouts() -> Typed:
    """How records and the kernel's structs are laid out."""
    field = "{name: string, at: number, size: number}"
    algorithms = {name: fields(struct) for name, struct in cc_info.KNOWN.items()}
    return {
        "TCP_INFO": (f"readonly {field}[]", fields(tcp_info.TCP_INFO)),
        "TCP_INFO_BITS": ("Record<string, readonly [string, number, number][]>", tcp_info.BITS),
        "CC_INFO": (f"Record<string, readonly {field}[]>", algorithms),
        "CC_INFO_WORDS": (f"readonly {field}[]", fields(cc_info.WORDS)),
        "CC_INFO_ONE": ("Record<string, number>", cc_info.ONE),
        "LINK_STATS": ("readonly string[]", counters.LINK_STATS),
        "ERRNO": (NAMES, {str(number): name for number, name in sorted(errno.errorcode.items())}),
    }


def of_qdiscs() -> Typed:
    """What kinds of queues there are, and where each one's xstats have what."""
    marks = {kind: qdisc.marks for kind, qdisc in KINDS.items() if qdisc.marks is not None}
    column = "{offset: number, type: string, unit: number}"
    tins = "{tinNames: Record<string, readonly string[]>, mostTins: number, tinStats: number}"
    tin_counters = "{tinCounters: Record<string, {attribute: number, type: string}>}"
    return {
        "QDISC_MARKS": ("Record<string, number>", marks),
        "CLASSFUL": ("readonly string[]", CLASSFUL),
        "EARLY": ("readonly string[]", [kind for kind, qdisc in KINDS.items() if qdisc.early]),
        "AQM": (f"Record<string, Record<string, {column}>>", aqm()),
        "CAKE": (f"{tins} & {tin_counters}", cakes()),
    }


def of_losses() -> Typed:
    """How the ledger knows why a packet was lost."""
    return {
        "CAUSES": (
            f"{{words: {NAMES}, ofReason: {NAMES}, ofPlace: {NAMES}, withoutReason: readonly string[], "
            "ackFilter: string, flushed: readonly string[], replaced: string}",
            words(),
        ),
        "PORT_CAUSES": (
            f"{{names: {NAMES}, runt: string, shortest: number, length: number, carrier: number, "
            "leaving: readonly number[], either: readonly number[]}",
            of_ports(),
        ),
        "USELESS": (
            "{reasons: readonly string[], functions: readonly string[], inQueue: string}",
            useless(),
        ),
        "LEDGER": (
            "{foundBy: readonly string[], duplicates: number, overflow: string, request: string, "
            "noSocket: string, cookie: string, flowOver: string, flooded: string, otherHost: string, "
            "ofASwitch: readonly string[], other: string, few: number, any: number}",
            ledger(),
        ),
        "QDISC_FUNCTION": ("string", drop_places.QDISC_FUNCTION.pattern),
        "FILM": (
            "{format: number, mostBytes: number, kinds: number, dequeued: number, started: number, "
            "cameIn: number, roundTrips: number, probes: readonly string[], colors: readonly string[], "
            "scripts: readonly string[], style: string}",
            films(),
        ),
    }


def of_measures() -> Typed:
    """Measures that are words: which function of JavaScript makes each, how it is headed, its unit."""
    shown = {
        name: {"kind": _camel(vocabulary.kind_of(name).__name__), "title": title, "unit": unit}
        for name, (title, unit) in vocabulary.SHOWN.items()
    }
    return {
        "SHOWN": ("Record<string, {kind: string, title: string, unit: string}>", shown),
        "SUMMARY": ("readonly string[]", measured.SUMMARY),
    }


def _camel(name: str) -> str:
    return name[0].lower() + name[1:]


def text() -> str:
    """The whole file of what is decoded."""
    return _file(layouts() | tables() | of_qdiscs() | of_losses())


def measures() -> str:
    """The whole file of measures."""
    return _file(of_measures())


def _file(facts: Typed) -> str:
    parts = [
        f"export const {name} = /** @type {{{kind}}} */ ({_json(value, _DEPTHS.get(name))});\n"
        for name, (kind, value) in facts.items()
    ]
    return "\n".join([_HEAD, *parts])


def _json(value: Any, depth: int | None, inside: str = "") -> str:
    """depth: as deep the names of objects have lines of their own, and nothing else; None: all has."""
    if depth is None:
        return json.dumps(value, indent=2, ensure_ascii=False)
    if not depth or not isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    deeper = inside + "  "
    lines = (f"{deeper}{json.dumps(name)}: {_json(one, depth - 1, deeper)}" for name, one in value.items())
    return "{\n" + ",\n".join(lines) + f"\n{inside}}}"


if __name__ == "__main__":
    FILE.write_text(text())
    MEASURES.write_text(measures())
