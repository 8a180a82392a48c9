"""A sweep's figures of applications are those of their tables."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.errors import SpecError
from labkit.measures.experience import UNITS
from labkit.measures.vocabulary import as_measure
from labkit.spec import Call, DropPackets, Experiment, Flow, Interactive, Pings, Stream, WebObject, WebPage
from labkit.spec.topologies import pair
from labkit.sweeps.sweeping import sweep
from tests.guest.helpers import NOTHING, fresh

ALL = [
    WebPage("left", "right", objects=[WebObject("a", "30kB"), WebObject("b", "30kB")], name="page"),
    Interactive("left", "right", duration="5s", name="session"),
    Stream("left", "right", length="8s", ladder=["500kbit", "1mbit"], segment="2s", name="stream"),
    Call("left", "right", duration="5s", name="call"),
    Pings("left", "right", count=50, every="100ms", name="pings"),
    Flow("left", "right", size="10kB", name="flow"),
]
NETWORK = pair(rate="3mbit", delay="20ms", queue="50p", loss="3%", backward={"rate": "3mbit", "loss": "3%"})


def test_every_application_has_its_figures_and_no_others() -> None:
    result = fresh(Experiment(NETWORK, flows=ALL, probes=NOTHING))
    rows = {row["flow"]: row for row in as_measure(list(UNITS))(result)}
    assert list(rows) == ["page", "session", "stream", "call", "pings"]
    have = {flow: {name for name, value in row.items() if value is not None} for flow, row in rows.items()}
    own = [have[flow] - {"flow"} for flow in rows]
    assert set().union(*own) == set(UNITS) and sum(map(len, own)) == len(UNITS)
    assert rows["page"]["load_s"] == result.pages["load_s"][0]
    latency, delay = result.keystrokes["latency_s"], result.calls["delay_s"]
    assert rows["session"]["echo_median_s"] == pytest.approx(np.median(latency))
    assert rows["session"]["echo_above_100ms"] == (latency > 0.1).mean()
    assert rows["stream"]["mean_rate"] == pytest.approx(result.segments["rate"].mean() / 1e6)
    assert rows["call"]["call_lost"] == delay.isna().mean() > 0
    assert (
        rows["pings"]["ping_loss"] == pytest.approx(result.pings["rtt_s"].isna().mean())
        and rows["pings"]["ping_loss"]
    )
    assert rows["pings"]["ping_median_ms"] == pytest.approx(1000 * result.pings["rtt_s"].median())
    assert rows["call"]["call_late"] == pytest.approx(((delay > 0.15) | delay.isna()).mean())


def test_what_never_came_is_missing_and_late() -> None:
    dead = pair(delay="10ms", loss=DropPackets(list(range(5, 1000))))
    session = Interactive("left", "right", duration="4s")
    result = fresh(Experiment(dead, flows=[session], duration="5s", probes=NOTHING))
    row = as_measure(["echo_median_s", "echo_p95_s", "echo_above_300ms"])(result)[0]
    assert row["echo_median_s"] is None and row["echo_p95_s"] is None
    assert row["echo_above_300ms"] > 0.5


def test_a_sweep_takes_them_by_name() -> None:
    exp = Experiment(pair(rate="10mbit", delay="10ms"), flows=[ALL[0]], probes=NOTHING)
    swept = sweep(exp, {"flows.page.http": ["1.1", "2"]}, 2, measure=["load_s", "first_object_s"])
    assert swept.table["load_s"].notna().all() and len(swept.table) == 4
    assert (swept.table["first_object_s"] <= swept.table["load_s"]).all()


def test_they_do_not_mix_with_others() -> None:
    with pytest.raises(SpecError, match="measure='load_s': not with 'goodput'"):
        as_measure(["goodput", "load_s"])
