"""Experiments that together write every kind of record, with every probe: for two decoders to read alike."""

from __future__ import annotations

from typing import Any

from labkit.spec import (
    ALL_PROBES,
    Background,
    Call,
    Capture,
    Change,
    Command,
    ContinuousGilbertElliott,
    DropPackets,
    EveryNth,
    Experiment,
    Flow,
    GilbertElliott,
    Interactive,
    Link,
    Nic,
    NicChange,
    Parity,
    Pings,
    Queue,
    QueueClass,
    ReedSolomon,
    Repetition,
    Requests,
    Server,
    Stream,
    SysctlChange,
    Topology,
    Trains,
    Tunnel,
    WebObject,
    WebPage,
)
from labkit.spec.topologies import dumbbell, pair, parking_lot

Fields = dict[str, Any]
SLOW: Fields = {"rate": "10mbit", "delay": "10ms"}
BOTH = ("left", "right")
ALL: Fields = {"probes": ALL_PROBES, "capture": ["left", "right"]}


def experiments() -> dict[str, Experiment]:
    """By name."""
    fields = _of_transport() | _of_networks() | _of_queues() | _of_traffic()
    return {name: Experiment(seed=seed, **some) for seed, (name, some) in enumerate(fields.items(), 1)}


def _of_transport() -> dict[str, Fields]:
    algorithms = ("reno", "cubic", "bbr", "dctcp", "vegas", "westwood")
    half_a_handshake = {"accept_after": "1s", "backlog": 1}
    return {
        "losses": {
            "topology": dumbbell(loss="2%", **SLOW),
            "flows": [Flow(*BOTH, cc=cc, duration="2s") for cc in algorithms],
            "sysctls": {"net.ipv4.tcp_ecn": 1},
            **ALL,
        },
        "datagrams": {
            "topology": dumbbell(corrupt="3%", duplicate="1%", reorder="2%", queue="20p", **SLOW),
            "flows": [
                Flow(*BOTH, protocol="udp", rate="6mbit", packet=4000, duration="500ms"),
                Flow(*BOTH, protocol="udp", rate="6mbit", pattern="poisson", duration="500ms"),
                Flow("right", "left", size="200kB"),
            ],
            "probes": ALL_PROBES,
            "capture": [Capture("left"), Capture("right", snap=96)],
        },
        "refused": {
            "topology": dumbbell(3, **SLOW),
            "servers": [Server("right1", 80, **half_a_handshake)],
            "flows": [
                *(Flow(f"left{i % 3 + 1}", "right1", port=80, size="20kB", start=i / 200) for i in range(8)),
                Flow("left1", "right2", size="50MB"),
                Flow("left2", "right1", size="100kB", read_after="1s", rcvbuf="30kB"),
            ],
            "commands": [
                Command(
                    "left1", "echo out; printf '\\303'; sleep 0.1; printf '\\244\\n' ; echo err >&2; exit 3"
                ),
                Command("left1", "kill -9 $$", at="100ms"),
                Command("left1", "sleep 100", at="200ms"),
                Command("right1", "ip route add blackhole 10.9.9.9; ping -c 2 -i 0.1 10.9.9.9; true"),
                Command("left3", "curl -m 1 right2:81 || (echo x >/dev/udp/right2/9) 2>/dev/null; true"),
            ],
            "time_limit": "3s",
            "probes": ALL_PROBES,
            "capture": ["right1"],
        },
    }


def _of_networks() -> dict[str, Fields]:
    card = Nic(speed="100mbit", ber=1e-6, error_burst=8, memory_ber=1e-9, rx_ring=32, packet_cost="400us")
    ways = ("r1", "r2")
    bursts = ContinuousGilbertElliott("300ms", "30ms")
    changes = [
        Change("300ms", ways, rate="2mbit", queue="codel"),
        Change("600ms", ways, loss=EveryNth(20), direction="forward"),
        Change("900ms", ways, loss=GilbertElliott("2%", "30%"), rate=None),
        Change("1200ms", ("r2", "r1"), loss=bursts, rate="3mbit", direction="backward"),
        SysctlChange("1s", "left", "net.ipv4.tcp_sack", 0),
    ]
    return {
        "cards": {
            "topology": Topology(list(BOTH), [Link(*BOTH, delay="50us", nic=card)]),
            "flows": [Flow(*BOTH, duration="1500ms"), Flow("right", "left", cc="bbr", duration="1s")],
            "commands": [Command("right", "ip link set eth0 down; sleep 0.05; ip link set eth0 up", at="1s")],
            "changes": [NicChange("500ms", "right", "left", ber=1e-5)],
            **ALL,
        },
        "batches": {
            "topology": pair(nic=Nic(speed="100mbit")),
            "flows": [Flow(*BOTH, size="1MB"), Flow(*BOTH, size="300kB", mss=500)],
            **ALL,
        },
        "changes": {
            "topology": dumbbell(queue="50p", loss=DropPackets([5, 9, 40, 41]), **SLOW),
            "flows": [Flow(*BOTH, duration="1800ms"), Flow("right", "left", duration="1800ms")],
            "changes": changes,
            "commands": [Command("r2", "nft add table ip t; nft add chain ip t c '{ type filter hook forward "
                                 "priority 0; }'; nft add rule ip t c tcp dport 20000 numgen random mod 50 "
                                 "== 1 drop", at="1500ms")],
            **ALL,
        },
        "wires": {
            "topology": parking_lot(2, loss=bursts, backward={"loss": None, "wire_limit": 3}, **SLOW),
            "flows": [Flow(*BOTH, duration="2s"), Flow("left1", "right1", duration="2s", cc="hybla")],
            "probes": ALL_PROBES,
        },
    }  # fmt: skip


def _of_queues() -> dict[str, Fields]:
    def crowd(count: int) -> list[Flow]:
        return [Flow(*BOTH, duration="1s", cc=("cubic", "reno")[i % 2]) for i in range(count)]

    inner = [
        QueueClass("early", rate="4mbit", match={"dport": 20000}, queue=Queue("red", bytes="30kB")),
        QueueClass("paced", rate="3mbit", match=[{"dport": 20001}, {"src": "left", "protocol": "udp"}],
                   queue=Queue("fq_codel", options={"ecn": True})),
        QueueClass("rest", rate="1mbit"),
    ]  # fmt: skip
    found: dict[str, Fields] = {
        "classes": {
            "topology": dumbbell(queue=Queue("htb", classes=inner), backward={"queue": "cake"}, **SLOW),
            "flows": [*crowd(3), Flow("right", "left", duration="1s")],
            "probes": ALL_PROBES,
        },
    }
    for kind in ("red", "pie", "codel", "fq_pie", "sfb", "choke"):
        limit: Fields = {"bytes": "60kB"} if kind in ("red", "choke") else {"packets": 30}
        limit = {"packets": 60} if kind == "choke" else limit
        options: Fields = {"min": 10, "max": 40} if kind == "choke" else {}
        found[kind] = {
            "topology": dumbbell(queue={"kind": kind, **limit, **options}, **SLOW),
            "flows": crowd(4),
            "sysctls": {"net.ipv4.tcp_ecn": 1} if kind in ("pie", "codel") else {},
            "probes": ALL_PROBES,
        }
    return found


def _of_traffic() -> dict[str, Fields]:
    page = [WebObject("a", "30kB"), WebObject("b", "20kB", after=["a"]), WebObject("c", "9MB", after=["a"])]
    requests = {"request": 500, "response": "20kB", "think": "20ms"}
    codes = (Repetition(2), Parity(4), ReedSolomon(6, 4), None)
    return {
        "traffic": {
            "topology": dumbbell(loss="2%", **SLOW),
            "flows": [
                Requests(*BOTH, count=20, **requests),
                Requests("right", "left", duration="1s", pattern="exponential", **requests),
                Background(*BOTH, load=0.2, duration="1s"),
                Pings(*BOTH, count=20, every="50ms", wait="1s"),
                Trains(*BOTH, packets=3, count=20, every="50ms"),
                Interactive(*BOTH, duration="1500ms"),
                Stream(*BOTH, length="8s", segment="1s", ladder=["400kbit", "1mbit", "4mbit"], buffer="3s"),
                *(Call(*BOTH, duration="1s", fec=code, name=f"call {code!r}") for code in codes),
                Call(*BOTH, duration="1s", transport="tcp"),
            ],
            "duration": "6s",
            **ALL,
        },
        "pages": {
            "topology": pair(loss="1%", **SLOW),
            "flows": [
                WebPage("left", "right", objects=page[:2], name="small"),
                WebPage("left", "right", objects=page[:2], http="2", tls="1.3", start="100ms"),
            ],
            **ALL,
        },
        "tunnel": {
            "topology": dumbbell(loss="1%", **SLOW),
            "flows": [
                Tunnel(*BOTH, over="tcp", name="vpn"),
                Flow(*BOTH, size="300kB", through="vpn"),
                Flow(*BOTH, protocol="udp", rate="1mbit", size="100kB"),
            ],
            "probes": ALL_PROBES,
            "capture": [Capture("left", snap=96), Capture("right", snap=96)],
        },
    }
