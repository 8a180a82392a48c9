"""A tunnel of the lab against OpenVPN over TCP, between the same gateways.

OpenVPN without cipher and authentication does what the lab's relay does: it reads a packet and writes it
behind its length. It differs in the order in which it looks at its socket and its device. So a transfer
without loss is the same to 2 % (some tens of packets), one with loss is as fast in the mean over ten seeds.
"""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from labkit import Command, Direction, Experiment, Flow, Link, Topology, Tunnel, run
from labkit.models.estimates import paired
from labkit.results.result import Result

pytestmark = [
    pytest.mark.truth,
    pytest.mark.skipif(shutil.which("openvpn") is None, reason="no openvpn: sudo apt install openvpn"),
]

UP_S = 8.0  # OpenVPN has connected and made its routes
MTU, QUEUE = 1400, 200
PLAIN = (
    f"openvpn --dev tun0 --dev-type tun --tun-mtu {MTU} --txqueuelen {QUEUE} --mssfix 0 --disable-dco "
    "--cipher none --auth none --socket-flags TCP_NODELAY --port 1194"
)
SERVER = f"{PLAIN} --proto tcp-server --ifconfig 192.168.9.2 192.168.9.1 --route 10.0.1.0 255.255.255.0"
CLIENT = (
    f"{PLAIN} --proto tcp-client --remote 10.0.2.2 --ifconfig 192.168.9.1 192.168.9.2 "
    "--route 10.0.3.0 255.255.255.0"
)


def network(loss: object) -> Topology:
    slow: dict[str, Any] = {"rate": "10mbit", "delay": "20ms", "queue": "100p"}
    fast: dict[str, Any] = {"rate": "100mbit", "queue": "1000p"}
    middle = Link("gw1", "gw2", forward=Direction(loss=loss, **slow), backward=Direction(**slow))
    return Topology(
        ["left", "gw1", "gw2", "right"], [Link("left", "gw1", **fast), middle, Link("gw2", "right", **fast)]
    )


def transfer(loss: object, seed: int, *, openvpn: bool) -> Result:
    flow = Flow("left", "right", size="3MB", mss=MTU - 52, name="inner", start=UP_S)
    ours = Tunnel("gw1", "gw2", mtu=MTU, queue=QUEUE, nodelay=True, routed=True)
    commands = [Command("gw2", SERVER), Command("gw1", CLIENT, at="200ms")] if openvpn else []
    return run(
        Experiment(
            network(loss),
            flows=[flow] if openvpn else [flow, ours],
            commands=commands,
            seed=seed,
            duration="40s",
            probes=[],
        )
    )


def goodputs(loss: object, seeds: range, *, openvpn: bool) -> list[float]:
    results = [transfer(loss, seed, openvpn=openvpn) for seed in seeds]
    assert all(result.flows.loc["inner", "complete"] for result in results)
    return [float(result.goodput()["inner"]) for result in results]


def test_without_loss_it_is_as_fast() -> None:
    ours, theirs = (goodputs(None, range(1, 2), openvpn=openvpn)[0] for openvpn in (False, True))
    assert ours == pytest.approx(theirs, rel=0.02)


def test_with_loss_it_is_as_fast_in_the_mean() -> None:
    ours, theirs = (goodputs("1%", range(1, 11), openvpn=openvpn) for openvpn in (False, True))
    assert not paired(ours, theirs).above(0)
    assert not paired(theirs, ours).above(0)
