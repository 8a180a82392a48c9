"""The ledger's words for the places of loss; what a listening socket had no room for, on frames we made."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from labkit.decode.drop_monitor import Drops
from labkit.decode.frames import Frames
from labkit.results.ledger.causes import Causes
from labkit.results.ledger.drop_places import HOOK, STACK, DropPlace
from labkit.results.ledger.listening import Unheard, unheard
from labkit.results.result import Result

RECORDED = Path(__file__).parent / "data/small-run.zip"
SECOND = 10**9
INTERFACE = 7


@pytest.fixture(scope="module")
def causes() -> Causes:
    return Causes(Result.load(RECORDED))


@pytest.mark.parametrize(
    ("function", "reason", "word"),
    [
        ("udp_queue_rcv_one_skb", "SOCKET_RCVBUFF", "socket buffer full"),
        ("tcp_add_backlog", "SOCKET_BACKLOG", "socket backlog full"),
        ("tcp_data_queue", "PROTO_MEM", "receive memory full"),
        ("tcp_prune_ofo_queue", "TCP_OFO_QUEUE_PRUNE", "out of order pruned"),
        ("tcp_data_queue", "TCP_ZEROWINDOW", "zero window"),
        ("tcp_validate_incoming", "TCP_INVALID_SEQUENCE", "beyond the window"),
        ("tcp_data_queue", "TCP_OVERWINDOW", "beyond the window"),
        ("netif_rx_internal", "CPU_BACKLOG", "backlog full"),
        ("nft_do_chain", "NETFILTER_DROP", "filtered"),
        ("nf_hook_slow", "NETFILTER_DROP", "connection table full"),
        ("ip_forward", "PKT_TOO_BIG", "too large for the next link"),
        ("ip_forward", "IP_INHDR", "ttl exceeded"),
        ("ip_rcv_core", "IP_INHDR", "corrupted"),
        ("ip_forward", "NOT_SPECIFIED", "corrupted"),
        ("ip_error", "IP_INNOROUTES", "no route"),
        ("ip_error", "NOT_SPECIFIED", "no route"),
        ("__neigh_event_send", "NEIGH_QUEUEFULL", "no neighbour"),
        ("ip_rcv_finish_core", "IP_RPFILTER", "wrong way back"),
        ("cookie_v4_check", "NO_SOCKET", "accept queue full"),
        ("udp_unicast_rcv_skb", "NO_SOCKET", "no socket"),
        ("tcp_conn_request", "TCP_LISTEN_OVERFLOW", "accept queue full"),
        ("tcp_conn_request", "NOT_SPECIFIED", "SYN queue full"),
        ("somewhere", "SOMETHING_NEW", "something new"),
    ],
)
def test_each_place_in_a_host_has_its_word(causes: Causes, function: str, reason: str, word: str) -> None:
    assert causes.cause(DropPlace("right", "", STACK), function, reason, 0.1, 1514) == word


def test_what_is_redirected_to_a_device_that_is_down_met_a_link_that_is_down(causes: Causes) -> None:
    place = DropPlace("r1", "r2", HOOK)
    assert causes.cause(place, "__netif_receive_skb_core", "TC_INGRESS", 0.1, 1514) == "link down"
    assert causes.cause(place, "__rtnl_unlock", "NOT_SPECIFIED", 0.1, 1514) == "link down"
    assert causes.cause(place, "nft_do_chain", "NETFILTER_DROP", 0.1, 1514) == "named loss"


Seen = tuple[float, str, int]  # s, flags, the client's port


def frames(came: list[Seen], went: list[Seen]) -> Frames:
    """Of a server's interface: from its client, and back to it."""
    client, server = "10.0.1.1", "10.0.1.2"
    there, back = Ether() / IP(src=client, dst=server), Ether() / IP(src=server, dst=client)
    rows = [(at, bytes(there / TCP(sport=p, dport=80, flags=f)), False) for at, f, p in came]
    rows += [(at, bytes(back / TCP(sport=80, dport=p, flags=f)), True) for at, f, p in went]
    rows.sort(key=lambda row: row[0])
    sizes = np.array([len(data) for _, data, _ in rows], np.int64)
    return Frames(
        np.frombuffer(b"".join(data for _, data, _ in rows), np.uint8),
        np.array([round(at * SECOND) for at, _, _ in rows], np.int64),
        np.full(len(rows), INTERFACE, np.int64),
        np.array([outgoing for _, _, outgoing in rows], bool),
        np.cumsum(sizes) - sizes,
        sizes,
        sizes,
    )


def found(came: list[Seen], went: list[Seen], freed: list[Seen] = [], **counters: int) -> Unheard:  # noqa: B006
    """What a server had no room for that saw these come and go, and whose tcp_v4_rcv freed some."""
    lost = frames(freed, [])
    count = len(lost)
    drops = Drops(lost, pd.Categorical(["tcp_v4_rcv"] * count), pd.Categorical(["NOT_SPECIFIED"] * count))
    names = [f"TcpExt{name}" for name in counters]
    table = pd.DataFrame({"host": "server", "name": names, "delta": list(counters.values())})
    layout = [{"index": INTERFACE, "host": "server", "role": "host"}]
    run = SimpleNamespace(counters=table, frames=frames(came, went), layout=lambda _: layout)
    return unheard(cast("Any", run), drops)


def test_a_syn_without_an_answer_was_not_heard() -> None:
    answer = found([(1, "S", 10), (2, "S", 11)], [(1, "SA", 10)], ListenDrops=1, ListenOverflows=1)
    assert answer.syns.at_ns.tolist() == [2 * SECOND]
    assert answer.reason == "TCP_LISTEN_OVERFLOW"


def test_a_syn_ack_that_its_timer_sends_later_is_no_answer_to_it() -> None:
    answer = found([(1, "S", 10), (1.5, "S", 10)], [(1, "SA", 10), (2, "SA", 10)], ListenDrops=1)
    assert answer.syns.at_ns.tolist() == [round(1.5 * SECOND)]


def test_a_syn_that_is_reset_was_heard() -> None:
    assert not len(found([(1, "S", 10)], [(1, "RA", 10)], ListenDrops=1).syns)


def test_without_overflows_it_was_the_syn_queue_that_was_full() -> None:
    assert found([(1, "S", 10)], [], ListenDrops=1).reason == "NOT_SPECIFIED"


def test_where_nothing_was_dropped_nothing_is_missed() -> None:
    assert not len(found([(1, "S", 10)], [], [(2, "A", 10)], ListenDrops=0).syns)


def test_a_segment_for_a_connection_that_nobody_accepted_was_not_heard() -> None:
    came: list[Seen] = [(1, "S", 10), (1.1, "A", 10)]
    assert found(came, [(1, "SA", 10)], [(1.1, "A", 10)], ListenDrops=1).segments.tolist() == [0]


@pytest.mark.parametrize("flags", ["S", "SA"])
def test_a_syn_once_more_changes_nothing(flags: str) -> None:
    assert not len(found([(1, "S", 10)], [(1, "SA", 10)], [(1.1, flags, 10)], ListenDrops=1).segments)


def test_a_late_segment_of_a_connection_that_was_accepted_and_closed_changes_nothing() -> None:
    went: list[Seen] = [(1, "SA", 10), (1.2, "A", 10), (1.3, "FA", 10)]
    assert not len(found([(1, "S", 10)], went, [(1.5, "A", 10)], ListenDrops=1).segments)
