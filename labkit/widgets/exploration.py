"""What an explorer is made of: the points that can be run, how a result is drawn and summed up.

`payload` is what a recording holds of all of them. Shows nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from altair.utils.schemapi import debug_mode

from labkit.charts import vega
from labkit.charts.figure import EmptyFigureError
from labkit.charts.words import as_text
from labkit.measures.word import Word, needs
from labkit.measures.word import summary as told
from labkit.results.replay import wider
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Experiment
from labkit.widgets import payload as stored
from labkit.widgets.drawing import Draw, Json, as_draw
from labkit.widgets.space import Point, Space, Values

Summary = Callable[[Result], Mapping[str, Any]]
_drawing = threading.Lock()  # debug_mode is one switch for the whole process


class Exploration:
    """A space of experiments, and what is to be seen of each of their results."""

    def __init__(
        self,
        space: Space,
        chart: Draw | Sequence[Draw],
        summary: Summary | Sequence[Word],
        name: str | None,
        caption: str | None,
    ) -> None:
        """summary: words, or a function of a Result."""
        self.space, self.name, self.caption = space, name, caption
        self.given_chart, self.chart = chart, as_draw(chart)
        self.words = None if callable(summary) else list(summary)
        self.summary: Summary = summary if callable(summary) else partial(told, words=summary)
        self._checked = False

    def experiment(self, point: Point) -> Experiment:
        """What is run at a point: it records what its words need. Raises SpecError."""
        return self._recorded(self.space.experiment(point))

    def between(self, values: Values, seed: int | None = None) -> Experiment:
        """The same where knobs may stand between values. seed: in place of its own. Raises SpecError."""
        exp = self.space.between(values)
        return self._recorded(exp if seed is None else exp.replace(seed=seed))

    def _recorded(self, exp: Experiment) -> Experiment:
        return wider(exp, *needs(self.words or (), exp))

    def drawn(self, result: Result) -> tuple[Json, dict[str, list[Json]]]:
        """The chart of a result, without its data, and the data by name.

        Altair checks charts against Vega-Lite's schema, which takes a third of a click: the first one is.
        """
        with _drawing, debug_mode(not self._checked):
            drawn = vega.split(self.chart(result).to_dict(validate=not self._checked))
        self._checked = True
        return drawn

    def summarised(self, result: Result) -> dict[str, str]:
        """The summary of a result, as text."""
        return {title: as_text(value) for title, value in self.summary(result).items()}

    @property
    def stem(self) -> str:
        """What saved files are called."""
        return self.name or "run"

    def asked(self) -> Json:
        """What a face is told before anything has run. `knobs` are as in a recording."""
        return {"name": self.stem, "caption": self.caption or "", "knobs": self.knobs()}

    def point(self, result: Result) -> Json:
        """A run as a face draws it: a point of a recording, whose `chart` is the chart itself."""
        held: Json = {"summary": _pairs(self.summarised(result))}
        try:
            chart, rows = self.drawn(result)
        except EmptyFigureError as nothing:
            return {**held, "empty": str(nothing)}
        fields = stored.x_fields(chart)
        fewer = {name: stored.fewer(one, stored.MOST_ROWS, fields) for name, one in rows.items()}
        return {
            **held,
            "description": chart.get("description", ""),
            "chart": stored.bare(chart),
            "data": {name: stored.columns(one) for name, one in fewer.items()},
        }

    def payload(self) -> tuple[Json, Json]:
        """Run the whole grid; what a recording holds: see `labkit.widgets.payload`, and a picture of it."""
        drawn: dict[Point, Json] = {}
        data: dict[str, dict[str, list[Json]]] = {}
        rows: dict[Point, dict[str, str]] = {}
        empty: dict[Point, str] = {}
        for point in self.space.grid():
            result = run(self.experiment(point))
            try:
                drawn[point], data[_key(point)] = self.drawn(result)
            except EmptyFigureError as nothing:
                empty[point] = str(nothing)
            rows[point] = self.summarised(result)
        if not drawn:
            raise EmptyFigureError(f"explore: no run gives a figure: {next(iter(empty.values()))}")
        default = drawn.get(self.space.default) or next(iter(drawn.values()))
        meta = default.get("usermeta", {}).get("labkit", {})
        charts: list[Json] = []
        for chart in map(stored.bare, drawn.values()):
            if chart not in charts:
                charts.append(chart)
        found: Json = {
            "format": stored.FORMAT,
            "name": self.name or f"explore-{meta.get('name', 'run')}",
            "caption": self.caption or meta.get("caption", ""),
            "description": default.get("description", ""),
            "knobs": self.knobs(),
            "charts": charts,
            "points": {},
            "table": self._table(rows),
        }
        for point, row in rows.items():
            held: Json = {"summary": _pairs(row)}
            if point in drawn:
                held["description"] = drawn[point].get("description", "")
                held["chart"] = charts.index(stored.bare(drawn[point]))
            else:
                held["empty"] = empty[point]
            found["points"][_key(point)] = held
        return stored.fit(found, data, default)

    def knobs(self) -> list[Json]:
        """Them as a face is told of them."""
        return [
            {
                "name": name,
                "label": knob.named(name),
                "kind": knob.kind,
                "texts": list(knob.texts),
                "default": knob.default,
            }
            for name, knob in self.space.knobs.items()
        ]

    def _table(self, rows: dict[Point, dict[str, str]]) -> Json:
        titles = list(dict.fromkeys(title for row in rows.values() for title in row))
        labels = list(self.space.texts(self.space.default))
        lines = [
            [*self.space.texts(point).values(), *(row.get(title, "") for title in titles)]
            for point, row in rows.items()
        ]
        return {"columns": [[title, title] for title in [*labels, *titles]], "rows": lines}


def _pairs(row: Mapping[str, str]) -> list[list[str]]:
    return [[title, text] for title, text in row.items()]


def _key(point: Point) -> str:
    return ",".join(map(str, point))
