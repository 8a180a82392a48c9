"""An Explorer in a running notebook."""

from __future__ import annotations

from decimal import Decimal

from labkit.errors import LabkitError
from labkit.results.result import Result
from labkit.widgets.drawing import Json
from labkit.widgets.exploration import Exploration
from labkit.widgets.face import Face
from labkit.widgets.space import Values


class LiveExplorer(Face):
    """`latest` is {run, values, seed, point}: where the knobs stood, and `Exploration.point` of it."""

    def __init__(self, exploration: Exploration, *, at_once: bool) -> None:
        """at_once: whenever a knob is turned; else when asked to."""
        self.exploration = exploration
        ranges = exploration.space.ranges(self._can_be)
        knobs = [{**knob, "typed": ranges.get(knob["name"])} for knob in exploration.knobs()]
        super().__init__("explore", {**exploration.asked(), "knobs": knobs, "at_once": at_once})
        if at_once:  # a notebook that is executed without a front end keeps this run
            self.run({"run": 0, "values": {}, "seed": None})

    def run(self, asked: Json) -> None:
        """{run, values, seed}: values are texts of numbers, or places on the knobs; seed null: its own."""
        number, values, seed = asked["run"], asked["values"], asked["seed"]
        where = {name: Decimal(one) if isinstance(one, str) else one for name, one in values.items()}
        try:
            exp = self.exploration.between(where, seed)
        except (LabkitError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            self.failed(number, error)  # a chapter's own function may raise what it likes
            return

        def done(results: list[Result]) -> None:
            point = self.exploration.point(results[0])
            self.results = results
            self.latest = {"run": number, "values": values, "seed": seed, "point": point}

        self.start(number, [exp], done)

    def _can_be(self, values: Values) -> bool:
        try:
            self.exploration.between(values)
        except (LabkitError, ArithmeticError, LookupError, TypeError, ValueError):
            return False
        return True
