"""The loss ledger: nothing unaccounted for, whatever the experiment. `make fuzz` tries more of them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given, note

from labkit.errors import LabkitError
from labkit.results.ledger import Accounts
from labkit.results.ledger.accounts import SNAP
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Capture, Change, Command, Experiment, Flow, Link, Topology
from tests import fuzz
from tests.strategies import experiments, stressed


def covered(packets: pd.DataFrame) -> int:
    """Bytes from the first on without a gap that arrived."""
    reach = 1
    some = packets[(packets["payload"] > 0) & (packets["fate"] == "delivered")].sort_values("seq")
    for seq, payload in zip(some["seq"], some["payload"], strict=True):
        if seq <= reach:
            reach = max(reach, seq + payload)
    return reach - 1


def watched(experiment: Experiment) -> Result:
    """Run with all that a ledger needs."""
    probes = experiment.probes | {"drops", "recovery", "tcp_probe", "queue"}
    ends = [Capture(host, snap=SNAP) for host in experiment.topology.names]
    return run(experiment.replace(probes=probes, capture=ends), cache=False)


def add_up(experiment: Experiment) -> None:
    """The run of what may be no experiment adds up."""
    try:
        result = watched(experiment)
    except LabkitError:
        assume(False)
    adds_up(result)


def adds_up(result: Result) -> None:
    """Every packet sent was delivered, lost for a named cause, or is under way."""
    accounts = Accounts(result)
    balance = accounts.balance()
    assert (balance["sent"] == balance[["delivered", "lost", "in_flight"]].sum(axis=1)).all()
    named = balance.drop(columns=["sent", "delivered", "lost", "in_flight"])
    assert (named.sum(axis=1) == balance["lost"]).all()
    ledger = result.ledger()
    assert len(ledger) == balance["lost"].sum()
    assert not ledger["cause"].isin(["unknown", "not specified"]).any()
    packets = accounts.packets
    for name, flow in result.flows[result.flows["protocol"] == "tcp"].iterrows():
        way = "ack" if name in set(result.requests["flow"]) else "data"  # responses go back
        mine = packets[(packets["flow"] == name) & (packets["way"] == way)]
        assert covered(mine) >= flow["received_bytes"]


@fuzz.of(30)
@given(experiment=experiments())
def test_every_run_adds_up(experiment: Experiment) -> None:
    assume(experiment.flows)
    note(experiment.to_json())
    add_up(experiment)


@fuzz.of(10)
@given(experiment=stressed())
def test_every_run_under_stress_adds_up(experiment: Experiment) -> None:
    assume(experiment.flows)
    note(experiment.to_json())
    add_up(experiment)


def balance_of(topology: Topology, **fields: Any) -> pd.DataFrame:
    ends = [Capture(host, snap=SNAP) for host in topology.names]
    return run(Experiment(topology, capture=ends, **fields), cache=False).balance()


def test_what_a_slow_reader_has_not_read_when_the_run_ends_has_arrived() -> None:
    network = Topology(["left", "right"], [Link("left", "right", delay="1ms")])
    sent = {"protocol": "udp", "rate": "2mbit", "packet": 1472, "duration": "50ms"}
    flow = Flow("left", "right", read_rate="10kbit", **sent)
    balance = balance_of(network, flows=[flow], duration="200ms", probes={"drops"})
    assert balance["delivered"].iloc[0] == balance["sent"].iloc[0] > 5


def test_what_a_router_holds_until_arp_is_answered_is_in_flight() -> None:
    """r1's link goes down and up, and its neighbour is 200 ms away: at the end, two packets wait in r1 for
    the answer, and the other three are on the wire."""
    network = Topology(["left", "r1", "right"], [Link("left", "r1"), Link("r1", "right", delay="200ms")])
    flow = Flow("left", "right", protocol="udp", rate="100kbit", packet=500, duration="200ms", start="10ms")
    flap = Command("r1", "ip link set eth1 down; ip link set eth1 up", at="50ms")
    balance = balance_of(network, flows=[flow], commands=[flap], duration="200ms")
    assert balance[["sent", "in_flight"]].iloc[0].tolist() == [5, 5]


@pytest.mark.parametrize("queue", ["cake", "fq_codel", "50p"])
def test_a_packet_that_tbf_had_peeked_at_when_its_queue_was_replaced_is_lost(queue: str) -> None:
    """It is in no queue's count then: freed with the queue that it was taken out of."""
    links = [Link("left", "r1", backward={"rate": "1mbit", "queue": queue}), Link("r1", "right")]
    flow = Flow("right", "left", protocol="udp", rate="2mbit", packet=1472, duration="100ms")
    change = Change("50ms", ("left", "r1"), rate="3mbit", queue=queue)
    network = Topology(["left", "r1", "right"], links)
    balance = balance_of(network, flows=[flow], changes=[change], duration="1.2s", probes={"drops"})
    assert balance["queue replaced"].sum() >= 1
    assert balance["in_flight"].sum() == 0


@pytest.mark.parametrize("line", ["true", "ethtool -K eth0 rx-all on"])
@pytest.mark.parametrize("end_ms", [23, 61, 104])
def test_what_collisions_leave_of_frames_is_no_packet(line: str, end_ms: int) -> None:
    """One end of the cable believes in full duplex, the other falls to half: stumps are counted as bad
    frames, or with rx-all handed to the host, beside the packets that they are left of."""
    ports = {"nic_a": {"speed": "10mbit", "autoneg": False}, "nic_b": {"speed": "10mbit"}}
    network = Topology(["left", "right"], [Link("left", "right", delay="100us", **ports)])
    flows = [
        Flow(a, b, protocol="udp", rate="9mbit", packet=700, pattern="poisson", duration="1s")
        for a, b in (("left", "right"), ("right", "left"))
    ]
    commands = [Command("left", line), Command("right", line)]
    balance = balance_of(network, flows=flows, commands=commands, duration=f"{end_ms}ms")
    assert balance["in_flight"].sum() > 0
    assert (balance["sent"] == balance[["delivered", "lost", "in_flight"]].sum(axis=1)).all()
