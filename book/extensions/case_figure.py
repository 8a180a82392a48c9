"""The `case-figure` directive: kept rows of a case file as a figure, beside what was published.

Drawn when the book is built, by labkit.charts.swept; scripts/cases.py knows the rows. Nothing is run.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pandas as pd
from docutils import nodes
from docutils.parsers.rst import directives
from figures import LpFigure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PUBLISHED = "published"


def script(root: Path) -> ModuleType:
    """scripts/cases.py of the tree that the book is of."""
    spec = importlib.util.spec_from_file_location("cases", root / "scripts/cases.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def points(
    swept: Any, x: str, series: list[str], only: dict[str, str], unit: str = "", measure: str = ""
) -> pd.DataFrame:
    """Means over x, a series for each value of some axes; what was published is a series of its own.

    only: values of other columns, as tables show them; unit: said behind a series' value; measure: the
    file's first unless given. A mean's interval cannot reach below zero.
    """
    table: pd.DataFrame = swept.summary()
    table = table[table["measure"] == (measure or swept.measures[0])]
    for name, value in only.items():
        table = table[table[name].astype("str") == value]
    known = table.dropna(subset="published").drop_duplicates([x, *series, "published"])
    named = [name for name in series if any(name in figure.at for figure in swept.published.figures)]
    theirs = known.drop_duplicates([x, *named]).assign(
        n=1, mean=known["published"], low=float("nan"), high=float("nan"), incomplete=0
    )
    table = table.assign(low=table["low"].clip(lower=0), series=_joined(table, series) + unit)
    theirs = theirs.assign(series=_joined(theirs, named, PUBLISHED))
    return pd.concat([theirs, table], ignore_index=True)


def _joined(table: pd.DataFrame, columns: list[str], first: str = "") -> pd.Series[Any]:
    said = [[*([first] if first else []), *map(str, row)] for row in table[columns].itertuples(index=False)]
    return pd.Series([", ".join(row) for row in said], table.index, dtype="str")


def without_lines(payload: dict[str, Any]) -> dict[str, Any]:
    """Published points are not joined: nobody published what lies between them."""
    for layer in payload["layer"]:
        if layer["mark"]["type"] == "line":
            layer["transform"] = [
                *layer.get("transform", ()),
                {"filter": f"indexof(datum.series, '{PUBLISHED}') < 0"},
            ]
    return payload


class CaseFigure(SphinxDirective):
    """`{case-figure} CASE FILE`: x, series, only (COLUMN=VALUE; ...), as, unit, measure, what, title.

    as: what x is called; unit: of the values that tell series apart; measure: one of the file's, the first
    unless given, and what it is called, with its unit: "mean window; packets". The content is the caption.
    """

    required_arguments = 2
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "x": directives.unchanged_required,
        "as": directives.unchanged_required,
        "series": directives.unchanged,
        "only": directives.unchanged,
        "unit": directives.unchanged_required,
        "measure": directives.unchanged_required,
        "what": directives.unchanged_required,
        "title": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        from labkit import charts

        cases = script(Path(self.env.srcdir))
        case, name = cases.CASES[self.arguments[0]], self.arguments[1]
        for file in (case.files / f"{name}.yaml", case.rows / f"{name}.csv"):
            self.env.note_dependency(str(file))
        only = dict(pair.split("=", 1) for pair in _listed(self.options.get("only", "")))
        x, called = self.options["x"], self.options["as"]
        unit = f" {self.options['unit']}" if "unit" in self.options else ""
        measure = self.options.get("measure", "")
        what, of = [*_listed(self.options.get("what", "goodput; Mbit/s")), ""][:2]
        swept = cases.kept(case, name)
        table = points(swept, x, _listed(self.options.get("series", "")), only, unit, measure)
        numeric = pd.api.types.is_numeric_dtype(table[x])
        chart = charts.swept(
            table.rename(columns={x: called}),
            called,
            "series",
            what=what,
            unit=of,
            x_unit="share" if numeric and table[x].max() <= 1 else "",
            title=self.options["title"],
            caption=" ".join(self.content),
        )
        payload = without_lines(chart.to_dict())
        drawn = "-".join(part for part in (case.name, name, measure) if part)
        figure = LpFigure(kind="vegalite", name=drawn, payload=payload, shown=payload, cell=0)
        self.set_source_info(figure)
        return [figure]


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("case-figure", CaseFigure)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
