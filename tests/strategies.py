"""Random experiments for tests: small valid ones that run in a moment, and keywords that must be refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from labkit.spec import (
    ALL_PROBES,
    LAB_CONGESTION_CONTROLS,
    Change,
    Command,
    ContinuousGilbertElliott,
    Direction,
    DropPackets,
    EveryNth,
    Experiment,
    Flow,
    GilbertElliott,
    Link,
    Nic,
    Queue,
    QueueClass,
    RandomLoss,
    Requests,
    Server,
    Switch,
    SysctlChange,
    Topology,
    ways,
)
from labkit.spec.topologies import dumbbell, pair, star

PORT = 80  # of the server that each host has, in some experiments
_CHAIN = "add table ip t; add chain ip t c { type filter hook %s priority 0; }; add rule ip t c %s"
BREAKERS = (
    "true",
    "ip route del default; ip route del 10.0.2.0/24",
    "ip link set eth0 mtu 700",
    "ip link set eth0 down",
    "ip link set eth0 down; sleep 0.05; ip link set eth0 up",
    f"nft '{_CHAIN % ('forward', 'ip protocol tcp drop')}'",
    f"nft '{_CHAIN % ('input', 'icmp type destination-unreachable drop')}'",
    f"nft '{_CHAIN % ('prerouting', 'ct state invalid drop')}'",
    "bash -c 'echo hello > /dev/udp/right/9'",
)
"""Shell lines that make a host lose packets."""
HOSTS = ("left", "right", "top", "bottom")
QUEUES = ("pfifo", "sfq", "codel", "fq", "fq_codel", "pie", "fq_pie", "choke", "sfb", "hhf", "red", "cake")
SHARES: dict[str, dict[str, Any]] = {
    "htb": {"rate": "400kbit", "ceil": "100mbit"},
    "prio": {},
    "drr": {},
    "ets": {"quantum": 1514},
}
LIMITS: dict[str, dict[str, Any]] = {"red": {"bytes": "100kB"}, "choke": {"packets": 100}}


def probabilities(most: float) -> st.SearchStrategy[float]:
    """From 0 to `most`, in steps of a thousandth."""
    return st.integers(0, round(most * 1000)).map(lambda thousandths: thousandths / 1000)


def times(least: str, most: str) -> st.SearchStrategy[str]:
    """Between two whole numbers of microseconds, with the unit."""
    return st.integers(int(least), int(most)).map(lambda us: f"{us}us")


def losses() -> st.SearchStrategy[Any]:
    """No loss, or one of the five kinds, at most 20 % of packets."""
    return st.one_of(
        st.none(),
        probabilities(0.2).map(lambda p: RandomLoss(p)),
        st.tuples(probabilities(0.05), st.sampled_from(["30%", 0.5, "100%"])).map(
            lambda p_and_r: GilbertElliott(*p_and_r)
        ),
        st.tuples(times("2000", "100000"), times("100", "500"), st.sampled_from([1, "30%"])).map(
            lambda given: ContinuousGilbertElliott(*given[:2], loss_bad=given[2])
        ),
        st.integers(5, 2**31).map(lambda n: EveryNth(n)),
        st.sets(st.integers(1, 200), min_size=1, max_size=8).map(lambda numbers: DropPackets(list(numbers))),
    )


def with_classes(kind: str, inner: str) -> Queue:
    """UDP and the rest, in queues of two kinds."""
    child = Queue(inner, **LIMITS.get(inner, {}))
    udp = QueueClass("udp", match={"protocol": "udp"}, queue="20p", **SHARES[kind])
    return Queue(kind, classes=[udp, QueueClass("rest", queue=child, **SHARES[kind])])


def queues() -> st.SearchStrategy[Any]:
    """A queue by its shorthand, or by kind with the kernel's defaults where it has any."""
    return st.one_of(
        st.integers(5, 200).map(lambda packets: f"{packets}p"),
        st.integers(10, 300).map(lambda kilobytes: f"{kilobytes}kB"),
        st.sampled_from(QUEUES).map(lambda kind: Queue(kind, **LIMITS.get(kind, {}))),
        st.builds(with_classes, st.sampled_from(list(SHARES)), st.sampled_from(QUEUES)),
    )


@st.composite
def directions(draw: st.DrawFn) -> Direction:
    """One way over a link: 1 to 100 Mbit/s if limited at all, at most 50 ms, mild faults."""
    limited = draw(st.booleans())
    delay_us = draw(st.integers(0, 50_000))
    loss = draw(losses())
    return Direction(
        rate=f"{draw(st.integers(1, 100))}mbit" if limited else None,
        queue=draw(st.none() | queues()) if limited else None,
        delay=f"{delay_us}us",
        jitter=f"{draw(st.integers(0, delay_us // 4))}us",
        distribution=draw(st.sampled_from(["uniform", "normal", "pareto", "paretonormal"])),
        delay_correlation=draw(probabilities(0.5)),
        loss=loss,
        loss_correlation=draw(probabilities(0.3)) if isinstance(loss, RandomLoss) else 0,
        corrupt=draw(probabilities(0.02)),
        duplicate=draw(probabilities(0.02)),
        reorder=draw(probabilities(0.05)) if delay_us else 0,
    )


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    """Two to four hosts, all connected, among them "left" and "right"."""
    mtu = draw(st.sampled_from([576, 1280, 1500, 9000]))
    ways: dict[str, Any] = {"forward": draw(directions()), "backward": draw(directions()), "mtu": mtu}
    shape = draw(st.sampled_from(["pair", "dumbbell", "star", "chain", "switched"]))
    if shape == "pair":
        return Topology(["left", "right"], [Link("left", "right", **ways)])
    if shape == "dumbbell":
        rate = f"{draw(st.integers(1, 50))}mbit"
        return dumbbell(rate=rate, delay=draw(times("0", "20000")), loss=draw(losses()), mtu=mtu)
    if shape == "star":
        return star(*draw(st.sampled_from([HOSTS[:2], HOSTS[:3]])), **ways)
    if shape == "switched":
        leaves = draw(st.sampled_from([HOSTS[:2], HOSTS[:3]]))
        vlan = {"left": 7, "right": 7} if draw(st.booleans()) else {}
        return star(*leaves, center=Switch("s1", vlan=vlan), **ways)
    names = draw(st.permutations(HOSTS))
    return Topology(names, [Link(a, b, **ways) for a, b in pairwise(names)])


def reachable(topology: Topology) -> list[str]:
    """Hosts between any two of which there is a path."""
    return [name for name in topology.names if topology.is_host(name) and ways.way(topology, "left", name)]


@st.composite
def readers(draw: st.DrawFn) -> dict[str, Any]:
    """A receiving application that is slow, or away for a while."""
    return {
        "read_rate": f"{draw(st.integers(10, 5000))}kbit" if draw(st.booleans()) else None,
        "read_after": draw(times("0", "1000000")),
    }


@st.composite
def flows(draw: st.DrawFn, topology: Topology, served: bool) -> Flow:
    """TCP of at most 100 kB or UDP of at most half a second, started within half a second."""
    src, dst = draw(st.permutations(reachable(topology)))[:2]
    start = draw(times("0", "500000"))
    if draw(st.booleans()):
        return Flow(
            *(src, dst),
            cc=draw(st.sampled_from(LAB_CONGESTION_CONTROLS)),
            size=draw(st.integers(1, 100_000)),
            start=start,
            nodelay=draw(st.booleans()),
            mss=draw(st.none() | st.integers(88, 1400)),
            **(draw(readers()) if draw(st.booleans()) else {}),
            **({"port": PORT} if served else {"rcvbuf": draw(st.none() | st.integers(4000, 100_000))}),
        )
    return Flow(
        *(src, dst),
        protocol="udp",
        rate=f"{draw(st.integers(10, 2000))}kbit",
        duration=draw(times("1000", "500000")),
        packet=draw(st.none() | st.integers(1, 1472)),
        pattern=draw(st.none() | st.sampled_from(["constant", "poisson"])),
        start=start,
        **(draw(readers()) if draw(st.booleans()) else {}),
    )


@st.composite
def requests(draw: st.DrawFn, topology: Topology) -> Requests:
    """A few requests of at most 20 kB, or half a second of them, with times to work and to think."""
    src, dst = draw(st.permutations(reachable(topology)))[:2]
    ends = {"count": draw(st.integers(1, 20))} if draw(st.booleans()) else {"duration": "500ms"}
    return Requests(
        *(src, dst),
        request=draw(st.integers(1, 20_000)),
        response=draw(st.integers(1, 20_000)),
        think=draw(times("1000", "50000")),
        pattern=draw(st.sampled_from(["constant", "exponential"])),
        service=draw(times("0", "20000")),
        start=draw(times("0", "500000")),
        cc=draw(st.sampled_from(LAB_CONGESTION_CONTROLS)),
        nodelay=draw(st.booleans()),
        mss=draw(st.none() | st.integers(88, 1400)),
        sndbuf=draw(st.none() | st.integers(4000, 100_000)),
        rcvbuf=draw(st.none() | st.integers(4000, 100_000)),
        **ends,
    )


@st.composite
def changes(draw: st.DrawFn, topology: Topology) -> Change | SysctlChange:
    """A link or a sysctl changes within the first second."""
    at = draw(times("1", "1000000"))
    if draw(st.booleans()):
        host = draw(st.sampled_from(reachable(topology)))
        return SysctlChange(at, host, "net.ipv4.tcp_sack", draw(st.integers(0, 1)))
    link = draw(st.sampled_from(topology.links))
    ends = draw(st.permutations([link.a, link.b]))
    way = draw(st.sampled_from(["both", "forward", "backward"]))
    return Change(at, ends, direction=way, loss=draw(losses()), loss_correlation=0)


@st.composite
def servers(draw: st.DrawFn, topology: Topology) -> list[Server]:
    """One on each host, with little room in front of it."""
    backlog, after = draw(st.integers(0, 3)), draw(times("0", "2500000"))
    return [Server(name, PORT, backlog=backlog, accept_after=after) for name in reachable(topology)]


def settings() -> st.SearchStrategy[dict[str, Any]]:
    """Some sysctls, of TCP and of what a kernel and its hosts have room for."""
    of_tcp = st.dictionaries(
        st.sampled_from(["net.ipv4.tcp_sack", "net.ipv4.tcp_timestamps", "net.ipv4.tcp_syncookies"]),
        st.integers(0, 1),
    )
    room = st.fixed_dictionaries(
        {},
        optional={
            "net.core.netdev_max_backlog": st.integers(1, 40),
            "net.netfilter.nf_conntrack_max": st.integers(1, 3),
            "net.ipv4.ip_default_ttl": st.integers(1, 4),
            "net.ipv4.tcp_mem": st.just("2 4 6"),
            "net.ipv4.conf.all.rp_filter": st.integers(0, 1),
        },
    )
    return st.tuples(of_tcp, st.just({}) | room).map(lambda both: both[0] | both[1])


@st.composite
def commands(draw: st.DrawFn, topology: Topology) -> Command:
    """A shell line on some host that may make it lose packets, within the first second."""
    line = draw(st.sampled_from(BREAKERS))
    return Command(draw(st.sampled_from(topology.names)), line, draw(times("1000", "1000000")))


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    """A valid experiment that ends within 2 s of virtual time."""
    topology = draw(topologies())
    served = draw(st.booleans())
    return Experiment(
        topology,
        flows=draw(st.lists(flows(topology, served) | requests(topology), max_size=3)),
        servers=draw(servers(topology)) if served else [],
        changes=draw(st.lists(changes(topology), max_size=2)),
        commands=draw(st.lists(commands(topology), max_size=1)),
        seed=draw(st.integers(0, 2**63 - 1)),
        duration="2s",
        sysctls=draw(settings()),
        probes=draw(st.sets(st.sampled_from(sorted(ALL_PROBES)))),
    )


SPEEDS = ("10mbit", "100mbit", "1gbit")
STRESSES = (
    "ip link set eth0 down; ip link set eth0 up",  # its neighbours' addresses are asked for anew
    "ip neigh flush all; ip link set eth0 arp off; sleep 0.1; ip link set eth0 arp on",
    "ping -c 3 -i 0.05 -s 3000 right",
    "tc qdisc replace dev eth0 root pfifo limit 5",
    "ethtool -K eth0 rx-all on",
    "ethtool -K eth0 rx-all on rx-fcs on",
    "ethtool -G eth0 rx 8",
    "ethtool -r eth0",
    "bash -c 'echo hello > /dev/udp/right/9'",
)


@st.composite
def ports(draw: st.DrawFn, speed: str) -> Nic:
    """One end of a cable, with little of everything, and sometimes without auto-negotiation: then the other
    end falls to half duplex, and both hurt what the other sends."""
    return Nic(
        speed=speed,
        autoneg=speed == "1gbit" or draw(st.booleans()),
        ber=draw(st.sampled_from([0, 1e-6, 1e-5])),
        memory_ber=draw(st.sampled_from([0, 1e-7])),
        rx_ring=draw(st.sampled_from([8, 64])),
        tx_ring=draw(st.sampled_from([8, 256])),
        bus=draw(st.sampled_from([None, "5mbit", "50mbit"])),
        packet_cost=draw(st.sampled_from([0, "15us", "2ms"])),
    )


@st.composite
def cables(draw: st.DrawFn, link: Link) -> Link:
    """The same two hosts, joined by a cable."""
    speed = draw(st.sampled_from(SPEEDS))
    delay = draw(times("0", "1000"))
    return Link(link.a, link.b, delay=delay, nic_a=draw(ports(speed)), nic_b=draw(ports(speed)), mtu=1500)


@st.composite
def stressed(draw: st.DrawFn) -> Experiment:
    """As `experiments`, but with cables between ports, queues that are replaced while packets wait in them,
    links that go down and up, and an end at any instant: something is always under way."""
    plain = draw(experiments())
    old = plain.topology.links
    links = [draw(cables(link)) if draw(st.integers(0, 3)) == 0 else link for link in old]
    slow = [link for link in links if link.nic_a is None and link.forward.rate is not None]
    replaced = [
        Change(
            draw(times("50000", "1000000")),
            (link.a, link.b),
            direction="forward",
            rate=f"{rate}mbit",
            queue=queue,
        )
        for link in slow[:1]
        for rate, queue in [
            (draw(st.integers(1, 20)), draw(st.sampled_from(["50p", "8kB", *sorted({*QUEUES} - {*LIMITS})])))
        ]
    ]
    host = draw(st.sampled_from(plain.topology.names))
    line = draw(st.sampled_from(STRESSES))
    return plain.replace(
        topology=Topology(plain.topology.hosts, links),
        changes=replaced,
        commands=[*plain.commands, Command(host, line, draw(times("1000", "40000")))],
        duration=draw(times("1100000", "2000000")),
    )


_NETWORK = pair(rate="10mbit", delay="10ms")
_FLOW = {"src": "left", "dst": "right", "size": "10kB"}
_LINK = {"a": "left", "b": "right"}


def _with_flow(**fields: Any) -> dict[str, Any]:
    return {"topology": _NETWORK, "flows": [_FLOW | fields]}


def _with_requests(**fields: Any) -> dict[str, Any]:
    asked = {"kind": "requests", "src": "left", "dst": "right", "request": 1, "response": 1, "count": 1}
    return {"topology": _NETWORK, "flows": [asked | fields]}


def _with_link(**fields: Any) -> dict[str, Any]:
    return {"topology": {"hosts": ["left", "right"], "links": [_LINK | fields]}, "flows": [_FLOW]}


def _with(**fields: Any) -> dict[str, Any]:
    return {"topology": _NETWORK, "flows": [_FLOW]} | fields


def broken_specs() -> st.SearchStrategy[dict[str, Any]]:
    """Keywords of an Experiment with exactly one fault; each must raise SpecError."""
    number = st.sampled_from([-1, float("nan"), float("inf"), True, "5", "", "x", [], {}, "1 furlong"])
    faulty = st.sampled_from(["rate", "delay", "jitter", "loss", "corrupt", "duplicate", "reorder", "queue"])
    return st.one_of(
        st.builds(lambda name, value: _with_link(**{name: value}), faulty, number),
        st.sampled_from(["start", "size", "mss", "sndbuf", "rcvbuf"]).flatmap(
            lambda name: number.map(lambda value: _with_flow(**{name: value}))
        ),
        st.sampled_from(
            [
                *(_with_link(**{name: 1.5}) for name in ("loss", "corrupt", "duplicate", "loss_correlation")),
                _with_link(queue="100p"),
                _with_link(jitter="1ms"),
                _with_link(reorder="1%"),
                _with_link(mtu=67),
                _with_link(b="left"),
                _with_link(b="nobody"),
                _with_link(rate="1mbit", queue="htb"),
                _with_flow(dst="left"),
                _with_flow(dst="nobody"),
                _with_flow(cc="cubicc"),
                _with_flow(duration="0s"),
                _with_flow(protocol="udp"),
                _with_flow(rate="1mbit"),
                _with_flow(start="2h"),
                _with_flow(port=80),
                _with_flow(port=0),
                _with_flow(read_rate=0),
                _with_flow(read_rate="-1mbit"),
                _with_flow(read_after="-1s"),
                _with_flow(kind="bulk"),
                *(_with_requests(**{name: 0}) for name in ("request", "response", "count", "duration")),
                _with_requests(count=None),
                _with_requests(pattern="exponential"),
                _with_requests(protocol="udp"),
                _with_requests(cc="cubicc"),
                _with(servers=[{"host": "nobody", "port": 80}]),
                _with(servers=[{"host": "right", "port": 80}] * 2),
                _with(servers=[{"host": "right", "port": 20_000}]),
                _with(servers=[{"host": "right", "port": 80, "backlog": -1}]),
                _with(seed=-1),
                _with(seed=2**63),
                _with(probes=["everything"]),
                _with(flows=[]),
                _with(changes=[{"at": 1, "link": ("left", "nobody"), "loss": "1%"}]),
                _with(changes=[{"at": 1, "link": ("left", "right")}]),
                _with(commands=[{"host": "nobody", "command": "true"}]),
                _with(sysctl={}),
            ]
        ),
    )
