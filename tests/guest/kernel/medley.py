"""Twenty experiments with something of everything, for claims that hold for every experiment."""

from __future__ import annotations

from typing import Any

from labkit.spec import (
    ALL_PROBES,
    Change,
    Command,
    DropPackets,
    EveryNth,
    Experiment,
    Flow,
    GilbertElliott,
    Link,
    Nic,
    NicChange,
    Queue,
    Server,
    SysctlChange,
    Topology,
)
from labkit.spec.topologies import dumbbell, pair, parking_lot, star

SLOW: dict[str, Any] = {"rate": "10mbit", "delay": "10ms"}
LOOKS = """ping -c 5 -i 0.1 right; ip a; ss -ti; cat /proc/net/snmp /proc/uptime /proc/meminfo;
date +%s.%N; cat /proc/sys/kernel/random/uuid; od -xN 16 /dev/urandom; echo $$; env; ulimit -a; free; df;
dmesg; cat /proc/interrupts /proc/cpuinfo /proc/version /proc/cmdline; hostname; pwd; mktemp"""
PYTHON = """/usr/bin/python3 -c 'import os, random, threading, time
print(random.random(), time.time(), time.perf_counter(), hash("a"), id(object()), os.urandom(4), os.getpid(),
      threading.get_ident())'"""


def flows(*ccs: str, duration: str = "2s") -> list[Flow]:
    """From left to right, at once."""
    return [Flow("left", "right", cc=cc, duration=duration) for cc in ccs]


def medley() -> dict[str, Experiment]:
    """By name."""
    return {name: Experiment(seed=seed, **fields) for seed, (name, fields) in enumerate(_fields().items(), 1)}


def _fields() -> dict[str, dict[str, Any]]:
    return _of_links() | _of_queues() | _of_hosts()


def _of_links() -> dict[str, dict[str, Any]]:
    card = Nic(speed="100mbit", ber=1e-7, error_burst=8, memory_ber=1e-9, rx_ring=32, packet_cost="20us")
    half = Nic(speed="10mbit", duplex="half")
    unsteady = {"jitter": "3ms", "distribution": "pareto", "loss": "0.5%", "corrupt": "0.3%"}
    twice = {"duplicate": "0.5%", "reorder": "1%", "delay_correlation": "25%"}
    ways: tuple[str, str] = ("r1", "r2")
    changes = [
        Change("1s", ways, rate="2mbit"),
        Change("1.2s", ways, loss=EveryNth(50)),
        Change("1.5s", ways, queue="codel"),
    ]
    both = {"flows": [*flows("cubic"), Flow("right", "left", cc="bbr", duration="1s")]}
    return {
        "loss": {"topology": dumbbell(loss="1%", **SLOW), "flows": flows("reno")},
        "bursts": {
            "topology": dumbbell(loss=GilbertElliott("1%", "30%"), queue="64kB", **SLOW),
            "flows": flows("cubic"),
            "probes": ALL_PROBES,
        },
        "netem": {
            "topology": dumbbell(**SLOW, **unsteady, **twice),
            "flows": [*flows("cubic"), Flow("left", "right", protocol="udp", rate="1mbit", duration="1s")],
            "probes": ALL_PROBES,
            "capture": ["left", "right"],
        },
        "card": {
            "topology": Topology(["left", "right"], [Link("left", "right", delay="50us", nic=card)]),
            "commands": [Command("right", "ethtool -S eth0; ethtool eth0; ip -s link; nstat", at="1s")],
            "changes": [NicChange("1s", "right", "left", ber=1e-6)],
            **both,
        },
        "half": {
            "topology": Topology(["left", "right"], [Link("left", "right", delay="1us", nic=half)]),
            **both,
        },
        "changes": {
            "topology": dumbbell(queue="50p", **SLOW),
            "flows": flows("cubic"),
            "changes": [*changes, SysctlChange("1s", "left", "net.ipv4.tcp_sack", 0)],
        },
        "module": {
            "topology": dumbbell(loss=DropPackets([5, 9, 40, 41]), **SLOW),
            "flows": flows("reno2013"),
            "modules": ["reno2013"],
            "capture": ["left", "right"],
        },
    }


def _of_queues() -> dict[str, dict[str, Any]]:
    ecn = Queue("fq_codel", options={"ecn": True})
    red = {"kind": "red", "bytes": "200kB"}
    crossing = Flow("left1", "right1", duration="2s", cc="westwood")
    return {
        "pacing": {"topology": dumbbell(rate="50mbit", delay="15ms", queue="200p"), "flows": flows("bbr")},
        "ecn": {
            "topology": dumbbell(queue=ecn, **SLOW),
            "flows": flows("dctcp", "cubic"),
            "sysctls": {"net.ipv4.tcp_ecn": 1},
            "capture": ["right"],
        },
        "red": {
            "topology": dumbbell(queue=red, **SLOW),
            "flows": flows("cubic", "reno"),
            "probes": ALL_PROBES,
        },
        "sfq": {
            "topology": dumbbell(queue={"kind": "sfq", "perturb": 1}, **SLOW),
            "flows": flows("cubic", "cubic", "cubic"),
        },
        "cake": {"topology": dumbbell(queue="cake", **SLOW), "flows": flows("bbr", "bic")},
        "sfb": {"topology": parking_lot(2, queue="sfb", **SLOW), "flows": [*flows("cubic"), crossing]},
        "pie": {
            "topology": dumbbell(queue="fq_pie", backward={"queue": "hhf"}, **SLOW),
            "flows": [*flows("cubic"), Flow("right", "left", cc="yeah", duration="2s")],
        },
    }


def _of_hosts() -> dict[str, dict[str, Any]]:
    pairs = [(f"left{i % 3 + 1}", f"right{i % 3 + 1}") for i in range(6)]
    many = [Flow(*ends, duration="1s", start=f"{i * 13}ms") for i, ends in enumerate(pairs)]
    poisson = Flow("left", "right", protocol="udp", rate="6mbit", pattern="poisson", duration="1s")
    short = [Flow(f"left{i % 3 + 1}", "right1", port=80, size="20kB", start=f"{i * 5}ms") for i in range(8)]
    return {
        "many": {"topology": dumbbell(3, **SLOW), "flows": many, "capture": ["left1"]},
        "poisson": {
            "topology": dumbbell(queue="20p", jitter="2ms", **SLOW),
            "flows": [poisson, Flow("right", "left", cc="vegas", duration="1s")],
        },
        "looks": {"topology": star("left", "right", "top", **SLOW), "commands": [Command("left", LOOKS)]},
        "python": {"topology": pair(delay="1ms"), "commands": [Command("left", PYTHON)]},
        "servers": {
            "topology": dumbbell(3, **SLOW),
            "servers": [Server("right1", 80, backlog=1, accept_after="1s")],
            "flows": short,
            "duration": "4s",
            "probes": ALL_PROBES,
        },
        "readers": {
            "topology": dumbbell(**SLOW),
            "flows": [
                Flow("left", "right", size="500kB", read_rate="2mbit", rcvbuf="30kB"),
                Flow("left", "right", size="300kB", read_after="1s", cc="cdg"),
            ],
        },
    }
