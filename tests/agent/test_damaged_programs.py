"""Damaged lab programs: refused in one line, or an error record; no crash, hang or sanitizer report."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.compile.target import SHARED_KERNEL
from labkit.netlink.message import dump_links, dump_qdiscs
from labkit.netlink.veth import set_up
from labkit.program.builder import Program
from labkit.program.structs import LAB_NO_NS, LAB_VERSION, Kind, Op
from labkit.spec import Experiment, Flow, Link, Topology
from tests import fuzz
from tests.agent.harness import Outcome, execute

FLIPS = fuzz.examples(300)
HEADER, RECORD = 16, 16
PLAIN = Topology(["a", "b"], [Link("a", "b")])
LATE = (1 << 56) + 1


def tiny(protocol: str) -> bytes:
    """A whole experiment of a few milliseconds, without a command in it."""
    flow = Flow("a", "b", protocol=protocol, size="20kB", **({"rate": "10mbit"} if protocol == "udp" else {}))
    exp = Experiment(PLAIN, flows=[flow], time_limit="300ms", sample_interval="10ms", capture=["a"])
    return compile_experiment(exp, SHARED_KERNEL).program


def flipped(base: bytes, rng: random.Random) -> bytes:
    """One to eight bits of what follows the magic number, three times in four in one record.

    A flip in a record's type can make a command of what was a sysctl's name: such a program is not run.
    """
    while Op.EXEC in types(data := _flipped(base, rng)):
        pass
    return data


def types(program: bytes) -> list[int]:
    """The types of the records, as the agent walks them."""
    found, at = [], HEADER
    while at + 16 <= len(program):
        kind, _, size, _ = struct.unpack_from("<HHIq", program, at)
        found.append(kind)
        at += max(size, 16) + (-size % 8)
    return found


def _flipped(base: bytes, rng: random.Random) -> bytes:
    data = bytearray(base)
    start = rng.randrange(HEADER, len(base))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        near = rng.random() < 0.75
        at = min(start + rng.randrange(64), len(base) - 1) if near else rng.randrange(4, len(base))
        data[at] ^= 1 << rng.randrange(8)
    return bytes(data)


@pytest.mark.fuzz
def test_flipped_bits_do_no_harm(agent: Path, user: int | None) -> None:
    rng = random.Random(fuzz.seed())
    bases = [tiny("tcp")] * 3 + [tiny("udp")]
    programs = [flipped(rng.choice(bases), rng) for _ in range(FLIPS)]
    before = os.listdir("/sys/class/net")
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda program: execute(agent, program, user), programs))
    bad = [(i, o.status, o.said[-3000:]) for i, o in enumerate(outcomes) if not o.clean]
    assert not bad, f"{fuzz.header()}: {len(bad)} of {FLIPS}: {bad[:3]}"
    assert os.listdir("/sys/class/net") == before
    carried_out = sum(o.status == 0 for o in outcomes)
    assert carried_out > 0, "every flip was refused: none has tried the kernel"


def test_a_program_cut_anywhere_is_refused(agent: Path, user: int | None) -> None:
    base = tiny("tcp")
    with ThreadPoolExecutor(4) as pool:
        outcomes = pool.map(lambda size: (size, execute(agent, base[:size], user)), range(0, len(base), 64))
        assert [(size, o.status, o.said) for size, o in outcomes if not o.refused] == []


def record(op: int, body: bytes, *, ns: int = LAB_NO_NS, at_ns: int = -1, size: int | None = None) -> bytes:
    """One record as given, right or wrong."""
    length = RECORD + len(body) if size is None else size
    return struct.pack("<HHIq", op, ns, length, at_ns) + body + b"\0" * (-len(body) % 8)


def whole(
    *records: bytes, count: int | None = None, magic: int = 0x4250414C, version: int = LAB_VERSION
) -> bytes:
    """A program of these records."""
    return struct.pack("<IHHII", magic, version, 0, len(records) if count is None else count, 0) + b"".join(
        records
    )


END = record(Op.END, struct.pack("<QQ", 0, 10**9))
NS0 = record(Op.NETNS, b"a\0", ns=0)
ACKED = set_up(1)


def netlink(messages: bytes, protocol: int = 0, ns: int = 0) -> bytes:
    return record(Op.NETLINK, struct.pack("<II", protocol, 0) + messages, ns=ns)


def length(value: int, message: bytes = ACKED) -> bytes:
    return struct.pack("<I", value) + message[4:]


def flow(**wrong: int | bytes) -> bytes:
    values = {
        "dst": 0,
        "protocol": 6,
        "size": 1000,
        "duration": 0,
        "packet": 0,
        "interval": 0,
        "cc": b"",
        "away": 0,
        "reads": 0,
    }
    values |= wrong
    body = struct.pack(
        "<IHBBIIHHIQQIIIIQQ16sQQ",
        *(0, values["dst"], values["protocol"], 0, 0x0100007F, 0x0100007F, 5000, 6000, 0, values["size"]),
        *(values["duration"], 0, 0, 1, values["packet"], values["interval"], 0, values["cc"]),
        *(values["away"], values["reads"]),
    )
    return record(Op.FLOW, body, ns=0, at_ns=0)


def request(size: int = 1000, protocol: int = 6, **wrong: int) -> bytes:
    values = {"request": 100, "response": 1000, "count": 1, "service": 0, "think": 0} | wrong
    carried = flow(size=size, protocol=protocol, interval=1, packet=1)[16:]
    return record(Op.REQUEST, carried + struct.pack("<5Q", *values.values()), ns=0, at_ns=0)


def background(
    *due: tuple[int, int], count: int | None = None, size: int = 1000, protocol: int = 6, dst: int = 0
) -> bytes:
    carried = flow(size=size, protocol=protocol, dst=dst, interval=1, packet=1)[16:]
    body = carried + struct.pack("<Q", len(due) if count is None else count)
    return record(Op.BACKGROUND, body + b"".join(struct.pack("<QQ", *one) for one in due), ns=0, at_ns=0)


def train(
    trains: int = 1,
    packets: int = 1,
    protocol: int = 17,
    listed: int = 0,
    due: Sequence[int] = (),
    **wrong: int,
) -> bytes:
    carried = flow(protocol=protocol, **({"interval": 1, "packet": 100} | wrong))[16:]
    instants = struct.pack(f"<{len(due)}Q", *due)
    return record(Op.TRAIN, carried + struct.pack("<QII", trains, packets, listed) + instants, ns=0, at_ns=0)


def pool(connections: int = 1, handshakes: Sequence[tuple[int, int]] = (), **wrong: int) -> bytes:
    """The payload of a pool: no record by itself."""
    sizes = [size for both in [*handshakes, *[(0, 0)] * (4 - len(handshakes))] for size in both]
    carried = flow(**({"interval": 1, "packet": 1} | wrong))[16:]
    return carried + struct.pack("<IIII8I", connections, 0, len(handshakes), 0, *sizes)


def exchanges(
    *rows: tuple[int, ...],
    followers: Sequence[int] = (),
    count: int | None = None,
    listed: int | None = None,
    carried: bytes | None = None,
) -> bytes:
    """rows: after, request, response, service, waits, first follower, followers."""
    head = struct.pack(
        "<QQ", len(rows) if count is None else count, len(followers) if listed is None else listed
    )
    body = b"".join(struct.pack("<QQQQQII", *row) for row in rows)
    list_ = struct.pack(f"<{len(followers)}I", *followers)
    return record(Op.EXCHANGES, (pool() if carried is None else carried) + head + body + list_, ns=0, at_ns=0)


def stream(*sizes: int, carried: bytes | None = None, **wrong: int) -> bytes:
    values = {"segments": 3, "segment": 10, "buffer": 20, "begin": 10, "request": 1, "service": 0}
    values |= {"rule": 0, "rates": len(sizes)} | wrong
    head = struct.pack("<QQQQQQII", *values.values()) + struct.pack(f"<{len(sizes)}Q", *sizes)
    return record(Op.STREAM, (pool() if carried is None else carried) + head, ns=0, at_ns=0)


ONE = (0, 1, 1, 0, 0, 0, 0)
AFTER_ONE = (0, 1, 1, 0, 1, 0, 0)
BEFORE_ONE = (0, 1, 1, 0, 0, 0, 1)


def tunnel(protocol: int = 6, **wrong: int | bytes) -> bytes:
    carried = flow(protocol=protocol, **({"size": 0} | wrong))[16:]
    return record(Op.TUNNEL, carried + struct.pack("<II", 1, 2), ns=0, at_ns=0)


def sample(kind: int, interval: int, request: bytes = b"", ns: int = 0) -> bytes:
    return record(Op.SAMPLE, struct.pack("<IIQ", kind, 0, interval) + request, ns=ns, at_ns=0)


ASKS = dump_links()  # 32 bytes, of which the last eight do not matter


def chain(
    good: int = 10**6, bad: int = 10**6, draw_at: int = 24, messages: bytes = ASKS + ASKS, **where: int
) -> bytes:
    body = struct.pack("<4Q2I", 1, 2, good, bad, 1, draw_at) + messages
    return record(Op.CHAIN, body, **({"ns": 0, "at_ns": 0} | where))


REFUSED = {
    "empty": (b"", "shorter than its header"),
    "wrong magic": (whole(END, magic=0x4C424150), "wrong magic number"),
    "wrong version": (whole(END, version=1), f"version 1, this agent reads version {LAB_VERSION}"),
    "no records": (whole(END, count=0), "impossible number"),
    "absurd number of records": (whole(END, count=2**32 - 1), "impossible number"),
    "one record too many": (whole(NS0, END, count=3), "END must be the last"),
    "one record too few": (whole(NS0, END, count=1), "END must be the last"),
    "two ends": (whole(END, END), "END must be the last"),
    "record of no size": (whole(record(Op.HOSTS, b"", size=0), END), "runs past the end"),
    "record of absurd size": (whole(record(Op.HOSTS, b"x", size=2**32 - 1), END), "runs past the end"),
    "type 0": (whole(record(0, b""), END), "unknown type"),
    "capture of the machine": (whole(NS0, record(Op.CAPTURE, b"\1\0\0\0" * 4), END), "needs a namespace"),
    "frame into the machine": (whole(NS0, record(Op.SEND, bytes(22)), END), "needs a namespace"),
    "frame without its header": (whole(NS0, record(Op.SEND, bytes(21), ns=0), END), "too short"),
    "ring without bounds": (
        whole(NS0, record(Op.CAPTURE, struct.pack("<4I", 1, 96, 2**20, 0), ns=0), END),
        "ring too large",
    ),
    f"type {max(Op) + 1}": (whole(record(max(Op) + 1, b""), END), "unknown type"),
    "server of the machine": (whole(NS0, record(Op.SERVER, bytes(8)), END), "needs a namespace"),
    "server without its port": (whole(NS0, record(Op.SERVER, bytes(4), ns=0), END), "too short"),
    "too short for its type": (whole(NS0, record(Op.FLOW, b"1234", ns=0), END), "too short"),
    "name without end": (whole(record(Op.NETNS, b"a" * 8, ns=0), END), "string without end"),
    "value without end": (whole(NS0, record(Op.SYSCTL, b"net/x\0001234", ns=0), END), "string without end"),
    "parameter without end": (whole(record(Op.PARAMETER, b"a/parameters/b\0001"), END), "string without end"),
    "command without end": (whole(NS0, record(Op.EXEC, b"12345678", ns=0), END), "string without end"),
    "cc without end": (whole(NS0, flow(cc=b"c" * 16), END), "string without end"),
    "second namespace first": (whole(record(Op.NETNS, b"b\0", ns=1), NS0, END), "namespace out of order"),
    "namespace twice": (whole(NS0, NS0, END), "namespace out of order"),
    "unknown namespace": (whole(NS0, netlink(ACKED, ns=1), END), "namespace out of order"),
    "namespace made late": (whole(record(Op.NETNS, b"a\0", ns=0, at_ns=5), END), "time out of range"),
    "flow to an unknown namespace": (whole(NS0, flow(dst=1), END), "unknown namespace"),
    "netlink to the machine": (whole(NS0, netlink(ACKED, ns=LAB_NO_NS), END), "needs a namespace"),
    "offload of the machine": (whole(NS0, record(Op.OFFLOAD, b"lo\0"), END), "needs a namespace"),
    "command on the machine": (whole(NS0, record(Op.EXEC, b"12345678true\0"), END), "needs a namespace"),
    "sample of the machine": (
        whole(NS0, sample(2, 10**6, dump_qdiscs(), LAB_NO_NS), END),
        "needs a namespace",
    ),
    "message of no length": (whole(NS0, netlink(length(0)), END), "damaged netlink"),
    "message of 15 bytes": (whole(NS0, netlink(length(15)), END), "damaged netlink"),
    "message longer than its record": (whole(NS0, netlink(length(len(ACKED) + 4)), END), "damaged netlink"),
    "message of absurd length": (whole(NS0, netlink(length(2**32 - 1)), END), "damaged netlink"),
    "sampled message of absurd length": (
        whole(NS0, sample(2, 10**6, length(2**32 - 1, dump_qdiscs())), END),
        "damaged netlink",
    ),
    "audit": (whole(NS0, netlink(ACKED, protocol=9), END), "unknown netlink protocol"),
    "sample of an unknown kind": (whole(NS0, sample(4, 10**6), END), "unknown kind"),
    "sample of more devices than fit": (
        whole(
            NS0,
            record(Op.SAMPLE, struct.pack("<IIQ", 2, 2**32 - 1, 10**6) + dump_qdiscs(), ns=0, at_ns=0),
            END,
        ),
        "more devices than fit",
    ),
    "sample of devices without a request": (
        whole(NS0, record(Op.SAMPLE, struct.pack("<IIQ2I", 2, 2, 10**6, 10, 11), ns=0, at_ns=0), END),
        "damaged netlink",
    ),
    "sample without pause": (whole(NS0, sample(1, 0), END), "interval below"),
    "sample in a million years": (whole(NS0, sample(1, 2**63), END), "time out of range"),
    "time before set-up": (whole(record(Op.HOSTS, b"", at_ns=-2), END), "time out of range"),
    "time beyond all": (whole(record(Op.HOSTS, b"", at_ns=LATE), END), "time out of range"),
    "flow of a million years": (whole(NS0, flow(duration=2**64 - 1), END), "time out of range"),
    "end in a million years": (whole(record(Op.END, struct.pack("<QQ", LATE, 0))), "time out of range"),
    "flow without end": (whole(NS0, flow(size=0), END), "flow without end"),
    "flow of ICMP": (whole(NS0, flow(protocol=1), END), "unknown protocol"),
    "UDP without packets": (whole(NS0, flow(protocol=17, interval=1), END), "without rate or packet"),
    "UDP of 65508 bytes": (whole(NS0, flow(protocol=17, interval=1, packet=65508), END), "or packet"),
    "requests over UDP": (whole(NS0, request(protocol=17), END), "anything but a TCP connection"),
    "requests without end": (whole(NS0, request(size=0, count=0), END), "flow without end"),
    "request of nothing": (whole(NS0, request(request=0), END), "size out of range"),
    "response of 2 GiB": (whole(NS0, request(response=2**31), END), "size out of range"),
    "2**32 requests": (whole(NS0, request(count=2**32), END), "size out of range"),
    "responses that do not add up": (whole(NS0, request(count=2), END), "another size"),
    "a think time beyond all": (whole(NS0, request(think=2**51), END), "time out of range"),
    "a background of nothing": (whole(NS0, background(), END), "another number of transfers"),
    "a background of more than there is": (
        whole(NS0, background((0, 1), count=2), END),
        "another number of transfers",
    ),
    "a background of absurd number": (
        whole(NS0, background((0, 1), count=2**60 + 1), END),
        "another number of transfers",
    ),
    "a background without size": (whole(NS0, background((0, 1), size=0), END), "flow without end"),
    "a background over UDP": (whole(NS0, background((0, 1), protocol=17), END), "unknown protocol"),
    "a background to nowhere": (whole(NS0, background((0, 1), dst=1), END), "unknown namespace"),
    "a transfer of nothing": (whole(NS0, background((0, 0)), END), "without a size, or out of order"),
    "a transfer of absurd size": (whole(NS0, background((0, 2**57)), END), "or out of order"),
    "a transfer in a million years": (whole(NS0, background((2**57, 1)), END), "or out of order"),
    "transfers out of order": (whole(NS0, background((9, 1), (8, 1)), END), "or out of order"),
    "no train": (whole(NS0, train(trains=0), END), "number of packets out of range"),
    "a train of no packets": (whole(NS0, train(packets=0), END), "number of packets out of range"),
    "too many packets": (whole(NS0, train(10**6, 11), END), "number of packets out of range"),
    "an absurd number of packets": (whole(NS0, train(2**63, 2), END), "number of packets out of range"),
    "a train over TCP": (whole(NS0, train(protocol=6), END), "train of an unknown protocol"),
    "a train to nowhere": (whole(NS0, train(dst=1), END), "unknown namespace"),
    "packets without room for their number": (whole(NS0, train(packet=7), END), "size out of range"),
    "packets of 65508 bytes": (whole(NS0, train(packet=65508), END), "size out of range"),
    "trains with too few instants": (whole(NS0, train(2, listed=1, due=[5]), END), "number of instants"),
    "trains with instants that nobody lists": (whole(NS0, train(due=[5]), END), "number of instants"),
    "trains that are listed twice": (whole(NS0, train(listed=2, due=[5]), END), "number of instants"),
    "trains in the wrong order": (whole(NS0, train(2, listed=1, due=[5, 4]), END), "train out of order"),
    "a train in a million years": (whole(NS0, train(listed=1, due=[2**57]), END), "train out of order"),
    "no exchange": (whole(NS0, exchanges(), END), "another number of exchanges"),
    "fewer exchanges than it says": (whole(NS0, exchanges(ONE, count=2), END), "another number of exchanges"),
    "exchanges of absurd number": (
        whole(NS0, exchanges(ONE, count=2**60 + 1), END),
        "another number of exchanges",
    ),
    "followers of absurd number": (whole(NS0, exchanges(ONE, listed=2**62), END), "number of exchanges"),
    "an exchange that asks nothing": (whole(NS0, exchanges((0, 0, 1, 0, 0, 0, 0)), END), "out of range"),
    "an exchange of absurd size": (whole(NS0, exchanges((0, 1, 2**57, 0, 0, 0, 0)), END), "out of range"),
    "an exchange in a million years": (whole(NS0, exchanges((2**57, 1, 1, 0, 0, 0, 0)), END), "out of range"),
    "a server that works for ever": (whole(NS0, exchanges((0, 1, 1, 2**57, 0, 0, 0)), END), "out of range"),
    "an exchange that waits for ever": (whole(NS0, exchanges(ONE, AFTER_ONE), END), "out of order"),
    "a first exchange that waits": (whole(NS0, exchanges(AFTER_ONE), END), "out of order"),
    "exchanges in the wrong order": (
        whole(NS0, exchanges((9, 1, 1, 0, 0, 0, 0), ONE), END),
        "exchange out of order",
    ),
    "a follower of itself": (whole(NS0, exchanges(BEFORE_ONE, followers=[0]), END), "that are not there"),
    "a follower that is not there": (whole(NS0, exchanges(BEFORE_ONE, followers=[1]), END), "not there"),
    "a list of followers that is too short": (
        whole(NS0, exchanges((0, 1, 1, 0, 0, 1, 1), AFTER_ONE, followers=[1]), END),
        "that are not there",
    ),
    "followers beyond all numbers": (
        whole(NS0, exchanges((0, 1, 1, 0, 0, 2**32 - 1, 2), AFTER_ONE, followers=[1]), END),
        "that are not there",
    ),
    "exchanges over UDP": (whole(NS0, exchanges(ONE, carried=pool(protocol=17)), END), "unknown protocol"),
    "exchanges over no connection": (
        whole(NS0, exchanges(ONE, carried=pool(connections=0)), END),
        "number of connections",
    ),
    "exchanges over a million connections": (
        whole(NS0, exchanges(ONE, carried=pool(connections=10**6)), END),
        "number of connections",
    ),
    "a handshake of nothing": (
        whole(NS0, exchanges(ONE, carried=pool(handshakes=[(1, 0)])), END),
        "handshake without a size",
    ),
    "exchanges to nowhere": (whole(NS0, exchanges(ONE, carried=pool(dst=1)), END), "unknown namespace"),
    "a stream without rates": (whole(NS0, stream(), END), "stream with sizes out of range"),
    "a stream with rates that are not there": (whole(NS0, stream(1, rates=2), END), "sizes out of range"),
    "a stream of no segments": (whole(NS0, stream(1, segments=0), END), "stream with sizes out of range"),
    "a stream over two connections": (
        whole(NS0, stream(1, carried=pool(connections=2)), END),
        "stream with sizes out of range",
    ),
    "a stream by no rule": (whole(NS0, stream(1, rule=2), END), "stream with sizes out of range"),
    "rates that fall": (whole(NS0, stream(2, 1), END), "rates do not ascend"),
    "a segment that no buffer holds": (whole(NS0, stream(1, segment=21), END), "times out of range"),
    "a stream that never begins": (whole(NS0, stream(1, begin=21), END), "times out of range"),
    "trains without pause": (whole(NS0, train(interval=0), END), "time out of range"),
    "trains of a million years": (whole(NS0, train(interval=2**57), END), "time out of range"),
    "a TUN device of the machine": (whole(record(Op.TUN, bytes(8) + b"tun0\0"), END), "needs a namespace"),
    "a TUN device without a name": (whole(NS0, record(Op.TUN, bytes(8), ns=0), END), "string without end"),
    "a tunnel over ICMP": (whole(NS0, tunnel(protocol=1), END), "tunnel over an unknown protocol"),
    "a tunnel to nowhere": (whole(NS0, tunnel(dst=1), END), "tunnel to an unknown namespace"),
    "a tunnel with an endless name": (whole(NS0, tunnel(cc=b"x" * 16), END), "string without end"),
    "a chain of the machine": (whole(NS0, chain(ns=LAB_NO_NS), END), "needs a namespace"),
    "a chain during set-up": (whole(NS0, chain(at_ns=-1), END), "begins at an instant"),
    "a chain without pause": (whole(NS0, chain(good=0), END), "mean period below 1 us"),
    "a chain with half a pause": (whole(NS0, chain(bad=999), END), "mean period below 1 us"),
    "a chain of a million years": (whole(NS0, chain(good=2**57), END), "time out of range"),
    "a chain that ends and does not": (whole(NS0, chain(0, 0), END), "a chain that ends"),
    "a chain of nothing": (whole(NS0, chain(messages=b""), END), "not two netlink messages"),
    "a chain of one state": (whole(NS0, chain(messages=ASKS), END), "not two netlink messages"),
    "a chain of three messages": (whole(NS0, chain(messages=ASKS * 3), END), "not two netlink messages"),
    "a chain of four messages": (whole(NS0, chain(messages=ASKS * 4), END), "not two netlink messages"),
    "a chain of unlike messages": (
        whole(NS0, chain(messages=length(36, ASKS) + bytes(4) + length(28, ASKS)[:28]), END),
        "not two netlink messages",
    ),
    "a chain of absurd messages": (
        whole(NS0, chain(messages=ASKS + length(2**32 - 1, ASKS)), END),
        "not two netlink messages",
    ),
    "a chain whose draws are a header": (whole(NS0, chain(draw_at=15), END), "draws outside"),
    "a chain whose draws do not fit": (whole(NS0, chain(draw_at=25), END), "draws outside"),
    "a chain whose draws are elsewhere": (whole(NS0, chain(draw_at=2**32 - 4), END), "draws outside"),
    "a service beyond all": (whole(NS0, request(service=2**57), END), "time out of range"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_programs_are_refused_in_one_line(name: str, agent: Path, user: int | None) -> None:
    program, words = REFUSED[name]
    outcome = execute(agent, program, user)
    assert outcome.refused, (outcome.status, outcome.said)
    assert words in outcome.said
    assert not outcome.errors


def sysctl(path: bytes, value: bytes, ns: int = 0) -> bytes:
    return record(Op.SYSCTL, path + b"\0" + value + b"\0", ns=ns)


def no_algorithm() -> bytes:
    carried = flow(size=1, cc=b"nosuch")[16:]
    return record(Op.BACKGROUND, carried + struct.pack("<3Q", 1, 0, 1), ns=0, at_ns=0)


OWN = Path("/proc/sys/net/core/netdev_max_backlog")
BAD_ATTRIBUTE = length(len(ACKED) + 8) + struct.pack("<HHI", 6, 4, 0)  # an attribute longer than what is left
DUMPED = struct.pack("<IHH", len(ACKED), 18, 0x305) + ACKED[8:]  # a dump that asks for an acknowledgement too
ERRORS: dict[str, tuple[Callable[[], bytes], str]] = {
    "kernel-wide sysctl": (
        lambda: sysctl(b"net/core/netdev_max_backlog", b"1", LAB_NO_NS),
        "lab kernel only",
    ),
    "sysctl outside the network": (lambda: sysctl(b"vm/swappiness", b"1"), "lab kernel only"),
    "sysctl by a way round": (lambda: sysctl(b"net/../vm/swappiness", b"1"), "not the name of one"),
    "sysctl of no name": (lambda: sysctl(b"net/" + b"x" * 300, b"1"), "not the name of one"),
    "sysctl that is not there": (lambda: sysctl(b"net/ipv4/nothing", b"1"), "has none of this name"),
    "sysctl of a wrong value": (lambda: sysctl(b"net/ipv4/tcp_ecn", b"many"), "refuses the value many"),
    "module parameter": (
        lambda: record(Op.PARAMETER, b"tcp_cubic/parameters/hystart\0001\0"),
        "lab kernel only",
    ),
    "module": (lambda: record(Op.MODULE, b"module0.ko\0"), "lab kernel only"),
    "drop monitor": (lambda: record(Op.DROPS, bytes(8)), "for a lab kernel only"),
    "capture of no device": (
        lambda: record(Op.CAPTURE, struct.pack("<4I", 77, 96, 64, 0), ns=0),
        "interface 77",
    ),
    "listening on no device": (
        lambda: record(Op.LISTEN, struct.pack("<4I", 77, 96, 64, 0), ns=0),
        "interface 77",
    ),
    "frame into no device": (
        lambda: record(Op.SEND, struct.pack("<2I", 77, 0) + bytes(14), ns=0),
        "interface 77",
    ),
    "tracing": (lambda: record(Op.TRACE, b"\0" * 8 + b"tcp/tcp_probe\0\0"), "tracing needs root"),
    "offload of no device": (lambda: record(Op.OFFLOAD, b"eth7\0", ns=0), "offloads of eth7"),
    "no such device": (lambda: netlink(set_up(77)), ""),
    "attribute of a wrong length": (lambda: netlink(BAD_ATTRIBUTE), ""),
    "congestion control of no name": (lambda: flow(cc=b"nosuch"), "no congestion control nosuch"),
    "background of no algorithm": (no_algorithm, "cannot listen with congestion control nosuch"),
    "a request that is none": (lambda: record(Op.COUNTERS, length(16, ACKED)[:6] + b"\0" * 10), "no answer"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_goes_wrong_while_running_is_an_error_record(name: str, agent: Path, user: int | None) -> None:
    make, words = ERRORS[name]
    before = OWN.read_text()
    outcome = execute(agent, whole(NS0, make(), END), user)
    assert (outcome.status, outcome.said, outcome.raw.truncated) == (0, "", False)
    assert len(outcome.errors) == 1
    assert words in outcome.errors[0]
    assert OWN.read_text() == before


STATE = struct.Struct("<2I")


def states(outcome: Outcome) -> list[tuple[int, int, int]]:
    """(at_ns, interface, state) of each."""
    records = outcome.raw.records(Kind.STATE)
    bodies = map(bytes, outcome.raw.bodies(records, 0))
    return [(int(at), *STATE.unpack(body)) for at, body in zip(records.at_ns, bodies, strict=True)]


def test_a_chain_goes_through_its_states_and_ends(agent: Path, user: int | None) -> None:
    late = 10**8
    stop = chain(0, 0, messages=b"", at_ns=late)
    program = whole(
        NS0, chain(), chain(at_ns=late // 2), stop, record(Op.END, struct.pack("<QQ", 2 * late, 0))
    )
    outcome = execute(agent, program, user)
    assert (outcome.clean, outcome.errors) == (True, [])
    found = states(outcome)
    assert [found[0][0], found[-1]] == [0, (late, 1, 2)]
    assert all({a, b} == {0, 1} for (*_, a), (*_, b) in pairwise(found[:-1]))
    assert 50 < len(found) < 150  # of 100 +- 10
    assert [at for at, *_ in found] == sorted(at for at, *_ in found)
    assert states(execute(agent, program, user)) == found


def test_what_the_kernel_refuses_of_a_chain_is_an_error_record(agent: Path, user: int | None) -> None:
    end = record(Op.END, struct.pack("<QQ", 10**8, 0))
    outcome = execute(agent, whole(NS0, chain(messages=set_up(77) * 2), end), user)
    assert (outcome.clean, outcome.errors) == (True, ["cannot change what interface 1 does"])


def test_the_end_of_no_chain_is_nothing(agent: Path, user: int | None) -> None:
    outcome = execute(agent, whole(NS0, chain(0, 0, messages=b""), END), user)
    assert (outcome.clean, outcome.errors, states(outcome)) == (True, [], [])


def test_a_dump_that_wants_an_acknowledgement_is_no_hang(agent: Path, user: int | None) -> None:
    outcome = execute(agent, whole(NS0, netlink(DUMPED), END), user)
    assert (outcome.clean, outcome.errors) == (True, [])


def test_a_flood_of_packets_does_not_hold_up_the_end(agent: Path, user: int | None) -> None:
    program = Program()
    program.netns(0, "a")
    program.netlink([set_up(1)], "lo", ns=0)
    late = flow(protocol=17, packet=1, interval=1, size=0, duration=10**12)
    program.records.append(late)
    outcome: Outcome = execute(agent, program.end(duration_ns=0, limit_ns=10**8), user)
    assert outcome.clean, (outcome.status, outcome.said)


def test_a_reader_faster_than_any_line_does_not_stop_time(agent: Path, user: int | None) -> None:
    program = Program()
    program.netns(0, "a")
    program.netlink([set_up(1)], "lo", ns=0)
    program.records.append(flow(protocol=17, packet=100, interval=10**6, reads=2**63))
    outcome: Outcome = execute(agent, program.end(duration_ns=0, limit_ns=10**9), user)
    assert outcome.clean, (outcome.status, outcome.said)
