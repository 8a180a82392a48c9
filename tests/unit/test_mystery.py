"""Mysteries without a laboratory: what may be typed, what is read of it, what is sealed."""

from __future__ import annotations

import base64
import json
import pickle
from dataclasses import fields
from itertools import cycle

import pytest

from labkit import SpecError
from labkit.mysteries import CAUSES, NOTHING, TREE, mystery, play
from labkit.mysteries.cause import Cause
from labkit.mysteries.diagnosis import points
from labkit.mysteries.game import folded, seal
from labkit.mysteries.may_type import allowed
from labkit.mysteries.readings import (
    ethtool_text,
    ip_text,
    nstat_text,
    ping_text,
    ss_text,
    tc_text,
    tcpdump_text,
    tracepath_text,
)


@pytest.mark.parametrize(
    "command",
    [
        "ping -c 3 right",
        "ethtool -S eth0 | grep -E 'crc|missed'",
        "tc -s qdisc show dev eth1 | head -3",
        "ip -s -s link",
        "ip route get 10.0.5.2",
        "tcpdump -c 5 -i eth0 'tcp and not (port 80)'",
        "ss -ti",
        "ethtool eth0",
    ],
)
def test_tools_that_look_are_allowed(command: str) -> None:
    assert allowed(f" {command} ") == command


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("nft list ruleset", "the tools are ping, tracepath"),
        ("", "the tools are"),
        ("cat /proc/1/environ", "the tools are"),
        ("ping right; nft list ruleset", "one tool at a time"),
        ("ping $(nft list ruleset)", "one tool at a time"),
        ("ping right > file", "one tool at a time"),
        ("ping right\nnft list ruleset", "one tool at a time"),
        ("ping right | nft list ruleset", "behind a pipe there may be"),
        ("ping right |", "behind a pipe there may be"),
        ("ip link set eth0 down", "look only"),
        ("ip netns exec x sh", "look only"),
        ("ip route replace default via 10.0.3.2", "look only"),
        ("tc qdisc del dev eth1 root", "look only"),
        ("ethtool -G eth0 rx 4096", "look only"),
        ("tcpdump -w file", "look only"),
        ("ss -K", "look only"),
        ("ping 'right", "close the quotes"),
    ],
)
def test_what_acts_or_is_no_tool_is_refused(command: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        allowed(command)


def test_a_pings_rows_of_missing_answers_are_counted() -> None:
    answers = "".join(
        f"64 bytes from right (10.0.5.2): icmp_seq={n} ttl=62 time=40.{n} ms\n" for n in (1, 3, 2, 6, 9)
    )
    twice = "64 bytes from right (10.0.5.2): icmp_seq=9 ttl=62 time=41.0 ms (DUP!)\n"
    seen = ping_text.read(answers + twice + "10 packets transmitted, 5 received, +1 duplicates")
    assert (seen.sent, seen.lost, seen.duplicates, seen.overtaken) == (10, 5, 1, 1)
    assert seen.runs == [2, 2, 1]
    assert (seen.least_ms, seen.median_ms, seen.most_ms) == (40.1, 40.3, 40.9)


def test_no_answer_at_all_is_one_row_without_a_round_trip() -> None:
    seen = ping_text.read("PING right\n\n3 packets transmitted, 0 received, 100% packet loss")
    assert (seen.lost, seen.runs) == (3, [3])
    assert seen.least_ms != seen.least_ms


def test_a_card_is_read() -> None:
    assert ethtool_text.speed_mbit("\tSpeed: 10Mb/s\n\tDuplex: Half\n") == 10
    assert ethtool_text.duplex("\tSpeed: 10Mb/s\n\tDuplex: Half\n") == "Half"
    assert ethtool_text.speed_mbit("\tSpeed: Unknown!\n") is None
    power = "\tReceiver signal average optical power     : 0.0145 mW / -18.40 dBm\n"
    threshold = "\tLaser rx power low warning threshold      : 0.0200 mW / -16.99 dBm\n"
    assert ethtool_text.received_dbm(power + threshold) == -18.40
    assert ethtool_text.least_dbm(power + threshold) == -16.99
    assert ethtool_text.received_dbm("netlink error: Operation not supported") is None
    assert ethtool_text.rx_usecs("rx-usecs: 5000\nrx-frames: 256\n") == 5000
    assert ethtool_text.counters("NIC statistics:\n     rx_crc_errors: 7\n") == {"rx_crc_errors": 7}


def test_an_interface_is_read() -> None:
    text = """11: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc pfifo_fast state UP
    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
        397094     314      0       0       0       0
    RX errors:  length    crc   frame    fifo overrun
                     0      0       0       0       0
    TX:  bytes packets errors dropped carrier collsns
         16286     215      0       0       0       0
    TX errors: aborted   fifo  window heartbt transns
                     0      0       0       0      25
18: eth1@if20: <BROADCAST> mtu 1500
    RX:  bytes packets errors dropped  missed   mcast
             0       1      0       0       0       0
    TX:  bytes packets errors dropped carrier collsns
             0       2      0       0       0       0
    TX errors: aborted   fifo  window heartbt transns
                     0      0       0       0       2
"""
    found = ip_text.interfaces(text)
    assert found["eth0"] == ip_text.Interface(314, 215, 25)
    assert found["eth1"] == ip_text.Interface(1, 2, 2)


def test_queues_are_read() -> None:
    text = """qdisc tbf 1: dev eth1 root refcnt 2 rate 20Mbit burst 1517b lat 859s
 Sent 294 bytes 3 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc fq_codel 10: dev eth1 parent 1:1 limit 10240p flows 1024 quantum 1514 target 5ms ecn
 Sent 4212186 bytes 3265 pkt (dropped 4, overlimits 0 requeues 0)
 backlog 15140b 10p requeues 0
  maxpacket 98 drop_overlimit 0 new_flow_count 223 ecn_mark 3
qdisc ingress ffff: dev eth0 parent ffff:fff1 ----------------
 Sent 392536 bytes 308 pkt (dropped 10, overlimits 0 requeues 0)
"""
    shaper, queue, police = tc_text.qdiscs(text)
    assert (shaper.kind, shaper.device, shaper.dropped) == ("tbf", "eth1", 0)
    assert queue == tc_text.Qdisc("fq_codel", "eth1", 10240, 4212186, 3265, 4, 10, 3)
    assert (police.kind, police.dropped) == ("ingress", 10)


def test_counters_are_read_and_others_are_zero() -> None:
    found = nstat_text.counters("#kernel\nTcpExtListenOverflows           3                  0.0\n")
    assert found["TcpExtListenOverflows"] == 3
    assert found["TcpExtListenDrops"] == 0


def test_sockets_are_read() -> None:
    text = """State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
ESTAB 7      50680       10.0.1.1:10000     10.0.3.2:20000 timer:(on,086ms,0)
\t skmem:(r0,rb131072) ts sack cubic rto:266 rtt:42.049/1.413 cwnd:9 busy:1760ms rwnd_limited:1678ms(95.3%)
"""
    (one,) = ss_text.sockets(text)
    assert (one.state, one.recv_q, one.send_q, one.peer) == ("ESTAB", 7, 50680, "10.0.3.2")
    assert one.flags == {"ts", "sack"}
    assert one.values["cwnd"] == 9
    assert one.share("rwnd_limited") == pytest.approx(0.953)
    assert one.share("sndbuf_limited") == 0


def test_segments_are_read() -> None:
    text = """00:00:27.0 IP (tos 0x0, ttl 64, id 1, offset 0, flags [DF], proto TCP (6), length 60)
    10.0.1.1.10000 > 10.0.5.2.20000: Flags [SEW], cksum 0xb59d (correct), seq 1, options [mss 1460], length 0
00:00:27.1 IP (tos 0x2,ECT(0), ttl 64, id 2, offset 0, flags [DF], proto TCP (6), length 1500)
    10.0.1.1.10000 > 10.0.5.2.20000: Flags [.], cksum 0x11cf (correct), seq 1:1449, ack 1, length 1448
"""
    syn, data = tcpdump_text.segments(text)
    assert (syn.syn, syn.data, syn.ecn, syn.flags) == (True, False, "", "SEW")
    assert (data.syn, data.data, data.ecn, data.src) == (False, True, "ECT(0)", "10.0.1.1")


def test_a_way_is_read() -> None:
    text = """ 1?: [LOCALHOST]                      pmtu 1500
 1:  10.0.1.2                                              0.182ms
 1:  10.0.1.2                                              0.182ms
 2:  10.0.4.2                                            140.183ms asymm  3
 3:  no reply
"""
    assert tracepath_text.read(text) == tracepath_text.Traced(("10.0.1.2", "10.0.4.2"), True, False)


def test_every_cause_has_a_question_and_every_question_a_cause() -> None:
    assert {question.cause for question in TREE} == CAUSES.keys()
    assert len(TREE) == len(CAUSES) >= 20


@pytest.mark.parametrize("cause", CAUSES.values(), ids=lambda cause: cause.name)
def test_every_cause_says_all_there_is_to_know(cause: Cause) -> None:
    for field in fields(cause):
        assert getattr(cause, field.name), field.name


def test_seeds_choose_among_all_causes() -> None:
    drawn = {mystery(seed)._secret[1].cause.name for seed in range(1, 400)}  # type: ignore[union-attr]
    assert drawn == CAUSES.keys()


def test_a_mystery_does_not_say_what_it_is() -> None:
    sick = mystery(1)
    assert "something" in repr(sick) or "slow" in repr(sick)
    truth = sick._secret[1]
    assert truth is not None
    assert truth.cause.name not in repr(sick)
    with pytest.raises(TypeError, match="makes it again"):
        pickle.dumps(sick)


def test_a_plan_is_as_wide_as_a_page() -> None:
    """680 px on the site: 72 columns of its terminal."""
    assert max(len(line) for seed in range(30) for line in mystery(seed).plan.splitlines()) <= 72


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(SpecError, match="cause='rust': there is none"):
        mystery(1, cause="rust")
    with pytest.raises(SpecError, match="place='left': there is none: r1"):
        mystery(1, cause="bufferbloat", place="left")
    with pytest.raises(SpecError, match='did you mean "left"'):
        mystery(1).run("lft", "ping right")
    with pytest.raises(SpecError, match="at='noon': no such moment"):
        mystery(1).run("left", "ping right", "noon")
    with pytest.raises(SpecError, match="play: no mystery"):
        play()


@pytest.mark.parametrize(
    ("right", "placed", "looks", "worth"),
    [
        (True, True, 0, 15),
        (True, True, 12, 13),
        (True, False, 10, 10),
        (True, True, 99, 5),
        (False, False, 0, 0),
    ],
)
def test_points(right: bool, placed: bool, looks: int, worth: int) -> None:
    assert points(right=right, placed=placed, looks=looks) == worth


def test_a_seal_is_opened_by_its_key() -> None:
    truth = {"cause": NOTHING, "lost": [["r1", "", "ümlaut", 3]]}
    sealed = seal(truth, "17")
    assert NOTHING not in sealed
    opened = bytes(a ^ b for a, b in zip(base64.b64decode(sealed), cycle(b"17")))
    assert json.loads(opened) == truth


def test_like_answers_of_ping_are_folded() -> None:
    def answer(number: int, ms: float = 40.1) -> str:
        return f"64 bytes from right (10.0.5.2): icmp_seq={number} ttl=62 time={ms} ms"

    lines = ["PING", *(answer(n) for n in range(1, 6)), answer(7), answer(8, 50.0), "", "end"]
    assert folded(lines) == [
        "PING",
        answer(1),
        "    [and 3 like it]",
        answer(5),
        answer(7),
        answer(8, 50.0),
        "",
        "end",
    ]
