"""The room of probes: what each declares holds together, and a new one needs no other room.

The recorded run is that of test_result.py; its trace has every event of the probes that it was made with.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

from labkit import charts, probes
from labkit.charts.figure import EmptyFigureError, FigureError
from labkit.compile.compiler import compile_experiment
from labkit.compile.measuring import HOST_PROBES, TRACED
from labkit.decode import plain_tables as plain
from labkit.errors import SpecError
from labkit.probes import KINDS
from labkit.probes.probe import Event, EventChart, Probe, Sample, Scene
from labkit.results.protocol import Charts
from labkit.results.result import ProbeMissingError, Result
from labkit.spec import DEFAULT_PROBES, Experiment, Flow
from labkit.spec.topologies import dumbbell, pair

RECORDED = Path(__file__).parent / "data/small-run.zip"
FULL = Scene(True, (12, 20), True, False, range(10000, 20000), range(20000, 30000))
SPELT_OUT = {"tcp_info", "tcp_probe", "retransmissions", "cong_states", "backlog", "queue", "aqm", "classes"}
"""The tables that are properties of a Result, for type checkers; others need not be."""
every_probe = pytest.mark.parametrize("name", sorted(KINDS))


def recorded_with(folder: Path, *names: str) -> Result:
    """The recorded run as if these probes alone had been on: its trace has their events."""
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["experiment"]["probes"] = list(names)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return Result(folder)


def transfer(*names: str) -> Experiment:
    return Experiment(dumbbell(rate="10mbit"), flows=[Flow("left", "right", size="1MB")], probes=set(names))


# What all of them declare.


def test_the_room_needs_no_numpy() -> None:
    hidden = "import sys; sys.modules.update(dict.fromkeys(('numpy', 'pandas', 'altair')))"
    found = subprocess.run([sys.executable, "-c", f"{hidden}; import labkit.probes"], capture_output=True)
    assert not found.stderr


@every_probe
def test_it_goes_by_its_name_and_says_what_it_tells(name: str) -> None:
    assert KINDS[name].name == name
    assert KINDS[name].doc and "\n" not in KINDS[name].doc


@every_probe
def test_it_measures_something(name: str) -> None:
    probe = KINDS[name]
    assert probe.samples or probe.events(FULL) or probe.drop_monitor


@every_probe
def test_its_tables_are_made_of_events_that_it_traces(name: str) -> None:
    traced = {event.name for event in KINDS[name].events(FULL)}
    for table in KINDS[name].tables.values():
        assert set(table.events) <= traced
        assert table.units()


@every_probe
def test_its_figures_show_columns_of_its_tables(name: str) -> None:
    for chart in KINDS[name].charts.values():
        units = KINDS[name].tables[chart.table].units()
        assert {"time_s", chart.y, chart.series, *chart.only} <= set(units)


def test_no_name_of_a_table_or_figure_is_taken_twice() -> None:
    for names in (probes.tables(), probes.charts()):
        assert len(set(names)) == len(names)
    assert {name for name in probes.tables() if hasattr(Result, name)} == SPELT_OUT
    assert not [name for name in probes.charts() if hasattr(Charts, name) or name in charts.__all__]


def test_what_a_machines_own_kernel_offers_and_what_needs_root_there() -> None:
    assert {"tcp_info", "backlog", "tcp_probe", "recovery", "retransmit", "cc_info"} == HOST_PROBES
    assert {"tcp_probe", "recovery", "retransmit"} == TRACED & HOST_PROBES
    assert {"tcp_info", "backlog", "tcp_probe"} == DEFAULT_PROBES


@every_probe
def test_on_a_shared_kernel_it_looks_at_no_strangers_connections(name: str) -> None:
    mine = FULL.of_flows
    scene = Scene(True, (12,), False, True, FULL.sports, FULL.dports)
    if KINDS[name].shared_kernel_ok:
        strict = f"{mine} && dport >= 20000 && dport < 30000"
        assert {event.filter for event in KINDS[name].events(scene)} <= {strict}


# What becomes of them in a program.


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("drop", r"probes\[0\]='drop': no such probe \(did you mean \"drops\"\?\)"),
        ("zzz", "no such probe: there are tcp_info, .*retransmit"),
        (3, r"probes\[0\]=3: must be text"),
    ],
)
def test_a_probe_that_does_not_exist_is_refused_by_name(wrong: object, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Experiment(pair(), duration=1, probes=[wrong])


def test_probes_are_written_as_a_sorted_list() -> None:
    assert '"probes":["drops","queue","recovery"]' in transfer("recovery", "queue", "drops").canonical()


def test_an_event_of_two_probes_is_traced_once() -> None:
    alone = compile_experiment(transfer("recovery"))
    both = compile_experiment(transfer("recovery", "retransmit"))
    assert alone.program == both.program
    assert both.why.count("trace tcp/tcp_retransmit_skb") == 1


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [("a == 1", "a == 1", "a == 1"), ("a == 1", "b == 2", "(a == 1) || (b == 2)"), ("a == 1", "", "")],
)
def test_two_filters_of_an_event_let_through_what_either_does(one: str, other: str, both: str) -> None:
    first, second = Event("x/y", one, bytes=8), Event("x/y", other, bytes=16)
    assert first.joined(second) == Event("x/y", both, bytes=16)
    assert second.joined(first).bytes == 16


# The probe "retransmit".


def test_each_segment_sent_again_has_a_row_and_a_number(tmp_path: Path) -> None:
    result = recorded_with(tmp_path / "one", "retransmit", "recovery")
    table = result.retransmit
    common = ["time_s", "flow", "side", "state"]
    pd.testing.assert_frame_equal(table[common], result.retransmissions, check_exact=True)
    assert len(table) == result.retransmits()["left-right"] == 2
    assert table["number"].tolist() == list(range(1, len(table) + 1))
    assert set(zip(table["sport"], table["dport"], strict=True)) == {(10000, 20000)}
    assert table.attrs["units"] == result.units("retransmit")
    assert list(table) == list(result.units("retransmit"))


def test_its_figure_says_how_many_and_when(tmp_path: Path) -> None:
    result = recorded_with(tmp_path / "one", "retransmit")
    count, times = len(result.retransmit), result.retransmit["time_s"]
    chart = result.charts.retransmit()
    assert f"left-right: {count} segments sent again, the first at {times.iloc[0]:.3g} s" in chart.description
    assert [row["number"] for row in chart.datasets["retransmit"]] == list(range(1, count + 1))
    assert charts.retransmit(result).to_dict() == chart.to_dict()
    part = result.charts.retransmit(end=float(times.iloc[0]))
    assert "left-right: 1 segment sent again" in part.description


def test_a_figure_of_nothing_sent_again_says_so(tmp_path: Path) -> None:
    result = recorded_with(tmp_path / "one", "retransmit")
    with pytest.raises(EmptyFigureError, match=r'retransmit: nothing to draw: .*loss="1%"'):
        result.charts.retransmit(["left-right#2"])


# A new one: from event to table to figure in one place, which is here.


def _of_tcp(scene: Scene) -> Sequence[Event]:
    return [Event("skb/kfree_skb", "protocol == 2048", bytes=64)] if scene.tcp else []


FREED = Probe(
    "freed",
    "every buffer that the kernel frees for a reason",
    samples=(Sample.QDISCS,),
    events=_of_tcp,
    nothing="no TCP flow here",
    tables={
        "freed": plain.EventTable(
            "One row per buffer.",
            {
                "time_s": plain.seconds("at_ns", "s"),
                "reason": plain.traced("reason", "its number"),
                "number": plain.nth(("reason",), "so far"),
            },
            "skb/kfree_skb",
        ),
        "unseen": plain.EventTable("One row per buffer.", {}, "skb/consume_skb"),
    },
    charts={
        "freed_over_time": EventChart(
            "freed",
            y="number",
            y_title="Buffers freed",
            title="Freed",
            caption="What was freed.",
            rows=("buffer freed", "buffers freed"),
            lacks="none was freed",
            cure="send some",
            series="reason",
        )
    },
)


@pytest.fixture
def freed(monkeypatch: pytest.MonkeyPatch) -> Probe:
    monkeypatch.setitem(KINDS, "freed", FREED)
    return FREED


def test_a_new_probe_is_taken_by_an_experiment_and_compiled(freed: Probe) -> None:
    exp = transfer("freed")
    assert Experiment.from_json(exp.to_json()) == exp
    why = compile_experiment(exp).why
    assert "trace skb/kfree_skb" in why and "probe freed" in why
    assert b"protocol == 2048\0" in compile_experiment(exp).program
    both = compile_experiment(transfer("freed", "queue", "backlog"))
    assert both.why.count("trace skb/kfree_skb") == 1 and "probe freed" not in both.why
    assert b"protocol == 2048" not in both.program  # the queue needs all


def test_a_new_probe_has_its_table_with_units(freed: Probe, tmp_path: Path) -> None:
    result = recorded_with(tmp_path / "one", "freed")
    assert result.freed is result.table("freed")
    assert len(result.freed) == len(result.trace("skb:kfree_skb")) == 4
    assert result.freed.attrs["units"] == result.units("freed") == FREED.tables["freed"].units()
    assert "freed" in dir(result)


def test_a_new_probe_has_its_figure(freed: Probe, tmp_path: Path) -> None:
    result = recorded_with(tmp_path / "one", "freed")
    chart = result.charts.freed_over_time()
    total = sum(len(mine) for _, mine in result.freed.groupby("reason"))
    assert len(chart.datasets["freed_over_time"]) == total
    assert chart.description.startswith("Freed. ") and "buffers freed, the first at" in chart.description
    assert "freed_over_time" in dir(result.charts)
    with pytest.raises(FigureError, match="a series per reason, not per flow"):
        charts.freed_over_time(result, flows=["left-right"])
    pair_of = charts.freed_over_time({"one": result, "two": result})
    assert {row["series"].split(": ")[0] for row in pair_of.datasets["freed_over_time"]} == {"one", "two"}


def test_a_new_probe_says_why_there_is_nothing_to_trace(freed: Probe, tmp_path: Path) -> None:
    result = recorded_with(tmp_path / "one", "freed")
    with pytest.raises(ProbeMissingError, match=r"^freed: nothing to trace: no TCP flow here$"):
        result.table("unseen")


def test_what_no_probe_has_is_not_there(tmp_path: Path) -> None:
    result = recorded_with(tmp_path / "one")
    with pytest.raises(AttributeError, match="has no 'freed'"):
        result.freed  # noqa: B018
    with pytest.raises(AttributeError, match=r'has no .retransmt. .did you mean "retransmit"'):
        result.charts.retransmt  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'freed_over_time'"):
        charts.freed_over_time  # noqa: B018
    with pytest.raises(
        FigureError, match="'freed_over_time': no probe has such a figure: there are retransmit"
    ):
        charts.of_probe("freed_over_time", result)
