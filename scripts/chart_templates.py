"""The drawings of labkit's figures for pages, as Vega-Lite: web/charts/templates.mjs.

labkit.charts draws each once, of a run that has everything in it: every kind of event, and as many flows as
there are looks. What of that a run has not, web/charts/chart.mjs leaves out.

    python -m scripts.chart_templates
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt

from labkit.charts import direct, lines, queue_length, rates, round_trips, sequence, theme, windows

FILE = Path(__file__).resolve().parents[1] / "web/charts/templates.mjs"
_HEAD = """\
// The drawings of labkit.charts, each with everything that may be in it. Made by scripts/chart_templates.py.
"""
_ALL = [f"series {i}" for i in range(math.lcm(len(theme.COLORS), len(theme.DASHES)))]
Json = dict[str, Any]


def drawings() -> Mapping[str, alt.LayerChart]:
    """Each figure that pages draw; $word stands for a text that only a run has."""
    return {
        "cwnd": windows.draw(_ALL, windows.LOOKS),
        "delay": queue_length.draw_delay(_ALL, "$at"),
        "goodput": rates.draw_goodput(_ALL),
        "queue": queue_length.draw_queue(_ALL, "$at"),
        "rtt": round_trips.draw(_ALL),
        "time_sequence": sequence.draw("$flow", {**sequence.SPANS, **sequence.LINES}),
    }


def names() -> alt.Chart:
    """The names beside a few curves, of any of these figures."""
    color = theme.color("$series", _ALL, legend=None)
    return direct.names("$name", "$data", lines.time_axis(), "$value", "$title", "$series", color)


def template(chart: alt.Chart | alt.LayerChart) -> Json:
    """Vega-Lite without what all figures have. A scale over series has its looks and no names."""
    spec = chart.to_dict(validate=False)
    bare = {key: item for key, item in spec.items() if key not in ("$schema", "config")}
    found: Json = json.loads(json.dumps(bare), object_hook=_without_names)
    return found


def _without_names(part: Json) -> Json:
    return {"range": _in_turn(part["range"])} if part.get("domain") == _ALL else part


def _in_turn(looks: list[Any]) -> list[Any]:
    """Those that are repeated."""
    lengths = range(1, len(looks))
    return next(looks[:n] for n in lengths if all(look == looks[i % n] for i, look in enumerate(looks)))


def text() -> str:
    """The whole file."""
    found = {name: template(chart) for name, chart in drawings().items()}
    keys = " | ".join(f'"{name}"' for name in found)
    short = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    each = (f"  {name}: {short(one)},\n" for name, one in found.items())
    kind = f'Readonly<Record<{keys}, import("./figure.mjs").Json>>'
    return (
        f"{_HEAD}\nexport const TEMPLATES = /** @type {{{kind}}} */ ({{\n{''.join(each)}}});\n"
        f"\n/** The names at the ends of so many curves at most, in place of a legend. */\n"
        f"export const MOST_NAMED = {direct.MOST};\n"
        f'export const NAMES = /** @type {{import("./figure.mjs").Json}} */ ({short(template(names()))});\n'
    )


if __name__ == "__main__":
    FILE.write_text(text())
