"""Several figures over time above each other, as one chart: the window above the queue."""

from __future__ import annotations

from typing import Any

import altair as alt

from labkit.charts.figure import FigureError


def stacked(*figures: alt.LayerChart, caption: str | None = None) -> alt.VConcatChart:
    """Figures over time above each other, all over the same time. Raises FigureError.

    A plain `a & b` of Altair cannot do it, as each figure brings data by its own names: here the
    names get a number in front ("1-cwnd"). The table is that of the first.
    """
    if len(figures) < 2:
        raise FigureError(f"stacked: {len(figures)} figures: give two or more")
    parts, datasets, said = [], dict[str, Any](), []
    for i, figure in enumerate(figures, start=1):
        parts.append(_numbered(figure, i))
        datasets |= {f"{i}-{name}": rows for name, rows in figure.datasets.items()}
        said.append((str(figure.description), figure.usermeta["labkit"]))
    first = said[0][1]
    usermeta = {
        "name": "-".join(["stacked", *(about["name"] for _, about in said)]),
        "caption": caption or " ".join(about["caption"] for _, about in said),
        "table": first["table"],
    }
    words = " ".join(text for text, _ in said)
    chart = alt.vconcat(*parts).properties(description=words, usermeta={"labkit": usermeta})
    shared: alt.VConcatChart = chart.resolve_scale(
        x="shared", color="independent", shape="independent", strokeDash="independent"
    )
    shared.datasets = datasets
    return shared


def _numbered(figure: alt.LayerChart, number: int) -> Any:
    """The figure without its words and data, its data and views by names with a number."""
    part: Any = figure.copy(deep=True, ignore=["datasets"])
    for view in (part, *part.layer):
        if view.data is not alt.Undefined:  # if all layers have the same data, Altair gives it to the whole
            view.data = alt.NamedData(name=f"{number}-{view.data.name}")
        if view.name is not alt.Undefined:
            view.name = f"{number}-{view.name}"
    for name in ("datasets", "description", "usermeta"):
        setattr(part, name, alt.Undefined)
    return part
