"""Sweeps beside published figures: the file's part, the checks, the column, the figure. Nothing is run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from labkit import Experiment, Flow, SpecError, SweepFile, charts, cli, dumbbell
from labkit.sweeps import Published, sweep
from tests.ran import Ran, sweeping

LOSS, CC = "links.r1-r2.forward.loss", "flows.cc"
EXP = Experiment(
    dumbbell(rate="10mbit"),
    flows=[
        Flow("left", "right", size="1MB"),
        Flow("left", "right", size="1MB"),
        Flow("left", "right", protocol="udp", rate="1mbit", size="10kB"),
    ],
)
FILE = f"""
experiment: exp.json
grid:
  {LOSS}: [0%, 5%]
  {CC}: [reno, cubic]
seeds: 2
measure: [goodput_sum, goodput_min]
published:
  source: a paper
  rows:
    - {{{LOSS}: 5%, {CC}: reno, protocol: tcp, goodput_sum: 3.5}}
    - {{{LOSS}: 0%, protocol: tcp, goodput_sum: [8, 10], goodput_min: 4}}
"""


def two_and_three(exp: Experiment) -> Ran:
    """2 and 3 Mbit/s of TCP, half of UDP's datagrams lost."""
    names = pd.Index([flow.name for flow in exp.flows], name="flow")
    protocols = [flow.protocol for flow in exp.flows]
    flows = {
        "protocol": protocols,
        "start_s": 0.5,
        "complete": exp.seed < 2,
        "sent_packets": [10 * (protocol == "udp") for protocol in protocols],
        "received_packets": [5 * (protocol == "udp") for protocol in protocols],
        "retransmits": pd.array([7 if p == "tcp" else pd.NA for p in protocols], "Int64"),
    }
    samples = {
        "flow": names[0],
        "side": ["sender", "sender", "receiver", "sender"],
        "time_s": [0.5, 1.5, 1.6, 2.5],
        "bytes_acked": [0, 250_000, 1, 500_000],
    }
    tables = {"flows": pd.DataFrame(flows, names), "tcp_info": pd.DataFrame(samples)}
    return Ran(exp, tables, rates=[2.0, 3.0 + exp.seed, 0.5][: len(names)])


@pytest.fixture(autouse=True)
def ran() -> Iterator[None]:
    with sweeping(two_and_three):
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    EXP.replace(flows=EXP.flows[:2]).save(tmp_path / "exp.json")
    (tmp_path / "sweep.yaml").write_text(FILE)
    return tmp_path / "sweep.yaml"


def test_published_figures_stand_beside_means_and_in_the_table(path: Path) -> None:
    swept = SweepFile.load(path).run(progress=False)
    summary = swept.summary().set_index([LOSS, CC, "measure"])
    assert list(summary.columns) == ["protocol", "n", "published", "mean", "std", "low", "high", "incomplete"]
    assert summary["published"].loc[[(0.05, "reno", "goodput_sum")]].tolist() == [3.5]
    assert summary["published"].loc[[(0.0, "cubic", "goodput_min")]].tolist() == [4]
    assert math.isnan(summary["published"][0.05, "cubic", "goodput_sum"])
    table = swept.table.set_index([LOSS, CC, "seed"])
    assert table["published goodput_sum"][0.05, "reno", 1] == 3.5
    assert table["published goodput_min"].loc[0.0].tolist() == [4.0] * 4
    assert swept.measures == ("goodput_sum", "goodput_min")


def test_only_what_was_published_is_compared(path: Path) -> None:
    compared = SweepFile.load(path).run(progress=False).compared()
    assert compared["case"].tolist() == ["0%, reno", "0%, cubic", "5%, reno"]
    assert compared["published"].tolist() == [9, 9, 3.5]
    assert compared["measured"].tolist() == [5.5] * 3
    assert compared.attrs["source"] == "a paper"
    chart = charts.published(compared, "case")
    assert "5%, reno: published 3.5, measured 5.5 (1.57 times)." in chart.description


def test_nothing_published_is_nothing_to_compare() -> None:
    swept = sweep(EXP, {LOSS: ["0%"]}, 1, measure="goodput_sum", progress=False)
    assert "published" not in swept.summary()
    with pytest.raises(SpecError, match="compared: nothing was published"):
        swept.compared()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("a paper", "''", "published.source=.*: .*at least 1"),
        (f"{CC}: reno, p", f"{CC}: bic, p", r"rows\[0\].flows.cc='bic': not in the grid, .* reno, cubic"),
        ("5%, flows", "6%, flows", r"rows\[0\]\..*loss='6%': not in the grid, which has 0.0, 0.05"),
        ("goodput_sum: 3.5", "godput: 3.5", r"published.rows\[0\].godput: neither an axis nor"),
        ("goodput_sum: [8, 10], goodput_min: 4", "flows: 9", r"rows\[1\].flows: neither"),
        ("protocol: tcp, goodput_sum: 3.5", "protocol: tcp", r"rows\[0\]: no figure: name one of"),
        ("goodput_sum: 3.5", "goodput_sum: a lot", r"rows\[0\].goodput_sum='a lot': must be a number, or"),
        (f"{LOSS}: 5%, {CC}: reno, p", "p", r"rows\[1\]: a second goodput_sum for the same point"),
        ("rows:", "lines:", r'did you mean "rows"\?|rows: missing'),
    ],
)  # fmt: skip
def test_a_published_row_that_fits_no_point_is_one_message(
    old: str, new: str, said: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in FILE
    path.write_text(FILE.replace(old, new))
    assert cli.main(["sweep", str(path)]) == cli.FAILED
    message = capsys.readouterr().err
    assert re.search(said, message) and "sweep.yaml" in message and "Traceback" not in message


def test_published_figures_need_measures_by_name() -> None:
    with pytest.raises(SpecError, match="published: goes with measures by name"):
        sweep(EXP, {LOSS: ["0%"]}, 1, measure=len, published=Published("s", [{"goodput": 1}]))


def test_the_command_prints_them_and_whose_they_are(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv = path.with_name("rows.csv")
    assert cli.main(["sweep", str(path), "--csv", str(csv)]) == cli.OK
    said = capsys.readouterr().out
    assert re.search(r"0.05 +reno +tcp +goodput_sum +2 +3.5 +5.5", said)
    assert said.endswith("published: a paper\n")
    assert pd.read_csv(csv)["published goodput_sum"].notna().sum() == 6
    assert cli.main(["sweep", str(path), "--json"]) == cli.OK
    found = json.loads(capsys.readouterr().out)
    assert found["published"] == "a paper"
    assert [row["published"] for row in found["summary"][:2]] == [9, 4]
    assert found["rows"][-1]["published goodput_sum"] is None


def test_a_sweep_can_be_had_of_other_fields(path: Path) -> None:
    short = SweepFile.load(path).at({"flows.size": "10kB"})
    assert isinstance(short.experiment, Experiment) and short.experiment.flows[1].size == 10_000
    with pytest.raises(SpecError, match=r"'exp.json': not read yet: use SweepFile.load"):
        SweepFile.from_yaml(FILE).run()


# --- figures of several flows, and by the second


def test_flows_are_taken_together_by_protocol() -> None:
    names = ["goodput_sum", "goodput_min", "goodput_max", "retransmits_sum", "datagrams_lost"]
    table = sweep(EXP, {LOSS: ["0%"]}, 1, measure=names, progress=False).table.set_index("protocol")
    assert table.loc["tcp", names].tolist()[:4] == [5, 2, 3, 14]
    assert table.loc["udp", names].dropna().tolist() == [0.5, 0.5, 0.5, 0.5]
    assert math.isnan(table.loc["tcp", "datagrams_lost"])


def test_goodput_in_each_second_is_what_was_acknowledged_in_it() -> None:
    table = sweep(EXP, {LOSS: ["0%"]}, 1, measure="goodput_in_second", progress=False).table
    assert table["second"].tolist() == ["1", "2"] * 2
    assert table["goodput_in_second"].tolist() == pytest.approx([2, 2, 0, 0])  # one that was never there


def test_figures_per_flow_and_of_all_do_not_go_together() -> None:
    said = "'goodput': not with 'goodput_sum', which is per protocol, as are goodput_sum,"
    with pytest.raises(SpecError, match=said):
        sweep(EXP, {LOSS: ["0%"]}, 1, measure=["goodput_sum", "goodput"])


# --- labkit run


def test_run_takes_a_sweeps_file_for_the_experiment_in_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from labkit.results import run as running

    seen: list[Experiment] = []

    def run(exp: Experiment, **_: Any) -> None:
        seen.append(exp)
        raise SpecError("enough")

    monkeypatch.setattr(running, "run", run)
    assert cli.main(["run", str(path)]) == cli.FAILED
    assert seen == [EXP.replace(flows=EXP.flows[:2])]


# --- the figure


def test_without_intervals_none_are_drawn() -> None:
    table = pd.DataFrame({"case": ["a"], "published": [1.0], "measured": [2.0]})
    assert len(charts.published(table, "case").layer) == 1
    assert len(charts.published(table.assign(measured_low=1.9, measured_high=2.1), "case").layer) == 2
