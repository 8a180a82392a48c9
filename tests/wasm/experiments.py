"""Twenty experiments that differ in what they need of a kernel: in WebAssembly beside the guest."""

from __future__ import annotations

from typing import Any

from labkit import (
    Background,
    Call,
    Change,
    ContinuousGilbertElliott,
    DropPackets,
    EveryNth,
    Experiment,
    Flow,
    GilbertElliott,
    Interactive,
    Link,
    Nic,
    Pings,
    Queue,
    QueueClass,
    ReedSolomon,
    Requests,
    Stream,
    Switch,
    Topology,
    Trains,
    Tunnel,
    WebObject,
    WebPage,
    dumbbell,
    parking_lot,
)

LOSSY: dict[str, Any] = {"rate": "10mbit", "delay": "10ms", "queue": "100p", "loss": "1%"}
EVERYTHING = ("tcp_info", "tcp_probe", "queue", "drops", "retransmit", "recovery", "backlog", "cc_info")
SEED = 42


def one(cc: str, *, duration: str = "5s", loss: Any = "1%", **fields: Any) -> Experiment:
    """One flow over a dumbbell."""
    flow = Flow("left", "right", cc=cc, duration=duration)
    return Experiment(dumbbell(**LOSSY | {"loss": loss}), flows=[flow], seed=SEED, **fields)


def two(queue: Any, **fields: Any) -> Experiment:
    """Two flows that meet at a queue."""
    flows = [Flow(f"left{n}", f"right{n}", cc=cc, duration="5s") for n, cc in ((1, "reno"), (2, "cubic"))]
    net = dumbbell(2, rate="10mbit", delay="10ms", queue=queue)
    return Experiment(net, flows=flows, seed=SEED, probes=["queue", "drops", "tcp_info"], **fields)


def over(traffic: Any, *, capture: tuple[str, ...] = (), **fields: Any) -> Experiment:
    """One kind of traffic over a dumbbell."""
    flows = traffic if isinstance(traffic, list) else [traffic]
    return Experiment(
        dumbbell(**LOSSY | fields), flows=flows, seed=SEED, probes=["drops"], capture=list(capture)
    )


PAGE = [WebObject("a", 9000), WebObject("b", 90_000, after=("a",)), WebObject("c", 30_000, after=("a",))]
CLASSES = [
    QueueClass("gold", rate="8mbit", match={"src": "left1"}),
    QueueClass("rest", rate="2mbit"),
]

EXPERIMENTS: dict[str, Experiment] = {
    "CUBIC, 1 % loss, all probes": one("cubic", probes=EVERYTHING),
    "Reno, bursts by packets": one("reno", loss=GilbertElliott("1%", "30%")),
    "Vegas, bursts by time": one("vegas", loss=ContinuousGilbertElliott("500ms", "20ms")),
    "BBR, no loss": one("bbr", loss=None),
    "every 50th packet": one("htcp", loss=EveryNth(50), duration="3s"),
    "these packets": one("reno", loss=DropPackets((3, 40, 41, 42, 200)), duration="3s", capture=["left"]),
    "fq_codel": two("fq_codel"),
    "RED with ECN": two(
        Queue("red", limit="150kB", min="15kB", max="45kB", ecn=True), sysctls={"net.ipv4.tcp_ecn": 1}
    ),
    "CAKE": two("cake"),
    "classes of HTB": two(Queue("htb", classes=CLASSES)),
    "thirty flows": Experiment(
        dumbbell(30, rate="10mbit", delay="10ms", queue="100p"),
        flows=[Flow(f"left{n}", f"right{n}", duration="5s") for n in range(1, 31)],
        seed=SEED,
        probes=["tcp_info"],
    ),
    "parking lot": Experiment(
        parking_lot(2, rate="10mbit", delay="5ms", queue="50p", loss="0.5%"),
        flows=[Flow("left", "right", duration="5s")],
        seed=SEED,
    ),
    "UDP, jitter, reordering": over(
        Flow("left", "right", protocol="udp", rate="5mbit", duration="3s", pattern="poisson"),
        jitter="2ms",
        reorder="5%",
        duplicate="1%",
        capture=("right",),
    ),
    "requests and background": over(
        [
            Requests("left", "right", request=100, response="20kB", count=30, think="20ms"),
            Background("left", "right", load=0.4, duration="3s"),
        ]
    ),
    "pings and trains": over(
        [
            Pings("left", "right", count=30, every="50ms"),
            Trains("left", "right", packets=2, count=30, every="50ms", size=1000),
        ]
    ),
    "web pages, keys, calls": over(
        [
            WebPage("left", "right", objects=PAGE, tls="1.3"),
            WebPage("left", "right", objects=PAGE, http="2", start="1s"),
            Interactive("left", "right", duration="2s", every="100ms"),
            Call("left", "right", duration="2s", fec=ReedSolomon(6, 4)),
        ]
    ),
    "video": over(Stream("left", "right", length="10s", segment="2s", buffer="8s", rule="buffer"), loss=None),
    "a tunnel over TCP": over(
        [
            Tunnel("left", "right", over="tcp", name="vpn"),
            Flow("left", "right", through="vpn", cc="reno", duration="3s"),
        ]
    ),
    "the teaching NIC": Experiment(
        Topology(
            ["left", "right"],
            [Link("left", "right", delay="5us", nic_b=Nic(rx_ring=64, packet_cost="15us", ber=1e-7))],
        ),
        flows=[Flow("left", "right", duration="200ms")],
        seed=SEED,
        probes=["drops", "retransmit"],
    ),
    "switches with VLANs": Experiment(
        Topology(
            [
                "h1",
                "h2",
                "h3",
                "r",
                Switch("s1", vlan={"h1": 10, "r": 10, "s2": (10, 20)}),
                Switch("s2", vlan={"h2": 10, "h3": 20, "r": 20, "s1": (10, 20)}),
            ],
            [
                Link("h1", "s1", rate="20mbit"),
                Link("h2", "s2", rate="20mbit"),
                Link("h3", "s2", rate="20mbit"),
                Link("r", "s1", rate="20mbit"),
                Link("r", "s2", rate="20mbit"),
                Link("s1", "s2", rate="10mbit", delay="2ms", queue="20p", loss="0.5%"),
            ],
        ),
        flows=[Flow("h1", "h2", duration="3s"), Flow("h3", "h1", cc="reno", duration="3s")],
        seed=SEED,
        probes=EVERYTHING,
        capture=["h1", "h2", "h3", "s1"],
    ),
    "a ring of switches": Experiment(
        Topology(
            ["h1", "h2", *(Switch(f"s{i}", stp=True) for i in (1, 2, 3))],
            [
                Link("h1", "s2"),
                Link("h2", "s3"),
                Link("s1", "s2", delay="1ms"),
                Link("s2", "s3", rate="10mbit", delay="1ms"),
                Link("s3", "s1", rate="10mbit"),
            ],
        ),
        flows=[
            Flow("h1", "h2", protocol="udp", rate="1mbit", start="27s", duration="6s"),
            Flow("h2", "h1", size="500kB", start="33s"),
        ],
        seed=SEED,
        probes=["tcp_info", "drops", "queue"],
        capture=["h1", "s1"],
    ),
    "changes on the way": one(
        "cubic",
        duration="6s",
        changes=[
            Change("2s", ("r1", "r2"), rate="4mbit", delay="30ms"),
            Change("4s", ("r1", "r2"), loss="5%", queue="20p"),
        ],
    ),
}
"""By what is special in each. All are over within ten seconds of virtual time."""
