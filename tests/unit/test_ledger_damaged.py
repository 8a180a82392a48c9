"""Which packet a damaged frame is, where what it says may be another packet's."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

from labkit.decode.connections import packet_table
from labkit.decode.frames import Frames
from labkit.decode.raw import Bytes
from labkit.results.ledger import neighbours
from labkit.results.ledger.damaged import FEW, mend
from tests.dissection import frames_of

MS = 10**6
ETHERNET, ID = 14, 4


def datagram(number: int, data: bytes = b"x") -> bytes:
    ip = IP(src="10.0.0.1", dst="10.0.0.2", id=number) / UDP(sport=1000, dport=2000)
    return bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / ip / data)


def flipped(frame: bytes, byte: int, bit: int = 0) -> bytes:
    body = bytearray(frame)
    body[byte] ^= 1 << bit
    return bytes(body)


def frames(bodies: list[bytes], first_ms: int = 0) -> Frames:
    stamps = [i * MS for i in range(len(bodies))]
    made = frames_of(bodies, stamps, [len(body) for body in bodies])
    made.at_ns[:] += first_ms * MS
    return made


def mended(sent: list[bytes], seen: list[bytes]) -> list[int]:
    match, nothing = np.full(len(seen), -1), np.empty(0, np.int64)
    mend(frames(sent), frames(seen, len(sent)), match, nothing, np.full(len(seen), FEW))
    return [int(i) for i in match]


def test_a_damaged_frame_is_the_packet_it_is_nearest_to() -> None:
    sent = [datagram(1), datagram(1000)]
    assert mended(sent, [flipped(sent[1], ETHERNET + 1), flipped(sent[0], ETHERNET + 9)]) == [1, 0]


def test_a_frame_whose_flipped_bit_makes_it_another_packet_leaves_that_to_the_other() -> None:
    """The first one's identification became the second's, which is damaged itself where a router changes
    it; the second one is nearest to the second packet too, and can be no other."""
    sent = [datagram(0x100), datagram(0x101)]
    first = flipped(sent[0], ETHERNET + ID + 1)
    second = flipped(flipped(flipped(sent[1], ETHERNET + 12), ETHERNET + 13), ETHERNET + 14)
    assert sorted(mended(sent, [first, second])) == [0, 1]


def test_what_differs_too_much_is_none_of_them() -> None:
    assert mended([datagram(1)], [datagram(0xFF00)]) == [-1]


def test_a_frame_is_no_packet_that_was_sent_later() -> None:
    sent, match = frames([datagram(1)], first_ms=5), np.array([-1])
    mend(sent, frames([flipped(datagram(1), ETHERNET + 1)]), match, np.empty(0, np.int64), np.array([FEW]))
    assert match[0] == -1


@pytest.mark.slow
def test_thousands_of_damaged_frames_are_told_apart_within_a_minute() -> None:
    """The campaign's slowest ledger: a small datagram each, all damaged, most of them lost. It took many
    minutes."""
    rng = np.random.default_rng(1)
    sent = [datagram(number) for number in range(6000)]
    seen = [flipped(body, int(rng.integers(ETHERNET, 43)), int(rng.integers(8))) for body in sent]
    begun = time.process_time()
    assert min(mended(sent, seen)) >= 0
    assert time.process_time() - begun < 60


def test_a_packet_that_waits_for_an_answer_to_arp_is_held() -> None:
    ether = Ether(src="02:00:00:00:00:03", dst="ff:ff:ff:ff:ff:ff")
    request = bytes(ether / ARP(op="who-has", psrc="10.0.1.1", pdst="10.0.1.2"))
    answer = bytes(ether / ARP(op="is-at", psrc="10.0.1.2", pdst="10.0.1.1"))
    sent, hosts = frames([datagram(1)]), {0: "r1", 1: "r1"}

    def held(bodies: list[bytes], outgoing: list[bool]) -> int:
        found = frames(bodies, first_ms=1)
        found.outgoing[:] = outgoing
        return neighbours.held(found, hosts, sent)

    assert held([datagram(1), request], [False, True]) == 1
    assert held([datagram(1), request, answer], [False, True, False]) == 0
    assert held([datagram(1), request, datagram(1)], [False, True, True]) == 0
    assert held([datagram(2), request], [False, True]) == 0
    assert held([datagram(1), request], [False, False]) == 0


@pytest.mark.parametrize("checked", [False, True])
def test_a_packet_table_takes_little_more_memory_than_itself(checked: bool) -> None:
    """A million packets took 400 bytes and more each while their table was made, which itself has 140."""
    body = np.frombuffer(datagram(1) + b"\0", np.uint8)
    count = 300_000
    data: Bytes = np.tile(body, count)
    whole = np.full(count, len(body) - 1, np.int32)
    index = np.zeros(count, np.int32)
    made = Frames(data, np.arange(count), index, index > 0, np.arange(count) * len(body), whole, whole)
    tracemalloc.start()
    table = packet_table(made, {0: "eth0"}, [], checked=checked)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = int(table.memory_usage(deep=True).sum())
    assert len(table) == count
    assert peak < 2 * size, (peak / count, size / count)
