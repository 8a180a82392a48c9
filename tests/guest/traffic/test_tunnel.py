"""Tunnels: what goes in comes out, what does not was counted, and the kernel's own sockets carry it."""

from __future__ import annotations

import errno
from typing import Any

import numpy as np
import pytest

from labkit.errors import UnsupportedError
from labkit.lab.laboratory import Lab
from labkit.results.result import Result
from labkit.spec import (
    Change,
    Command,
    Direction,
    Experiment,
    Flow,
    Host,
    Link,
    Pings,
    Requests,
    Topology,
    Tunnel,
)
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, counter, fresh

MSS = 1348  # of a flow in a tunnel whose MTU is 1400, with time stamps 12 bytes less
PLAIN = dumbbell(rate="10mbit", delay="10ms", queue="100p")
OVER = pytest.mark.parametrize("over", ["tcp", "udp"])


def vpn(over: str = "tcp", **fields: Any) -> Tunnel:
    return Tunnel("left", "right", over=over, name="vpn", **fields)


def inside(**fields: Any) -> Flow:
    return Flow("left", "right", through="vpn", name="inner", **fields)


def ran(*flows: object, network: Topology = PLAIN, **fields: Any) -> Result:
    return fresh(Experiment(network, flows=flows, **({"probes": NOTHING} | fields)))


def gateways(*, loss: object = None, inside: dict[str, Any] | None = None) -> Topology:
    """Two hosts, each behind a gateway, and what is slow between these."""
    slow = {"rate": "10mbit", "delay": "10ms", "queue": "100p"}
    middle = Link("gw1", "gw2", forward=Direction(loss=loss, **slow), backward=Direction(**slow))
    fast: dict[str, Any] = {"rate": "100mbit", "queue": "1000p"}
    hosts = [Host("left", inside or {}), "gw1", "gw2", Host("right", inside or {})]
    return Topology(hosts, [Link("left", "gw1", **fast), middle, Link("gw2", "right", **fast)])


def device(result: Result, host: str, name: str) -> int:
    """A counter of a host's TUN device."""
    table = result.interfaces
    mine = table[(table["role"] == "tunnel") & (table["host"] == host) & (table["name"] == name)]
    return int(mine["delta"].sum())


def last_info(result: Result, flow: int, column: str) -> int:
    """Of the sender's last TCP_INFO. flow: its number."""
    table = result.recorded.tcp_info
    return int(table[(table["flow"] == flow) & (table["side"] == "sender")][column].iloc[-1])


_LISTEN = """/usr/bin/python3 -c 'import hashlib, socket
s = socket.create_server(("{address}", 7000)); c, _ = s.accept(); h = hashlib.sha256()
while data := c.recv(65536): h.update(data)
print(h.hexdigest())'"""
_SEND = """/usr/bin/python3 -c 'import hashlib, random, socket
data = random.Random(5).randbytes(700_001); s = socket.create_connection(("{address}", 7000)); s.sendall(data)
print(hashlib.sha256(data).hexdigest())'"""


@OVER
def test_every_byte_arrives_as_it_was_sent(over: str) -> None:
    """At 2 % loss, of random bytes between two programs."""
    address = "172.16.1.2"  # of the first tunnel's device at its dst
    commands = [
        Command("right", _LISTEN.format(address=address)),
        Command("left", _SEND.format(address=address), at="1s"),
    ]
    lossy = dumbbell(rate="10mbit", delay="10ms", queue="100p", loss="2%")
    result = fresh(Experiment(lossy, flows=[vpn(over)], commands=commands, probes=NOTHING))
    assert len(result.output(0)) == 65
    assert result.output(0) == result.output(1)


@OVER
def test_it_ends_with_the_run_and_the_run_with_the_flow(over: str) -> None:
    result = ran(inside(size="200kB"), vpn(over))
    flow, tunnel = result.flows.loc["inner"], result.flows.loc["vpn"]
    assert (flow["received_bytes"], flow["complete"], tunnel["complete"], tunnel["error"]) == (
        200_000,
        True,
        True,
        "",
    )
    assert result.virtual_s < 1
    assert tunnel["end_s"] == pytest.approx(result.virtual_s)
    assert tunnel["received_packets"] == device(result, "right", "rx_packets") >= 200_000 / 1460


@OVER
@pytest.mark.parametrize("loss", [None, "2%"])
def test_packets_in_a_tunnel_add_up(over: str, loss: object) -> None:
    """What is sent into a device has come out of the other, was lost in its queue, or is on its way. UDP: or
    was lost on the wire."""
    lossy = dumbbell(rate="10mbit", delay="10ms", queue="100p", loss=loss)
    result = ran(inside(duration="3s"), vpn(over, queue=20, sndbuf="64kB"), network=lossy, duration="4s")
    sent, came = device(result, "left", "tx_packets"), device(result, "right", "rx_packets")
    if over == "tcp":
        assert device(result, "left", "tx_dropped") > 0
        assert 0 <= sent - came <= 64_000 / MSS  # in the sockets: at most a send buffer and the path
        assert result.flows.loc["vpn", "sent_packets"] == sent
    else:
        assert device(result, "left", "tx_dropped") == 0
        assert sent - came > 0


def test_a_tcp_tunnel_loses_nothing_but_in_its_queue() -> None:
    """5 % on the wire, room in the queue: the inner flow sends nothing again."""
    lossy = gateways(loss="5%")
    flow = Flow("left", "right", size="300kB", mss=MSS, name="inner")
    result = ran(flow, Tunnel("gw1", "gw2", name="vpn", mtu=1400, nodelay=True, routed=True), network=lossy)
    assert result.flows["retransmits"]["vpn"] > 5
    assert (result.flows["retransmits"]["inner"], device(result, "gw1", "tx_dropped")) == (0, 0)


def test_what_an_inner_flow_sends_again_was_lost_in_the_queue_or_came_twice() -> None:
    """The receiver tells of what came twice (RFC 2883); once all is acknowledged, not a packet is missing."""
    result = ran(
        Flow("left", "right", size="4MB", mss=MSS, name="inner"),
        Tunnel("gw1", "gw2", name="vpn", mtu=1400, queue=50, sndbuf="32kB", routed=True),
        network=gateways(loss="1%"),
    )
    again, twice = int(result.flows["retransmits"]["inner"]), last_info(result, 0, "dsack_dups")
    lost = device(result, "gw1", "tx_dropped")
    assert lost > 0
    assert again == lost + twice


def test_gateways_carry_hosts_behind_them_with_their_own_addresses() -> None:
    result = ran(
        Flow("left", "right", size="100kB", name="inner"),
        Pings("right", "left", count=3, every="20ms", start="1s"),
        Tunnel("gw1", "gw2", name="vpn", routed=True),
        network=gateways(),
        capture=["right"],
    )
    packets = result.packet_table("right")
    assert set(packets["src"]) == {packets["src"].iloc[0], packets["dst"].iloc[0]} == {"10.0.1.1", "10.0.3.2"}
    assert result.flows["complete"].all()
    assert result.flows.loc["vpn", "sent_packets"] >= 100_000 / 1500
    np.testing.assert_allclose(result.pings["rtt_s"], 0.020, atol=0.001)


def test_a_packet_that_is_too_large_is_told_its_mtu() -> None:
    """Path MTU discovery (RFC 1191): hosts send 1500 bytes, the gateway's device has 1000."""
    flow = Flow("left", "right", size="100kB", name="inner")
    result = ran(flow, Tunnel("gw1", "gw2", name="vpn", mtu=1000, routed=True), network=gateways())
    assert result.flows.loc["inner", "complete"]
    assert last_info(result, 0, "pmtu") == 1000
    assert counter(result, "gw1", "IcmpOutDestUnreachs") > 0


@pytest.mark.parametrize(("mtu", "fragmented"), [(None, False), (1500, True)])
def test_datagrams_fit_the_path_unless_one_asks_for_more(mtu: int | None, fragmented: bool) -> None:
    result = ran(inside(size="100kB"), vpn("udp", mtu=mtu))
    assert result.flows.loc["inner", "complete"]
    assert (counter(result, "left", "IpFragCreates") > 0) is fragmented


def test_the_outer_connection_is_one_that_probes_see() -> None:
    result = ran(
        inside(duration="2s"), vpn(cc="reno", nodelay=True), probes={"tcp_info", "tcp_probe"}, duration="2s"
    )
    for table in (result.tcp_info, result.tcp_probe):
        assert set(table["flow"]) == {"inner", "vpn"}
    assert result.flows.loc["vpn", "cc"] == "reno"
    assert result.tcp_probe.query("flow == 'vpn'")["snd_cwnd"].max() > 10


def test_packets_wait_for_a_connection_that_is_late() -> None:
    """The flow's SYN waits in the device; it goes when the tunnel is there, a round trip after its start."""
    result = ran(inside(size="10kB"), vpn(start="300ms"))
    assert result.flows.loc["inner", "established_s"] == pytest.approx(0.3 + 2 * 0.020, abs=0.002)
    assert result.flows.loc["inner", "retransmits"] == 0


@OVER
def test_when_nobody_is_at_the_other_end_all_is_lost(over: str) -> None:
    """The link is cut for good at 1 s. TCP gives up after two retransmissions, and its devices lose their
    carrier; a tunnel over UDP does not notice."""
    cut = Change("1s", ("r1", "r2"), loss=1.0)
    network = PLAIN.with_sysctls(["left", "right"], {"net.ipv4.tcp_retries2": 2})
    result = ran(inside(duration="60s"), vpn(over), network=network, changes=[cut], duration="60s")
    tunnel, flow = result.flows.loc["vpn"], result.flows.loc["inner"]
    if over == "tcp":
        assert tunnel["error"] == errno.errorcode[errno.ETIMEDOUT]
        assert 1 < tunnel["end_s"] < 30
    else:
        assert tunnel["complete"]
    assert not flow["complete"]
    assert flow["last_byte_s"] < 1.1


def test_the_same_tunnel_is_the_same_bytes() -> None:
    exp = Experiment(
        dumbbell(rate="10mbit", delay="10ms", queue="100p", loss="1%"),
        flows=[
            inside(duration="2s"), vpn(), Tunnel("right", "left", over="udp", name="back"),
            Requests("left", "right", request=100, response="20kB", duration="2s", through="back"),
        ],
        duration="2s",
    )  # fmt: skip
    first, second = fresh(exp), fresh(exp)
    assert first.digest() == second.digest()
    assert (first.flows["received_bytes"] > 0).all()


def test_a_ledger_has_what_is_on_the_wire_and_does_not_follow_what_is_inside() -> None:
    lossy = dumbbell(rate="10mbit", delay="10ms", queue="100p", loss="2%")
    ledger = ran(inside(size="300kB"), vpn(queue=5), network=lossy).ledger()
    assert len(ledger) > 0
    assert set(ledger["flow"]) == {"vpn"}
    routed = ran(
        Flow("left", "right", size="10kB"), Tunnel("gw1", "gw2", name="vpn", routed=True), network=gateways()
    )
    with pytest.raises(
        UnsupportedError, match=r"tunnel vpn: .* a ledger cannot follow it: look at tx_dropped"
    ):
        routed.ledger()


def test_in_an_open_laboratory() -> None:
    with Lab(pair(rate="10mbit", delay="10ms")) as lab:
        lab.start(vpn())
        lab.advance("100ms")
        lab.start(inside(size="50kB"))
        lab.advance("1s")
        assert lab.result().flows.loc["inner", "complete"]
