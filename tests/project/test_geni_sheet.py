"""GENI's answer sheet: each figure of it stands beside ours, under its own conditions, and no other does.

Runs nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from labkit import Experiment
from tests.project.test_tree import ROOT, script

CASES = script("cases")
GENI = CASES.CASES["geni"]
SHEET = json.loads((ROOT / "book/data/geni.json").read_text())
PAGE = " ".join(GENI.page.read_text(encoding="utf-8").split())
LOSS, SACK = "links.center-left.forward.loss", "sysctls.net.ipv4.tcp_sack"
Place = tuple[str, dict[str, Any]]
FILES: dict[tuple[int, str], Place] = {  # an exercise and its case -> our file, and what its rows say
    (1, "no loss, no delay"): ("1-no-loss", {}),
    (2, "300 ms delay, 60 s"): ("2-delay-60s", {}),
    (2, "300 ms delay, 1800 s"): ("2-delay-1800s", {}),
    (3, "300 ms delay, 30 parallel, 60 s"): ("3-parallel-60s", {}),
    (3, "300 ms delay, 30 parallel, 1800 s"): ("3-parallel-1800s", {}),
    (4, "5 % loss"): ("4-loss", {LOSS: "5%"}),
    (4, "10 % loss"): ("4-loss", {LOSS: "10%"}),
    (5, "10 TCP + one 20 Mbit/s UDP, FIFO"): ("5-udp-fifo", {}),
    (6, "10 TCP + one 20 Mbit/s UDP, SFQ"): ("6-udp-sfq", {}),
    (7, "100 ms delay"): ("7-delay", {}),
    (7, "100 ms delay, 75 ms variance"): ("7-reordering", {}),
    (8, "10 % loss, SACK on, five runs"): ("8-sack", {SACK: "SACK"}),
    (8, "10 % loss, SACK off, five runs"): ("8-sack", {SACK: "no SACK"}),
    (9, "500 ms delay"): ("9-exp-delay", {}),
    (9, "5 % loss"): ("9-exp-loss", {}),
    (9, "500 ms delay and 5 % loss"): ("9-exp-both", {}),
}
SECONDS, OLD_RULES = "2-delay-first-seconds", "7-reordering-old-rules"
"""Files with figures of a case that has another file as well."""


def parts(key: str, value: Any) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """An entry of a case: what its rows say, the measure, the value."""
    who, _, what = key.partition("_")
    at = {"protocol": who} if who in ("tcp", "udp") else {"flows.cc": who}
    match what:
        case "mbit_s":
            yield at, "goodput", value
        case "sum_mbit_s":
            yield at, "goodput_sum", value
        case "30_sum":
            yield at | {"flows": "thirty"}, "goodput_sum", value
        case "min_max":
            yield from ((at, name, v) for name, v in zip(("goodput_min", "goodput_max"), value, strict=True))
        case "loss_percent":
            yield at, "datagrams_lost", round(value / 100, 6)
        case "mbit_s_by_tcp_reordering":  # today's kernel takes neither 1e14 nor 1e15
            for n, v in value.items():
                yield at | {"sysctls": "largest" if "e" in n else n}, "goodput", v
        case "seconds_mbit_s":
            for cc, seconds in value.items():
                for second, v in enumerate(seconds, 1):
                    yield {"flows.cc": cc, "second": second}, "goodput_in_second", v
        case _:
            raise ValueError(f"{key}: geni.json has an entry that this test cannot read")


def written(name: str, at: dict[str, Any], measure: str, value: Any) -> tuple[Any, ...]:
    """A figure as the file of this name has it."""
    file = GENI.file(name)
    if "goodput_sum" in file.measure and measure == "goodput":
        measure = "goodput_sum"
        at = ({"flows": "one"} if "flows" in file.grid else {}) | at
    if "flows.cc" in at and len(file.grid.get("flows.cc", ())) < 2:  # of one algorithm a row does not say it
        planned = CASES.plan(file).experiments.values()
        assert {flow.cc for experiment in planned for flow in experiment.flows} == {at["flows.cc"]}
        at = {path: label for path, label in at.items() if path != "flows.cc"}
    return name, frozenset(at.items()), measure, tuple(value) if isinstance(value, list) else value


def known() -> Iterator[tuple[Any, ...]]:
    """Every figure of the sheet: its file, what its row says, the measure, the value or those of runs."""
    for result in SHEET["results"]:
        file, place = FILES[result["exercise"], result["case"]]
        for key in result.keys() - {"exercise", "case"}:
            for at, measure, value in parts(key, result[key]):
                yield written(SECONDS if "second" in at else file, at | place, measure, value)
                if at.get("sysctls") == "largest":
                    yield written(OLD_RULES, {"flows.cc": at["flows.cc"]}, measure, value)


def ours(name: str) -> Iterator[tuple[Any, ...]]:
    """Every figure that a file has as published."""
    file = GENI.file(name)
    for row in file.published.rows:
        for measure in file.measure:
            if measure in row:
                at = {path: label for path, label in row.items() if path not in file.measure}
                value = row[measure]
                yield name, frozenset(at.items()), measure, tuple(value) if isinstance(value, list) else value


def test_each_figure_of_the_sheet_stands_in_a_file_and_no_file_has_another() -> None:
    assert Counter(figure for name in GENI.names() for figure in ours(name)) == Counter(known())


def test_each_case_has_its_file() -> None:
    assert [(result["exercise"], result["case"]) for result in SHEET["results"]] == list(FILES)
    assert {file for file, _ in FILES.values()} | {SECONDS, OLD_RULES} == set(GENI.names())
    for name in GENI.names():
        said = f"exercise {name[0]}: iperf on Linux {SHEET['kernel']}"
        assert GENI.file(name).published.source.endswith(said), name


@pytest.mark.parametrize("name", GENI.names())
def test_each_published_figure_is_seen_on_the_page(name: str) -> None:
    tables = " ".join(match[0] for match in GENI.block.finditer(GENI.page.read_text()) if match[2] == name)
    for figure in CASES.kept(GENI, name).published.figures:
        assert f"| {CASES._number(figure.value, 4)} |" in tables, figure.at


def experiments(name: str, place: dict[str, Any]) -> Iterator[tuple[dict[str, str], Experiment]]:
    """What a file runs at a place: labels of the axes, experiment."""
    planned = CASES.plan(GENI.file(name))
    for where, experiment in planned.experiments.items():
        labels = {axis.path: axis.labels[i] for axis, i in zip(planned.axes, where, strict=True)}
        values = {axis.path: axis.values[i] for axis, i in zip(planned.axes, where, strict=True)}
        if all(label in (labels[path], values[path]) for path, label in place.items()):
            yield labels, experiment


@pytest.mark.parametrize(("exercise", "case"), FILES)
def test_a_file_runs_what_the_case_says(exercise: int, case: str) -> None:
    def said(pattern: str, otherwise: float) -> float:
        found = re.search(pattern, case)
        return float(found[1]) if found else otherwise

    several = {"one": 1, "thirty": 30}
    found = list(experiments(*FILES[exercise, case]))
    assert found
    for labels, experiment in found:
        forward = to_left(experiment)
        assert forward.delay == pytest.approx(said(r"(\d+) ms delay", 0.25) / 1000)
        assert (forward.jitter or 0) == pytest.approx(said(r"(\d+) ms variance", 0) / 1000)
        assert (forward.loss.p if forward.loss else 0) == pytest.approx(said(r"(\d+) % loss", 0) / 100)
        assert (forward.queue.kind == "sfq") == ("SFQ" in case)
        assert experiment.sysctls.get("net.ipv4.tcp_sack", 1) == (0 if "SACK off" in case else 1)
        tcp = [flow for flow in experiment.flows if flow.protocol == "tcp"]
        udp = [flow for flow in experiment.flows if flow.protocol == "udp"]
        assert len(tcp) == several.get(labels.get("flows", ""), said(r"(\d+) (?:parallel|TCP)", 1))
        assert {(flow.src, flow.dst) for flow in tcp} == {("right", "left")}
        assert {flow.duration for flow in experiment.flows} == {said(r"(\d+) s\b", 60)}
        assert [flow.rate / 1e6 for flow in udp] == ([said(r"(\d+) Mbit/s UDP", 0)] if "UDP" in case else [])


def to_left(experiment: Experiment) -> Any:
    """The one way on which something is done to the packets; all others are as they were made."""
    links = experiment.topology.links
    assert {link.a for link in links} == {"center"}
    assert {link.b for link in links} == {"left", "right", "top", "bottom"}
    (way,) = (link.forward for link in links if link.b == "left")
    others = [d for link in links for d in (link.forward, link.backward) if d is not way]
    assert len(others) == 7 and all(d.delay == 0.00025 and not d.loss and not d.jitter for d in others)
    return way


def test_the_first_seconds_and_the_old_rules_are_runs_of_their_cases() -> None:
    assert {to_left(experiment).delay for _, experiment in experiments(SECONDS, {})} == {0.3}
    for _, experiment in experiments(OLD_RULES, {}):
        assert (to_left(experiment).delay, to_left(experiment).jitter) == (0.1, 0.075)


def test_the_kernel_and_what_the_sheets_notes_say_are_on_the_page() -> None:
    limit, window = SHEET["notes"]
    assert f"Linux {SHEET['kernel']}" in PAGE and f"kernel {SHEET['kernel']}" in limit
    assert "1000 packets" in limit and "a netem keeps 1000 packets unless told otherwise" in PAGE
    assert "16 kB" in window and "into a buffer that began with 16" in PAGE
    assert "factor of 3" in SHEET["exp_algorithm"] and "slow start triples cwnd each round trip" in PAGE
    assert "3/4 of cwnd" in SHEET["exp_algorithm"] and "3/4 of it are left after a loss" in PAGE


def test_netems_limit_holds_the_rate_of_thirty_flows_to_that_of_one_as_the_note_says() -> None:
    assert "18.0 Mbit/s" in SHEET["notes"][0] and "one flow gets (17.7)" in SHEET["notes"][0]
    most = 1000 * 1448 * 8 / 0.501 / 1e6
    assert f"1000 packets in 500 ms are {most:.1f} Mbit/s" in PAGE
    found = CASES.kept(GENI, "9-exp-delay").table
    found = found[found["flows.cc"] == "reno"]
    total = found.groupby(["links.center-left.forward.wire_limit", "flows"])["goodput_sum"].mean()
    one, thirty = total["1000 packets", "one"], total["1000 packets", "thirty"]
    assert one < thirty < min(most, 1.5 * one)
    assert total["no limit", "thirty"] > 3 * most


# Two chapters read a copy of some figures, in columns.


def test_the_queues_of_chapter_5b_are_the_sheets() -> None:
    copies = json.loads((ROOT / "book/data/geni-queues.json").read_text())
    for row in copies["exercises"]:
        (result,) = (result for result in SHEET["results"] if result["exercise"] == row["exercise"])
        assert result["case"].endswith(row.pop("queue"))
        least, most = result["tcp_min_max"]
        said = {key: value for key, value in result.items() if key not in ("case", "tcp_min_max")}
        assert said | {"tcp_min_mbit_s": least, "tcp_max_mbit_s": most} == row
    assert [row["exercise"] for row in copies["exercises"]] == [5, 6] and copies["kernel"] == SHEET["kernel"]


def test_the_thresholds_of_chapter_8b_are_the_sheets() -> None:
    copies = json.loads((ROOT / "book/data/geni-reordering.json").read_text())
    delay, jitter = (result for result in SHEET["results"] if result["exercise"] == 7)
    known = [
        (cc, float(threshold), value)
        for cc in ("cubic", "reno")
        for threshold, value in jitter[f"{cc}_mbit_s_by_tcp_reordering"].items()
    ]
    rows = [(row["cc"], row["tcp_reordering"], row["mbit_s"]) for row in copies["results"]]
    assert rows == [("cubic", 3, delay["cubic_mbit_s"]), *known] and copies["kernel"] == SHEET["kernel"]
    assert [row["jitter_ms"] for row in copies["results"]] == [0] + [75] * len(known)
