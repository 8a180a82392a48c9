"""Small experiments and ways to read them, for tests of the laboratory."""

from __future__ import annotations

import re
from math import sqrt
from typing import Any

from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Command, Experiment, Flow
from labkit.spec.topologies import pair

NOTHING: frozenset[Any] = frozenset()
MS = 1e-3


def fresh(experiment: Experiment) -> Result:
    """Run it, whatever the cache has."""
    return run(experiment, cache=False)


def packets(count: int, *, seed: int = 1, changes: tuple[Any, ...] = (), **link: Any) -> Result:
    """`count` datagrams of 100 bytes from left to right over a link, one a millisecond."""
    flow = Flow("left", "right", protocol="udp", rate="800kbit", packet=100, size=100 * count)
    return fresh(Experiment(pair(**link), flows=[flow], changes=changes, seed=seed, probes=NOTHING))


def received(result: Result) -> int:
    """Datagrams of the only flow that arrived."""
    return int(result.flows["received_packets"].iloc[0])


def pings(count: int, *, every_ms: int = 25, changes: tuple[Any, ...] = (), **link: Any) -> list[float]:
    """Round-trip times in ms, by sequence number, as far as answers came.

    ping waits busily for the last 10 ms of its interval, and a busy wait takes long in a guest: so no answer
    is to come that late.
    """
    command = Command("left", f"ping -c {count} -i {every_ms / 1000} -W 2 right")
    result = fresh(Experiment(pair(**link), commands=[command], changes=changes, probes=NOTHING))
    found = re.findall(r"icmp_seq=(\d+) .* time=([\d.]+) ms", result.output(0))
    return [float(time) for _, time in sorted(found, key=lambda pair: int(pair[0]))]


def binomial(n: int, p: float) -> tuple[float, float]:
    """The 99.9 % interval of successes in n trials, by the normal approximation."""
    spread = 3.29 * sqrt(n * p * (1 - p))
    return n * p - spread, n * p + spread


def counter(result: Result, host: str, name: str) -> int:
    """By how much an nstat counter of a host grew."""
    table = result.counters.set_index(["host", "name"])["delta"]
    return int(table.get((host, name), 0))
