"""What a source published against what the laboratory measured."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from labkit.charts import incomplete, theme, words
from labkit.charts.figure import About, check_columns, filled, finish, layered, rounded, view

_DIGITS = 4
_PUBLISHED = "published"


def published(
    table: pd.DataFrame,
    case: str,
    *,
    published: str = _PUBLISHED,
    measured: str | Sequence[str] = "measured",
    what: str = "Goodput",
    unit: str = "Mbit/s",
    source: str = "",
    title: str | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """Published and measured values side by side, one line per case.

    table: one row per case, with columns `case`, `published` and each of `measured`, in `unit`. An
    interval of a measured column m is in columns m_low and m_high, if there are such, in how many of its
    runs a flow was cut in m_incomplete: its point is hollow. what, source: for axis and caption. Raises
    EmptyFigureError, FigureError.
    """
    kinds = [published, *([measured] if isinstance(measured, str) else measured)]
    check_columns(table, (case, *kinds), "published")
    filled(
        table, "published", "the table has no rows", f"one row per case, with {', '.join(map(repr, kinds))}"
    )
    values = rounded(values_of(table, case, kinds), value=_DIGITS, low=_DIGITS, high=_DIGITS)
    axis = f"{what} ({unit})"
    of = f" of {source}" if source else ""
    has = bool(values["low"].notna().any())
    said = caption or f"{what}: published figures{of} and measured ones" + (
        " with their intervals." if has else "."
    )
    about = About(
        "published",
        incomplete.caption(said, values[incomplete.COLUMN]),
        describe(table, case, kinds, axis),
        rounded(table[[case, *kinds]], **dict.fromkeys(kinds, _DIGITS)),
    )
    cases = list(dict.fromkeys(values["case"]))
    data = {"published": values}
    drawn = _draw(cases, kinds, axis, values[incomplete.COLUMN], intervals=has).properties(
        title=title or "Published and measured"
    )
    return finish(drawn, about, data)


def values_of(table: pd.DataFrame, case: str, kinds: Sequence[str]) -> pd.DataFrame:
    """case, kind, value, low, high, incomplete: a row per case and kind; NaN where there is no interval."""
    parts = []
    for kind in kinds:
        ends = {
            end: table.get(f"{kind}_{end}", pd.Series(float("nan"), table.index)) for end in ("low", "high")
        }
        cut = {incomplete.COLUMN: incomplete.of(table, f"{kind}_{incomplete.COLUMN}")}
        names = table[case].astype("str")
        parts.append(pd.DataFrame({"case": names, "kind": kind, "value": table[kind], **ends, **cut}))
    return pd.concat(parts, ignore_index=True).dropna(subset="value").reset_index(drop=True)


def describe(table: pd.DataFrame, case: str, kinds: Sequence[str], axis: str) -> str:
    """What the figure shows: every case with its factor against the published value."""
    said = []
    for row in table.to_dict("records"):
        parts = [f"{kinds[0]} {words.number(row[kinds[0]])}"]
        for kind in kinds[1:]:
            ratio = f" ({words.number(row[kind] / row[kinds[0]])} times)" if row[kinds[0]] else ""
            cut = {incomplete.COLUMN: row.get(f"{kind}_{incomplete.COLUMN}")}
            parts.append(f"{kind} {words.number(row[kind])}{ratio}{incomplete.described(cut)}")
        said.append(f"{row[case]}: {', '.join(parts)}.")
    return f"{axis} in {words.count(len(table), 'case')}. {words.limited(said, 12, 'cases')}"


def _draw(
    cases: list[str], kinds: list[str], axis: str, cut: pd.Series[int], *, intervals: bool
) -> alt.LayerChart:
    rows = alt.Y(
        "case:N", sort=cases, title=None, axis=alt.Axis(grid=True, tickBand="extent", labelLimit=220)
    )
    place = alt.YOffset("kind:N", sort=kinds, scale=alt.Scale(paddingOuter=0.5))
    x = alt.X("value:Q", title=axis, scale=alt.Scale(zero=True), axis=alt.Axis(grid=True))
    legend = alt.Legend(title=None)
    look = [theme.color("kind", kinds, legend=legend), theme.shape("kind", kinds, legend=legend)]
    bars = view("published-intervals", "published").mark_rule(strokeWidth=2)
    bars = bars.transform_filter("isValid(datum.low)")
    said = ["case:N", "kind:N", alt.Tooltip("value:Q", title=axis)]
    points = view("published-values", "published")
    layers = incomplete.marks(points, cut, [x, rows, place, *look], said, size=70)
    if intervals:  # an axis of no values at all has no end
        layers.insert(0, bars.encode(alt.X("low:Q", title=axis), alt.X2("high:Q"), rows, place, look[0]))
    chart = layered(*layers)
    return chart.properties(width=theme.WIDTH - 60, height=(18 * len(kinds) + 14) * len(cases))
