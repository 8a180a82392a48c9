r"""Queues with classes on the lab kernel: who gets how much, which packets belong to whom, and where the lost
ones are.

left1 \                                / right1
       r1 ---- 10 Mbit/s, a queue ---- r2
left2 /                                \ right2
"""

from __future__ import annotations

import re
from functools import cache
from textwrap import dedent
from typing import Any

import pytest

from labkit import Lab
from labkit.results.result import Result
from labkit.spec import Change, Command, Experiment, Flow, Queue, QueueClass, Topology
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, fresh

FROM_1 = {"src": "left1"}
# A class gets whole frames: of 1.4 s at 2 Mbit/s one frame is 0.4 %; htb rounds its rates to a byte a second.
TOLERANCE = 0.01


def network(queue: Queue) -> Topology:
    return dumbbell(2, rate="10mbit", forward={"queue": queue})


def flood(src: int, start: str = "0s", duration: str = "2s") -> Flow:
    """More than the whole link takes."""
    return Flow(
        f"left{src}",
        f"right{src}",
        protocol="udp",
        rate="12mbit",
        start=start,
        duration=duration,
        packet=1472,
    )


@cache
def flooded(queue: Queue, *flows: Flow) -> Result:
    return fresh(Experiment(network(queue), flows=flows or [flood(1), flood(2)], probes={"backlog"}))


def mbit_s(result: Result, name: str, start: float, end: float) -> float:
    """What a class sent between two samples, in Mbit/s of Ethernet frames."""
    table = result.classes
    mine = table[(table["host"] == "r1") & (table["class"] == name)].set_index("time_s")["sent_bytes"]
    return float(8e-6 * (mine[end] - mine[start]) / (end - start))


def sent(result: Result) -> dict[str, int]:
    """Packets of each class at the end."""
    table = result.classes
    return table[table["host"] == "r1"].groupby("class", observed=True)["sent_packets"].last().to_dict()


def test_an_open_laboratory_has_its_classes_too() -> None:
    shares = [QueueClass("gold", rate="8mbit", match=FROM_1), QueueClass("rest", rate="2mbit")]
    with Lab(network(Queue("htb", classes=shares)), probes={"backlog"}) as lab:
        lab.start(flood(1))
        lab.start(flood(2))
        lab.advance("2s")
        result = lab.result()
    times = result.classes["time_s"]
    start, end = times[times > 0.5].min(), times.max()
    assert end > 1.5
    assert mbit_s(result, "gold", start, end) == pytest.approx(8, rel=TOLERANCE)
    assert mbit_s(result, "rest", start, end) == pytest.approx(2, rel=TOLERANCE)


# Who gets how much


def test_prio_starves_the_lower_band_while_the_upper_one_has_packets() -> None:
    result = flooded(Queue("prio", classes=[QueueClass("voice", match=FROM_1), "rest"]))
    assert mbit_s(result, "voice", 0.5, 1.9) == pytest.approx(10, rel=TOLERANCE)
    assert mbit_s(result, "rest", 0.5, 1.9) == 0


def test_htb_gives_each_class_its_rate_when_all_want_more() -> None:
    shares = [
        QueueClass("gold", rate="8mbit", ceil="10mbit", match=FROM_1),
        QueueClass("rest", rate="2mbit", ceil="10mbit"),
    ]
    result = flooded(Queue("htb", classes=shares, default="rest"))
    assert mbit_s(result, "gold", 0.5, 1.9) == pytest.approx(8, rel=TOLERANCE)
    assert mbit_s(result, "rest", 0.5, 1.9) == pytest.approx(2, rel=TOLERANCE)


def test_htb_lends_what_is_idle_up_to_the_ceil() -> None:
    shares = [
        QueueClass("gold", rate="4mbit", match=FROM_1),
        QueueClass("rest", rate="2mbit", ceil="5mbit"),
    ]
    result = flooded(Queue("htb", classes=shares), flood(1, start="1s", duration="1s"), flood(2))
    assert mbit_s(result, "rest", 0.2, 0.9) == pytest.approx(5, rel=TOLERANCE)
    assert mbit_s(result, "gold", 1.2, 1.9) == pytest.approx(4, rel=TOLERANCE)
    assert mbit_s(result, "rest", 1.2, 1.9) == pytest.approx(
        5, rel=TOLERANCE
    )  # 10 - 4 are more than its ceil


def test_htb_shares_what_is_left_over_in_proportion_to_the_rates() -> None:
    shares = [
        QueueClass("gold", rate="3mbit", ceil="10mbit", match=FROM_1),
        QueueClass("rest", rate="1mbit", ceil="10mbit"),
    ]
    result = flooded(Queue("htb", classes=shares))
    assert mbit_s(result, "gold", 0.5, 1.9) == pytest.approx(7.5, rel=TOLERANCE)


@pytest.mark.parametrize("kind", ["drr", "ets"])
def test_turns_are_as_long_as_their_quanta(kind: str) -> None:
    shares = [QueueClass("a", quantum=3 * 1514, match=FROM_1), QueueClass("b", quantum=1514)]
    result = flooded(Queue(kind, classes=shares))
    assert mbit_s(result, "a", 0.5, 1.9) == pytest.approx(7.5, rel=TOLERANCE)
    assert mbit_s(result, "b", 0.5, 1.9) == pytest.approx(2.5, rel=TOLERANCE)


def test_ets_serves_classes_without_a_quantum_first() -> None:
    shares = [QueueClass("strict", match=FROM_1), QueueClass("rest", quantum=1514)]
    result = flooded(Queue("ets", classes=shares))
    assert mbit_s(result, "strict", 0.5, 1.9) == pytest.approx(10, rel=TOLERANCE)
    assert mbit_s(result, "rest", 0.5, 1.9) == 0


def test_classes_and_the_whole_queue_tell_the_same() -> None:
    plain = {"queue": "20p"}
    result = flooded(Queue("drr", classes=[QueueClass("a", match=FROM_1, **plain), QueueClass("b", **plain)]))
    classes = result.classes[result.classes["host"] == "r1"].groupby("time_s")
    whole = result.backlog.query("host == 'r1' and peer == 'r2'").set_index("time_s")
    assert (whole["kind"] == "drr").all() and whole["drops"].iloc[-1] > 1000
    for name in ("drops", "sent_packets", "sent_bytes"):
        assert (classes[name].sum() == whole[name]).all()
    # what tbf has asked for and waits to send is still in drr's count, not in its class's
    assert set(whole["backlog_packets"] - classes["backlog_packets"].sum()) <= {0, 1}


# Which packets belong to whom

COUNTS = {"1 to 1": 100, "2 to 2": 200, "1 to 2": 400, "ping": 7}
MATCHES: list[tuple[Any, set[str]]] = [
    ({"src": "left1"}, {"1 to 1", "1 to 2"}),
    ({"dst": "right2"}, {"2 to 2", "1 to 2"}),
    ({"src": "left1", "dst": "right2"}, {"1 to 2"}),
    ({"dport": 20001}, {"2 to 2"}),
    ({"sport": 10002, "protocol": "udp"}, {"1 to 2"}),
    ({"port": 20000}, {"1 to 1"}),
    ({"port": 10001}, {"2 to 2"}),
    ({"protocol": "udp"}, {"1 to 1", "2 to 2", "1 to 2"}),
    ({"protocol": "icmp"}, {"ping"}),
    ({"protocol": "tcp"}, set()),
    ([{"dport": 20000}, {"protocol": "icmp"}], {"1 to 1", "ping"}),
]


def few(queue: Queue, *commands: Command) -> Result:
    """Known numbers of packets, slowly enough to lose none."""
    ends = (("left1", "right1", 100), ("left2", "right2", 200), ("left1", "right2", 400))
    flows = [
        Flow(a, b, protocol="udp", rate="1mbit", packet=100, size=100 * n, start="0.5s") for a, b, n in ends
    ]
    return fresh(
        Experiment(network(queue), flows=flows, commands=commands, duration="2s", probes={"backlog"})
    )


@pytest.mark.parametrize(("match", "which"), MATCHES)
def test_a_match_finds_exactly_its_packets(match: Any, which: set[str]) -> None:
    queue = Queue("drr", classes=[QueueClass("mine", match=match), "rest"])
    counted = sent(few(queue, Command("left2", "ping -c 7 -i 0.1 right1")))
    mine = sum(COUNTS[name] for name in which)
    assert counted == {"mine": mine, "rest": sum(COUNTS.values()) - mine}


def test_the_first_class_that_matches_gets_the_packet() -> None:
    classes = [QueueClass("both", match={"dport": 20002}), QueueClass("left", match=FROM_1), "rest"]
    assert sent(few(Queue("prio", classes=classes))) == {"both": 400, "left": 100, "rest": 200}


def test_a_mark_of_nftables_or_of_a_socket_is_a_class() -> None:
    rule = "add rule ip t c ip saddr 10.0.2.1 meta mark set 7"
    chain = "add chain ip t c { type filter hook forward priority 0; }"
    commands = [
        Command("r1", f"nft 'add table ip t; {chain}; {rule}'"),
        Command("r1", "ping -c 5 -i 0.1 -m 9 right1"),
    ]
    classes = [QueueClass("seven", match={"mark": 7}), QueueClass("nine", match={"mark": 9}), "rest"]
    assert sent(few(Queue("prio", classes=classes), *commands)) == {"seven": 200, "nine": 5, "rest": 500}


def test_what_is_in_no_class_is_not_lost_sight_of() -> None:
    """A program may ask for htb itself by its priority: then a packet passes all classes by."""
    program = """
        import socket as s
        u = s.socket(s.AF_INET, s.SOCK_DGRAM)
        u.setsockopt(s.SOL_SOCKET, s.SO_PRIORITY, 0x100000)
        for _ in range(6):
            u.sendto(b"x", ("right1", 9))
    """
    line = f"python3 - <<'end'\n{dedent(program)}\nend"
    classes = [QueueClass("a", rate="3mbit", match=FROM_1), QueueClass("b", rate="3mbit")]
    result = few(Queue("htb", classes=classes), Command("r1", line))
    assert result.commands["status"].tolist() == [0], result.commands["stderr"].iloc[0]
    assert sent(result) == {"": 6, "a": 500, "b": 200}


def test_cake_counts_marked_traffic_in_its_tins() -> None:
    """EF (0xb8) is voice, AF41 (0x88) video, CS1 (0x20) bulk, the rest best effort: `man tc-cake`,
    diffserv4."""
    counts = {"0xb8": 5, "0x88": 6, "0x20": 8, "0": 9}
    commands = [Command("left1", f"ping -c {n} -i 0.05 -Q {tos} right1") for tos, n in counts.items()]
    experiment = Experiment(
        network(Queue("cake", diffserv="diffserv4")), commands=commands, duration="1s", probes={"backlog"}
    )
    result = fresh(experiment)
    assert sent(result) == {"bulk": 8, "best effort": 9, "video": 6, "voice": 5}
    assert set(result.classes[result.classes["host"] == "r1"]["kind"]) == {"cake"}


# What the kernel made of it


def test_the_kernel_has_what_tc_would_have_made() -> None:
    """The same said in the words of `tc`, on another device of the same router. Bursts are ours."""
    classes = [
        QueueClass("web", rate="8mbit", ceil="10mbit", prio=1, match={"dport": 80, "protocol": "tcp"}),
        QueueClass("other", rate="1mbit", quantum=3000, match={"src": "left1", "dst": "right2"}),
        QueueClass("marked", rate="1mbit", match={"mark": 5}),
        QueueClass("rest", rate="500kbit"),
    ]
    at = "tc filter add dev eth0 parent 10:"
    lines = [
        "tc qdisc del dev eth0 root",
        "tc qdisc add dev eth0 root handle 10: htb default 4",
        "tc class add dev eth0 parent 10: classid 10:ffff htb rate 20mbit quantum 1514",
        "tc class add dev eth0 parent 10:ffff classid 10:1 htb rate 8mbit ceil 10mbit prio 1 quantum 24224",
        "tc class add dev eth0 parent 10:ffff classid 10:2 htb rate 1mbit quantum 3000",
        "tc class add dev eth0 parent 10:ffff classid 10:3 htb rate 1mbit quantum 3028",
        "tc class add dev eth0 parent 10:ffff classid 10:4 htb rate 500kbit quantum 1514",
        *(f"tc qdisc add dev eth0 parent 10:{i} handle 700{i}: pfifo" for i in range(1, 5)),
        f"{at} protocol ip prio 1 flower ip_proto tcp dst_port 80 classid 10:1",
        f"{at} protocol ip prio 2 flower src_ip 10.0.1.1 dst_ip 10.0.5.2 classid 10:2",
        f"{at} protocol all prio 3 handle 5 fw classid 10:3",
    ]
    show = "tc -d class show dev {0}; echo; tc filter show dev {0} parent 10:"
    commands = [
        Command("r1", " && ".join(lines)),
        Command("r1", show.format("eth0"), at="100ms"),
        Command("r1", show.format("eth2"), at="100ms"),
    ]
    experiment = Experiment(network(Queue("htb", classes=classes)), commands=commands, probes=NOTHING)
    result = fresh(experiment)
    assert result.commands["stderr"].tolist() == ["", "", ""]
    theirs, ours = (re.sub(r" c?burst \S+ c?burst \S+ level", " level", result.output(i)) for i in (1, 2))
    ours = "".join(line for line in ours.splitlines(keepends=True) if not line.startswith("class tbf"))
    assert re.sub(r"/\S+|c?burst \S+ ?", "", ours) == re.sub(r"/\S+|c?burst \S+ ?", "", theirs)


# Where lost packets are

SHARES: dict[str, dict[str, Any]] = {
    "htb": {"rate": "4mbit", "ceil": "10mbit"},
    "prio": {},
    "drr": {},
    "ets": {"quantum": 1514},
}


@pytest.mark.parametrize("kind", SHARES)
def test_the_ledger_adds_up_and_knows_whose_queue_was_full(kind: str) -> None:
    """One class has RED, the other a plain queue: the same function drops for both."""
    red = Queue("red", bytes="200kB", options={"min": 15000, "max": 60000, "probability": 0.1})
    classes = [
        QueueClass("red", match=FROM_1, queue=red, **SHARES[kind]),
        QueueClass("plain", queue="10p", **SHARES[kind]),
    ]
    flows = [flood(1, duration="1s"), flood(2, duration="1s")]
    result = fresh(Experiment(network(Queue(kind, classes=classes)), flows=flows))
    balance = result.balance().droplevel("way")
    dropped = result.classes.groupby("class", observed=True)["drops"].max()
    assert (balance["sent"] == balance["delivered"] + balance["lost"] + balance["in_flight"]).all()
    assert (
        balance.loc["left2-right2", "queue full"] == balance.loc["left2-right2", "lost"] == dropped["plain"]
    )
    assert balance.loc["left1-right1", "lost"] == dropped["red"] > 0
    assert balance.loc["left1-right1", "queue full"] == 0


def test_a_full_red_within_a_class_is_full_as_often_as_one_alone() -> None:
    """Alone its packets are counted one by one; in a class a sample tells, of at most a millisecond ago: at
    12 Mbit/s that is one packet of the 13 that fit."""
    red = Queue("red", bytes="20kB", options={"min": 15000, "max": 19000, "probability": 0.1, "burst": 40})
    within = Queue("prio", classes=[QueueClass("red", match={"protocol": "udp"}, queue=red), "rest"])
    full = []
    for queue in (red, within):
        experiment = Experiment(network(queue), flows=[flood(1, duration="1s")], sample_interval="1ms")
        causes = fresh(experiment).ledger()["cause"]
        assert set(causes) == {"queue full", "early drop"}
        full.append(int((causes == "queue full").sum()))
    assert full[1] == pytest.approx(full[0], rel=0.15)


def test_a_class_found_by_its_mark_is_told_apart_by_what_it_dropped() -> None:
    chain = "add chain ip t c { type filter hook forward priority 0; }"
    rule = "add rule ip t c ip saddr 10.0.1.1 meta mark set 7"
    red = Queue("red", bytes="200kB", options={"min": 15000, "max": 60000, "probability": 0.1})
    classes = [QueueClass("marked", match={"mark": 7}, queue=red), "rest"]
    result = fresh(
        Experiment(
            network(Queue("prio", classes=classes)),
            flows=[flood(1, start="100ms", duration="1s")],
            commands=[Command("r1", f"nft 'add table ip t; {chain}; {rule}'")],
        )
    )
    assert set(result.ledger()["cause"]) == {"early drop"}


@pytest.mark.parametrize("kind", SHARES)
def test_a_new_queue_takes_the_place_of_one_with_classes(kind: str) -> None:
    """As a whole: what waited in the old one is lost, and said to be."""
    a, b, c = (QueueClass(name, queue="20p", **SHARES[kind]) for name in ("a", "b", "new"))
    old = Queue(kind, classes=[a.replace(match=FROM_1), b])
    new = Queue(kind, classes=[a.replace(match=FROM_1), c])
    change = Change("500ms", ("r1", "r2"), direction="forward", queue=new)
    flows = [flood(1, duration="1s"), flood(2, duration="1s")]
    result = fresh(Experiment(network(old), flows=flows, changes=[change]))
    table = result.classes.set_index("time_s")
    assert set(table[table.index < 0.5]["class"]) == {"a", "b"}
    assert set(table[table.index > 0.501]["class"]) == {"a", "new"}
    assert result.balance()["queue replaced"].sum() > 10
    assert set(result.ledger()["cause"]) == {"queue full", "queue replaced"}


def test_classes_work_in_the_wire_of_a_host_with_one_link() -> None:
    classes = [
        QueueClass("a", rate="8mbit", queue="20p", match={"dport": 20000}),
        QueueClass("b", rate="2mbit", queue="20p"),
    ]
    flows = [Flow("left", "right", protocol="udp", rate="12mbit", duration="1s") for _ in range(2)]
    result = fresh(
        Experiment(
            pair(rate="10mbit", delay="5ms", forward={"queue": Queue("htb", classes=classes)}), flows=flows
        )
    )
    table = result.classes[result.classes["host"] == "left"]
    at = table.pivot_table(index="time_s", columns="class", values="sent_bytes", observed=True)
    rates = 8e-6 * (at.loc[0.9] - at.loc[0.3]) / 0.6
    assert rates.to_dict() == pytest.approx({"a": 8, "b": 2}, rel=TOLERANCE)
    assert set(result.ledger()["cause"]) == {"queue full"}
    assert (result.balance()["lost"] > 0).all()
