"""Packets in packets of captures made elsewhere: a tunnel's row is of what it carries, as tshark has it; an
ICMP error's is of itself."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6DestUnreach, IPv6
from scapy.layers.l2 import GRE, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Packet, Raw

from labkit.results.packets import read_capture
from tests.foreign_captures import MACS, Made, mixture, tshark, write

with_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="no tshark here: apt-get install tshark (make test does)"
)
OUTER, OUTER6 = IP(src="192.0.2.1", dst="192.0.2.2"), IPv6(src="2001:db8:1::1", dst="2001:db8:1::2")
TUNNELS: dict[str, Callable[[Packet], Packet]] = {
    "IP in IP": lambda packet: OUTER / packet,
    "IP in IPv6": lambda packet: OUTER6 / packet,
    "GRE": lambda packet: OUTER / GRE() / packet,
    "GRE over IPv6": lambda packet: OUTER6 / GRE() / packet,
    "GRE with all its fields": lambda packet: (
        OUTER / GRE(chksum_present=1, key_present=1, seqnum_present=1, key=7, sequence_number=9) / packet
    ),
    "Ethernet in GRE": lambda packet: OUTER / GRE(proto=0x6558) / Ether(**MACS) / packet,
    "VXLAN": lambda packet: OUTER / UDP(sport=50_001, dport=4789) / VXLAN(vni=5) / Ether(**MACS) / packet,
    "VXLAN with a tag": lambda packet: (
        OUTER / UDP(sport=50_001, dport=4789) / VXLAN(vni=5) / Ether(**MACS) / Dot1Q(vlan=3) / packet
    ),
    "GRE in GRE": lambda packet: OUTER / GRE() / IP(src="198.51.100.1", dst="198.51.100.2") / GRE() / packet,
}
NUMBERS = ("sport", "dport", "seq", "ack", "window", "payload", "tsval", "tsecr")


def through(made: Made, tunnel: Callable[[Packet], Packet]) -> Made:
    return [(at, tunnel(packet)) for at, packet in made]


def agree(table: pd.DataFrame, file: Path, version: int) -> None:
    """The innermost packets' headers are what tshark has last of each."""
    theirs = tshark(file, occurrence="l")
    assert len(table) == len(theirs)
    tcp = table["protocol"] == "tcp"
    assert tcp.tolist() == (theirs["sport"] != "").tolist() and tcp.sum() > 250
    for column in NUMBERS:
        told = [int(text) if text else -1 for text in theirs[column][tcp]]
        mine = table[column][tcp] % 2**32 if column in ("seq", "ack") else table[column][tcp]
        assert mine.tolist() == told, column
    ends = "ip" if version == 4 else "ipv6"
    for end in ("src", "dst"):
        assert table[end][tcp].tolist() == theirs[f"{ends}_{end}"][tcp].tolist()
    udp = table["protocol"] == "udp"
    assert table["sport"][udp].tolist() == theirs["udp_sport"][udp].astype(int).tolist() and udp.sum() == 9


@with_tshark
@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("tunnel", TUNNELS)
def test_a_row_of_a_tunnel_is_of_what_it_carries(tmp_path: Path, tunnel: str, version: int) -> None:
    made = mixture(version, version)
    file = write(tmp_path / "a.pcap", through(made, TUNNELS[tunnel]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_capture(file)
    agree(table, file, version)
    bare = read_capture(write(tmp_path / "b.pcap", made))
    others = [name for name in table.columns if name not in ("length", "captured", "interface")]
    pd.testing.assert_frame_equal(table[others], bare[others])


@pytest.mark.parametrize("tunnel", ["IP in IP", "GRE", "VXLAN"])
def test_of_what_is_cut_nothing_is_wrong(tmp_path: Path, tunnel: str) -> None:
    """A row is of the innermost packet whose header was kept."""
    made, chance = through(mixture(5, 4), TUNNELS[tunnel]), random.Random(5)
    whole = read_capture(write(tmp_path / "a.pcap", made))
    cut = read_capture(write(tmp_path / "b.pcap", made, snap=lambda _: chance.randrange(34, 120)))
    inside = cut["src"].isin(["10.0.0.1", "10.9.0.2"])
    assert inside.any() and not inside.all() and set(cut["src"][~inside]) == {"192.0.2.1"}
    assert (cut["protocol"][~inside] != "tcp").all()
    for column in ("sport", "dport", "seq", "ack", "payload"):
        there = inside & (cut[column] != -1) & (cut["protocol"] == "tcp")
        assert cut[column][there].equals(whole[column][there]), column


@with_tshark
@pytest.mark.parametrize("version", [4, 6])
def test_an_icmp_error_is_no_packet_of_the_connection_it_quotes(tmp_path: Path, version: int) -> None:
    made = mixture(3, version)
    router = (
        IP(src="192.0.2.9", dst="10.0.0.1") if version == 4 else IPv6(src="2001:db8::9", dst="2001:db8::1")
    )
    error = ICMP(type=3, code=4, nexthopmtu=1280) if version == 4 else ICMPv6DestUnreach()
    quoted = [(at + 1e-5, router / error / Raw(bytes(one)[:120])) for at, one in made if TCP in one][::7]
    both = sorted([*made, *quoted], key=lambda pair: pair[0])
    file = write(tmp_path / "a.pcap", both)
    table, bare = read_capture(file), read_capture(write(tmp_path / "b.pcap", made))
    errors = table["src"] == router.src
    assert errors.sum() == len(quoted) > 30
    assert (table["protocol"][errors] == ("icmp" if version == 4 else "58")).all()
    assert (table[["sport", "dport", "seq", "ack"]][errors].isin([-1, 0])).all(axis=None)
    assert (table["flags"][errors] == "").all()
    theirs = tshark(file)["sport"]
    assert (theirs[errors.to_numpy()] != "").all(), "tshark shows the quoted header's ports"
    others = ["src", "sport", "dport", "seq", "ack", "flags", "payload", "protocol"]
    pd.testing.assert_frame_equal(
        table[others][~errors].reset_index(drop=True),
        bare[others],
        check_dtype=False,
        check_categorical=False,
    )


def test_what_a_tunnel_holds_that_is_not_understood_is_counted(tmp_path: Path) -> None:
    packet = IP(src="10.0.0.1", dst="10.9.0.2") / TCP() / Raw(b"x" * 10)
    made: Made = [
        (0, OUTER / GRE(proto=0x88BE) / Raw(bytes(50))),
        (1, OUTER / GRE(version=1, proto=0x880B) / Raw(bytes(50))),
        (2, OUTER / GRE(proto=0x8847) / Raw(bytes(50))),
        (3, OUTER / GRE() / packet),
        (4, OUTER / UDP(sport=1, dport=4789) / Raw(bytes(50))),  # not VXLAN: its flag is not there
    ]
    with pytest.warns(UserWarning) as said:
        table = read_capture(write(tmp_path / "a.pcap", made))
    (text,) = (str(one.message) for one in said)
    for kind in ("1 with GRE of type 0x88be", "1 with GRE of another version", "1 with GRE of type 0x8847"):
        assert kind in text
    assert table["protocol"].tolist() == ["47", "47", "47", "tcp", "udp"]
    assert table["src"].tolist() == ["192.0.2.1"] * 3 + ["10.0.0.1", "192.0.2.1"]
