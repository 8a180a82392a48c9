"""What an open laboratory does about a refused step: it says so, and goes on as if it were not asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labkit import Flow, Lab, Topology, dumbbell, pair
from labkit.errors import AgentError, LabkitError
from labkit.lab.laboratory import current
from tests.guest.conftest import left

NET = pair(rate="1mbit", delay="1ms")
BARE = pair(delay="1ms")
REFUSED = {"kind": "fq_codel", "flows": 70_000}  # the kernel takes at most 65,536, and does not say so
COUNTED = {"kind": "drop_packets", "numbers": [3]}
LISTENER = (  # on the port of the first flow
    "python3 -c 'import socket, time; s = socket.create_server((\"\", 20000)); time.sleep(1000)'"
)


def goodput_mbit(lab: Lab) -> float:
    """Of a flow over the link, which is far from done."""
    lab.start(Flow("left", "right", duration="3s"))
    lab.advance("5s")
    return float(lab.result().goodput().iloc[-1])


@pytest.mark.usefixtures("each_kernel")
def test_a_refused_opening_ends_the_guest(own_cache: Path) -> None:
    lab = Lab(NET, sysctls={"net.ipv4.tcp_rmem": "1 x"})
    with pytest.raises(AgentError, match="tcp_rmem"):
        lab.open()
    assert left(own_cache) == []
    with pytest.raises(LabkitError, match="closed"):
        lab.advance("1s")
    with pytest.raises(LabkitError, match="no laboratory is open"):
        current()


@pytest.mark.usefixtures("each_kernel")
@pytest.mark.parametrize(
    ("net", "refused", "then", "mbit"),
    [
        pytest.param(NET, {"queue": REFUSED}, {"rate": "3mbit"}, 3, id="a queue"),
        pytest.param(BARE, {"rate": "2mbit", "queue": REFUSED}, {"rate": "3mbit"}, 3, id="the first rate"),
        pytest.param(
            BARE,
            {"rate": "2mbit", "queue": REFUSED, "direction": "backward"},
            {"rate": "3mbit"},
            3,
            id="one way",
        ),
        pytest.param(
            pair(rate="1mbit", loss={"kind": "every_nth", "n": 70_000}),
            {"rate": "2mbit", "queue": REFUSED, "loss": COUNTED},
            {"rate": "3mbit", "loss": 0},
            3,
            id="losses counted by nftables",
        ),
        pytest.param(
            pair(rate="1mbit", loss={"kind": "every_nth", "n": 70}),
            {"rate": "2mbit", "queue": REFUSED, "loss": COUNTED},
            {"rate": "3mbit", "loss": 0},
            3,
            id="losses counted by tc",
        ),
    ],
)
def test_after_a_refused_change_the_next_one_holds(
    net: Topology, refused: dict[str, Any], then: dict[str, Any], mbit: float
) -> None:
    with Lab(net) as lab:
        with pytest.raises(AgentError, match=r"queue fq_codel, flows=70000: .*EINVAL"):
            lab.link("left", "right").set(**refused)
        lab.link("left", "right").set(**then)
        assert goodput_mbit(lab) == pytest.approx(0.956 * mbit, rel=0.02)  # 1448 of 1514 bytes are payload


@pytest.mark.usefixtures("each_kernel")
def test_after_a_refused_change_the_link_is_as_it_was() -> None:
    with Lab(NET) as lab:
        with pytest.raises(AgentError):
            lab.link("left", "right").set(rate="3mbit", queue=REFUSED)
        assert goodput_mbit(lab) == pytest.approx(0.956, rel=0.02)


def test_each_refused_change_says_its_own_fault() -> None:
    """A qdisc that somebody else has put there is in the way of the first, and not of the next."""
    with Lab(dumbbell(delay="5ms")) as lab:
        assert lab.run("r1", "tc qdisc add dev eth1 root pfifo").status == 0
        with pytest.raises(AgentError, match=r"change of r1 to r2: queue pfifo.*EEXIST"):
            lab.link("r1", "r2").set(direction="forward", rate="1mbit")
        lab.link("r1", "r2").set(direction="forward", rate="2mbit")
        assert "2Mbit" in lab.run("r1", "tc qdisc show dev eth1").stdout


def test_what_was_refused_is_not_in_the_result() -> None:
    with Lab(NET) as lab:
        lab.spawn("right", LISTENER)
        lab.advance("1s")
        with pytest.raises(AgentError, match=r"flow left-right: .*EADDRINUSE"):
            lab.start(Flow("left", "right", size=1000))
        with pytest.raises(AgentError):
            lab.link("left", "right").set(queue=REFUSED)
        lab.link("left", "right").set(loss="1%")
        lab.start(Flow("left", "right", size=1000))
        lab.advance("1s")
        result = lab.result()
    assert result.flows["received_bytes"].tolist() == [1000]
    assert [list(change.set) for change in result.experiment.changes] == [["loss"]]


def test_a_refused_sysctl_leaves_the_conversation_in_step() -> None:
    with Lab(NET) as lab:
        with pytest.raises(AgentError, match=r"tcp_rmem of left"):
            lab.sysctl("left", "net.ipv4.tcp_rmem", "1 x")
        lab.sysctl("left", "net.ipv4.tcp_sack", 0)
        assert lab.run("left", "cat /proc/sys/net/ipv4/tcp_sack").stdout == "0\n"
