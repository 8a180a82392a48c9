"""Packets made by hand in an open laboratory: sent and answered through a scapy socket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scapy.config import conf
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import ARP, Ether
from scapy.sendrecv import sniff

from labkit import Flow, Lab, SpecError, dumbbell, pair
from labkit.lab.sockets import LabSocket

RTT_S = 0.02


@pytest.fixture
def lab() -> Iterator[Lab]:
    conf.verb = 0
    with Lab(pair(delay="10ms")) as opened:
        yield opened


@pytest.fixture
def wire(lab: Lab) -> Iterator[LabSocket]:
    with lab.socket("left") as opened:
        yield opened


def test_a_ping_by_hand_is_answered_after_one_round_trip(lab: Lab, wire: LabSocket) -> None:
    sent = lab.time_s
    answer = wire.sr1(IP(dst=lab.address("right")) / ICMP(), timeout=2)
    assert answer[IP].src == lab.address("right")
    assert answer[ICMP].type == 0
    assert answer.time - sent == pytest.approx(RTT_S, abs=0.003)  # a step starts at a whole millisecond


def test_a_syn_to_a_closed_port_is_reset(lab: Lab, wire: LabSocket) -> None:
    answer = wire.sr1(IP(dst=lab.address("right")) / TCP(sport=4000, dport=81, flags="S", seq=7), timeout=2)
    assert answer[TCP].flags == "RA"
    assert answer[TCP].ack == 8


def test_a_syn_to_a_listening_port_is_accepted_and_the_own_kernel_resets_it(
    lab: Lab, wire: LabSocket
) -> None:
    server = lab.spawn(
        "right", "exec python3 -c 'import socket, time; s = socket.create_server((\"\", 80)); time.sleep(60)'"
    )
    assert server >= 0
    lab.advance("1s")
    answer = wire.sr1(IP(dst=lab.address("right")) / TCP(sport=4001, dport=80, flags="S", seq=7), timeout=2)
    assert answer[TCP].flags == "SA"
    reset = sniff(opened_socket=wire, timeout=0.1)
    assert [packet[TCP].flags for packet in reset] == ["R"]


def test_no_answer_takes_the_timeout_of_virtual_time(lab: Lab, wire: LabSocket) -> None:
    before = lab.time_s
    assert wire.sr1(IP(dst="10.0.1.99") / ICMP(), timeout=2) is None
    assert 2 < lab.time_s - before < 2.01


def test_sniff_sees_both_directions_of_a_flow(lab: Lab, wire: LabSocket) -> None:
    lab.start(Flow("left", "right", size="20kB"))
    seen = sniff(opened_socket=wire, timeout=1)
    assert {packet[IP].src for packet in seen} == {lab.address("left"), lab.address("right")}
    assert sum(len(p[TCP].payload) for p in seen if p[IP].dst == lab.address("right")) == 20_000
    assert len(sniff(opened_socket=wire, timeout=0.1)) == 0


def test_sniff_stops_at_its_count(lab: Lab, wire: LabSocket) -> None:
    lab.start(Flow("left", "right", size="20kB"))
    assert len(sniff(opened_socket=wire, count=3, timeout=1)) == 3
    assert len(sniff(opened_socket=wire, timeout=1)) > 10  # the rest was kept


def test_three_forged_duplicate_acks_make_the_sender_retransmit(lab: Lab) -> None:
    with Lab(
        dumbbell(rate="10mbit", delay="20ms"), sysctls={"net.ipv4.tcp_sack": 0}, probes={"recovery"}
    ) as net:
        wire = net.socket("right")
        net.start(Flow("left", "right", cc="reno", size="2MB"))
        data = next(
            p
            for p in iter(lambda: sniff(opened_socket=wire, count=1, timeout=1)[0], None)
            if p[IP].dst == net.address("right") and len(p[TCP].payload) > 1000
        )
        ack = next(
            p
            for p in iter(lambda: sniff(opened_socket=wire, count=1, timeout=1)[0], None)
            if p[IP].src == net.address("right") and p[TCP].ack > data[TCP].seq
        )
        forged = IP(src=ack[IP].src, dst=ack[IP].dst) / TCP(
            sport=ack[TCP].sport,
            dport=ack[TCP].dport,
            seq=ack[TCP].seq,
            ack=ack[TCP].ack,
            flags="A",
            window=ack[TCP].window,
        )
        for _ in range(4):
            wire.send(forged.copy())
        net.advance("1s")
        assert len(net.result().retransmissions) > 0


def test_frames_have_their_ethernet_header(lab: Lab) -> None:
    with lab.socket("left", layer=2) as wire:
        wire.send(Ether(dst="ff:ff:ff:ff:ff:ff") / ARP(pdst=lab.address("right"), psrc=lab.address("left")))
        seen = sniff(opened_socket=wire, timeout=0.1, lfilter=lambda p: ARP in p and p[ARP].op == 2)
    assert seen[0][ARP].psrc == lab.address("right")


def test_a_socket_on_nothing_is_refused(lab: Lab) -> None:
    with pytest.raises(SpecError, match="interface='eth7': left has eth0"):
        lab.socket("left", "eth7")
    with pytest.raises(SpecError, match="layer=4: write 3 for IPv4 packets, or 2"):
        lab.socket("left", layer=4)
    with pytest.raises(SpecError, match="no such host"):
        lab.socket("nowhere")
