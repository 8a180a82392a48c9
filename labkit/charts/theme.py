"""The one look of all figures: colours, dashes and shapes of series, and the Altair theme "labkit".

No colour of text, axes or background is set: Vega's own are legible on white, and a dark page gives its
own to the renderer. What a mark is painted with here is legible on both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import altair as alt

# After Okabe and Ito (Color Universal Design, 2008), each brought to a luminance between 0.13 and 0.30:
# a contrast of 3:1 or more on white and on the dark page alike (WCAG 2.2, 1.4.11). Their yellow has none.
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#008F68", "#B8629A"
SKY, OCHRE, VIOLET, GREY = "#2F9BD6", "#A67C00", "#7B61C9", "#7A7A7A"
COLORS = (BLUE, VERMILLION, GREEN, PURPLE, SKY, OCHRE, VIOLET)
# Seven colours leave little between some pairs for a colour-blind reader, so no series has a colour alone.
DASHES = ([1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [12, 4])
SHAPES = (
    *("circle", "triangle-up", "square", "diamond", "cross", "triangle-down"),
    *("triangle-left", "triangle-right", "stroke"),
)
# Fonts of the reader's system: none is loaded.
_FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"

WIDTH, HEIGHT = 600, 220

Looks: TypeAlias = tuple[alt.Color, alt.Shape]


def fixed(
    field: str, looks: Mapping[str, tuple[str, str]], there: Sequence[str], legend: alt.Legend
) -> Looks:
    """Colour and shape of kinds that look the same in every figure; in the legend those that are there.

    looks: kind -> (colour, shape). legend: its other properties.
    """
    legend = legend.copy()
    legend.values = list(there)
    shown = legend if there else None
    colors = alt.Scale(domain=list(looks), range=[color for color, _ in looks.values()])
    shapes = alt.Scale(domain=list(looks), range=[shape for _, shape in looks.values()])
    return (
        alt.Color(f"{field}:N", scale=colors, title=None, legend=shown),
        alt.Shape(f"{field}:N", scale=shapes, title=None, legend=shown),
    )


def color(field: str, names: Sequence[str], **options: Any) -> alt.Color:
    """Colours for these series, the same ones for the same order of names."""
    chosen = [COLORS[i % len(COLORS)] for i in range(len(names))]
    return alt.Color(
        f"{field}:N", scale=alt.Scale(domain=list(names), range=chosen), **_legend(names, options)
    )


def dash(field: str, names: Sequence[str], **options: Any) -> alt.StrokeDash:
    """Dashes for these series; colour and dash together repeat after 35."""
    chosen = [DASHES[i % len(DASHES)] for i in range(len(names))]
    scale = alt.Scale(domain=list(names), range=chosen)
    return alt.StrokeDash(f"{field}:N", scale=scale, **_legend(names, options))


def shape(field: str, names: Sequence[str], **options: Any) -> alt.Shape:
    """Shapes for these kinds of points."""
    chosen = [SHAPES[i % len(SHAPES)] for i in range(len(names))]
    return alt.Shape(
        f"{field}:N", scale=alt.Scale(domain=list(names), range=chosen), **_legend(names, options)
    )


def _legend(names: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
    """No legend for a single series unless one is asked for: the axis says what it is."""
    if "legend" in options:
        return {"title": None, **options}
    return {"title": None, "legend": alt.Legend() if len(names) > 1 else None, **options}


def config() -> dict[str, Any]:
    """Vega-Lite configuration of every labkit figure."""
    return {
        "background": "transparent",
        "font": _FONT,
        "view": {"continuousWidth": WIDTH, "continuousHeight": HEIGHT, "stroke": None},
        "title": {"anchor": "start", "fontSize": 14, "fontWeight": 600, "offset": 8},
        "axis": {
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelOverlap": "greedy",
            "labelFlush": False,
            "gridOpacity": 0.4,
            "tickSize": 4,
        },
        "axisX": {"grid": False},
        "legend": {
            "orient": "bottom",
            "direction": "horizontal",
            "columns": 4,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "symbolStrokeWidth": 2,
            "symbolSize": 90,
            "labelLimit": 260,
        },
        "header": {"labelFontSize": 12, "titleFontSize": 12},
        "line": {"strokeWidth": 2},
        "range": {"category": list(COLORS)},
        "mark": {"color": BLUE},
    }


@alt.theme.register("labkit", enable=False)
def _theme() -> alt.theme.ThemeConfig:
    return {"config": config()}  # type: ignore[typeddict-item]


def enable() -> None:
    """From now on every Altair chart has this look."""
    alt.theme.enable("labkit")
