"""Experiments that together lose packets in all ways: for two ledgers to read alike."""

from __future__ import annotations

from typing import Any

from labkit.spec import (
    Change,
    Command,
    ContinuousGilbertElliott,
    DropPackets,
    EveryNth,
    Experiment,
    Flow,
    GilbertElliott,
    Link,
    Nic,
    Queue,
    Server,
    Switch,
    Topology,
)
from labkit.spec.topologies import dumbbell, pair, parking_lot
from tests.web.decode.experiments import experiments as of_decoder

Fields = dict[str, Any]
BOTH = ("left", "right")
TEN: Fields = {"rate": "10mbit", "delay": "10ms"}
ONE_OF_50 = "tcp dport 20000 numgen random mod 50 == 1 drop"
NFT = "add table ip t; add chain ip t c { type filter hook %s priority 0; }; add rule ip t c %s"


def experiments() -> dict[str, Experiment]:
    """By name."""
    fields = _of_recovery() | _of_wires() | _of_queues() | _of_ports() | _of_hosts() | _of_switches()
    mine = {name: Experiment(seed=seed, **some) for seed, (name, some) in enumerate(fields.items(), 50)}
    return of_decoder() | mine


def _one(network: Topology, **flow: Any) -> Fields:
    return {"topology": network, "flows": [Flow(*BOTH, **{"cc": "reno", **flow})]}


def _named(forward: Any = None, backward: Any = None, size: int = 100_000, **rest: Any) -> Fields:
    ways = [DropPackets(list(way)) if way else None for way in (forward, backward)]
    network = dumbbell(**TEN, forward={"loss": ways[0]}, backward={"loss": ways[1]})
    return _one(network, size=size) | rest


def _of_recovery() -> dict[str, Fields]:
    no_sack = {"net.ipv4.tcp_sack": 0}
    plain = {**no_sack, "net.ipv4.tcp_recovery": 0}
    return {
        "mid window": _named([20]),
        "several of one window": _named([20, 21, 25, 30]),
        "without SACK": _named([20], sysctls=no_sack),
        "partial ACKs": _named([30, 33, 36, 39], sysctls=plain),
        "the tail": _named([71, 72]),
        "the whole tail": _named(range(60, 74)),
        "handshakes": _named([1], [1]),
        "a retransmission again": _named([20, 40, 41, 42, 44]),
        "FIN and ACKs": _named([73, 74], [10, 11, 30, 35]),
        "lost ACKs": _one(pair(rate="5mbit", delay="20ms", backward={"loss": "20%"}), size="500kB"),
        "a bad way": _one(dumbbell(**TEN, loss="10%"), size="300kB", cc="cubic"),
        "a bad way without SACK": _one(dumbbell(**TEN, loss="8%"), size="300kB") | {"sysctls": plain},
    }


def _of_wires() -> dict[str, Fields]:
    sick: Fields = {"loss": "1%", "corrupt": "2%", "duplicate": "2%", "reorder": "5%"}
    slow = ContinuousGilbertElliott("200ms", "20ms")
    udp: Fields = {"protocol": "udp", "cc": None, "rate": "4mbit", "duration": "1s"}
    crossing = [Flow(*BOTH, size="400kB"), Flow("left1", "right1", size="400kB", cc="cubic")]
    return {
        "sick wire": {"topology": dumbbell(2, **TEN, queue="fq_codel", **sick), "flows": [
            Flow("left1", "right1", cc="reno", size="1MB"), Flow("left2", "right2", cc="cubic", size="1MB")]},
        "damaged datagrams": _one(dumbbell(**TEN, corrupt="30%", loss="5%"), **udp),
        "fragments": _one(dumbbell(**TEN, loss="5%", corrupt="5%", duplicate="5%"), **udp, packet=4000),
        "bursts": _one(dumbbell(**TEN, loss=GilbertElliott(p=0.02, r=0.3)), size="500kB"),
        "bursts in time": _one(dumbbell(**TEN, loss=slow), size="500kB", cc="bbr"),
        "every tenth": _one(dumbbell(**TEN, loss=EveryNth(10)), size="300kB"),
        "two lossy hops": {"topology": parking_lot(3, **TEN, loss="3%"), "flows": crossing},
        "a full wire": _one(dumbbell(**TEN, forward={"wire_limit": 10}), size="300kB"),
        "many datagrams of one burst": _one(pair(delay="1ms", loss=GilbertElliott(p=0.02, r=0.3)), **udp),
    }  # fmt: skip


def _of_queues() -> dict[str, Fields]:
    udp: Fields = {"protocol": "udp", "cc": None, "rate": "8mbit", "duration": "500ms"}
    narrow: Fields = {"rate": "2mbit", "delay": "1ms", "access_rate": "100mbit"}
    red: Fields = {"kind": "red", "bytes": "30kB", "options": {"min": 5000, "max": 29000, "burst": 400}}
    two = [Flow(*BOTH, duration="2s"), Flow("right", "left", duration="2s")]
    links = [Link("left", "r1", backward={"rate": "1mbit", "queue": "cake"}), Link("r1", "right")]
    change = Change("50ms", ("left", "r1"), rate="3mbit", queue="fq_codel")
    peeked: Fields = {
        "topology": Topology(["left", "r1", "right"], links),
        "flows": [Flow("right", "left", protocol="udp", rate="2mbit", packet=1472, duration="100ms")],
        "changes": [change],
        "duration": "1.2s",
    }
    filtering = {"rate": "100kbit", "queue": Queue("cake", ack_filter=True)}
    return {
        "a full queue": _one(dumbbell(**TEN, queue="30p"), size="1MB"),
        "a full queue on the way back": {"topology": dumbbell(**TEN, queue="20p"), "flows": two},
        "a full queue in the wire": _one(pair(rate="5mbit", delay="20ms", queue="20p"), size="500kB"),
        "codel": _one(dumbbell(**TEN, queue="codel"), size="2MB"),
        "ACKs that CAKE filters": _one(dumbbell(**TEN, backward=filtering), size="1MB"),
        "a queue replaced": peeked,
        **{f"a full {kind}": _one(dumbbell(**narrow, queue=kind), **udp) for kind in ("20kB", "sfq", "fq")},
        "a full red": _one(dumbbell(**narrow, queue=red), **udp),
    }


def _of_ports() -> dict[str, Fields]:
    halves = {"nic_a": {"speed": "10mbit", "autoneg": False}, "nic_b": {"speed": "10mbit"}}
    flows = [
        Flow(a, b, protocol="udp", rate="9mbit", packet=700, pattern="poisson", duration="1s")
        for a, b in (BOTH, BOTH[::-1])
    ]
    ring = Nic(rx_ring=64, packet_cost="15us")
    flap = Command("right", "ip link set eth0 down; sleep 0.01; ip link set eth0 up", at="10ms")
    network = Topology(list(BOTH), [Link(*BOTH, delay="100us", **halves)])
    memory = Nic(speed="100mbit", memory_ber=1e-7)
    slow = _one(pair(nic=Nic(speed="100mbit"), delay="5us"), duration="500ms")
    return {
        "a full ring": _one(pair(nic=ring, delay="5us"), duration="20ms"),
        "flipped bits": _one(pair(nic=Nic(ber=1e-6), delay="5us"), duration="20ms"),
        "flipped bits in memory": _one(pair(nic=memory, delay="5us"), duration="1s"),
        "collisions": {"topology": network, "flows": flows, "duration": "104ms"},
        "a link that goes": slow | {"commands": [flap]},
    }


def _of_hosts() -> dict[str, Fields]:
    udp: Fields = {"protocol": "udp", "cc": None, "rate": "800kbit", "packet": 100, "size": "20kB"}
    burst: Fields = {"protocol": "udp", "cc": None, "packet": 1000, "rate": "10gbit", "size": "1MB"}
    away = Command("r1", "ip route del 10.0.3.0/24; ip route", "50ms")
    blackhole = Command("r1", "ip route add blackhole 10.0.3.2", "50ms")
    filtered = Command("right", f"nft '{NFT % ('input', 'ip protocol udp drop')}'", "20ms")
    forward = Command("r1", f"nft '{NFT % ('forward', ONE_OF_50)}'")
    nat = "add table ip n; add chain ip n c { type nat hook postrouting priority 100; }"
    masquerade = Command("r1", f"nft '{nat}; add rule ip n c masquerade'")
    short_lived = Command("left", "ping -c 3 -i 0.1 -t 1 right; ping -c 3 -i 0.1 right; true")
    shut = {"accept_after": "2s", "backlog": 1}
    syns = {"net.ipv4.tcp_max_syn_backlog": 2, "net.ipv4.tcp_syncookies": 0}
    crowd = [Flow(f"left{i % 3 + 1}", "right1", port=80, size="20kB", start=i / 500) for i in range(12)]
    waiting: Fields = {
        "topology": Topology(
            ["left", "r1", "right"], [Link("left", "r1"), Link("r1", "right", delay="200ms")]
        ),
        "flows": [Flow(*BOTH, protocol="udp", rate="100kbit", packet=500, duration="200ms", start="10ms")],
        "commands": [Command("r1", "ip link set eth1 down; ip link set eth1 up", at="50ms")],
        "duration": "200ms",
    }
    return {
        "a full receive buffer": _one(pair(delay="1ms"), rcvbuf="8kB", **burst),
        "no route": _one(dumbbell(delay="1ms"), **udp) | {"commands": [away]},
        "a black hole": _one(dumbbell(delay="1ms"), **udp) | {"commands": [blackhole]},
        "filtered": _one(pair(delay="5ms"), **udp) | {"commands": [filtered]},
        "filtered on the way": _one(dumbbell(**TEN), size="300kB") | {"commands": [forward]},
        "translated addresses": _one(dumbbell(**TEN, loss="2%"), size="300kB") | {"commands": [masquerade]},
        "time to live": _one(dumbbell(delay="1ms"), size="30kB") | {"commands": [short_lived]},
        "a crowd at the door": {"topology": dumbbell(3, **TEN), "servers": [Server("right1", 80, **shut)],
                                "flows": crowd, "time_limit": "5s"},
        "half-open connections": {"topology": dumbbell(3, rate="10mbit", delay="100ms"), "sysctls": syns,
                                  "servers": [Server("right1", 80, backlog=2)], "flows": crowd,
                                  "time_limit": "5s"},
        "a slow reader": _one(pair(**TEN), size="1MB", read_rate="2mbit", rcvbuf="20kB"),
        "a router that waits": waiting,
        "no traffic": {"topology": pair(delay="1ms"), "duration": "100ms"},
    }  # fmt: skip


def _of_switches() -> dict[str, Fields]:
    trunk: Fields = {"rate": "10mbit", "delay": "1ms", "queue": "15p", "loss": "2%"}
    floors = [
        Switch("s1", vlan={"h1": 10, "r": 10, "s2": (10, 20)}),
        Switch("s2", vlan={"h2": 10, "h3": 20, "r": 20, "s1": (10, 20)}),
    ]
    pairs = [("h1", "s1"), ("h2", "s2"), ("h3", "s2"), ("r", "s1"), ("r", "s2")]
    links = [*(Link(*pair, rate="100mbit") for pair in pairs), Link("s1", "s2", **trunk)]
    one = Topology(
        ["h1", "h2", "h3", Switch("s1", vlan={"h1": 10, "h2": 10, "h3": 10})],
        [Link("h1", "s1"), Link("s1", "h2", loss="5%"), Link("s1", "h3", rate="1mbit", queue="5p")],
    )
    hub = Command("s1", "ip link set br0 type bridge ageing_time 0")
    out = Command("s1", "bridge vlan del dev eth1 vid 10", at="1s")
    return {
        "VLANs and a router": {
            "topology": Topology(["h1", "h2", "h3", "r", *floors], links),
            "flows": [Flow("h1", "h2", duration="2s"), Flow("h1", "h3", cc="reno", duration="2s")],
        },
        "a switch that floods": {
            "topology": one,
            "flows": [Flow("h1", "h2", size="200kB")],
            "commands": [hub],
        },
        "a port taken out of its VLAN": {
            "topology": one,
            "flows": [Flow("h1", "h2", protocol="udp", rate="2mbit", duration="2s")],
            "commands": [out],
        },
    }
