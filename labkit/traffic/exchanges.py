"""Exchanges over a pool of TCP connections: requests and responses that are due at given instants, or when
others are done. What web pages, keystrokes and calls over TCP are to the agent, and its rows of them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal, NamedTuple

from labkit import units
from labkit.program.records import Record
from labkit.program.structs import EXCHANGE_OP, EXCHANGES_OP, FLOW_NODELAY, HANDSHAKE_OP, POOL_OP, Op
from labkit.traffic.flow import READ_MAX, flow_op
from labkit.traffic.kind import Context

LARGEST = 2**40
Tls = Literal["1.2", "1.3"]
HANDSHAKES: Mapping[Tls | None, Sequence[tuple[int, int]]] = {
    None: (),
    "1.2": ((220, 3600), (130, 260)),
    "1.3": ((520, 3700),),
}
"""Bytes to the server and back in each round trip of a TLS handshake, with a chain of two certificates: two
round trips by RFC 5246 (section 7.3), one by RFC 8446 (section 2), where the client's Finished goes along
with its first request. Sizes are typical ones; what counts is that they take round trips, and several
packets."""
ORDER = ("flow", "number")
"""Of their records in a table."""


class Exchange(NamedTuple):
    """One of a list. request, response: bytes; response 0: there is none. after: places in the list, before
    its own, of those that must be done first. wait: s after the last of these, or after the start. service:
    s that the server works on it."""

    request: int
    response: int = 0
    after: Sequence[int] = ()
    wait: float = 0.0
    service: float = 0.0


class Pool(NamedTuple):
    """connections: at most. frame: bytes after which responses take turns on one of them; 0: each connection
    has one exchange at a time. sndbuf is the server's, rcvbuf the client's; None: the kernel's choice."""

    cc: str
    connections: int = 1
    frame: int = 0
    tls: Tls | None = None
    mss: int | None = None
    nodelay: bool = False
    sndbuf: int | None = None
    rcvbuf: int | None = None


def pool_op(context: Context, pool: Pool, carried: int) -> bytes:
    """struct pool_op. carried: bytes of all requests and responses."""
    flow = flow_op(
        turned(context),
        flags=FLOW_NODELAY * pool.nodelay,
        mss=pool.mss or 0,
        size=carried,
        sndbuf=pool.sndbuf or 0,
        rcvbuf=pool.rcvbuf or 0,
        read_bytes=READ_MAX,
        cc=pool.cc.encode(),
    )
    sizes = HANDSHAKES[pool.tls]
    return POOL_OP.pack(
        flow=flow,
        connections=pool.connections,
        frame=pool.frame,
        handshakes=len(sizes),
        handshake=HANDSHAKE_OP.pack_all(
            request=(up for up, _ in sizes), response=(down for _, down in sizes)
        ),
    )


def turned(context: Context) -> Context:
    """The server has the port that senders have, which is how those who trace find them."""
    return replace(context, sport=context.dport, dport=context.sport)


def exchanges_record(context: Context, pool: Pool, exchanges: Sequence[Exchange], start: float) -> Record:
    """struct exchanges_op. Those that are due at an instant of their own must stand in the order of these."""
    followers: list[list[int]] = [[] for _ in exchanges]
    for place, exchange in enumerate(exchanges):
        for needed in exchange.after:
            followers[needed].append(place)
    counts = [len(who) for who in followers]
    rows = EXCHANGE_OP.pack_all(
        after_ns=(units.ns(exchange.wait) for exchange in exchanges),
        request=(exchange.request for exchange in exchanges),
        response=(exchange.response for exchange in exchanges),
        service_ns=(units.ns(exchange.service) for exchange in exchanges),
        waits=(len(exchange.after) for exchange in exchanges),
        first_follower=(end - count for end, count in zip(accumulate(counts), counts, strict=True)),
        followers=counts,
    )
    carried = sum(exchange.request + exchange.response for exchange in exchanges)
    places = [place for who in followers for place in who]
    shared = pool_op(context, pool, carried)
    head = EXCHANGES_OP.pack(pool=shared, count=len(exchanges), followers=len(places))
    body = head + rows + struct.pack(f"<{len(places)}I", *places)
    return Record(Op.EXCHANGES, body, context.src_ns, units.ns(start))
