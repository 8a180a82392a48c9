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
from labkit.widgets.drawing import Draw, as_draw
from labkit.widgets.overlay import Json
from labkit.widgets.space import Point, Space

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
        exp = self.space.experiment(point)
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

    def payload(self) -> tuple[Json, Json]:
        """Run the whole grid; what a recording holds: see `labkit.widgets.payload`, and a picture of it."""
        specs: dict[Point, Json] = {}
        data: dict[str, dict[str, list[Json]]] = {}
        rows: dict[Point, dict[str, str]] = {}
        empty: dict[Point, str] = {}
        for point in self.space.grid():
            result = run(self.experiment(point))
            try:
                specs[point], data[_key(point)] = self.drawn(result)
            except EmptyFigureError as nothing:
                empty[point] = str(nothing)
            rows[point] = self.summarised(result)
        if not specs:
            raise EmptyFigureError(f"explore: no run gives a figure: {next(iter(empty.values()))}")
        default = specs.get(self.space.default) or next(iter(specs.values()))
        runs, spec = stored.frame(default)
        meta = default.get("usermeta", {}).get("labkit", {})
        found: Json = {
            "format": stored.FORMAT,
            "name": self.name or f"explore-{meta.get('name', 'run')}",
            "caption": self.caption or meta.get("caption", ""),
            "description": default.get("description", ""),
            "knobs": self._knobs(),
            "runs": runs,
            "spec": spec,
            "points": {},
            "table": self._table(rows),
        }
        for point, row in rows.items():
            held: Json = {"summary": [[title, text] for title, text in row.items()]}
            if point in specs:
                held["description"] = specs[point].get("description", "")
                held["patch"] = stored.patches(default, specs[point], runs)
            else:
                held["empty"] = empty[point]
            found["points"][_key(point)] = held
        return stored.fit(found, data, default)

    def _knobs(self) -> list[Json]:
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


def _key(point: Point) -> str:
    return ",".join(map(str, point))
