"""Experiments whose films are held against each other: those of the ledger, and networks of other shapes."""

from __future__ import annotations

from typing import Any

from labkit.spec import (
    Change,
    Command,
    Experiment,
    Flow,
    Link,
    Nic,
    Queue,
    QueueClass,
    Topology,
    WebObject,
    WebPage,
)
from labkit.spec.topologies import dumbbell, pair, star
from tests.web.results.experiments import experiments as of_ledger

Fields = dict[str, Any]
BOTH = ("left", "right")


def experiments() -> dict[str, Experiment]:
    """By name."""
    fields = _of_shapes() | _of_links() | _of_length()
    mine = {name: Experiment(seed=seed, **some) for seed, (name, some) in enumerate(fields.items(), 200)}
    return of_ledger() | mine


def _network(*links: tuple[str, str], **fields: Any) -> Topology:
    names = list(dict.fromkeys(name for link in links for name in link))
    return Topology(names, [Link(*link, **fields) for link in links])


def _of_shapes() -> dict[str, Fields]:
    """Rows, stars, trees, rings: each has its own places, and links that take no time are drawn shorter."""
    short: Fields = {"rate": "10mbit", "delay": "2ms", "queue": "10p"}
    tree = [("root", "a"), ("root", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")]
    ring = [("n1", "n2"), ("n2", "n3"), ("n3", "n4"), ("n4", "n1")]
    bush = [("left", "r1"), ("r1", "r2"), ("r2", "right"), ("r1", "leaf"), ("leaf", "twig"), ("r2", "bud")]
    long = [(f"h{i}", f"h{i + 1}") for i in range(7)]
    fork = [("a", "m"), ("b", "m"), ("m", "n"), ("n", "c"), ("n", "d"), ("n", "e")]
    return {
        "a star": {"topology": star("a", "b", "c", "d", **short), "flows": _between("a", "c")},
        "a tree": {"topology": _network(*tree, **short), "flows": _between("a1", "b2")},
        "a ring": {"topology": _network(*ring, **short), "flows": _between("n1", "n3")},
        "a bush": {"topology": _network(*bush, **short), "flows": _between("twig", "right")},
        "a long row": {"topology": _network(*long, **short), "flows": _between("h0", "h7")},
        "a fork": {"topology": _network(*fork, **short), "flows": _between("a", "e")},
        "two hosts without delay": {"topology": pair(), "flows": _between(*BOTH)},
    }


def _between(src: str, dst: str) -> list[Flow]:
    return [Flow(src, dst, cc="reno", size="150kB"), Flow(dst, src, cc="cubic", size="50kB")]


def _of_links() -> dict[str, Fields]:
    far: Fields = {"rate": "1500kbit", "delay": "1.25s", "jitter": "3ms", "wire_limit": 900}
    quick: Fields = {"delay": "50us", "corrupt": "0.15%", "duplicate": "1%", "reorder": "2%"}
    inner = [QueueClass("gold", rate="4mbit", match={"dport": 20000}), QueueClass("rest", rate="1mbit")]
    optical = {"nic_a": Nic(), "nic_b": Nic(speed="100mbit", rx_power="-18.5dBm", memory_ber=1e-9)}
    fibre = Topology(list(BOTH), [Link(*BOTH, delay="5us", **optical)])
    changes = [
        Change("300ms", ("r1", "r2"), rate="2mbit", queue="codel", loss="3%"),
        Change("600ms", ("r2", "r1"), delay="30ms", direction="forward"),
    ]
    flow = [Flow(*BOTH, cc="reno", size="200kB")]
    quiet = Command("right", "ethtool -A eth0 rx off tx off", at="0s")
    page = [WebObject("a", "30kB"), WebObject("b", "20kB", after=["a"]), WebObject("c", "10kB", after=["a"])]
    return {
        "a far link": {"topology": pair(**far), "flows": flow},
        "a quick link": {"topology": pair(**quick), "flows": flow},
        "classes of a queue": {
            "topology": dumbbell(rate="5mbit", delay="5ms", queue=Queue("htb", classes=inner)),
            "flows": flow,
        },
        "bytes of a queue": {"topology": dumbbell(rate="5mbit", delay="5ms", queue="20kB"), "flows": flow},
        "an optical link": {"topology": fibre, "flows": flow},
        "a port that is set": {"topology": pair(nic=Nic(), delay="5us"), "flows": flow, "commands": [quiet]},
        "half duplex": {"topology": pair(nic=Nic(speed="10mbit", duplex="half"), delay="1us"), "flows": flow},
        "a link that changes": {
            "topology": dumbbell(rate="5mbit", delay="5ms", queue="10p"),
            "flows": [Flow(*BOTH, cc="reno", duration="1s")],
            "changes": changes,
        },
        "a page": {
            "topology": pair(rate="5mbit", delay="10ms", loss="4%"),
            "flows": [
                WebPage(*BOTH, objects=page, name="one"),
                WebPage(*BOTH, objects=page, http="2", start="1s", name="two"),
            ],
        },
        "no flow": {"topology": pair(delay="5ms"), "commands": [Command("left", "ping -c 2 -i 0.2 right")]},
    }  # fmt: skip


def _of_length() -> dict[str, Fields]:
    """So many packets that a film does not hold all that it should."""
    wide: Fields = {"rate": "100mbit", "delay": "50ms", "queue": "400p"}
    many = [Flow(f"left{i}", f"right{i}", cc="reno", duration="2s") for i in (1, 2, 3)]
    return {"too long": {"topology": dumbbell(3, **wide), "flows": many}}
