"""Packet tables of frames made by hand with scapy, and capture files that are not what they should be."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import ICMP, IP, TCP, UDP, fragment
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw
from scapy.utils import PcapWriter, wrpcap

from labkit.decode import frames as decoded
from labkit.decode.connections import packet_table
from labkit.decode.frames import Frames
from labkit.decode.headers import checksums, dissect
from labkit.decode.raw import Raw as RawFile
from labkit.decode.raw import RawFormatError
from labkit.program.structs import CAPTURED_OUT, Kind
from labkit.results import capture_files, pcapng
from labkit.results.packets import read_capture
from tests import fuzz
from tests.dissection import compare, expected, frames_of
from tests.unit.test_decode import record

A, B = "10.0.0.1", "10.0.0.2"
THERE, BACK = IP(src=A, dst=B) / TCP(sport=1000, dport=2000), IP(src=B, dst=A) / TCP(sport=2000, dport=1000)


def whole(packet: Packet) -> Packet:
    """With an Ethernet header and every computed field, as it would be on the wire."""
    return Ether(bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / packet))


def kept(packets: Sequence[Packet], snap: int = 65535) -> Frames:
    """As frames of one interface, a millisecond apart."""
    bodies = [bytes(packet)[:snap] for packet in packets]
    stamps = [i * 10**6 for i in range(len(bodies))]
    return frames_of(bodies, stamps, [len(packet) for packet in packets])


def table_of(packets: Sequence[Packet], snap: int = 65535) -> pd.DataFrame:
    return packet_table(kept(packets, snap), {0: "eth0"}, [])


def segment(way: IP, **fields: Any) -> Packet:
    made = way.copy()
    data = fields.pop("data", b"")
    for name, value in fields.items():
        setattr(made[TCP], name, value)
    return whole(made / data if data else made)


# ---- against scapy ----

numbers = st.integers(0, 2**32 - 1)
blocks = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=4).map(
    lambda pairs: ("SAck", tuple(n for pair in pairs for n in pair))
)
option = st.one_of(
    st.just(("NOP", None)),
    st.integers(0, 65535).map(lambda mss: ("MSS", mss)),
    st.integers(0, 255).map(lambda shift: ("WScale", shift)),
    st.just(("SAckOK", b"")),
    st.tuples(numbers, numbers).map(lambda stamps: ("Timestamp", stamps)),
    blocks,
    st.binary(max_size=8).map(lambda data: (253, data)),
)


def size_of(options: list[tuple[Any, Any]]) -> int:
    return 4 * (len(bytes(TCP(options=options))) // 4) - 20


@st.composite
def segments(draw: st.DrawFn) -> Packet:
    """A TCP packet of one of a few connections, with numbers near those of the others or anywhere."""
    ports = draw(st.sampled_from([(1000, 2000), (2000, 1000), (1001, 2000)]))
    ends = (A, B) if ports[0] < 2000 else (B, A)
    options = draw(st.lists(option, max_size=5).filter(lambda found: size_of(found) <= 40))
    near = st.one_of(st.integers(0, 5000), st.integers(2**32 - 5000, 2**32 - 1))
    head = TCP(
        sport=ports[0],
        dport=ports[1],
        seq=draw(near),
        ack=draw(near),
        flags=draw(st.integers(0, 511)),
        window=draw(st.integers(0, 65535)),
        options=options,
    )
    source = [(12, b"\x01\x44\x03\x04")] if draw(st.booleans()) else []
    ip = IP(src=ends[0], dst=ends[1], id=draw(st.integers(0, 65535)), options=b"\1" * 4 if source else b"")
    return whole(ip / head / draw(st.binary(max_size=40)))


@fuzz.of(120)
@given(packets=st.lists(segments(), max_size=12))
def test_random_segments_are_dissected_as_by_scapy(packets: list[Packet]) -> None:
    compare(table_of(packets), packets)


@fuzz.of(150)
@given(packet=segments(), bit=st.integers(14 * 8, 54 * 8 - 1))
def test_a_flipped_bit_makes_the_checksum_bad(packet: Packet, bit: int) -> None:
    data = bytearray(bytes(packet))
    data[bit // 8] ^= 1 << bit % 8
    damaged = Ether(bytes(data))
    row = table_of([packet, damaged])["checksum"]
    assert row[0] == "good"
    assert row[1] == expected([damaged])["checksum"][0] != "good"


@fuzz.of(100)
@given(st.lists(st.binary(max_size=80), max_size=8), st.booleans())
def test_any_bytes_at_all_make_a_table(bodies: list[bytes], ip: bool) -> None:
    start = bytes(whole(THERE))[: 24 if ip else 14]
    table = table_of([Raw(start + body) for body in bodies])
    assert len(table) == len(bodies)
    assert (table["captured"] == [len(start) + len(body) for body in bodies]).all()


MIXED = [
    whole(THERE),
    whole(IPv6(dst="::1") / TCP()),
    whole(ARP(psrc=A)),
    whole(Dot1Q(vlan=7) / THERE),
    whole(IP(src=A, dst=B) / UDP(sport=5, dport=6) / b"abc"),
    whole(IP(src=A, dst=B) / UDP(sport=5, dport=6, chksum=0) / b"abc"),
    whole(IP(src=A, dst=B) / ICMP() / b"ping"),
    whole(IP(src=A, dst=B, proto=132) / b"not sctp"),
    whole(IP(src=A, dst=B, options=b"\1\1\1\0") / TCP(sport=9, dport=8)),
]

IPV4 = [packet for packet in MIXED if IP in packet and Dot1Q not in packet]


def test_what_is_not_tcp_over_ipv4_is_there_without_what_tcp_has() -> None:
    compare(table_of(MIXED), MIXED)


@pytest.mark.parametrize("snap", range(len(bytes(whole(THERE))) + 1))
def test_a_header_that_is_cut_off_is_of_no_protocol(snap: int) -> None:
    row = table_of([whole(THERE)], snap).iloc[0]
    assert row["captured"] == snap
    if snap < 54:
        assert pd.isna(row["protocol"]) and row["checksum"] == "unknown" and row["flags"] == ""
        assert (row[["sport", "dport", "tsval", "sack1_left"]] == -1).all()
    else:
        assert (row["protocol"], row["sport"], row["checksum"]) == ("tcp", 1000, "good")


def test_options_that_are_cut_off_are_not_guessed_at() -> None:
    stamped = segment(THERE, options=[("Timestamp", (1, 2))])
    cut, whole_one = (table_of([stamped], snap).iloc[0] for snap in (65, 66))
    assert pd.isna(cut["protocol"]) and cut["tsval"] == -1
    assert (whole_one["tsval"], whole_one["tsecr"]) == (1, 2)


def test_of_fragments_the_first_has_ports_and_none_has_a_checksum() -> None:
    parts = [
        whole(part) for part in fragment(IP(src=A, dst=B, id=5) / UDP(sport=5, dport=6) / bytes(4000), 1480)
    ]
    table = table_of([*parts, whole(IP(src=A, dst=B, id=6) / UDP(sport=7, dport=8))])
    assert table["sport"].tolist() == [5, 5, 5, 7]
    assert table["checksum"].tolist() == ["unknown"] * 3 + ["good"]
    assert table["payload"].sum() == 4000


def test_a_fragment_whose_first_one_is_missing_has_no_ports() -> None:
    _, later = fragment(IP(src=A, dst=B, id=5) / UDP(sport=5, dport=6) / bytes(2000), 1480)
    row = table_of([whole(later)]).iloc[0]
    assert (row["protocol"], row["sport"], row["dport"], row["ip_id"]) == ("udp", -1, -1, 5)


# ---- sequence numbers ----


def long_transfer(isn: int, steps: Sequence[int]) -> list[Packet]:
    """A handshake and data at these offsets from the SYN, each acknowledged."""
    other = 77
    made = [
        segment(THERE, flags="S", seq=isn, options=[("WScale", 7)]),
        segment(BACK, flags="SA", seq=other, ack=isn + 1, options=[("WScale", 3)]),
    ]
    for step in steps:
        seq = (isn + step) % 2**32
        made.append(segment(THERE, flags="A", seq=seq, ack=other + 1, data=b"x"))
        edges = ("SAck", ((seq + 100) % 2**32, (seq + 200) % 2**32))
        made.append(segment(BACK, flags="A", seq=other + 1, ack=(seq + 1) % 2**32, options=[edges]))
    return made


@pytest.mark.parametrize("isn", [1, 2**31, 2**32 - 500])
def test_sequence_numbers_go_on_beyond_2_to_the_32(isn: int) -> None:
    steps = [1 + i * 2**29 for i in range(40)]
    table = table_of(long_transfer(isn, steps))
    assert table["seq"][2::2].tolist() == steps
    assert table["ack"][3::2].tolist() == [step + 1 for step in steps]
    assert table["sack1_right"][3::2].tolist() == [step + 200 for step in steps]


@pytest.mark.parametrize("bit", [31, 30, 20])
@pytest.mark.parametrize("field", ["seq", "ack"])
def test_a_flipped_bit_in_one_packet_moves_no_other(bit: int, field: str) -> None:
    steps = [1 + i for i in range(30)]
    packets = long_transfer(2**31 - 10, steps)
    struck = 20 if field == "seq" else 21
    damaged = packets[struck].copy()
    setattr(damaged[TCP], field, getattr(damaged[TCP], field) ^ 1 << bit)
    packets[struck] = Ether(bytes(damaged))
    table = table_of(packets).drop(index=struck)
    want = [0, *(step for i, step in enumerate(steps) if 2 + 2 * i != struck)]
    assert table["seq"][table["src"] == A].tolist() == want
    acks = [1, *(step + 1 for i, step in enumerate(steps) if 3 + 2 * i != struck)]
    assert table["ack"][table["src"] == B].tolist() == acks


def test_without_a_syn_the_first_packet_is_number_1() -> None:
    packets = long_transfer(4000, [101, 201, 301])[2:]
    table = table_of(packets)
    assert table["seq"][::2].tolist() == [1, 101, 201]
    assert table["ack"][1::2].tolist() == [2, 102, 202]


def test_an_old_ack_at_the_start_of_a_capture_is_below_the_first_packet() -> None:
    made = [
        segment(THERE, flags="A", seq=5000, ack=1, data=b"x"),
        segment(BACK, flags="A", seq=1, ack=4900),
    ]
    assert table_of(made)["ack"][1] == 4900 - 4999


def test_the_window_is_scaled_only_if_both_ends_said_so() -> None:
    both = long_transfer(1, [1])
    alone = [both[0], segment(BACK, flags="SA", seq=77, ack=2), *both[2:]]
    assert table_of(both)["window"].tolist() == [8192, 8192, 8192 << 7, 8192 << 3]
    assert table_of(alone)["window"].tolist() == [8192] * 4


def test_flows_are_named_by_their_four_ends() -> None:
    flow = {"name": "one", "saddr": A, "sport": 1000, "daddr": B, "dport": 2000}
    table = packet_table(kept([whole(THERE), whole(BACK), *MIXED[4:5]]), {0: "eth0"}, [flow])
    assert table["flow"].astype(object).where(table["flow"].notna(), None).tolist() == ["one", "one", None]
    assert table["way"][:2].tolist() == ["data", "ack"]


def test_a_table_of_nothing_has_all_columns() -> None:
    assert list(table_of([]).columns) == list(table_of(MIXED).columns)
    assert len(table_of([])) == 0


def test_checksums_of_many_frames_are_those_of_one_at_a_time() -> None:
    found = kept([segment(THERE, data=bytes(range(n % 256)) * 3) for n in range(300)])
    headers = dissect(found.data, found.offset, found.captured)
    assert checksums(found.data, headers, found.offset, found.captured).tolist() == [1] * 300


# ---- files ----


@pytest.mark.parametrize("nano", [False, True])
def test_a_pcap_is_read_with_its_times(tmp_path: Path, nano: bool) -> None:
    file = tmp_path / "a.pcap"
    with PcapWriter(str(file), nano=nano) as writer:
        for i, packet in enumerate(IPV4):
            packet = packet.copy()
            packet.time = 1_700_000_000 + i * 0.25
            writer.write(packet)
    table = read_capture(file)
    compare(table, IPV4)
    assert table["time_s"].tolist() == pytest.approx([i * 0.25 for i in range(len(IPV4))], abs=1e-9)
    assert table["direction"].isna().all() and table["flow"].isna().all()


def test_a_pcapng_keeps_nanoseconds(tmp_path: Path) -> None:
    frames = kept(MIXED)
    exact = frames.at_ns + np.arange(len(frames)) * 7 + 1_234_567_890_123_456_789
    made = Frames(
        frames.data,
        exact,
        *(getattr(frames, n) for n in ("interface", "outgoing", "offset", "captured", "length")),
    )
    pcapng.write(tmp_path / "a.pcapng", made, {0: "eth0"})
    assert capture_files.read(tmp_path / "a.pcapng").at_ns.tolist() == (exact - exact[0]).tolist()


@pytest.mark.parametrize("suffix", ["pcap", "pcapng"])
def test_a_file_cut_anywhere_gives_what_is_whole_and_a_warning(tmp_path: Path, suffix: str) -> None:
    file, cut = tmp_path / f"a.{suffix}", tmp_path / "cut"
    if suffix == "pcap":
        wrpcap(str(file), MIXED[:4])
    else:
        pcapng.write(file, kept(MIXED[:4]), {0: "eth0"})
    data = file.read_bytes()
    counts = []
    edges = boundaries(data, suffix)
    near = {edge + by for edge in edges for by in (-1, 0, 1)}
    first, end = 24 if suffix == "pcap" else 28, len(data)
    for size in sorted({*range(first, end, 5), *near, end - 1} & set(range(first, end))):
        cut.write_bytes(data[:size])
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            counts.append(len(read_capture(cut)))
        here = [str(one.message) for one in said if "stops in the middle of a frame" in str(one.message)]
        if size in edges:
            assert not here, f"whole at {size}"
        else:
            assert len(here) == 1 and str(cut) in here[0], f"cut at {size}"
    assert counts == sorted(counts) and counts[-1] == 3


def boundaries(data: bytes, suffix: str) -> set[int]:
    """Where a frame's block ends."""
    found, at = set(), 24 if suffix == "pcap" else 0
    while at <= len(data):
        found.add(at)
        if at == len(data):
            break
        at += (
            16 + struct.unpack_from("<I", data, at + 8)[0]
            if suffix == "pcap"
            else struct.unpack_from("<I", data, at + 4)[0]
        )
    return found


@pytest.mark.parametrize("contents", [b"", b"\xd4\xc3", b"GET / HTTP/1.1"])
def test_what_is_no_capture_is_refused_by_name(tmp_path: Path, contents: bytes) -> None:
    file = tmp_path / "mine.pcap"
    file.write_bytes(contents)
    with pytest.raises(pcapng.CaptureFileError, match=r"mine\.pcap: neither pcap nor pcapng: write it with"):
        read_capture(file)


@pytest.mark.parametrize("magic", [b"\xd4\xc3\xb2\xa1", b"\x0a\x0d\x0d\x0a"])
def test_a_header_alone_that_is_cut_is_refused_by_name(tmp_path: Path, magic: bytes) -> None:
    file = tmp_path / "mine.pcap"
    file.write_bytes(magic + b"\0\0\0")
    with pytest.raises(pcapng.CaptureFileError, match=r"mine\.pcap: "), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read_capture(file)


def pcapng_of(packets: Sequence[Packet], order: str = "<", link: int = 1) -> bytes:
    """A pcapng file as a machine of that byte order writes it."""

    def block(kind: int, body: bytes) -> bytes:
        body += b"\0" * (-len(body) % 4)
        size = len(body) + 12
        return struct.pack(order + "II", kind, size) + body + struct.pack(order + "I", size)

    made = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    made += block(1, struct.pack(order + "HHI", link, 0, 0))
    for i, packet in enumerate(packets):
        data = bytes(packet)
        made += block(6, struct.pack(order + "IIIII", 0, 0, i, len(data), len(data)) + data)
    return made


def pcap_of(packets: Sequence[Packet], order: str = "<", link: int = 1) -> bytes:
    made = struct.pack(order + "IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    for i, packet in enumerate(packets):
        made += struct.pack(order + "IIII", 0, i, len(packet), len(packet)) + bytes(packet)
    return made


@pytest.mark.parametrize("link", [105, 127, 147])
@pytest.mark.parametrize("made", [pcap_of, pcapng_of])
def test_another_link_type_is_refused_by_number(
    tmp_path: Path, link: int, made: Callable[..., bytes]
) -> None:
    file = tmp_path / "mine.pcap"
    file.write_bytes(made([THERE], link=link))
    with pytest.raises(pcapng.CaptureFileError, match=rf"mine\.pcap: frames of link type {link}, only Ether"):
        read_capture(file)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("made", [pcap_of, pcapng_of])
def test_files_of_either_byte_order_are_read_without_complaint(
    tmp_path: Path, order: str, made: Callable[..., bytes]
) -> None:
    file = tmp_path / "a"
    file.write_bytes(made(IPV4, order))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_capture(file)
    compare(table, IPV4)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        read_capture(tmp_path / "nothing.pcap")


# ---- records ----


def captured(interface: int, lost: int) -> bytes:
    return record(Kind.CAPTURED, CAPTURED_OUT.pack(interface=interface, seen=100, lost=lost))


def test_what_a_ring_lost_is_counted_by_interface() -> None:
    assert decoded.lost(RawFile(captured(3, 5) + captured(3, 2) + captured(4, 0))) == {3: 7}


def packets_record(count: int, captured_bytes: int, body: bytes) -> bytes:
    head = struct.pack("<II", 3, count)
    rows = b"".join(struct.pack("<qIIII", i, captured_bytes, 60, 0, 0) for i in range(min(count, 4)))
    return record(Kind.PACKETS, head + rows + body)


@pytest.mark.parametrize(("count", "size", "body"), [(500, 4, b""), (2, 900, bytes(8))])
def test_a_damaged_record_of_frames_is_named(count: int, size: int, body: bytes) -> None:
    with pytest.raises(RawFormatError, match="raw file damaged at byte"):
        decoded.frames(RawFile(packets_record(count, size, body)))
