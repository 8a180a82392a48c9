"""What chapters 18 and 20 say of SJTU's lab agrees with its case file: published figures and kept rows. Runs
nothing."""

from __future__ import annotations

import re

import pytest

from tests.project.test_sjtu_page import CASES, KNOWN, SJTU, by_cc, means
from tests.project.test_tree import ROOT

DELAY = "chapters/18-delay-as-a-signal.md"
SHARING = "chapters/20-sharing-a-bottleneck.md"
QUEUE, WAY, LOSS = "links.s1-s2.forward.queue", "links.s1-s2.delay", "links.s1-s2.loss"


def text(chapter: str) -> str:
    return " ".join((ROOT / chapter).read_text(encoding="utf-8").split())


def table() -> list[list[str]]:
    """The rows of chapter 18's table: what was published, what is here, what makes it."""
    block = (ROOT / DELAY).read_text(encoding="utf-8").split("| Published | Here | What makes it |\n")[1]
    lines = block.split("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def numbers(cell: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", cell)]


@pytest.mark.parametrize("chapter", [DELAY, SHARING])
def test_the_chapter_links_to_the_case_file(chapter: str) -> None:
    assert "](../book/sjtu)" in text(chapter)


def test_the_published_figures_are_the_sources() -> None:
    first, loss, pairs = (numbers(row[0]) for row in table())
    single, sharing = KNOWN["single"], KNOWN["sharing"]
    assert first == [100, single["reno_mbit_s"], single["vegas_mbit_s"]]
    losses = KNOWN["sweeps"]["loss_percent"]
    assert loss == [min(losses), max(losses)]
    assert pairs == [45, sharing["reno_total_mbit_s"], sharing["vegas_total_mbit_s"]]


def test_without_a_delay_both_fill_the_line() -> None:
    (said,) = numbers(table()[0][1])
    assert means("first", "flows.cc", QUEUE).round(1).eq(said).all()


def test_loss_taken_for_per_cent_has_almost_no_effect_and_as_much_as_said_has_all() -> None:
    most, tenth, reno, vegas = numbers(table()[1][1])
    found = by_cc("loss-percent", LOSS).loc[tenth / 100].round(1)
    assert (found["reno"], found["vegas"]) == (reno, vegas)
    assert by_cc("loss-both-ways", LOSS).loc[most / 100].max() < 0.01


def test_four_pairs_have_the_totals_of_the_case_file() -> None:
    full, reno, vegas = *numbers(table()[2][1]), numbers(table()[2][2])[-1]
    totals = CASES.kept(SJTU, "sharing-four").table.set_index(["flows.cc", WAY, QUEUE]).goodput_sum.round(1)
    assert totals["reno", 0.0, 1000] == totals["vegas", 0.0, 1000] == full
    assert (totals["reno", 0.01, 4], totals["vegas", 0.01, 4]) == (reno, vegas)
    assert vegas < reno and f"Reno has {reno} Mbit/s" in text(SHARING)
