"""What a sweep gave: a tidy table, means with confidence intervals, a figure. Runs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from labkit.decode.columns import Units
from labkit.errors import LabkitError, SpecError
from labkit.measures import vocabulary
from labkit.models.intervals import NAMES, Interval, mean_interval
from labkit.schema.base import did_you_mean
from labkit.sweeps.axes import Axis
from labkit.sweeps.page import page, points
from labkit.sweeps.published import Bound
from labkit.sweeps.rows import Row

if TYPE_CHECKING:
    import altair as alt

_ENDS = ("virtual_s", "incomplete", "error", "spec_digest")
_UNITS = {
    "seed": "of every random number in the run",
    "virtual_s": "s: how long the run was, in the network's time",
    "incomplete": "flows of the run that did not come to their end",
    "error": "what went wrong; empty if nothing",
    "spec_digest": "SHA-256 of the experiment's spec",
}


class SweepError(LabkitError):
    """Some runs of a sweep failed. `sweep` holds the others."""

    def __init__(self, message: str, sweep: Sweep) -> None:
        super().__init__(message)
        self.sweep = sweep


class Sweep:
    """The runs of a sweep. Two sweeps of the same give equal tables, whoever ran them.

    table: one row per point, seed and what was measured (a flow): a column per axis (numbers in SI units),
    `seed`, of what it is ("flow"), each measure, `virtual_s` (s), `incomplete` (flows), `error`,
    `spec_digest`. A run that failed has one row, with its error. `table.attrs["units"]`
    says the unit of each column.

    published: what a source has; then summary and table have it too (in the table as "published goodput").
    """

    def __init__(
        self, axes: Sequence[Axis], rows: Sequence[Row], limits: int = 0, published: Bound | None = None
    ) -> None:
        """rows: in order. limits: how many of the failed runs met a limit."""
        self.axes = tuple(axes)
        first = [*(axis.path for axis in self.axes), "seed"]
        names = list(dict.fromkeys(name for row in rows for name in row))
        middle = [name for name in names if name not in (*first, *_ENDS)]
        texts = {name for row in rows for name in middle if isinstance(row.get(name), str)}
        self.keys = tuple(name for name in middle if name in texts)
        self.measures = tuple(name for name in middle if name not in texts)
        table = pd.DataFrame(rows, columns=[*first, *self.keys, *self.measures, *_ENDS])
        for name in self.measures:
            table[name] = pd.to_numeric(table[name])
        table.attrs["units"] = Units(
            {axis.path: axis.unit for axis in self.axes}
            | {name: vocabulary.ALL_UNITS.get(name, "") for name in self.measures}
            | _UNITS
        )
        self.published = published
        if published is not None:
            for name in published.measures:
                table[f"published {name}"] = published.column(table, [name] * len(table))
        self.table = table
        self.limits = limits

    @property
    def failed(self) -> pd.DataFrame:
        """The rows of runs that failed: axes, seed, error, spec_digest."""
        paths = [axis.path for axis in self.axes]
        return self.table.loc[self.table["error"] != "", [*paths, "seed", "error", "spec_digest"]]

    @property
    def runs(self) -> int:
        """How many there were."""
        return len(self.table.drop_duplicates([*(axis.path for axis in self.axes), "seed"]))

    def summary(self, interval: Interval = "t") -> pd.DataFrame:
        """One row per point, key ("flow") and measure: n, mean, std, low, high (95 % confidence interval),
        incomplete: in how many of the runs there a flow did not come to its end.

        interval: "t", Student's t: takes the means for normally distributed; or "bootstrap", BCa: see
        `labkit.models.intervals`. n: of how many seeds; what failed or is missing does not count.
        low and high are NaN for one seed. `attrs["interval"]` says which it is. A column "published" is there
        if a source's figures were given: NaN where it has none. Raises SpecError.
        """
        if interval not in NAMES:
            raise SpecError(f'interval={interval!r}: write "t" or "bootstrap"')
        by = [*(axis.path for axis in self.axes), *self.keys]
        rows = []
        good = self.table[self.table["error"] == ""]
        if self.keys:  # a run where there was nothing to measure is of no flow
            good = good.dropna(subset=list(self.keys), how="all")
        for point, part in good.groupby(by, sort=False, dropna=False):
            cut = part.loc[part["incomplete"] > 0, "seed"].nunique()
            for name in self.measures:
                values = part[name].dropna().to_numpy("float64")
                mean, std = (values.mean() if len(values) else None), None
                std = values.std(ddof=1) if len(values) > 1 else None
                low, high = mean_interval(values, interval)
                rows.append([*point, name, len(values), mean, std, low, high, cut])
        columns = [*by, "measure", "n", "mean", "std", "low", "high", "incomplete"]
        table = pd.DataFrame(rows, columns=columns)
        table = table.astype(dict.fromkeys(("mean", "std", "low", "high"), "float64"))
        if self.published is not None:
            table.insert(len(by) + 2, "published", self.published.column(table, table["measure"]))
        table.attrs["interval"] = f"95 % confidence interval of the mean, {NAMES[interval]}"
        return table

    def chart(
        self,
        measure: str | None = None,
        *,
        interval: Interval = "t",
        title: str | None = None,
        caption: str | None = None,
    ) -> alt.LayerChart:
        """A measure's means with their intervals over the first axis, a series for each value of the others.

        measure: which one; None: the first. Raises SpecError, EmptyFigureError.
        """
        from labkit.charts.parameter import swept

        name, axis = self.check_measure(measure), self.axes[0]
        table = self.summary(interval)
        table = table[table["measure"] == name]
        return swept(
            table.assign(series=self.series(table)),
            axis.path,
            "series",
            what=name,
            unit=vocabulary.SHORT.get(name, ""),
            x_unit=axis.unit,
            interval=NAMES[interval],
            title=title,
            caption=caption,
        )

    def compared(self, measure: str | None = None, interval: Interval = "t") -> pd.DataFrame:
        """What was published, and measured there: case, published, measured, measured_low, measured_high,
        measured_incomplete (runs).

        measure: which one; None: the first. case: the values of axes and keys, as far as they differ. For
        `charts.published(..., "case")`. `attrs["source"]` says whose figures. Raises SpecError.
        """
        if self.published is None:
            raise SpecError("compared: nothing was published: give sweep(published=...), or a file with it")
        name, table = self.check_measure(measure), self.summary(interval)
        table = table[(table["measure"] == name) & table["published"].notna()]
        names = {"mean": "measured", **{end: f"measured_{end}" for end in ("low", "high", "incomplete")}}
        written = {
            a.path: dict(zip(a.labels, map(_written, a.values, a.labels), strict=True)) for a in self.axes
        }
        as_given = table.assign(**{path: table[path].map(texts) for path, texts in written.items()})
        cases = self.series(as_given, [axis.path for axis in self.axes])
        found = table.assign(case=cases).rename(columns=names)[["case", "published", *names.values()]]
        found.attrs["source"] = self.published.source
        return found.reset_index(drop=True)

    def check_measure(self, measure: str | None) -> str:
        """That one, or the first. Raises SpecError if it was not measured."""
        if measure is None and self.measures:
            return self.measures[0]
        if measure not in self.measures:
            hint = did_you_mean(str(measure), list(self.measures))
            listed = ", ".join(self.measures) or "none, since every run failed"
            raise SpecError(f"measure={measure!r}: was not measured{hint}: measured are {listed}")
        return measure

    def series(self, table: pd.DataFrame, paths: Sequence[str] | None = None) -> pd.Series[str]:
        """For each row the values of these axes (None: all but the first) and of keys, where they differ."""
        names = [*([axis.path for axis in self.axes[1:]] if paths is None else paths), *self.keys]
        shown = [name for name in names if table[name].nunique(dropna=False) > 1]
        texts = [[str(value) for value in table[name]] for name in shown]
        return pd.Series(
            [", ".join(parts) for parts in zip(*texts, strict=True)] or "", table.index, dtype="str"
        )

    def curves(self, number: int, measure: str | None) -> pd.DataFrame:
        """Means over seeds and keys: a column per series, the index the values of one axis, ascending."""
        path = self.axes[number].path
        others = [axis.path for axis in self.axes if axis.path != path]
        good = self.table[self.table["error"] == ""]
        name = self.check_measure(measure)
        means = good.groupby([path, *others], sort=True)[name].mean().reset_index()
        means["series"] = means[others].astype("str").agg(", ".join, axis=1) if others else ""
        return means.pivot(index=path, columns="series", values=name)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """Write the table; without a path return it as text."""
        text: str | None = self.table.to_csv(path, index=False)
        return text

    def failures(self) -> str:
        """What to say of the runs that failed; "" if none did."""
        failed = self.failed
        if failed.empty:
            return ""
        counted = failed["error"].str.split("\n").str[0].value_counts(sort=True)
        lines = [f"  {count} x: {text}" for text, count in counted.head(5).items()]
        more = len(counted) - len(lines)
        return "\n".join(
            [
                f"{len(failed)} of {self.runs} runs failed:",
                *lines,
                *([f"  and {more} more"] if more > 0 else []),
            ]
        )

    def __repr__(self) -> str:
        over = ", ".join(f"{axis.path} ({len(axis.labels)})" for axis in self.axes)
        failed = f", {len(self.failed)} failed" if len(self.failed) else ""
        measured = ", ".join(self.measures) or "nothing"
        return f"<Sweep: {self.runs} runs{failed}; over {over}; measured: {measured}>"

    def points(self) -> pd.DataFrame:
        """The summary as texts, as a notebook shows it: one row per point."""
        return points(self.summary(), self.axes, self.keys)

    def _repr_html_(self) -> str:
        seeds = self.table.groupby([axis.path for axis in self.axes])["seed"].nunique().max()
        means = "1 seed"
        if seeds != 1:
            means = f"{seeds} seeds, each with half of the {self.summary().attrs['interval']}"
        return page(f"{self.runs} runs; means of {means}.", self.points(), self.failures())


def _written(value: Any, label: Any) -> str:
    """A value of an axis as it was given: "5%" rather than 0.05."""
    return value if isinstance(value, str) and not isinstance(label, str) else str(label)
