"""What labkit's Python declares and the bench page needs, too: web/bench/facts.mjs.

python scripts/bench_facts.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labkit import probes
from labkit.charts import theme
from labkit.qdiscs import KINDS
from labkit.qdiscs.qdisc import Qdisc
from labkit.spec import LAB_CONGESTION_CONTROLS, Direction
from labkit.spec.topology import MAX_HOSTS
from labkit.units import QUANTITIES, SAYS

FILE = Path(__file__).resolve().parents[1] / "web/bench/facts.mjs"
_HEAD = "// What labkit's Python declares and the bench needs, too. Made by scripts/bench_facts.py.\n"


def queues() -> dict[str, Any]:
    """Kind that works without classes -> what its limit counts, whether it must have one, its options."""
    return {
        kind: {"limit": qdisc.limit, "required": qdisc.required, "options": sorted(_options(qdisc))}
        for kind, qdisc in KINDS.items()
        if qdisc.classful is None or qdisc.classful.optional
    }


def _options(qdisc: Qdisc) -> set[str]:
    return {*qdisc.options} - {"limit", qdisc.limit_key}


def way() -> dict[str, Any]:
    """Field of a Direction -> what it is unless given."""
    return {name: field.get_default() for name, field in Direction.model_fields.items()}


def quantities() -> dict[str, Any]:
    """Quantity of a field -> what may be written into it."""
    return {
        name: {
            "what": one.what,
            "units": {unit: float(factor) for unit, factor in one.units.items()},
            "text": one.text,
            "largest": f"{one.largest:f}",
            "anyCase": one.any_case,
            "isCount": one.is_count,
        }
        for name, one in QUANTITIES.items()
    }


def facts() -> dict[str, tuple[str, Any]]:
    """Name -> its type in JavaScript, and what it is."""
    queue = '{limit: "packets" | "bytes" | null, required: boolean, options: readonly string[]}'
    quantity = (
        "{what: string, units: Record<string, number>, text: string, largest: string, anyCase: boolean, "
        "isCount: boolean}"
    )
    return {
        "CONGESTION_CONTROLS": ("readonly string[]", LAB_CONGESTION_CONTROLS),
        "QUEUES": (f"Record<string, {queue}>", queues()),
        "QUANTITIES": (f"Record<string, {quantity}>", quantities()),
        "SAYS": ("Record<string, string>", SAYS),
        "WAY": ("Record<string, number | string | null>", way()),
        "PROBES": ("readonly string[]", list(probes.KINDS)),
        "DEFAULT_PROBES": ("readonly string[]", sorted(probes.DEFAULT)),
        "MAX_HOSTS": ("number", MAX_HOSTS),
        "CHART_CONFIG": ("Record<string, any>", theme.config()),
    }


def text() -> str:
    """The whole file."""
    parts = [
        f"export const {name} = /** @type {{{kind}}} */ ({json.dumps(value, indent=2)});\n"
        for name, (kind, value) in facts().items()
    ]
    return "\n".join([_HEAD, *parts])


if __name__ == "__main__":
    FILE.write_text(text())
