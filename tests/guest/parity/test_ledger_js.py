"""The ledger in JavaScript says what labkit's says of the same bytes, cell by cell."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given, note

from labkit.errors import LabkitError, LimitReached
from labkit.lab.laboratory import Lab
from labkit.results.ledger import Accounts, ledger
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Capture, Change, Command, Experiment, Flow
from labkit.spec.topologies import dumbbell
from tests import fuzz
from tests.strategies import experiments as any_experiments
from tests.strategies import stressed
from tests.web.decode.decoded import columns_of, differences, needs_node, read_columns
from tests.web.results.experiments import experiments

DUMP = Path(__file__).parents[2] / "web/results/dump.mjs"
EXPERIMENTS = experiments()
PROBES = {"drops", "recovery", "tcp_probe", "queue", "backlog"}
COUNTS = ["flow", "way", "sent", "delivered", "lost", "in_flight"]
Told = dict[str, Any]


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


@cache
def result_of(name: str) -> Result:
    """Of an experiment, captured at every host, however it ended."""
    exp = EXPERIMENTS[name]
    ends = [Capture(host, snap=128) for host in exp.topology.names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run(exp.replace(probes=exp.probes | PROBES, capture=ends))
        except LimitReached as limit:
            assert isinstance(limit.result, Result)
            return limit.result


def by_javascript(results: Iterable[Result]) -> list[Told]:
    """ledger and balance of each, by one process for all."""
    asked = [
        {"raw": str(one.folder / "raw"), "manifest": str(one.folder / "manifest.json")} for one in results
    ]
    done = subprocess.run(
        ["node", DUMP], input=json.dumps(asked), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    told: list[Told] = json.loads(done.stdout)
    return told


@cache
def all_told() -> dict[str, Told]:
    return dict(zip(EXPERIMENTS, by_javascript(map(result_of, EXPERIMENTS)), strict=True))


def assert_alike(result: Result, told: Told) -> None:
    assert "error" not in told, told["error"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table, balance = ledger(result), Accounts(result).balance().reset_index()
    assert not differences(columns_of(table), read_columns(told["ledger"]))
    causes = sorted(set(balance.columns) - set(COUNTS))  # pandas has them in an order that says nothing
    assert not differences(columns_of(balance[COUNTS + causes]), read_columns(told["balance"]))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_cell_of_the_ledger_is_the_same(name: str) -> None:
    assert_alike(result_of(name), all_told()[name])


def test_so_it_is_of_an_open_laboratory() -> None:
    network = dumbbell(rate="10mbit", delay="10ms", queue="20p")
    hosts = [Capture(host) for host in network.names]
    with Lab(network, probes=PROBES, capture=hosts) as lab:
        lab.start(Flow("left", "right", size="300kB"))
        lab.advance("100ms")
        lab.change(Change(0, ("r1", "r2"), loss="5%"))
        lab.run("left", "ping -c 3 -i 0.1 right")
        lab.advance("1s")
        result = lab.result()
    assert len(result.ledger())
    assert_alike(result, *by_javascript([result]))


@pytest.mark.parametrize("duration", ["10ms", "300ms"])
def test_so_it_is_of_packets_whose_flow_is_over(duration: str) -> None:
    """A SYN and its RST, or a window of data and its acknowledgements; besides, a SYN for nobody."""
    network = dumbbell(rate="10mbit", delay="20ms", queue="200p")
    nobody = Command("left", "bash -c ': > /dev/tcp/right/9'", at="800ms", check=False)
    flows = [Flow("left", "right", duration=duration)]
    result = captured(Experiment(network, flows=flows, commands=[nobody], duration="1s"))
    assert (result.drops["cause"] == "flow over").sum() > 1
    assert result.ledger()["cause"].tolist() == ["no socket"]
    assert_alike(result, *by_javascript([result]))


def captured(experiment: Experiment) -> Result:
    """What is drawn may be more than a machine holds, or not to be run: then it is no example."""
    ends = [Capture(host, snap=128) for host in experiment.topology.names]
    try:
        return run(experiment.replace(probes=experiment.probes | PROBES, capture=ends), cache=False)
    except LabkitError:
        assume(False)
        raise


@fuzz.of(12)
@given(experiment=any_experiments())
def test_so_it_is_of_any_experiment(experiment: Experiment) -> None:
    assume(experiment.flows)
    note(experiment.to_json())
    result = captured(experiment)
    assert_alike(result, *by_javascript([result]))


@fuzz.of(6)
@given(experiment=stressed())
def test_so_it_is_under_stress(experiment: Experiment) -> None:
    assume(experiment.flows)
    note(experiment.to_json())
    result = captured(experiment)
    assert_alike(result, *by_javascript([result]))


@cache
def all_ledgers() -> pd.DataFrame:
    tables = [ledger(result_of(name)).astype(object) for name in EXPERIMENTS]
    return pd.concat(tables, ignore_index=True)


def test_the_experiments_lose_packets_for_all_causes_and_find_them_in_all_ways() -> None:
    """So that no rule of the ledger goes without being held against the other."""
    found = all_ledgers()
    causes = {
        *("queue full", "early drop", "ack filtered", "wire loss", "burst loss", "named loss", "wire full"),
        "corrupted",
        *("link down", "queue replaced", "accept queue full", "SYN queue full", "no socket", "filtered"),
        *("frame check failed", "ring full", "no route", "ttl exceeded", "socket buffer full"),
    }
    assert causes <= set(found["cause"])
    ways = {"sack", "rack", "tlp", "rto", "dupack", "partial ack", "syn timeout", "not needed", "not found"}
    assert set(found["found_by"].dropna()) == ways
    assert found["burst"].max() > 1
    assert found["transmission"].max() > 2


def test_what_was_not_recorded_is_named() -> None:
    network = dumbbell(rate="10mbit", delay="10ms", queue={"kind": "red", "bytes": "64kB"})
    bare = Experiment(network, flows=[Flow("left", "right", size="30kB")], probes=set())
    captured = bare.replace(probes=PROBES, capture=["left"])
    without, half = (told["error"] for told in by_javascript([run(bare), run(captured)]))
    probes = ["drops", "queue", "recovery", "tcp_probe"]
    names = ", ".join(f'"{probe}"' for probe in probes)
    assert without["name"] == "ProbeMissingError"
    assert without["message"] == f"{', '.join(probes)}: not recorded: run again with probes={{{names}}}"
    assert half["name"] == "CaptureMissingError"
    assert half["message"] == 'right: not captured: run again with capture=["right"]'


def test_a_queue_that_drops_early_is_asked_how_full_it_was_only_where_it_dropped() -> None:
    network = dumbbell(rate="10mbit", delay="10ms", queue={"kind": "red", "bytes": "64kB"})
    bare = {"probes": PROBES - {"queue", "backlog"}, "capture": ["left", "right"]}
    calm, full = (
        Experiment(network, flows=[Flow("left", "right", size=size)], **bare) for size in ("10kB", "5MB")
    )
    without, lost = by_javascript([run(calm), run(full)])
    assert without["ledger"][0]["values"] == []
    assert lost["error"]["name"] == "ProbeMissingError"
    assert lost["error"]["message"] == 'queue was not recorded: run again with probes={"queue"}'
