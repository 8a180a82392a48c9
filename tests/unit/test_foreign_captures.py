"""Captures made elsewhere, row by row as tshark has them: every link layer, snaplen and form of file; what is
cut is missing, what is damaged ends in a warning."""

from __future__ import annotations

import functools
import gzip
import os
import random
import shutil
import struct
import subprocess
import tempfile
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP, UDP, fragment
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, Jumbo
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from scapy.utils import PcapNgWriter, rdpcap

from labkit.results.packets import read_capture
from labkit.results.pcapng import CaptureFileError
from tests import fuzz
from tests.foreign_captures import AGAIN, LINKS, MACS, Made, connection, editcap, mixture, tshark, write

with_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="no tshark here: apt-get install tshark (make test does)"
)
with_tcprewrite = pytest.mark.skipif(
    shutil.which("tcprewrite") is None,
    reason="no tcprewrite: apt-get install tcpreplay (make test does)",
)
NUMBERS = ["sport", "dport", "seq", "ack", "window", "payload", "sacks", "tsval", "tsecr", "ip_id"]
A, B = "10.0.0.1", "10.9.0.2"


def bits(flags: object) -> int | None:
    """Of letters of FSRPAUECN."""
    return None if pd.isna(flags) else sum(1 << "FSRPAUECN".index(letter) for letter in str(flags))


def agree(file: Path) -> pd.DataFrame:
    """Asserts that labkit says of each frame what tshark says, and nothing where tshark has nothing."""
    mine, theirs = read_capture(file), tshark(file)
    assert len(mine) == len(theirs)
    told = pd.DataFrame(index=mine.index)
    tcp = mine["protocol"] == "tcp"
    for column in NUMBERS:
        told[column] = [int(text, 0) if text else None for text in theirs[column]]
    told["flags"] = [int(text, 0) & 0x1FF if text else None for text in theirs["flags"]]
    here = mine[NUMBERS].astype(object).where(mine[NUMBERS] != -1, None)
    here["flags"] = [bits(flags) for flags in mine["flags"]]
    here["seq"], here["ack"] = (  # tshark has no numbers below 0
        [None if n is None else n % 2**32 for n in here[column]] for column in ("seq", "ack")
    )
    here["sacks"] = here["sacks"].replace(0, None)
    whole = mine["captured"] == mine["length"]
    for column in (*NUMBERS, "flags"):
        rows = tcp if column != "ip_id" else mine.index == mine.index
        pairs = zip(here[column][rows], told[column][rows], strict=True)
        wrong = [(i, *pair) for i, pair in zip(mine.index[rows], pairs, strict=True) if differ(*pair)]
        if column == "sacks":  # tshark counts no blocks of which one is cut
            wrong = [row for row in wrong if not pd.isna(row[2]) or whole[row[0]]]
        assert not wrong, f"{column}: frame, labkit's, tshark's: {wrong[:5]} of {len(wrong)}"
    for end in ("src", "dst"):
        addresses = mine[end].astype(object).where(mine[end].notna(), "")
        assert addresses.tolist() == (theirs[f"ip_{end}"] + theirs[f"ipv6_{end}"]).tolist()
    assert mine["captured"].tolist() == theirs["captured"].astype(int).tolist()
    assert mine["length"].tolist() == theirs["length"].astype(int).tolist()
    assert mine["time_s"].tolist() == pytest.approx(theirs["time_s"].astype(float).tolist(), abs=1e-9)
    return mine


def differ(one: float | None, other: float | None) -> bool:
    return not (pd.isna(one) and pd.isna(other)) and one != other


# ---- link layers, snaplens, forms of files ----


@with_tshark
@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("link", LINKS)
def test_every_row_is_tsharks_however_much_of_it_was_kept(tmp_path: Path, link: str, version: int) -> None:
    made, chance = mixture(version, version), random.Random(version)
    again = [(at + 100, packet) for at, packet in mixture(version + 1, version, port=50_000)]
    kept = [None] * len(made) + [chance.randrange(54, 130) for _ in again]
    table = agree(write(tmp_path / "a.pcap", made + again, link, snap=kept.__getitem__))
    assert (table["protocol"] == "tcp").sum() > 250 and (table["sacks"] == -1).any()


@with_tshark
@pytest.mark.parametrize("snap", [54, 64, 68, 74])
def test_every_row_is_tsharks_with_a_snaplen(tmp_path: Path, snap: int) -> None:
    file = write(tmp_path / "a.pcap", mixture(snap, 4))
    table = agree(editcap(file, tmp_path / "cut.pcap", "-s", str(snap), "-F", "pcap"))
    assert (table["protocol"] == "tcp").sum() > 250 and table["captured"].max() == snap


@with_tshark
@pytest.mark.parametrize("snap", [54, 64, 68, 80])
def test_of_what_is_cut_nothing_is_other_than_in_the_whole(tmp_path: Path, snap: int) -> None:
    file = write(tmp_path / "a.pcap", mixture(3, 4))
    cut = read_capture(editcap(file, tmp_path / "cut.pcap", "-s", str(snap), "-F", "pcap"))
    whole = read_capture(file)
    assert (cut["protocol"] == whole["protocol"]).all(), "all of TCP stays TCP"
    for column in ("sport", "dport", "seq", "ack", "flags", "payload"):
        assert cut[column].equals(whole[column]), column
    for column in ("sacks", "tsval", "tsecr", "sack1_left", "sack1_right", "sack2_left"):
        there = cut[column] != -1
        assert cut[column][there].equals(whole[column][there]), column
    assert (cut["sacks"] == -1).any() == (snap < 80) and (whole["sacks"] > 0).any()


FORMS = {
    "nsecpcap": ["-F", "nsecpcap"],
    "pcapng": ["-F", "pcapng"],
    "cut pcapng": ["-F", "pcapng", "-s", "70"],
}


@with_tshark
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("form", ["nsecpcap", "pcapng", "cut pcapng"])
def test_forms_of_files_are_read(tmp_path: Path, form: str, packed: bool) -> None:
    file = write(tmp_path / "a.pcap", mixture(5, 4), nano=True)
    file = editcap(file, tmp_path / "b", *FORMS[form])
    if packed:
        (tmp_path / "b.gz").write_bytes(gzip.compress(file.read_bytes()))
        file = tmp_path / "b.gz"
    agree(file)


@with_tshark
@with_tcprewrite
@pytest.mark.parametrize("kind", ["802.1q", "802.1ad"])
def test_tags_of_tcprewrite_are_read(tmp_path: Path, kind: str) -> None:
    file, tagged = write(tmp_path / "a.pcap", mixture(6, 4)), tmp_path / "b.pcap"
    options = ["--enet-vlan=add", "--enet-vlan-tag=40", "--enet-vlan-cfi=1", "--enet-vlan-pri=4"]
    command = ["tcprewrite", *options, f"--enet-vlan-proto={kind}", f"--infile={file}", f"--outfile={tagged}"]
    subprocess.run(command, check=True, capture_output=True)
    agree(tagged)


@with_tshark
def test_a_file_of_many_interfaces_is_read(tmp_path: Path) -> None:
    links = ["ethernet", "cooked", "cooked 2", "loopback"]
    files = [
        str(write(tmp_path / f"{i}.pcap", mixture(i, 4 + i % 2 * 2, 40_000 + 100 * i), link))
        for i, link in enumerate(links)
    ]
    subprocess.run(
        ["mergecap", "-F", "pcapng", "-w", str(tmp_path / "a"), *files], check=True, capture_output=True
    )
    agree(tmp_path / "a")


# ---- connections ----


@with_tshark
@pytest.mark.parametrize("seed", range(4))
def test_a_connection_that_began_before_the_capture_counts_as_in_wireshark(tmp_path: Path, seed: int) -> None:
    made = [pair for pair in mixture(seed, 4) if pair[0] > 0.06 + 0.1 * seed]
    agree(write(tmp_path / "a.pcap", made))


@with_tshark
@pytest.mark.parametrize("source", [A, B])
def test_of_one_direction_alone_the_numbers_are_wiresharks(tmp_path: Path, source: str) -> None:
    made = [(at, packet) for at, packet in mixture(8, 4) if packet.src == source]
    agree(write(tmp_path / "a.pcap", made))


@with_tshark
@pytest.mark.parametrize("seed", range(3))
def test_ports_used_again_are_another_connection(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    parts = [connection(chance, 4, number, i * 40.0) for i, number in enumerate([1, 1, 2, 1, 2])]
    table = agree(write(tmp_path / "a.pcap", [pair for part in parts for pair in part]))
    assert ((table["flags"] == "S") & (table["seq"] == 0)).sum() == 5


@with_tshark
@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_retransmissions_and_late_segments_are_tsharks(tmp_path: Path, seed: int, version: int) -> None:
    file = write(tmp_path / "a.pcap", mixture(seed + 20, version))
    table, theirs = agree(file), tshark(file)
    data = table[table["payload"] > 0].query("protocol == 'tcp'")
    ends = data["seq"] + data["payload"]
    before = ends.groupby([data[name] for name in ("src", "sport", "dst", "dport")], observed=True)
    highest = before.transform(lambda end: end.cummax().shift(fill_value=0))
    found = data.index[data["seq"] < highest].tolist()
    assert found == np.flatnonzero((theirs[list(AGAIN)] != "").any(axis=1)).tolist() != []


# ---- offloads ----


def large(version: int, size: int, jumbo: bool = False) -> Packet:
    """As Linux hands it to a network card that cuts it up: its length does not fit into its header."""
    if version == 4:
        return IP(src=A, dst=B, len=0) / TCP(sport=1, dport=2, flags="A", seq=1000) / Raw(bytes(size))
    inner = TCP(sport=1, dport=2, flags="A", seq=1000, chksum=0) / Raw(bytes(size))
    if not jumbo:
        return IPv6(src="::1", dst="::2", plen=0, nh=6) / Raw(bytes(inner))
    head = IPv6ExtHdrHopByHop(nh=6, options=[Jumbo(jumboplen=size + 28)])
    return IPv6(src="::1", dst="::2", plen=0) / head / Raw(bytes(inner))


@with_tshark
@pytest.mark.parametrize("snap", [None, 96])
@pytest.mark.parametrize(("version", "jumbo"), [(4, False), (6, False), (6, True)])
def test_frames_larger_than_ip_can_say_are_read_and_all_behind_them(
    tmp_path: Path, version: int, jumbo: bool, snap: int | None
) -> None:
    sizes = [65_536, 180_000, 66_000] if jumbo else [1000, 65_495, 180_000]
    made = Made((i, large(version, size, jumbo)) for i, size in enumerate(sizes))
    file = write(tmp_path / "a.pcap", made + [(9.0 + at, packet) for at, packet in mixture(1, version)])
    if snap is not None:
        file = editcap(file, tmp_path / "b.pcap", "-s", str(snap), "-F", "pcap")
    assert agree(file)["payload"][:3].tolist() == sizes


def test_a_jumbogram_ends_where_it_says(tmp_path: Path) -> None:
    file = write(tmp_path / "a.pcap", [(0, Raw(bytes(large(6, 70_000, True)) + bytes(9)))], "raw")
    assert read_capture(file)["payload"].tolist() == [70_000]


@pytest.mark.parametrize("size", [524_280 - 14])
def test_the_largest_frame_of_linux_is_read(tmp_path: Path, size: int) -> None:
    file = write(tmp_path / "a.pcap", [(0.0, large(4, size - 40)), (1.0, large(4, 100))])
    assert read_capture(file)["payload"].tolist() == [size - 40, 100]


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("kind", [TCP, UDP])
def test_a_checksum_left_to_the_network_card_is_not_called_bad(
    tmp_path: Path, version: int, kind: type[Packet]
) -> None:
    net = IP(src=A, dst=B) if version == 4 else IPv6(src="2001:db8::1", dst="fe80::2")
    whole = type(net)(bytes(net / kind(sport=7, dport=8) / Raw(b"abc")))
    left = whole.copy()
    left[kind].chksum = pseudo_sum(whole, kind)
    wrong = whole.copy()
    wrong[kind].chksum ^= 0x1234
    table = read_capture(write(tmp_path / "a.pcap", [(0, whole), (1, left), (2, wrong)]))
    assert table["checksum"].tolist() == ["good", "unknown", "bad"]


def pseudo_sum(packet: Packet, kind: type[Packet]) -> int:
    """RFC 9293, 3.1: ones' complement sum of addresses, protocol and length."""
    start, end = (12, 20) if packet.version == 4 else (8, 40)
    number, size = {TCP: 6, UDP: 17}[kind], len(bytes(packet[kind]))
    total = sum(struct.unpack(f">{(end - start) // 2}H", bytes(packet)[start:end])) + number + size
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@with_tshark
def test_extension_headers_of_ipv6_are_gone_past(tmp_path: Path) -> None:
    net, segment = IPv6(src="::1", dst="::2"), TCP(sport=1, dport=2, flags="PA", seq=5, ack=9) / Raw(b"abcd")
    heads = [
        IPv6ExtHdrHopByHop(),
        IPv6ExtHdrDestOpt(),
        IPv6ExtHdrHopByHop() / IPv6ExtHdrDestOpt(),
        IPv6ExtHdrFragment(offset=0, m=0, id=77),
    ]
    made = [(i, net / head / segment) for i, head in enumerate(heads)]
    signed = bytes([6, 4]) + bytes(22)  # an authentication header: 24 bytes, before TCP
    made.append((4.0, IPv6(src="::1", dst="::2", nh=51) / Raw(signed + bytes(net / segment)[40:])))
    table = agree(write(tmp_path / "a.pcap", made))
    assert table["payload"].tolist() == [4] * 5 and (table["checksum"] == "good").all()


def test_later_fragments_have_the_ports_of_their_first_one(tmp_path: Path) -> None:
    parts = fragment(IP(src=A, dst=B, id=5) / UDP(sport=5, dport=6) / Raw(bytes(4000)), 1480)
    net = IPv6(src="::1", dst="::2")
    body = bytes(UDP(sport=7, dport=8, len=2008, chksum=1) / Raw(bytes(2000)))
    six = [
        net / IPv6ExtHdrFragment(nh=17, offset=at // 8, m=at == 0, id=1 << 31) / Raw(body[at : at + 1000])
        for at in (0, 1000)
    ]
    table = read_capture(write(tmp_path / "a.pcap", list(enumerate([*parts, *six]))))
    assert table["sport"].tolist() == [5, 5, 5, 7, 7]
    assert (table["protocol"] == "udp").all() and (table["checksum"] == "unknown").all()


# ---- what is not understood, and damage ----


def test_what_is_not_understood_is_counted_in_one_warning(tmp_path: Path) -> None:
    packet = IP(src=A, dst=B) / TCP(sport=1, dport=2)
    made = [(0.0, packet)] + [
        (1.0, Ether(**MACS, type=kind) / Raw(bytes(4) + bytes(packet))) for kind in (0x8847, 0x8847, 0x8864)
    ]
    blocks = [struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)]
    blocks += [struct.pack("<IIHHII", 1, 20, link, 0, 0, 20) for link in (1, 105)]
    for interface, (_, one) in zip([0, 0, 0, 0, 1, 9], [*made, (2.0, packet), (3.0, packet)], strict=True):
        data = bytes(one if Ether in one or interface else Ether(**MACS) / one)
        body = struct.pack("<IIIII", interface, 0, 0, len(data), len(data)) + data + bytes(-len(data) % 4)
        blocks.append(struct.pack("<II", 6, len(body) + 12) + body + struct.pack("<I", len(body) + 12))
    file = tmp_path / "a.pcapng"
    file.write_bytes(b"".join(blocks))
    with pytest.warns(UserWarning) as said:
        table = read_capture(file)
    assert [str(one.message) for one in said] == [
        f"{file}: not understood: 1 of an interface that the file does not describe, 1 of link type 105, "
        "2 with MPLS, 1 with PPPoE, of 6 frames: their rows have a time and a length"
    ]
    assert table["protocol"].notna().tolist() == [True] + [False] * 5
    assert (table["length"] > 0).all()


def whole_file(folder: Path, form: str = "pcap", count: int = 40) -> Path:
    file = folder / f"whole.{form}"
    file.write_bytes(whole_bytes(form, count))
    return file


@functools.cache
def whole_bytes(form: str, count: int) -> bytes:
    """pcapng by scapy, so that no program is needed."""
    with tempfile.TemporaryDirectory() as folder:
        file = write(Path(folder) / "whole", mixture(2, 4)[:count], nano=form == "nano")
        if form == "pcapng":
            packets = rdpcap(str(file))
            with PcapNgWriter(str(file)) as writer:
                for packet in packets:
                    writer.write(packet)
        data = file.read_bytes()
    return gzip.compress(data) if form == "gzip" else data


def read_whatever(file: Path) -> tuple[pd.DataFrame | None, list[str]]:
    """The table, and what was warned of; None: it was refused by labkit's own error, with the file's name."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            table = read_capture(file)
        except CaptureFileError as error:
            assert str(file) in str(error)
            return None, []
    return table, [str(one.message) for one in said]


@fuzz.of(150)
@given(
    form=st.sampled_from(["pcap", "nano", "pcapng", "gzip"]),
    flips=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 7)), max_size=6),
    keep=st.floats(0, 1) | st.just(1.0),
)
def test_damage_of_any_kind_is_labkits_error_or_a_warning(
    tmp_path_factory: pytest.TempPathFactory, form: str, flips: list[tuple[float, int]], keep: float
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    data = bytearray(whole_file(folder, form).read_bytes())
    data = data[: max(round(len(data) * keep), 1)]
    for place, bit in flips:
        data[min(int(len(data) * place), len(data) - 1)] ^= 1 << bit
    file = folder / "damaged"
    file.write_bytes(data)
    table, said = read_whatever(file)
    assert all(str(file) in text for text in said) and len(said) <= 2
    if table is not None and form != "gzip":
        assert len(table) <= len(data) // 16


@fuzz.of(60)
@given(body=st.binary(max_size=400), link=st.sampled_from([0, 1, 101, 113, 276]), kind=st.binary(max_size=2))
def test_any_frame_at_all_is_a_row(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, link: int, kind: bytes
) -> None:
    frame = bytes(BEFORE_TYPE[link]) + kind + body
    file = tmp_path_factory.mktemp("any") / "a.pcap"
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    file.write_bytes(head + struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)
    table, _ = read_whatever(file)
    assert table is not None and table["captured"].tolist() == [len(frame)]


BEFORE_TYPE = {0: 4, 1: 12, 101: 0, 113: 14, 276: 0}  # bytes of the link header before its EtherType


@pytest.mark.parametrize("form", ["pcap", "pcapng"])
def test_a_size_that_no_frame_has_ends_the_reading_before_it(tmp_path: Path, form: str) -> None:
    file = whole_file(tmp_path, form)
    data, whole = bytearray(file.read_bytes()), read_capture(file)
    at = data.index(bytes(IP(src=A, dst=B))[12:20], len(data) // 2)  # in a frame in the middle
    at = data.rindex(bytes.fromhex(MACS["dst"].replace(":", "")), 0, at) - 8  # its size
    data[at + 3] ^= 0x40
    file.write_bytes(data)
    table, said = read_whatever(file)
    assert table is not None and 10 < len(table) < len(whole)
    assert len(said) == 1 and (f"{file}: damaged at byte" in said[0] or "stops in the middle" in said[0])
    columns = ["seq", "payload", "sport", "time_s"]
    assert table[columns].equals(whole[columns][: len(table)])


def test_a_block_with_two_sizes_ends_the_reading_before_it(tmp_path: Path) -> None:
    file = whole_file(tmp_path, "pcapng")
    data = bytearray(file.read_bytes())
    data[-2] ^= 1  # of the size that ends the last block
    file.write_bytes(data)
    table, said = read_whatever(file)
    assert table is not None and len(table) == 39
    assert len(said) == 1 and f"{file}: damaged at byte" in said[0]


@pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
def test_a_compressed_file_that_is_cut_gives_what_is_there(tmp_path: Path, keep: float) -> None:
    file = whole_file(tmp_path, "gzip", 300)
    data, whole = file.read_bytes(), read_capture(file)
    file.write_bytes(data[: int(len(data) * keep)])
    table, said = read_whatever(file)
    assert table is not None and len(whole) * keep * 0.5 < len(table) <= len(whole)
    assert len(said) == 1 and "stops in the middle" in said[0]


@contextmanager
def most_memory() -> Iterator[list[int]]:
    """The most bytes that Python held in here, when it is over."""
    found: list[int] = []
    tracemalloc.start()
    try:
        yield found
    finally:
        found.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    file = tmp_path / "bomb.gz"
    file.write_bytes(gzip.compress(head + bytes(100 << 20)))
    with (
        most_memory() as most,
        pytest.raises(CaptureFileError, match=r"bomb\.gz: unpacks to more than \d+ MiB: if"),
    ):
        read_capture(file)
    assert most[0] < 200 << 20


def test_compressed_zeros_are_no_bomb(tmp_path: Path) -> None:
    packet = IP(src=A, dst=B) / UDP(sport=1, dport=2) / Raw(bytes(1472))
    data = write(tmp_path / "a.pcap", [(0, packet)]).read_bytes()
    (tmp_path / "a.gz").write_bytes(gzip.compress(data[:24] + 13_000 * data[24:]))
    assert len(read_capture(tmp_path / "a.gz")) == 13_000


@pytest.mark.parametrize("form", ["pcap", "pcapng"])
def test_memory_is_a_small_multiple_of_the_file(tmp_path: Path, form: str) -> None:
    file = whole_file(tmp_path, form, 270)
    first = file.read_bytes()
    start = 24 if form == "pcap" else 0
    file.write_bytes(first[:start] + first[start:] * 60)
    size = file.stat().st_size
    with most_memory() as most:
        table = read_capture(file)
    assert len(table) == 60 * 270 and most[0] < 4 * size + (40 << 20)


@pytest.mark.parametrize("made", [lambda file: file.mkdir(), lambda file: os.mkfifo(file)])
def test_what_is_no_file_is_refused(tmp_path: Path, made: Callable[[Path], None]) -> None:
    made(tmp_path / "a.pcap")
    with pytest.raises(CaptureFileError, match=r"a\.pcap: is .*must be a file"):
        read_capture(tmp_path / "a.pcap")


UNITS = [(6, 1e-6), (9, 1e-9), (3, 1e-3), (12, 1e-12), (0x94, 2.0**-20), (0xA8, 2.0**-40)]


@pytest.mark.parametrize(("resolution", "unit"), UNITS)
def test_times_of_pcapng_are_in_the_unit_that_it_names(tmp_path: Path, resolution: int, unit: float) -> None:
    def block(kind: int, body: bytes) -> bytes:
        size = len(body) + 12
        return struct.pack(">II", kind, size) + body + struct.pack(">I", size)

    made = block(0x0A0D0D0A, struct.pack(">IHHq", 0x1A2B3C4D, 1, 0, -1))
    options = struct.pack(">HHB3xHHqHH", 9, 1, resolution, 14, 8, 1_700_000_000, 0, 0)
    made += block(1, struct.pack(">HHI", 101, 0, 0) + options)
    body = bytes(IP(src=A, dst=B) / UDP(sport=1, dport=2))
    for seconds in (0.0, 1.5, 3.25):
        ticks = round(seconds / unit)
        numbers = 0, ticks >> 32, ticks % 2**32, len(body), len(body)
        made += block(6, struct.pack(">IIIII", *numbers) + body)
    made += block(3, struct.pack(">I", len(body)) + body)  # a simple packet has no time
    (tmp_path / "a").write_bytes(made)
    table = read_capture(tmp_path / "a")
    assert table["time_s"][:3].tolist() == pytest.approx([0, 1.5, 3.25], abs=1e-9)
    assert table["dport"].tolist() == [2] * 4
