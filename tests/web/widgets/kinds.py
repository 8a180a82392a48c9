"""Kinds of live widgets, by what the page's code tells apart, and the widget that stands for each of them.

`make test` runs these in Chromium, LABKIT_LIVE=all every one of the 78. What a run of each of the
others would protect is protected where it is cheap:

    the site has its program and its recipe, a knob that     test_kinds.py, all widgets in one page
      is turned changes the program, what is refused says why
    the program is that of labkit at those values            tests/web/programs
    what is drawn, said and measured of a result, in node    tests/web/measures, charts, chapters
    the page's kernel gives the guest's tables               tests/wasm
    a recorded knob is not dead, no figure has an error      tests/browser/test_book_wide.py
"""

from __future__ import annotations

from typing import Any

from tests.web.widgets import reader, recorded

Json = dict[str, Any]

EXPLORERS = [(stem, b[recorded.EXPLORER]["name"]) for stem, b in recorded.bundles(recorded.EXPLORER)]
PREDICTIONS = [(stem, b[recorded.PREDICTION]) for stem, b in recorded.bundles(recorded.PREDICTION)]


def ident(stem: str, name: str) -> str:
    """ "19-explore-bbr"."""
    return f"{stem.partition('-')[0]}-{name}"


REFUSED = {
    ident(
        stem, held["name"]
    ): "its answer takes a calculation in Python. What you will see was recorded in twenty runs. To run it"
    for stem, held in PREDICTIONS
    if held["spread"]
} | {
    "27-explore-fit": "its figures take a calculation in Python. What you see was recorded. To run it",
}

REPRESENTATIVES = {
    "explorer: a slider of numbers": "01-window",
    "explorer: a slider of words": "05-disease",
    "explorer: a choice": "01-window",
    "explorer: a choice that can be typed": "13-explore-ack-loss",
    "explorer: a toggle": "14-explore-window",
    "explorer: a box for the seed": "01-window",
    "explorer: the seed is a knob": "13-explore-ack-loss",
    "explorer: a program of the site's": "01-window",
    "explorer: a program by Python": "28-explore-hour",
    "explorer: a kernel of the chapter's own": "23-explore-two-numbers",
    "explorer: refused": "27-explore-fit",
    "prediction: value": "01-guess-C",
    "prediction: curve": "06-predict-fer",
    "prediction: of one run": "01-guess-C",
    "prediction: of several runs": "06-predict-fer",
    "prediction: a result that is drawn": "08-predict-room",
    "prediction: refused": "05-which-counter",
}
"""Kind: the widget that stands for it. test_kinds.py looks which kinds each widget of the book is of."""


def run_here(which: str) -> bool:
    """Whether this run of the tests runs it."""
    return reader.LONG or which in REPRESENTATIVES.values()


def kinds_of(name: str, facts: Json) -> set[str]:
    """Those of a widget, by what the page itself knows of it (facts.mjs)."""
    what = "explorer" if facts["kind"] == "explore" else "prediction"
    if name in REFUSED:
        return {f"{what}: refused"}
    return {f"{what}: {kind}" for kind in facts["kinds"]}
