"""The loss ledger: each cause against the kernel's own counters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from labkit.results.result import Result
from labkit.spec import Command, DropPackets, EveryNth, Experiment, Flow, GilbertElliott
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import binomial, counter, fresh

Fields = Mapping[str, Any]


def datagrams(network: Any, count: int = 2000, gap_ms: float = 1.0, **rest: Any) -> Result:
    """UDP of 1000 bytes, one each gap."""
    flow = Flow(
        "left",
        "right",
        protocol="udp",
        packet=1000,
        rate=8e6 / gap_ms,
        size=1000 * count,
        rcvbuf=rest.pop("rcvbuf", None),
    )
    rest = {"probes": {"drops"}, "capture": ["left", "right"]} | rest
    return fresh(Experiment(network, flows=[flow], **rest))


def causes(result: Result) -> dict[str, int]:
    found = result.ledger()["cause"].value_counts()
    return {str(name): int(count) for name, count in found.items() if count}


def dropped(result: Result, kind: str) -> int:
    """By the qdiscs of this kind, at the end."""
    table = result.qdiscs
    return int(table[(table["phase"] == 1) & (table["kind"] == kind)]["drops"].sum())


def test_random_loss_is_wire_loss() -> None:
    result = datagrams(pair(delay="1ms", loss="5%"))
    low, high = binomial(2000, 0.05)
    assert causes(result) == {"wire loss": dropped(result, "netem")}
    assert low <= dropped(result, "netem") <= high


def test_bursts_are_numbered() -> None:
    result = datagrams(pair(delay="1ms", loss=GilbertElliott(p=0.02, r=0.3)))
    assert causes(result) == {"burst loss": dropped(result, "netem")}
    table = result.ledger()
    number = (table["sent_s"] / 1e-3).round().astype(int).to_numpy()
    run_of = np.cumsum(np.diff(number, prepend=-9) != 1)
    together = pd.Series(run_of).groupby(run_of).transform("size").to_numpy() > 1
    assert (table["burst"].to_numpy()[~together] == 0).all()
    in_runs = pd.DataFrame({"run": run_of, "burst": table["burst"].to_numpy()})[together]
    assert in_runs.drop_duplicates().shape[0] == in_runs["run"].nunique() == in_runs["burst"].nunique() > 5


@pytest.mark.parametrize("n", [7, 100])
def test_every_nth_packet_is_named_loss(n: int) -> None:
    result = datagrams(pair(delay="1ms", loss=EveryNth(n)))
    assert causes(result) == {"named loss": 2000 // n}
    gaps = np.diff(result.ledger()["sent_s"])
    assert gaps == pytest.approx([n * 1e-3] * len(gaps), abs=2e-6)


def test_chosen_packets_are_named_loss() -> None:
    result = datagrams(pair(delay="1ms", loss=DropPackets([1, 5, 1999])))
    assert causes(result) == {"named loss": 3}


# Ten senders' worth into a tenth of the rate.  left -> [queue] -> right
@pytest.mark.parametrize("queue", ["20p", "20kB", "sfq", "fq", "pfifo_fast", "hhf"])
def test_a_queue_that_drops_at_its_limit_was_full(queue: str) -> None:
    network = dumbbell(rate="2mbit", delay="1ms", queue=queue, access_rate="100mbit")
    result = datagrams(network, 3000)
    found = causes(result)
    assert set(found) == {"queue full"}
    assert found["queue full"] == router_drops(result)
    row = result.ledger().iloc[0]
    assert (row["host"], row["peer"]) == ("r1", "r2")


def router_drops(result: Result) -> int:
    """Of the queue from r1 to r2, by the kernel's own counter."""
    table = result.also({"backlog"}).backlog
    return int(table[(table["host"] == "r1") & (table["peer"] == "r2")]["drops"].max())


@pytest.mark.parametrize(
    "queue",
    [
        {"kind": "codel"},
        {"kind": "fq_codel"},
        {"kind": "cake"},
        {"kind": "red", "bytes": "400kB", "options": {"min": 15000, "max": 60000, "probability": 0.2}},
        {"kind": "pie", "packets": 1000},
        {"kind": "fq_pie", "packets": 1000},
        {"kind": "choke", "packets": 500},
        {"kind": "sfb", "packets": 1000},
    ],
    ids=lambda queue: queue["kind"],
)
def test_a_queue_that_drops_before_its_limit_dropped_early(queue: Fields) -> None:
    network = dumbbell(rate="2mbit", delay="1ms", queue=queue, access_rate="100mbit")
    result = datagrams(network, 3000, gap_ms=3.3)
    found = causes(result)
    assert set(found) == {"early drop"}
    assert found["early drop"] == router_drops(result)


@pytest.mark.parametrize(
    "queue",
    [
        {"kind": "red", "bytes": "30kB", "options": {"min": 5000, "max": 29000, "burst": 400}},
        {"kind": "pie", "packets": 20},
        {"kind": "sfb", "packets": 20},
        {"kind": "choke", "packets": 30, "options": {"min": 5, "max": 29, "burst": 400}},
    ],
    ids=lambda queue: queue["kind"],
)
def test_a_queue_with_early_drop_can_be_full_too(queue: Fields) -> None:
    network = dumbbell(rate="2mbit", delay="1ms", queue=queue, access_rate="100mbit")
    result = datagrams(network, 3000, gap_ms=0.5)
    found = causes(result)
    assert found.get("queue full", 0) > 100
    assert sum(found.values()) == router_drops(result)


def test_damage_is_found_where_a_checksum_is_looked_at() -> None:
    result = fresh(
        Experiment(
            dumbbell(rate="10mbit", delay="5ms", corrupt="2%", queue="1000p"),
            flows=[Flow("left", "right", cc="reno", size="1MB")],
            probes={"drops", "recovery", "tcp_probe"},
            capture=["left", "right"],
        )
    )
    table = result.ledger()
    assert set(table["cause"]) == {"corrupted"}
    by_host = table["host"].value_counts()
    checks = {
        "right": "TcpInCsumErrors",
        "left": "TcpInCsumErrors",
        "r2": "IpExtInCsumErrors",
        "r1": "IpExtInCsumErrors",
    }
    for host, name in checks.items():
        addressed_wrong = (table["host"] == host) & ~table["reason"].isin(["TCP_CSUM", "IP_CSUM"])
        assert by_host.get(host, 0) - addressed_wrong.sum() == counter(result, host, name), host


def test_a_full_receive_buffer_is_named() -> None:
    """A burst that is larger than the buffer, in one instant: nobody reads in between."""
    flow = Flow("left", "right", protocol="udp", packet=1000, rate="10gbit", size="1MB", rcvbuf="8kB")
    result = fresh(Experiment(pair(delay="1ms"), flows=[flow], probes={"drops"}, capture=["left", "right"]))
    errors = counter(result, "right", "UdpRcvbufErrors")
    assert causes(result).get("socket buffer full", 0) == errors


def test_what_nftables_drops_is_filtered() -> None:
    chain = "add table ip t; add chain ip t c { type filter hook input priority 0; }"
    commands = [Command("right", f"nft '{chain}; add rule ip t c ip protocol udp drop'", "0s")]
    result = datagrams(pair(delay="5ms"), 100, commands=commands)
    flow = result.flows.iloc[0]
    assert causes(result)["filtered"] == flow["sent_packets"] - flow["received_packets"] > 0


def test_without_a_route_packets_die_in_the_router() -> None:
    commands = [Command("r1", "ip route del 10.0.3.0/24; ip route", "50ms")]
    result = datagrams(dumbbell(delay="1ms"), 200, commands=commands)
    found = causes(result)
    assert set(found) == {"no route"}
    assert found["no route"] == counter(result, "r1", "IpExtInNoRoutes")


def test_a_ping_that_is_answered_has_lost_nothing() -> None:
    result = fresh(Experiment(dumbbell(delay="1ms"), commands=[Command("left", "ping -c 3 -i 0.2 right")]))
    assert result.ledger().empty
    assert result.balance()[["sent", "delivered"]].to_numpy().tolist() == [[6, 6]]


def test_a_packet_whose_time_to_live_ran_out_was_not_damaged() -> None:
    commands = [Command("left", "ping -c 3 -i 0.2 -t 1 right")]
    result = fresh(Experiment(dumbbell(delay="1ms"), commands=commands, probes={"drops"}))
    on_router = result.drops.query("host == 'r1'")
    assert on_router["cause"].astype("str").tolist() == ["ttl exceeded"] * 3
    assert counter(result, "r1", "IpInHdrErrors") == 3
