"""An experiment for every cause of the ledger that needs no programs, and for every place in the kernel at
which a packet is freed for it: with the cause that is to be found."""

from __future__ import annotations

from typing import Any

from labkit import (
    Capture,
    Change,
    ContinuousGilbertElliott,
    DropPackets,
    EveryNth,
    Experiment,
    Flow,
    GilbertElliott,
    Link,
    Nic,
    Pings,
    Queue,
    QueueClass,
    Requests,
    Server,
    Topology,
    Tunnel,
    dumbbell,
    pair,
)
from labkit.results.ledger.accounts import SNAP

SLOW: dict[str, Any] = {"rate": "2mbit", "delay": "1ms"}
TCP = Flow("left", "right", size="1MB")
EARLY: dict[str, Any] = {
    "codel": "codel",
    "fq_codel": "fq_codel",
    "cake": "cake",
    "pie": Queue("pie", packets=1000),
    "fq_pie": Queue("fq_pie", packets=1000),
    "choke": Queue("choke", packets=500),
    "sfb": Queue("sfb", packets=1000),
    "red": Queue("red", bytes="400kB", min=15000, max=60000, probability=0.2),
}
FULL: dict[str, Any] = {
    "packets": "20p",
    "bytes": "20kB",
    **{kind: kind for kind in ("sfq", "fq", "pfifo_fast", "hhf")},
    "early drop, too, packets": Queue("pie", packets=20),
    "early drop, too, flows": Queue("fq_pie", packets=20),
    "early drop, too, filter": Queue("sfb", packets=20),
    "early drop, too, bytes": Queue("red", bytes="30kB", min=5000, max=29000, burst=400),
    "early drop, too, by chance": Queue("choke", packets=30, min=5, max=29, burst=400),
    "fq_codel's own limit": Queue("fq_codel", packets=20),
    "CoDel's own limit": Queue("codel", packets=20),
    "CAKE's own limit": Queue("cake", memlimit="64kB"),
}
SHARES: dict[str, dict[str, Any]] = {
    "htb": {"rate": "1mbit"},
    "prio": {},
    "drr": {},
    "ets": {"quantum": 1514},
}


def udp(gap_ms: float = 1.0, count: int = 2000, **fields: Any) -> Flow:
    """Datagrams of 1000 bytes, one each gap."""
    sent = {"protocol": "udp", "packet": 1000, "rate": 8e6 / gap_ms, "size": 1000 * count}
    return Flow("left", "right", **sent | fields)


def losing(network: Topology, *flows: Any, **fields: Any) -> Experiment:
    """All that says where packets are lost is recorded."""
    ends = [Capture(host, snap=SNAP) for host in network.names]
    looks = {"probes": ["drops", "recovery", "tcp_probe", "queue", "backlog"], "capture": ends}
    return Experiment(network, flows=flows or [TCP], seed=7, **looks | fields)


def classes(kind: str) -> Queue:
    two = [
        QueueClass("udp", match={"protocol": "udp"}, queue="20p", **SHARES[kind]),
        QueueClass("rest", queue="codel", **SHARES[kind]),
    ]
    return Queue(kind, classes=two)


def cable(delay: str = "5ms", **port: Any) -> Topology:
    return Topology(["left", "right"], [Link("left", "right", delay=delay, **port)])


HALF = {"nic_a": Nic(speed="100mbit", autoneg=False), "nic_b": Nic(speed="100mbit")}
BUSY = {"servers": [Server("right", 80, backlog=2, accept_after="5s")], "duration": "8s"}
CALLS = [Flow("left", "right", size="1kB", port=80, start=f"{4 * i}ms") for i in range(8)]
NARROW = Topology(
    ["left", "r1", "r2", "right"],
    [Link("left", "r1"), Link("r1", "r2", delay="1ms", mtu=1000), Link("r2", "right", delay="1ms")],
)
SWAPS = ("cake", "fq_codel", "codel", "sfq", "fq", "50p")


def swapped(queue: str) -> Experiment:
    """A queue takes the place of another one while packets wait in it."""
    slow = Link("left", "r1", rate="1mbit", queue=queue)
    change = Change("100ms", ("left", "r1"), rate="3mbit", queue=queue)
    network = Topology(["left", "r1", "right"], [slow, Link("r1", "right")])
    return losing(network, udp(5, 100), changes=[change], duration="2s")


LOSSES: dict[str, tuple[str, Experiment]] = {
    "random": ("wire loss", losing(dumbbell(delay="5ms", loss="1%"))),
    "bursts of packets": ("burst loss", losing(dumbbell(delay="5ms", loss=GilbertElliott(0.01, 0.3)))),
    "bursts of time": (
        "burst loss",
        losing(dumbbell(delay="5ms", loss=ContinuousGilbertElliott("50ms", "10ms"))),
    ),
    "chosen": ("named loss", losing(dumbbell(delay="5ms", loss=DropPackets([20, 300])))),
    "every 7th": ("named loss", losing(pair(delay="1ms", loss=EveryNth(7)), udp())),
    "the wire is full": ("wire full", losing(dumbbell(delay="5ms", wire_limit="40p"))),
    "corrupted TCP": ("corrupted", losing(dumbbell(rate="10mbit", delay="5ms", corrupt="2%", queue="1000p"))),
    "corrupted UDP": ("corrupted", losing(dumbbell(delay="5ms", corrupt="5%"), udp(count=1000))),
    "corrupted fragments": (
        "corrupted",
        losing(dumbbell(delay="5ms", corrupt="2%"), udp(packet=5000, size=1_000_000)),
    ),
    "corrupted pings": (
        "corrupted",
        losing(dumbbell(delay="5ms", corrupt="10%"), Pings("left", "right", count=100, every="10ms")),
    ),
    "fragments that miss others": (
        "wire loss",
        losing(pair(delay="1ms", loss="5%"), udp(packet=5000, size=1_000_000), duration="40s"),
    ),
    **{
        f"full: {name}": ("queue full", losing(dumbbell(queue=queue, **SLOW), udp(0.3, 1400)))
        for name, queue in FULL.items()
    },
    **{
        f"early: {name}": ("early drop", losing(dumbbell(queue=queue, **SLOW), udp(3.3, 800)))
        for name, queue in EARLY.items()
    },
    **{
        f"classes of {kind}": ("queue full", losing(dumbbell(queue=classes(kind), **SLOW), TCP, udp(3, 500)))
        for kind in SHARES
    },
    **{f"replaced: {queue}": ("queue replaced", swapped(queue)) for queue in SWAPS},
    "time to live": (
        "ttl exceeded",
        losing(dumbbell(delay="5ms"), sysctls={"net.ipv4.ip_default_ttl": 2}, duration="8s"),
    ),
    "too large": ("too large for the next link", losing(NARROW)),
    "backlog": (
        "backlog full",
        losing(pair(rate="1gbit", delay="5us"), sysctls={"net.core.netdev_max_backlog": 1}),
    ),
    "a short backlog": (
        "backlog full",
        losing(dumbbell(delay="5ms"), sysctls={"net.core.netdev_max_backlog": 8}),
    ),
    "a UDP buffer": (
        "socket buffer full",
        losing(pair(delay="1ms"), udp(packet=1000, rate="10gbit", size="1MB", rcvbuf="8kB")),
    ),
    "a slow UDP reader": (
        "socket buffer full",
        losing(pair(delay="1ms"), udp(rate="8mbit", size="1MB", read_rate="4mbit")),
    ),
    "TCP's memory, and a closed window": (
        "zero window",
        losing(
            dumbbell(delay="5ms"),
            Flow("left", "right", size="4MB", read_after="4s"),
            sysctls={"net.ipv4.tcp_mem": "2 4 6"},
            duration="8s",
        ),
    ),
    "nobody accepts": ("accept queue full", losing(dumbbell(delay="5ms"), *CALLS, **BUSY)),
    "half open": (
        "SYN queue full",
        losing(
            dumbbell(delay="5ms", backward={"loss": "100%"}),
            *CALLS,
            servers=[Server("right", 80, backlog=2)],
            sysctls={"net.ipv4.tcp_syncookies": 0},
            duration="8s",
        ),
    ),
    "a frame check": ("frame check failed", losing(cable(nic=Nic(ber=1e-6)))),
    "a ring": ("ring full", losing(cable(nic=Nic(rx_ring=16, packet_cost="40us")))),
    "a FIFO": ("FIFO full", losing(cable(nic=Nic(fifo="8kB", bus="300mbit")))),
    "collisions": ("frame check failed", losing(cable("1us", **HALF))),
    "late collisions": (
        "late collision",
        losing(cable("10us", **HALF), TCP, Flow("right", "left", size="1MB"), duration="8s"),
    ),
    "a damaged memory": ("corrupted", losing(cable(nic=Nic(memory_ber=1e-6)))),
    "a tunnel": (
        "wire loss",
        losing(
            dumbbell(rate="10mbit", delay="5ms", loss="1%", queue="20p"),
            Tunnel("left", "right", over="udp", name="vpn"),
            Flow("left", "right", through="vpn", size="500kB"),
            duration="4s",
        ),
    ),
    "requests": (
        "wire loss",
        losing(
            dumbbell(rate="10mbit", delay="5ms", loss="3%", duplicate="1%", reorder="5%"),
            Requests("left", "right", request=100, response="20kB", count=50, think="20ms"),
        ),
    ),
}
"""Name -> a cause that the ledger has for some packet, and the experiment."""
