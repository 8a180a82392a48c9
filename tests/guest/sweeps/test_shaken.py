"""LABKIT_SHAKE reaches whatever enters the lab: runs, sweeps, workers elsewhere, open laboratories; once."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

import pytest

from labkit import Change, Experiment, Flow, Lab, pair, run, sweep
from labkit.execute.session import shaking
from labkit.spec.shaken import MOST, shaken

NETWORK = pair(rate="10mbit", delay="10ms", queue="100p")
EXP = Experiment(NETWORK, flows=[Flow("left", "right", size="20kB")])


@pytest.fixture(autouse=True)
def third(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(shaking.VARIABLE, "3")


def test_a_run_is_shaken_once_and_had_again_as_it_was() -> None:
    result = run(EXP)
    assert result.experiment == shaken(EXP, 3)
    assert result.also(probes={"drops"}).experiment.seed == result.seed
    assert run(result.experiment).digest() == result.digest() != run(shaken(EXP, 4)).digest()


class Elsewhere(Executor):
    """Workers on another machine, which knows nothing of our environment."""

    def submit(self, fn: Any, /, *args: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv(shaking.VARIABLE)
            future.set_result(fn(*args, **named))
        return future


@pytest.mark.parametrize("executor", [None, Elsewhere()], ids=["threads", "elsewhere"])
def test_the_runs_of_a_sweep_are_shaken_wherever_they_run(executor: Executor | None) -> None:
    table = sweep(EXP, {"flows.cc": ["reno"]}, seeds=[5], executor=executor, progress=False).table
    assert (
        table.spec_digest[0]
        == shaken(EXP.replace(flows=[EXP.flows[0].replace(cc="reno")], seed=5), 3).digest()
    )
    assert table.seed[0] == 5 and not table.error[0]


def test_an_open_laboratory_is_shaken_with_its_flows_and_changes() -> None:
    with Lab(NETWORK) as lab:
        link = lab.experiment.topology.links[0]
        assert link == shaken(EXP, 3).topology.links[0]
        lab.start(EXP.flows[0])
        lab.advance("1s")
        lab.change(Change(0, ("left", "right"), delay="20ms"))
        said = lab.run("left", "ping -c 1 -q right").stdout
        result = lab.result()
    rtt_ms = float(said.split(" = ")[1].split("/")[1])
    base_ms = 2000 * (link.forward.delay + link.backward.delay)
    assert abs(rtt_ms - base_ms) < 1  # the times of two small packets on the line
    assert rtt_ms != pytest.approx(40, abs=1e-3)
    assert 0 < result.experiment.flows[0].start <= 0.04 * (1 + MOST)
    assert [one.direction for one in result.experiment.changes] == ["forward", "backward"]
    assert result.experiment.shaken == 3
