"""Every live widget as the site has it, without a run: each knob turns its program. And which kinds there
are: one of each is run (kinds.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.web.widgets.kinds import EXPLORERS, PREDICTIONS, REFUSED, REPRESENTATIVES, ident, kinds_of

SCRIPT = Path(__file__).with_name("facts.mjs")
ASK = """async ([stem, name]) => {
  const lab = new URL("_static/lab/", location.href);
  const { facts } = await import(new URL("facts.mjs", lab).href);
  return facts(lab, stem, name);
}"""
ANSWERS = {ident(stem, held["name"]): held["kind"] for stem, held in PREDICTIONS}
ALL = [*EXPLORERS, *((stem, held["name"]) for stem, held in PREDICTIONS)]

Facts = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def facts(browser: Browser, read_book: str) -> Facts:
    """What one page of the site says of each. Without the site's service worker, which would ask for the
    script itself, past the route to it."""
    with browser.new_context(service_workers="block") as context, context.new_page() as page:
        page.route("**/_static/lab/facts.mjs", lambda route: route.fulfill(path=SCRIPT))
        page.goto(f"{read_book}search.html")
        found = {ident(*one): page.evaluate(ASK, one) for one in ALL}
    for name, answer in ANSWERS.items():
        found[name].setdefault("kinds", []).append(answer)
    return found


def test_every_widget_is_ready_and_each_of_its_knobs_turns_its_program(facts: Facts) -> None:
    told = [f"{name}: {fault}" for name, of in facts.items() for fault in of["faults"]]
    assert not told, "\n".join(told)


def test_what_cannot_be_run_says_why(facts: Facts) -> None:
    refused = {name: of["refused"] for name, of in facts.items() if "refused" in of}
    assert refused.keys() == REFUSED.keys()
    for name, why in REFUSED.items():
        assert why in refused[name]


def test_every_kind_has_a_widget_that_is_run(facts: Facts) -> None:
    kinds = {name: kinds_of(name, of) for name, of in facts.items()}
    assert set().union(*kinds.values()) == REPRESENTATIVES.keys()
    for kind, name in REPRESENTATIVES.items():
        assert kind in kinds[name], f"{name} is no {kind}: {sorted(kinds[name])}"
