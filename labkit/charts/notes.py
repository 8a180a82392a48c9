"""What a reader should see in a figure over time: words at moments of a curve, and a title that says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import altair as alt

from labkit.charts import theme, words
from labkit.charts.figure import FigureError, view

_LETTER, _LINE = 7, 18  # pixels: how wide a letter of bold text is, how high a line with its gap


def noted(
    figure: alt.LayerChart,
    notes: Mapping[float, str],
    *,
    series: str | None = None,
    title: str | None = None,
) -> alt.LayerChart:
    """A figure over time with words at its curve: `noted(charts.cwnd(result), {0.4: "slow start"})`.

    notes: moment (s) -> text, short as a label: it stands above the curves, and a line leads to its moment.
    series: the curve; None: the first. title: in place of the figure's own, for its finding. The description
    says all of it, too. Raises FigureError.
    """
    curves = _curves(figure)
    found = figure.copy()
    found.datasets = {**figure.datasets, "notes": curves.placed(notes, series)}
    found.layer = [*figure.layer, *curves.layers()]
    noted = "; ".join(f"at {words.number(at)} s: {text}" for at, text in notes.items())
    described = [f"{title}." if title else "", str(figure.description), f"Noted {noted}." if noted else ""]
    return found.properties(description=" ".join(filter(None, described)), title=title or figure.title)


@dataclass(frozen=True)
class _Curves:
    """rows: time_s, column `value`, and in column `by` whose it is."""

    rows: list[dict[str, Any]]
    value: str
    by: str
    titles: tuple[str, str]

    def placed(self, notes: Mapping[float, str], series: str | None) -> list[dict[str, Any]]:
        """Where each note points to and where it is written: above the curves, and above another in its way.
        Raises FigureError."""
        times = [row["time_s"] for row in self.rows]
        first, last = min(times), max(times)
        line = _LINE / theme.HEIGHT * max(row[self.value] for row in self.rows)
        taken, found = list[tuple[float, float, float]](), []
        for at_s, text in sorted(notes.items()):
            value = self._value(at_s, series)
            wide = _LETTER * len(text) / theme.WIDTH * (last - first)
            side = "right" if at_s + wide <= last else "left"
            near, far = (at_s, at_s + wide) if side == "right" else (at_s - wide, at_s)
            over = max([value, *(row[self.value] for row in self.rows if near <= row["time_s"] <= far)])
            for other_near, other_far, other in sorted(taken, key=itemgetter(2)):
                if near <= other_far and other_near <= far and abs(over - other) < line:
                    over = other + line
            taken.append((near, far, over))
            found.append({"time_s": at_s, "value": value, "over": over, "note": text, "side": side})
        return found

    def _value(self, at_s: float, series: str | None) -> float:
        names = list(dict.fromkeys(row[self.by] for row in self.rows))
        name = names[0] if series is None else series
        if name not in names:
            raise FigureError(f"noted: no curve {name!r}: there are {', '.join(map(repr, names))}")
        mine = [row for row in self.rows if row[self.by] == name]
        before = [row[self.value] for row in mine if row["time_s"] <= at_s]
        first, last = mine[0]["time_s"], mine[-1]["time_s"]
        if not before or at_s > last:
            raise FigureError(
                f"noted: {name!r} has nothing at {at_s:g} s: it goes from {first:g} to {last:g} s"
            )
        return float(before[-1])

    def layers(self) -> list[alt.Chart]:
        """A ring at the curve, and a line from it to the words."""
        x, y = (alt.X("time_s:Q", title=self.titles[0]), alt.Y("value:Q", title=self.titles[1]))
        over = alt.Y("over:Q", title=self.titles[1])
        ring = view("notes-rings", "notes").mark_point(size=80, strokeWidth=2, color=theme.GREY, opacity=1)
        lead = view("notes-leads", "notes").mark_rule(color=theme.GREY, y2Offset=-6)
        texts = view("notes-texts", "notes").mark_text(
            align=alt.expr("datum.side === 'right' ? 'left' : 'right'"),
            baseline="bottom",
            dx=alt.expr("datum.side === 'right' ? -3 : 3"),
            dy=-6,
            fontSize=12,
            fontWeight="bold",
        )
        words = texts.encode(x, over, alt.Text("note:N"))
        return [lead.encode(x, y, alt.Y2("over:Q")), ring.encode(x, y), words]


def _curves(figure: alt.LayerChart) -> _Curves:
    spec = figure.to_dict(validate=False)
    for layer in spec["layer"]:
        if layer["mark"]["type"] == "line":
            data = layer.get("data") or spec["data"]
            x, y, color = (layer["encoding"][channel] for channel in ("x", "y", "color"))
            return _Curves(
                figure.datasets[data["name"]], y["field"], color["field"], (x["title"], y["title"])
            )
    raise FigureError("noted: the figure has no curve over time: give one such as charts.cwnd(result)")
