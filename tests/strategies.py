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
    Direction,
    DropPackets,
    EveryNth,
    Experiment,
    Flow,
    GilbertElliott,
    Link,
    Queue,
    RandomLoss,
    SysctlChange,
    Topology,
)
from labkit.topologies import dumbbell, pair, star

HOSTS = ("left", "right", "top", "bottom")
QUEUES = ("pfifo", "sfq", "codel", "fq", "fq_codel", "pie", "fq_pie", "choke", "sfb", "hhf", "red", "cake")


def probabilities(most: float) -> st.SearchStrategy[float]:
    """From 0 to `most`, in steps of a thousandth."""
    return st.integers(0, round(most * 1000)).map(lambda thousandths: thousandths / 1000)


def times(least: str, most: str) -> st.SearchStrategy[str]:
    """Between two whole numbers of microseconds, with the unit."""
    return st.integers(int(least), int(most)).map(lambda us: f"{us}us")


def losses() -> st.SearchStrategy[Any]:
    """No loss, or one of the four kinds, at most 20 % of packets."""
    return st.one_of(
        st.none(),
        probabilities(0.2).map(lambda p: RandomLoss(p)),
        st.tuples(probabilities(0.05), st.sampled_from(["30%", 0.5, "100%"])).map(
            lambda p_and_r: GilbertElliott(*p_and_r)
        ),
        st.integers(5, 2**31).map(lambda n: EveryNth(n)),
        st.sets(st.integers(1, 200), min_size=1, max_size=8).map(lambda numbers: DropPackets(list(numbers))),
    )


def queues() -> st.SearchStrategy[Any]:
    """A queue by its shorthand, or by kind with the kernel's defaults."""
    return st.one_of(
        st.integers(5, 200).map(lambda packets: f"{packets}p"),
        st.integers(10, 300).map(lambda kilobytes: f"{kilobytes}kB"),
        st.sampled_from(QUEUES).map(lambda kind: Queue(kind)),
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
    shape = draw(st.sampled_from(["pair", "dumbbell", "star", "chain"]))
    if shape == "pair":
        return Topology(["left", "right"], [Link("left", "right", **ways)])
    if shape == "dumbbell":
        rate = f"{draw(st.integers(1, 50))}mbit"
        return dumbbell(rate=rate, delay=draw(times("0", "20000")), loss=draw(losses()), mtu=mtu)
    if shape == "star":
        return star(*draw(st.sampled_from([HOSTS[:2], HOSTS[:3]])), **ways)
    names = draw(st.permutations(HOSTS))
    return Topology(names, [Link(a, b, **ways) for a, b in pairwise(names)])


@st.composite
def flows(draw: st.DrawFn, topology: Topology) -> Flow:
    """TCP of at most 100 kB or UDP of at most half a second, started within half a second."""
    src, dst = draw(st.permutations(topology.names))[:2]
    start = draw(times("0", "500000"))
    if draw(st.booleans()):
        return Flow(
            *(src, dst),
            cc=draw(st.sampled_from(LAB_CONGESTION_CONTROLS)),
            size=draw(st.integers(1, 100_000)),
            start=start,
            nodelay=draw(st.booleans()),
            mss=draw(st.none() | st.integers(88, 1400)),
        )
    return Flow(
        *(src, dst),
        protocol="udp",
        rate=f"{draw(st.integers(10, 2000))}kbit",
        duration=draw(times("1000", "500000")),
        packet=draw(st.none() | st.integers(1, 1472)),
        pattern=draw(st.none() | st.sampled_from(["constant", "poisson"])),
        start=start,
    )


@st.composite
def changes(draw: st.DrawFn, topology: Topology) -> Change | SysctlChange:
    """A link or a sysctl changes within the first second."""
    at = draw(times("1", "1000000"))
    if draw(st.booleans()):
        host = draw(st.sampled_from(topology.names))
        return SysctlChange(at, host, "net.ipv4.tcp_sack", draw(st.integers(0, 1)))
    link = draw(st.sampled_from(topology.links))
    ends = draw(st.permutations([link.a, link.b]))
    way = draw(st.sampled_from(["both", "forward", "backward"]))
    return Change(at, ends, direction=way, loss=draw(losses()), loss_correlation=0)


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    """A valid experiment that ends within 2 s of virtual time."""
    topology = draw(topologies())
    commands = [Command(draw(st.sampled_from(topology.names)), "true", "1ms")] if draw(st.booleans()) else []
    return Experiment(
        topology,
        flows=draw(st.lists(flows(topology), max_size=3)),
        changes=draw(st.lists(changes(topology), max_size=2)),
        commands=commands,
        seed=draw(st.integers(0, 2**63 - 1)),
        duration="2s",
        sysctls=draw(
            st.dictionaries(
                st.sampled_from(["net.ipv4.tcp_sack", "net.ipv4.tcp_timestamps"]), st.integers(0, 1)
            )
        ),
        probes=draw(st.sets(st.sampled_from(sorted(ALL_PROBES)))),
    )


_NETWORK = pair(rate="10mbit", delay="10ms")
_FLOW = {"src": "left", "dst": "right", "size": "10kB"}
_LINK = {"a": "left", "b": "right"}


def _with_flow(**fields: Any) -> dict[str, Any]:
    return {"topology": _NETWORK, "flows": [_FLOW | fields]}


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
                _with_flow(duration="1s"),
                _with_flow(protocol="udp"),
                _with_flow(rate="1mbit"),
                _with_flow(start="2h"),
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
