"""Packets that a flow's own end makes useless: they arrive when the socket they are for is gone. They have a
name of their own, and are no losses."""

from __future__ import annotations

import pytest

from labkit import Call, Command, DropPackets, Experiment, Flow, Requests, Result, pair, run

CUT = Flow("left", "right", duration="1s", name="cut")
ALONE = Experiment(
    pair(rate="10mbit", delay="20ms", queue="200p"), flows=[CUT], duration="4s", probes=["drops"]
)


def late(result: Result) -> int:
    drops = result.drops
    mine = drops[drops["cause"] == "flow over"]
    assert mine["arrived"].all() and (mine["flow"] == "cut").all() and (mine["reason"] == "NO_SOCKET").all()
    return len(mine)


def test_a_run_without_loss_has_none_in_its_ledger() -> None:
    """A window of data and its acknowledgements are under way when the flow is cut."""
    result = run(ALONE)
    assert late(result) > 50
    assert not result.drops["cause"].eq("no socket").any()
    assert result.ledger().empty
    balance = result.balance()
    assert balance["lost"].eq(0).all() and balance["sent"].equals(balance["delivered"])


def test_what_is_lost_beside_them_is_counted() -> None:
    result = run(
        ALONE.replace(topology=pair(rate="10mbit", delay="20ms", queue="200p", loss=DropPackets([30])))
    )
    assert late(result) > 50
    assert result.ledger()["cause"].tolist() == ["named loss"]


def test_a_syn_that_comes_too_late_is_one() -> None:
    """The flow lasts 10 ms, its first packet 20 ms, and so does the RST that answers it."""
    result = run(ALONE.replace(flows=[CUT.replace(duration="10ms")]))
    assert late(result) == 2
    assert result.ledger().empty


@pytest.mark.parametrize("port", [9, 20_000])
def test_where_nobody_listens_a_packet_is_lost(port: int) -> None:
    """20,000 is among the ports of flows, but it is no flow's."""
    lines = [f"bash -c 'echo hello > /dev/udp/right/{port}'", f"bash -c ': > /dev/tcp/right/{port}'"]
    commands = [Command("left", line, at="3s", check=False) for line in lines]
    result = run(ALONE.replace(commands=commands))
    lost = result.ledger()
    assert lost["cause"].tolist() == ["no socket"] * 2
    assert lost["flow"].isna().all()
    assert late(result) > 50


@pytest.mark.parametrize(
    "flow",
    [
        Requests("left", "right", request="100B", response="200kB", duration="1s", name="cut"),
        Call("left", "right", duration="1s", name="cut"),
        Flow("left", "right", protocol="udp", rate="12mbit", duration="1s", name="cut"),
    ],
    ids=lambda flow: type(flow).__name__,
)
def test_no_kind_of_traffic_is_lost_by_its_own_end(flow: object) -> None:
    result = run(ALONE.replace(flows=[flow]))
    late(result)
    assert set(result.ledger()["cause"]) <= {"queue full"}
