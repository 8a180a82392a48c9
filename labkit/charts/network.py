"""The network, drawn from its spec: hosts, links with what they do to packets, queues where they are."""

from __future__ import annotations

from typing import Literal

import altair as alt
import pandas as pd

from labkit.charts import theme, words
from labkit.charts.figure import TABLE_ROWS, About, finish, layered, view
from labkit.charts.link_text import both_ways
from labkit.charts.sketch import Sketch, sketch
from labkit.results.protocol import Run
from labkit.spec import Experiment, Link, Topology

_QUEUE = "M-1,-0.55H1V0.55H-1M0.5,-0.55V0.55M0,-0.55V0.55M-0.5,-0.55V0.55"  # a box, open where packets enter

_LOOKS = (
    ("host", "circle", theme.BLUE),
    ("router", "square", theme.GREEN),
    ("switch", "diamond", theme.OCHRE),
)


def topology(spec: Topology | Experiment | Run, *, caption: str | None = None) -> alt.LayerChart:
    """The network of a spec, an experiment or a result, before any change of it.

    Circles are hosts at the edge, squares have several links, diamonds are switches. A box of bars is a
    queue, near the host in which it is. Words that many links share stand once, below.
    """
    if isinstance(spec, Topology):
        network = spec
    else:
        network = spec.topology if isinstance(spec, Experiment) else spec.experiment.topology
    drawn = sketch(network)
    left, right, _, _ = drawn.frame
    about = About(
        "topology",
        caption or "The network: hosts, links in both directions, and queues where packets wait.",
        describe(network),
        _table(network),
        least=round(0.75 * (right - left)),
    )
    return finish(_draw(drawn), about, drawn.tables)


def describe(network: Topology) -> str:
    """Hosts and links in words; links that are alike together."""
    alike: dict[str, list[str]] = {}
    for link in network.links:
        alike.setdefault(_both_ways(link), []).append(f"{link.a} to {link.b}")
    switches = len(network.switches)
    parts = [words.count(len(network.hosts) - switches, "host")]
    parts += [words.count(switches, "switch", "switches")] if switches else []
    text = f"A network of {words.listing([*parts, words.count(len(network.links), 'link')])}."
    for what, ends in alike.items():
        shown = words.listing(ends) if len(ends) <= 6 else words.listing([*ends[:5], f"{len(ends) - 5} more"])
        text += f" {shown}: {what}."
    return text


def _both_ways(link: Link) -> str:
    there, back = (", ".join(way) or "no limit" for way in both_ways(link))
    return there if there == back else f"{there}; back {back}"


def _table(network: Topology) -> pd.DataFrame:
    rows = [
        {"From": a, "To": b, "Does": ", ".join(way) or "no limit, no delay"}
        for link in network.links
        for way, (a, b) in zip(both_ways(link), ((link.a, link.b), (link.b, link.a)), strict=True)
    ]
    return pd.DataFrame(rows, columns=["From", "To", "Does"]).head(TABLE_ROWS)


def _draw(drawn: Sketch) -> alt.LayerChart:
    left, right, top, bottom = drawn.frame
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[left, right], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[top, bottom], nice=False, reverse=True))
    wires = view("topology-links", "links").mark_rule(strokeWidth=2, color=theme.GREY)
    boxes = view("topology-queues", "queues").mark_point(
        shape=_QUEUE, size=300, strokeWidth=1.3, filled=False, color=theme.VERMILLION, opacity=1
    )
    looks = [look for look in _LOOKS if look[0] != "switch" or (drawn.hosts["kind"] == "switch").any()]
    kinds, shapes, colors = map(list, zip(*looks, strict=True))
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=shapes), legend=None)
    color = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=colors), legend=None)
    nodes = view("topology-hosts", "hosts").mark_point(size=0.7 * drawn.size**2, filled=True, opacity=1)
    chart = layered(
        wires.encode(x, y, alt.X2("x2:Q"), alt.Y2("y2:Q")),
        boxes.encode(x, y, alt.Angle("angle:Q", scale=None)),
        nodes.encode(x, y, shape, color, tooltip=["name:N"]),
        _names("center"),
        _names("left"),
        _names("right"),
        _labels("center").encode(x, y),
        _labels("left").encode(x, y),
        view("topology-note", "note").mark_text(align="left", fontSize=12).encode(x, y, text="text:N"),
    )
    return chart.properties(width=round(right - left), height=round(bottom - top), title="Network")


def _names(align: Literal["center", "left", "right"]) -> alt.Chart:
    x, y = alt.X("name_x:Q", axis=None), alt.Y("name_y:Q", axis=None)
    text = view(f"topology-names-{align}", "hosts").mark_text(align=align, fontSize=12, fontWeight="bold")
    chart: alt.Chart = text.encode(x, y, alt.Angle("turn:Q", scale=None), text="name:N")
    return chart.transform_filter(f"datum.align === '{align}'")


def _labels(align: Literal["center", "left"]) -> alt.Chart:
    text = view(f"topology-labels-{align}", "labels").mark_text(
        align=align, fontSize=11, lineBreak="\n", lineHeight=14
    )
    chart: alt.Chart = text.encode(text="text:N").transform_filter(f"datum.align === '{align}'")
    return chart
