"""Bytes to tables: every record made by hand here, so that each claim is about known bytes."""

from __future__ import annotations

import contextlib
import math
import struct
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labkit.decode
from labkit.decode import cc_info, commands, counters, queues, refusals
from labkit.decode.pages import _Walk
from labkit.decode.plain_columns import made
from labkit.decode.raw import Raw, RawFormatError
from labkit.decode.recorded import Recorded
from labkit.decode.tcp_info import TCP_INFO, UNITS, tcp_info
from labkit.decode.trace import Trace, address_text
from labkit.probes import tcp_probe
from labkit.program.structs import Kind
from labkit.traffic import ends
from labkit.traffic.flow import Flow
from labkit.traffic.kind import Ended, Traffic
from labkit.traffic.requests import Requests
from tests import fuzz

ROOT = Path(labkit.decode.__file__).parents[1]
EPOCH_NS = 3_000_000_000
HEADER_PAGE = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:65520;\tsigned:1;
"""
FORMAT = """name: tcp_probe
ID: 77
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:__u8 saddr[28];\toffset:8;\tsize:28;\tsigned:0;
\tfield:__u8 daddr[28];\toffset:36;\tsize:28;\tsigned:0;
\tfield:__u16 sport;\toffset:64;\tsize:2;\tsigned:0;
\tfield:__u16 dport;\toffset:66;\tsize:2;\tsigned:0;
\tfield:__u32 snd_cwnd;\toffset:68;\tsize:4;\tsigned:0;
\tfield:__u32 srtt;\toffset:72;\tsize:4;\tsigned:0;

print fmt: "%u", REC->snd_cwnd
"""
DROP_FORMAT = """name: kfree_skb
ID: 78
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;

\tfield:__data_loc char[] name;\toffset:4;\tsize:4;\tsigned:0;
\tfield:enum skb_drop_reason reason;\toffset:8;\tsize:4;\tsigned:0;
\tfield:int queue;\toffset:12;\tsize:4;\tsigned:1;

print fmt: "%s", __print_symbolic(REC->reason, { 2, "NOT_SPECIFIED" }, { 6, "TCP_CSUM" })
"""


def record(kind: int, body: bytes, *, ns: int = 0xFFFF, at_ns: int = 0) -> bytes:
    made = struct.pack("<HHIq", kind, ns, 16 + len(body), at_ns) + body
    return made + b"\0" * (-len(made) % 8)


def file(path: str, text: str, *, phase: int = 0, ns: int = 0xFFFF) -> bytes:
    return record(Kind.FILE, struct.pack("<II", phase, 0) + path.encode() + b"\0" + text.encode(), ns=ns)


def end(reason: int = 0, lost: int = 0) -> bytes:
    return record(Kind.END, struct.pack("<IIQ", reason, 0, lost), at_ns=10**9)


EPOCH = record(Kind.EPOCH, struct.pack("<qq", EPOCH_NS, 0))


# -- the record stream


def test_records_are_found_by_type_in_order() -> None:
    raw = Raw(EPOCH + record(Kind.EXEC_OUT, b"abc", ns=2, at_ns=5) + record(Kind.EXEC_OUT, b"") + end())
    found = raw.records(Kind.EXEC_OUT)
    assert found.size.tolist() == [3, 0]
    assert found.ns.tolist() == [2, 0xFFFF]
    assert found.at_ns.tolist() == [5, 0]
    assert [bytes(body) for body in raw.bodies(found)] == [b"abc", b""]
    assert raw.monotonic_ns == EPOCH_NS
    assert not raw.truncated


def test_an_empty_file_is_a_truncated_one() -> None:
    raw = Raw(b"")
    assert raw.truncated
    assert raw.end_reason is None
    assert raw.lost_trace_events == 0


@pytest.mark.parametrize("missing", [1, 9, 17, 30])
def test_a_truncated_tail_keeps_what_is_before_it(missing: int) -> None:
    whole = EPOCH + record(Kind.EXEC_OUT, b"12345678") + end()
    raw = Raw(whole[:-missing])
    assert raw.truncated
    assert len(raw.records(Kind.EXEC_OUT)) == 1
    assert len(raw.records(Kind.END)) == 0


def test_a_missing_end_is_a_truncation() -> None:
    assert Raw(EPOCH).truncated


@pytest.mark.parametrize(
    "damage",
    [
        struct.pack("<HHIq", 3, 0, 16, 0),
        struct.pack("<HHIq", 65, 0, 15, 0),
        struct.pack("<HHIq", 65, 0, 1 << 30, 0),
        struct.pack("<HHIq", 65, 0, 16, -2),
    ],
    ids=["type", "too small", "too large", "time"],
)
def test_damage_is_named_with_its_place(damage: bytes) -> None:
    with pytest.raises(RawFormatError, match=rf"byte {len(EPOCH)}: .*: delete this result and run again"):
        Raw(EPOCH + damage)


def test_a_newer_agents_records_are_left_alone() -> None:
    assert len(Raw(EPOCH + record(100, b"?") + end()).records(Kind.END)) == 1


def test_a_record_too_short_for_its_struct_is_damage() -> None:
    raw = Raw(EPOCH + record(Kind.FLOW, b"1234") + end())
    with pytest.raises(RawFormatError, match="FLOW has 4 bytes of payload, needs 72"):
        ends.flows(raw, [], {})


with zipfile.ZipFile(Path(__file__).parent / "data/small-run.zip") as archive:
    SMALL_RUN = archive.read("raw")


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """The raw file of a small run, some bytes of it changed, and cut short now and then."""
    size = draw(st.just(len(SMALL_RUN)) | st.integers(1, len(SMALL_RUN)))
    hurt = bytearray(SMALL_RUN[:size])
    for at, byte in draw(st.dictionaries(st.integers(0, size - 1), st.integers(0, 255), max_size=20)).items():
        hurt[at] = byte
    return bytes(hurt)


@fuzz.of(30)
@given(damaged())
def test_any_damage_gives_a_table_or_the_named_error(hurt: bytes) -> None:
    with contextlib.suppress(RawFormatError):
        decode_all(Raw(hurt))


def test_what_is_whole_is_decoded_whole() -> None:
    decode_all(Raw(SMALL_RUN))


def decode_all(raw: Raw) -> None:
    tcp_info(raw)
    queues.qdiscs(raw)
    counters.nstat(raw, {0: "left"})
    counters.softnet(raw)
    counters.interfaces(raw, {(0, 10): ("left", "eth0", "r1", "host")})
    made(refusals.ERRORS, Recorded(raw, {}))
    commands.commands(raw, [])
    ends.flows(raw, PLAN, {})
    trace = Trace(raw)
    for name in trace.formats:
        trace.table(name)


# -- TCP_INFO


def info(flow: int, side: int, values: bytes, at_ns: int = 0) -> bytes:
    return record(Kind.TCP_INFO, struct.pack("<II", flow, side) + values, at_ns=at_ns)


def test_tcp_info_is_laid_out_as_in_linux_6_12() -> None:
    assert TCP_INFO.fields
    offsets = {name: TCP_INFO.fields[name][1] for name in ("rto", "rtt", "snd_cwnd", "pacing_rate")}
    assert offsets == {"rto": 8, "rtt": 68, "snd_cwnd": 80, "pacing_rate": 104}
    offsets = {
        name: TCP_INFO.fields[name][1] for name in ("delivery_rate", "bytes_retrans", "total_rto_time")
    }
    assert offsets == {"delivery_rate": 160, "bytes_retrans": 208, "total_rto_time": 244}
    assert TCP_INFO.itemsize == 248


def test_tcp_info_reads_fields_and_bits() -> None:
    values = np.zeros(1, TCP_INFO)
    values["snd_cwnd"], values["bytes_acked"], values["wscale"], values["flags"] = 42, 1 << 40, 0x97, 0b101
    table = tcp_info(Raw(EPOCH + info(3, 1, values.tobytes(), at_ns=250_000_000) + end()))
    row = table.iloc[0]
    assert (row["time_s"], row["flow"], row["side"]) == (0.25, 3, "receiver")
    assert (row["snd_cwnd"], row["bytes_acked"]) == (42, 1 << 40)
    assert (row["snd_wscale"], row["rcv_wscale"]) == (7, 9)
    assert (row["delivery_rate_app_limited"], row["fastopen_client_fail"]) == (1, 2)


def test_tcp_info_of_an_older_kernel_lacks_the_newer_columns() -> None:
    table = tcp_info(Raw(EPOCH + info(0, 0, bytes(104)) + end()))
    assert "total_retrans" in table
    assert "pacing_rate" not in table


def test_every_tcp_info_column_has_a_unit() -> None:
    table = tcp_info(Raw(EPOCH + info(0, 0, bytes(256)) + end()))
    assert list(table) == list(UNITS)


# -- TCP_CC_INFO


def said(cc: str, *words: int) -> bytes:
    return record(
        Kind.CC_INFO, struct.pack("<II16s", 2, 0, cc.encode()) + struct.pack(f"<{len(words)}I", *words)
    )


def cc_row(*record: bytes) -> dict[str, float]:
    table = cc_info.cc_info(Raw(EPOCH + b"".join(record) + end()))
    return table.iloc[0].dropna().drop("time_s").to_dict()


def test_cc_info_reads_what_each_algorithm_means_by_its_words() -> None:
    bbr = cc_row(said("bbr", 5, 1, 40_000, 739, 512))
    gains = {"pacing_gain": 739 / 256, "cwnd_gain": 2.0}
    assert bbr == {"flow": 2, "cc": "bbr", "bw": (1 << 32) + 5, "min_rtt": 40_000} | gains
    vegas = {"flow": 2, "cc": "vegas", "enabled": 1, "rttcnt": 3, "rtt": 20_000, "minrtt": 21_000}
    assert cc_row(said("vegas", 1, 3, 20_000, 21_000)) == vegas
    dctcp = {"enabled": 1, "ce_state": 1, "alpha": 0.25, "ab_ecn": 1448, "ab_tot": 2896}
    assert cc_row(said("dctcp", 0x10001, 256, 1448, 2896)) == {"flow": 2, "cc": "dctcp"} | dctcp


def test_cc_info_of_a_module_of_ones_own_are_words_as_many_as_it_fills() -> None:
    assert cc_row(said("mine", 7, 8, 9)) == {"flow": 2, "cc": "mine", "word0": 7, "word1": 8, "word2": 9}


def test_an_algorithm_that_says_nothing_has_no_rows_and_the_table_all_its_columns() -> None:
    table = cc_info.cc_info(Raw(EPOCH + said("cubic") + end()))
    assert table.empty and list(table) == list(cc_info.UNITS)


# -- trace pages


def word(kind: int, delta: int) -> bytes:
    return struct.pack("<I", kind | delta << 5)


def small(delta: int, body: bytes) -> bytes:
    return word(len(body) // 4, delta) + body


def large(delta: int, body: bytes) -> bytes:
    return word(0, delta) + struct.pack("<I", len(body) + 4) + body


def page(time: int, *events: bytes, size: int = 4096, flags: int = 0, behind: bytes = b"") -> bytes:
    data = b"".join(events)
    head = struct.pack("<QQ", time, len(data) | flags)
    return record(Kind.TRACE, (head + data + behind).ljust(size, b"\0"))


def probe(cwnd: int, sport: int = 10000, dport: int = 20000) -> bytes:
    ends = [
        struct.pack("<HH4B20x", 2, struct.unpack(">H", struct.pack("<H", port))[0], 10, 0, 0, i)
        for i, port in ((1, sport), (2, dport))
    ]
    return struct.pack("<HHI", 77, 0, 1) + b"".join(ends) + struct.pack("<HHII", sport, dport, cwnd, 20_000)


def traced(*pages: bytes, lost: int = 0) -> Trace:
    files = file("events/header_page", HEADER_PAGE) + file("events/tcp/tcp_probe/format", FORMAT)
    files += file("events/skb/kfree_skb/format", DROP_FORMAT)
    return Trace(Raw(files + EPOCH + b"".join(pages) + end(lost=lost)))


def recorded(*pages: bytes) -> Recorded:
    flow = {"name": "main", "sport": 10000, "dport": 20000}
    return Recorded(traced(*pages).raw, {"flows": [flow]})


def times(trace: Trace) -> list[int]:
    return (trace.events.at_ns - EPOCH_NS).tolist()


def test_events_of_a_page_add_their_deltas_up() -> None:
    trace = traced(page(EPOCH_NS + 5, small(0, probe(10)), small(7, probe(11)), large(9, probe(12))))
    assert times(trace) == [5, 12, 21]
    assert trace.table("tcp/tcp_probe")["snd_cwnd"].tolist() == [10, 11, 12]


def test_a_time_extend_moves_the_clock_by_a_long_step() -> None:
    extend = word(30, 3) + struct.pack("<I", 2)
    assert times(traced(page(EPOCH_NS, extend, small(1, probe(1))))) == [(2 << 27) + 3 + 1]


def test_a_time_stamp_sets_the_clock() -> None:
    at = EPOCH_NS + 10**12
    stamp = word(31, at & (1 << 27) - 1) + struct.pack("<I", at >> 27)
    assert times(traced(page(EPOCH_NS, stamp, small(1, probe(1))))) == [10**12 + 1]


def test_padding_is_skipped_and_ends_a_page_if_it_has_no_length() -> None:
    gap = word(29, 1) + struct.pack("<I", 8) + b"junk"
    trace = traced(
        page(EPOCH_NS, small(1, probe(1)), gap, small(1, probe(2)), word(29, 0), small(1, probe(3)))
    )
    assert times(trace) == [1, 2]


def test_pages_of_both_sizes_keep_their_order() -> None:
    first = page(EPOCH_NS, *[small(1, probe(i)) for i in range(30)])
    second = page(EPOCH_NS + 100, *[large(1, probe(i)) for i in range(30, 530)], size=65536)
    trace = traced(first, second, page(EPOCH_NS + 1000, small(0, probe(530))))
    assert trace.table("tcp/tcp_probe")["snd_cwnd"].tolist() == list(range(531))


def test_a_large_event_may_end_with_the_last_page() -> None:
    """Nothing is behind it that could be looked at."""
    data = large(5, b"\1\0\0\0")
    start, end, time = (np.array([at]) for at in (0, len(data), EPOCH_NS))
    [(_, _, at_ns, place, size)] = [
        one for one in _Walk(np.frombuffer(data, np.uint8), start, end, time).found if len(one[0])
    ]
    assert (at_ns.tolist(), place.tolist(), size.tolist()) == ([EPOCH_NS + 5], [8], [4])


def test_other_events_between_are_told_apart() -> None:
    drop = struct.pack("<HHIIi", 78, 0, 16 | 6 << 16, 6, -1) + b"eth0\0\0\0\0"
    trace = traced(page(EPOCH_NS, small(1, probe(1)), small(1, drop), small(1, probe(2))))
    assert len(trace.table("tcp/tcp_probe")) == 2
    row = trace.table("skb/kfree_skb").iloc[0]
    assert (row["name"], row["reason"], row["reason_name"], row["queue"]) == ("eth0", 6, "TCP_CSUM", -1)


RUNS = st.lists(
    st.tuples(
        st.sampled_from(["small", "large", "larger", "extend", "gap"]), st.integers(1, 80), st.integers(0, 9)
    ),
    max_size=6,
)


@fuzz.of(60)
@given(pages=st.lists(RUNS, min_size=1, max_size=4))
def test_runs_of_events_alike_are_told_one_by_one(pages: list[list[tuple[str, int, int]]]) -> None:
    """Dozens of them are looked at together, as long as they are as large."""
    written, expected, cwnd = [], [], 0
    for at, runs in enumerate(pages):
        now, events = at * 10**9, []
        for kind, count, delta in runs:
            for _ in range(count):
                now += delta
                if kind == "extend":
                    events.append(word(30, delta) + struct.pack("<I", 1))
                    now += 1 << 27
                elif kind == "gap":
                    events.append(word(29, 1) + struct.pack("<I", 8) + b"junk")
                    now -= delta
                else:
                    body = probe(cwnd := cwnd + 1) + b"more" * (kind == "larger")
                    events.append((small if kind == "small" else large)(delta, body))
                    expected.append((now, cwnd))
        written.append(page(EPOCH_NS + at * 10**9, *events, size=65536))
    trace = traced(*written)
    assert times(trace) == [now for now, _ in expected]
    assert trace.table("tcp/tcp_probe")["snd_cwnd"].tolist() == [cwnd for _, cwnd in expected]


def test_lost_events_are_counted_by_the_page_and_by_the_end() -> None:
    flags = 3 << 30
    one = page(EPOCH_NS, small(1, probe(1)), flags=flags, behind=struct.pack("<Q", 41))
    assert traced(one).lost == 41
    assert traced(one, lost=1000).lost == 1000
    assert times(traced(one)) == [1]


def test_a_trace_without_pages_is_an_empty_table() -> None:
    assert traced().table("tcp/tcp_probe").empty
    assert made(tcp_probe.TABLE, recorded()).empty


@pytest.mark.parametrize(
    "bad",
    [
        page(EPOCH_NS, word(28, 1)),
        page(EPOCH_NS, word(0, 1) + struct.pack("<I", 0)),
        page(EPOCH_NS, small(1, struct.pack("<HHI", 77, 0, 1))),
        page(EPOCH_NS, b"", flags=5000),
    ],
    ids=["past the end", "no length", "shorter than its format", "longer than the page"],
)
def test_a_damaged_page_is_named_with_its_place(bad: bytes) -> None:
    with pytest.raises(RawFormatError, match=r"byte \d+: a"):
        traced(bad).table("tcp/tcp_probe")


def test_tcp_probe_knows_flow_and_side_by_the_ports() -> None:
    rows = [probe(1), probe(2, 20000, 10000), probe(3, 12345, 80)]
    table = made(tcp_probe.TABLE, recorded(page(EPOCH_NS, *[small(1, row) for row in rows])))
    assert table["flow"].tolist() == ["main", "main", "10.0.0.1:12345>10.0.0.2:80"]
    assert table["side"].tolist() == ["sender", "receiver", "unknown"]
    assert table["snd_cwnd"].tolist() == [1, 2, 3]
    assert table["srtt_us"].tolist() == [20_000] * 3
    assert "rcv_wnd" not in table


def test_a_format_without_id_is_damage() -> None:
    with pytest.raises(RawFormatError, match="events/a/b/format is no event format"):
        Trace(Raw(EPOCH + file("events/a/b/format", "nonsense") + end()))


def test_addresses_are_shown_as_people_write_them() -> None:
    assert address_text(bytes([10, 0, 0, 1])) == "10.0.0.1"
    assert address_text(b"\0" * 28) == "00" * 28


# -- counters and queues


def test_counters_are_named_as_nstat_names_them() -> None:
    before = "Tcp: RetransSegs MaxConn\nTcp: 1 -1\n"
    after = "Tcp: RetransSegs MaxConn\nTcp: 5 -1\nIcmpMsg: InType3\nIcmpMsg: 2\n"
    ext = "TcpExt: TCPTimeouts\nTcpExt: 9\n"
    raw = Raw(
        EPOCH
        + file("/proc/net/snmp", before, ns=0)
        + file("/proc/net/netstat", ext.replace("9", "0"), ns=0)
        + file("/proc/net/snmp", after, phase=1, ns=0)
        + file("/proc/net/netstat", ext, phase=1, ns=0)
        + file("/proc/net/snmp", after, phase=1, ns=1)
        + end()
    )
    table = counters.nstat(raw, {0: "left"}).set_index("name")
    assert table["delta"].to_dict() == {
        "TcpRetransSegs": 4,
        "TcpMaxConn": 0,
        "TcpExtTCPTimeouts": 9,
        "IcmpMsgInType3": 2,
    }
    assert set(table["host"]) == {"left"}


def test_counters_after_a_cut_run_are_missing_not_zero() -> None:
    raw = Raw(EPOCH + file("/proc/net/snmp", "Tcp: RetransSegs\nTcp: 1\n", ns=0))
    table = counters.nstat(raw, {0: "left"})
    assert table["before"].tolist() == [1]
    assert table["after"].isna().all()


def attribute(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", 4 + len(body), kind) + body + b"\0" * (-len(body) % 4)


def message(kind: int, body: bytes) -> bytes:
    return struct.pack("<IHHII", 16 + len(body), kind, 2, 0, 0) + body


def qdisc(kind: str, handle: int, parent: int, backlog: int, drops: int, index: int = 10) -> bytes:
    stats = attribute(1, struct.pack("<QI4x", 1000, 7)) + attribute(
        3, struct.pack("<5I", 2, backlog, drops, 0, 5)
    )
    stats += attribute(4, struct.pack("<4I", 0, 0, 0, 13))
    body = struct.pack("<B3xiIII", 0, index, handle, parent, 1)
    return message(36, body + attribute(1, kind.encode() + b"\0") + attribute(7, stats))


def dumped(messages: bytes, phase: int = 2, ns: int = 1, at_ns: int = 0) -> bytes:
    return record(Kind.NETLINK, struct.pack("<II", phase, 0) + messages, ns=ns, at_ns=at_ns)


def test_the_leaf_under_the_shaper_is_the_queue() -> None:
    tree = qdisc("tbf", 0x10000, 0xFFFFFFFF, 1500, 1) + qdisc("red", 0x100000, 0x10001, 3000, 9)
    raw = Raw(EPOCH + dumped(tree + message(3, b""), at_ns=10**8) + end())
    table = queues.qdiscs(raw)
    assert table["root"].tolist() == [True, False]
    assert table["leaf"].tolist() == [False, True]
    row = queues.backlog(table, {(1, 10): ("r1", "eth1", "r2")}).iloc[0]
    assert (row["time_s"], row["host"], row["peer"], row["kind"]) == (0.1, "r1", "r2", "red")
    assert (row["backlog_bytes"], row["backlog_packets"], row["drops"], row["marks"]) == (3000, 2, 9, 13)


def test_a_qdisc_alone_is_root_and_leaf_and_ingress_is_neither() -> None:
    alone = qdisc("pfifo", 0x10000, 0xFFFFFFFF, 1500, 1) + qdisc("ingress", 0xFFFF0000, 0xFFFFFFF1, 0, 0)
    table = queues.qdiscs(Raw(EPOCH + dumped(alone) + end()))
    assert table[["root", "leaf"]].to_numpy().tolist() == [[True, True], [False, False]]


def test_interfaces_before_and_after() -> None:
    def link(packets: int) -> bytes:
        body = struct.pack("<BxHiII", 0, 1, 10, 0, 0) + attribute(3, b"eth0\0")
        return message(16, body + attribute(23, struct.pack("<4Q", packets, 0, 0, 0)))

    raw = Raw(EPOCH + dumped(link(3), phase=0) + dumped(link(8), phase=1) + end())
    table = counters.interfaces(raw, {(1, 10): ("left", "eth0", "r1", "host")})
    row = table[table["name"] == "rx_packets"].iloc[0]
    assert (row["host"], row["interface"], row["before"], row["after"], row["delta"]) == (
        "left",
        "eth0",
        3,
        8,
        5,
    )


def test_a_device_that_is_cut_off_is_damage() -> None:
    with pytest.raises(RawFormatError, match="a device that is cut off"):
        counters.interfaces(Raw(EPOCH + dumped(message(16, bytes(4)), phase=0) + end()), {})


def test_a_netlink_message_without_end_is_damage() -> None:
    with pytest.raises(RawFormatError, match="netlink message without end"):
        queues.qdiscs(Raw(EPOCH + dumped(struct.pack("<IHHII", 99, 36, 0, 0, 0)) + end()))


# -- flows, commands, errors


def flow_end(number: int, error: int = 0, received: int = 3000, first: int = 0, last: int = 10**9) -> bytes:
    body = struct.pack("<IiQQQQqqqq", number, error, 3000, received, 0, 0, 1, first, last, max(last, 10**9))
    return record(Kind.FLOW, body, at_ns=last)


PLAN = [
    {"id": i, "name": f"f{i}", "src": "a", "dst": "b", "protocol": "tcp", "cc": "reno", "start_s": 0.5}
    for i in range(4)
]


def test_flows_say_how_they_ended() -> None:
    raw = Raw(EPOCH + flow_end(0) + flow_end(1, error=111, received=0, first=-1, last=-1) + end())
    table = ends.flows(raw, PLAN[:3], {0: 4})
    assert table["complete"].tolist() == [True, False, False]
    assert table["error"].tolist() == ["", "ECONNREFUSED", ""]
    assert table["retransmits"].isna().tolist() == [False, True, True]
    assert np.isnan(table.loc["f1", "first_byte_s"])
    assert np.isnan(table.loc["f2", "end_s"])


def test_goodput_is_what_was_read_over_the_time_that_was_given() -> None:
    """Of f0 1 MB in 2 s from 0.5 s on; of f1 nothing; f2 took no time; of f3 a cut run says nothing."""
    raw = Raw(
        EPOCH
        + flow_end(0, received=1_000_000, first=10**9, last=2 * 10**9)
        + flow_end(1, received=0, first=-1, last=-1)
        + flow_end(2, received=1000, first=5, last=5)
        + end()
    )
    rates = ends.goodput(ends.flows(raw, PLAN, {}), pd.Series([2.5, 10, 0.5, 10]))
    assert rates["f0"] == pytest.approx(4.0)
    assert rates["f1"] == 0.0
    assert np.isnan(rates["f2"])
    assert np.isnan(rates["f3"])


WHOLE, CUT = Ended(True, 1.0, 5.0, 5.1), Ended(False, 1.0, 5.0, 9.0)
TCP = Flow("a", "b", size="1MB")
UDP = Flow("a", "b", protocol="udp", rate="8mbit", size="3MB")


@pytest.mark.parametrize(
    ("flow", "ended", "until"),
    [
        (TCP, WHOLE, 5.0),  # to its last byte
        (TCP, CUT, 9.0),  # until it was given up
        (TCP.replace(duration=6), WHOLE, 5.0),
        (TCP.replace(duration=6), CUT, 7.0),  # a connection that died before is charged for the rest
        (TCP.replace(size=None, duration=6), WHOLE, 7.0),  # a stall at the end counts
        (TCP.replace(size=None, duration=60), CUT, 20.0),  # cut by the end of the run
        (UDP, WHOLE, 5.0),  # sent within 3 s, the last datagram arrives later
        (UDP, Ended(True, 1.0, 2.0, 5.1), 4.0),  # the last ones were lost
        (UDP, Ended(True, 1.0, math.nan, 5.1), 4.0),  # all were
        (UDP.replace(duration=1), Ended(True, 1.0, 1.9, 5.1), 2.0),
        (Requests("a", "b", request=100, response=1000, count=3), WHOLE, 5.0),
        (Requests("a", "b", request=100, response=1000, duration=6), WHOLE, 7.0),
    ],
)
def test_the_time_that_a_flow_was_given(flow: Traffic, ended: Ended, until: float) -> None:
    assert flow.until(ended, run_s=20.0) == until


def test_commands_have_their_streams_and_status() -> None:
    plan = [{"id": i, "host": "a", "command": "x", "at_s": 0.5} for i in range(3)]
    raw = Raw(
        EPOCH
        + record(Kind.EXEC_OUT, struct.pack("<Ii", 0, 1) + b"caf\xc3", at_ns=1)
        + record(Kind.EXEC_OUT, struct.pack("<Ii", 0, 2) + b"oops", at_ns=1)
        + record(Kind.EXEC_OUT, struct.pack("<Ii", 0, 1) + b"\xa9\n", at_ns=2)
        + record(Kind.EXEC_END, struct.pack("<Ii", 0, 3 << 8), at_ns=10**9)
        + record(Kind.EXEC_END, struct.pack("<Ii", 1, 9), at_ns=10**9)
        + end()
    )
    table = commands.commands(raw, plan)
    assert table["stdout"].tolist() == ["café\n", "", ""]
    assert table["stderr"].tolist() == ["oops", "", ""]
    assert table["status"].tolist()[:2] == [3, -9]
    assert table["status"].isna().tolist() == [False, False, True]


def test_errors_name_the_record_and_the_errno() -> None:
    body = struct.pack("<IIiI", 4, 2, 22, 0) + b"Specified qdisc not found\0"
    raw = Raw(record(Kind.ERROR, body, at_ns=-1) + end(reason=4))
    table = made(refusals.ERRORS, Recorded(raw, {}))
    assert table.iloc[0][["record", "message", "error", "text"]].tolist() == [
        4,
        2,
        "EINVAL",
        "Specified qdisc not found",
    ]
    assert np.isnan(table["time_s"].iloc[0])
