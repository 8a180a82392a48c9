"""An Explorer in a running notebook."""

from __future__ import annotations

from decimal import Decimal

from labkit.widgets.drawing import Json
from labkit.widgets.exploration import Exploration
from labkit.widgets.face import Face
from labkit.widgets.space import Values


class LiveExplorer(Face):
    """`latest` is {runs, values, seed, words, point}: where the knobs stood, what they were called there, and
    `Exploration.point` of it."""

    def __init__(self, exploration: Exploration, *, at_once: bool) -> None:
        """at_once: whenever a knob is turned, and now; else when asked to."""
        self.exploration = exploration
        ranges = exploration.space.ranges(self._can_be)
        knobs = [{**knob, "typed": ranges.get(knob["name"])} for knob in exploration.knobs()]
        super().__init__("explore", {**exploration.asked(), "knobs": knobs, "at_once": at_once})
        if at_once:  # a notebook that is executed without a front end keeps this run, if it is over by then
            texts = exploration.space.texts(exploration.space.default)
            words = ", ".join(f"{label} {text}" for label, text in texts.items())
            start = {knob["name"]: knob["default"] for knob in knobs}
            self.hear({"run": 0, "values": start, "seed": None, "words": words})

    def run(self, asked: Json) -> None:
        """{values, seed, words}: values are texts of numbers, or places on the knobs; seed null: its own."""
        values, seed = asked["values"], asked["seed"]
        where = {name: Decimal(one) if isinstance(one, str) else one for name, one in values.items()}
        exp = self.exploration.between(where, seed)
        self.start([exp], lambda results: {**asked, "point": self.exploration.point(results[0])})

    def _can_be(self, values: Values) -> bool:
        try:
            self.exploration.between(values)
        except Exception:  # a reader's own function may raise what it likes
            return False
        return True
