"""Queues with classes as they are written and compiled. What the kernel makes of them:
tests/guest/queues/test_classes.py."""

from __future__ import annotations

from typing import Any

import pytest
from pyroute2.netlink.rtnl import RTM_NEWQDISC, RTM_NEWTCLASS, RTM_NEWTFILTER

from labkit.charts.link_text import queue_text
from labkit.compile.compiler import compile_experiment
from labkit.compile.layout import lay_out
from labkit.compile.links import build
from labkit.compile.target import SHARED_KERNEL
from labkit.decode.headers import ICMP, TCP, UDP
from labkit.errors import SpecError
from labkit.execute.host import host_place
from labkit.netlink.filters import flower
from labkit.netlink.message import decode_tc
from labkit.results.ledger.packet_matching import Packet, possible_classes
from labkit.spec import Change, Experiment, Flow, Link, Match, Queue, QueueClass
from labkit.spec.topologies import dumbbell

WEB = QueueClass("web", rate="8mbit", ceil="10mbit", queue="fq_codel", match={"port": 80})
REST = QueueClass("rest", rate="2mbit", ceil="10mbit")
HTB = Queue("htb", classes=[WEB, REST])
FLOW = Flow("left", "right", size="1MB")


def experiment(queue: Queue, **fields: Any) -> Experiment:
    return Experiment(dumbbell(rate="10mbit", forward={"queue": queue}), flows=[FLOW], **fields)


def messages(queue: Queue) -> list[Any]:
    """Those of r1's queue, decoded."""
    exp = experiment(queue)
    layout = lay_out(exp)
    steps = build(layout, exp.topology.link("r1", "r2"), 1)
    return decode_tc(next(b"".join(step.messages) for step in steps if "r1 to r2: queue" in step.why))


# Written


def test_a_queue_with_classes_survives_json_and_keeps_its_digest() -> None:
    again = Queue.model_validate_json(HTB.model_dump_json())
    assert again == HTB and again.digest() == HTB.digest()
    said = {"kind": "htb", "classes": [{"name": "web", "rate": 8e6, "ceil": "10mbit", "queue": "fq_codel"}]}
    said["classes"] += [{"name": "rest", "rate": "2mbit", "ceil": 10**7}]  # type: ignore[attr-defined]
    said["classes"][0]["match"] = [{"port": 80}]  # type: ignore[index]
    assert Queue.model_validate(said | {"default": "rest"}).digest() == HTB.digest()


def test_a_queue_without_classes_is_written_as_ever() -> None:
    assert Queue("pfifo", packets=7).model_dump() == {
        "kind": "pfifo",
        "packets": 7,
        "bytes": None,
        "options": {},
    }


def test_the_only_class_without_a_match_is_the_default() -> None:
    assert HTB.default == "rest"
    assert Queue("prio", classes=[WEB.replace(rate=None, ceil=None), "a"]).default == "a"


def test_a_class_has_a_plain_queue_unless_given() -> None:
    assert REST.queue == Queue("pfifo")


CLASS = QueueClass("a", match={"port": 80})
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("htb", {}, 'htb passes no packet without classes: write classes=[QueueClass("a"), ...]'),
    ("drr", {}, "drr passes no packet without classes"),
    (
        "pfifo",
        {"classes": ["a"]},
        "pfifo has no classes: of those with classes there are prio, htb",
    ),
    ("hfsc", {"classes": ["a"]}, "'hfsc' is not offered: of those with classes, prio, htb, drr, ets are"),
    ("prio", {"classes": ["a"]}, "classes: 1 of them: prio has 2 to 16"),
    ("drr", {"classes": [CLASS, "a"]}, "classes[1].name='a': a second class of that name"),
    ("drr", {"classes": [CLASS]}, "default: missing: drr wants a class for every packet"),
    ("drr", {"classes": [CLASS], "default": "b"}, "default='b': no such class: there are a"),
    ("drr", {"classes": ["a", "b"]}, "classes[1].match: missing: no packet would come to 'b'"),
    ("htb", {"classes": ["a"]}, 'classes[0].rate: missing: a class of htb needs it: write rate="2mbit"'),
    (
        "drr",
        {"classes": [QueueClass("a", rate=1)]},
        "classes[0].rate: a class of drr has quantum: leave",
    ),
    ("prio", {"classes": [CLASS, QueueClass("b", prio=1)]}, "classes[1].prio: a class of prio has a name"),
    (
        "htb",
        {"classes": [QueueClass("a", rate="2mbit", ceil="1mbit")]},
        "classes[0].ceil=1000000: less than its rate (2000000), which it has for sure: raise ceil",
    ),
    (
        "ets",
        {"classes": [QueueClass("a", quantum=1514, match={"port": 1}), "b"]},
        "ets: classes without a quantum are strict and come first",
    ),
    ("prio", {"classes": [CLASS, "b"], "bands": 3}, "prio: bands: there are as many as classes"),
    ("prio", {"classes": ["a", "b"], "priomap": "0 1"}, "prio: priomap=(0, 1): 16 numbers from 0 to 1"),
    (
        "prio",
        {"classes": ["a", "b"], "priomap": "0 " * 16, "default": "a"},
        "default='a': the option priomap says it already",
    ),
    (
        "drr",
        {"classes": [{"name": "a", "queue": HTB}]},
        "classes[0].queue: classes within a class are not",
    ),
    (
        "drr",
        {"classes": [{"name": "a", "queue": "codell"}]},
        "classes[0].queue: Queue: 'codell' is not",
    ),
    (
        "drr",
        {"classes": [{"name": "a", "queue": {"kind": "codel", "target": "5m"}}]},
        "classes[0].queue.target='5m': unknown unit",
    ),
    ("drr", {"classes": [{"name": "a", "match": {}}]}, "classes[0].match: Match: matches nothing"),
    ("drr", {"classes": [{"name": "a", "match": 80}]}, 'classes[0].match=80: write {"port": 80}'),
    (
        "drr",
        {"classes": [{"name": "a", "match": [{"prot": 80}]}]},
        "classes[0].match[0].prot: Match has no",
    ),
    (
        "drr",
        {"classes": [{"name": "a", "match": {"port": 0}}]},
        "classes[0].match.port=0: must be at",
    ),
]


@pytest.mark.parametrize(("kind", "given", "message"), WRONG)
def test_a_fault_of_a_class_says_where_and_what_is_right(
    kind: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(SpecError) as caught:
        Queue(kind, **given)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("match", "message"),
    [
        ({"mark": 1, "port": 80}, "mark stands alone: let what sets it look at the rest"),
        ({"port": 80, "sport": 5}, "port is either end: leave it or sport out"),
        ({"protocol": "icmp", "dport": 5}, "icmp has no ports: leave dport out"),
        ({"protocol": "gre"}, "protocol='gre': must be 'tcp', 'udp' or 'icmp'"),
    ],
)
def test_a_match_that_makes_no_sense_is_refused(match: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Match(**match)


def test_a_match_names_hosts_that_exist() -> None:
    queue = Queue("drr", classes=[QueueClass("a", match=[{"port": 80}, {"src": "lefd"}]), "b"])
    where = r"topology\.links\[1\]\.forward\.queue\.classes\[0\]\.match\[1\]\.src='lefd': .*left"
    with pytest.raises(SpecError, match=where):
        experiment(queue)
    with pytest.raises(SpecError, match=r"changes\[0\]\.queue\.classes\[0\]\.match\[1\]\.src='lefd'"):
        experiment(HTB, changes=[Change("1s", ("r1", "r2"), queue=queue)])


def test_a_mark_is_not_looked_for_where_it_is_gone() -> None:
    queue = Queue("drr", classes=[QueueClass("a", match={"mark": 7}), "b"])
    links = [Link("left", "right", rate="1mbit", queue=queue)]
    with pytest.raises(SpecError, match=r"match\[0\]\.mark=7: left has one link.*put the queue on a router"):
        Experiment({"hosts": ["left", "right"], "links": links}, flows=[FLOW])
    assert experiment(queue).topology


# Compiled


def test_a_tree_is_the_qdisc_its_classes_their_queues_and_the_filters() -> None:
    made = messages(HTB)
    types = [message["header"]["type"] for message in made]
    assert types == [RTM_NEWQDISC] * 2 + [RTM_NEWTCLASS] * 3 + [RTM_NEWQDISC] * 2 + [RTM_NEWTFILTER] * 4
    handles = [(message["handle"], message["parent"]) for message in made[1:7]]
    assert handles == [
        (0x100000, 0x10001),
        (0x10FFFF, 0x100000),
        (0x100001, 0x10FFFF),
        (0x100002, 0x10FFFF),
        (0x70010000, 0x100001),
        (0x70020000, 0x100002),
    ]
    assert [message.get_attr("TCA_KIND") for message in made[5:8]] == ["fq_codel", "pfifo", "flower"]


def test_htb_classes_say_rates_in_bytes_and_hold_a_frame() -> None:
    parms = messages(HTB)[3].get_nested("TCA_OPTIONS", "TCA_HTB_PARMS")
    names = ("rate", "ceil", "rate_linklayer", "prio", "quantum")
    assert tuple(parms[name] for name in names) == (1_000_000, 1_250_000, 1, 0, 4 * 1514)
    assert 64 * parms["buffer"] == pytest.approx(1516 * 1000, abs=64)  # ns at 1 byte/us: a frame and 2 us
    assert messages(HTB)[1].get_nested("TCA_OPTIONS", "TCA_HTB_INIT")["defcls"] == 2


def test_rates_beyond_32_bits_have_an_attribute_of_their_own() -> None:
    queue = Queue("htb", classes=[QueueClass("a", rate="50gbit")])
    options = messages(queue)[3].get_attr("TCA_OPTIONS")
    assert options.get_attr("TCA_HTB_PARMS")["rate"] == 2**32 - 1
    assert options.get_attr("TCA_HTB_RATE64") == 6_250_000_000


def test_a_port_of_either_end_is_four_filters_in_order() -> None:
    filters = [message.get_attr("TCA_OPTIONS") for message in messages(HTB)[7:]]
    keys = [[name for name, _ in options["attrs"] if "_DST" in name or "_SRC" in name] for options in filters]
    assert keys == [[f"TCA_FLOWER_KEY_{proto}_{end}"] for proto in ("TCP", "UDP") for end in ("DST", "SRC")]
    assert [message["info"] >> 16 for message in messages(HTB)[7:]] == [1, 2, 3, 4]


def test_a_host_is_each_of_its_addresses() -> None:
    queue = Queue("prio", classes=[QueueClass("a", match={"src": "r1", "dst": "right"}), "b"])
    filters = [m.get_attr("TCA_OPTIONS") for m in messages(queue) if m["header"]["type"] == RTM_NEWTFILTER]
    ends = [(f.get_attr("TCA_FLOWER_KEY_IPV4_SRC"), f.get_attr("TCA_FLOWER_KEY_IPV4_DST")) for f in filters]
    assert ends == [("10.0.1.2", "10.0.3.2"), ("10.0.2.1", "10.0.3.2")]


def test_a_port_without_a_protocol_is_refused_by_the_filter() -> None:
    with pytest.raises(ValueError, match="name which"):
        flower(5, "10:", 1, "10:1", dport=80)


def test_unmatched_packets_have_their_class_in_every_kind() -> None:
    classes = [CLASS, QueueClass("b")]
    prio = messages(Queue("prio", classes=classes))[1].get_attr("TCA_OPTIONS")
    assert (prio["bands"], set(prio["priomap"])) == (2, {1})
    last = messages(Queue("drr", classes=classes))[-1].get_attr("TCA_OPTIONS")
    assert [tuple(attribute) for attribute in last["attrs"]] == [("TCA_FLOWER_CLASSID", 0x100002)]
    ets = messages(Queue("ets", classes=classes))[1].get_attr("TCA_OPTIONS")
    bands = ets.get_attr("TCA_ETS_PRIOMAP")["attrs"]
    assert (ets.get_attr("TCA_ETS_NBANDS"), ets.get_attr("TCA_ETS_NSTRICT")) == (2, 2)
    assert [band for _, band in bands] == [1] * 16


def test_the_layout_names_classes_and_only_where_there_are_any() -> None:
    change = Change("1s", ("r1", "r2"), direction="forward", queue=Queue("drr", classes=[CLASS, "new"]))
    layout = compile_experiment(experiment(HTB, changes=[change])).layout
    named = {i["from"]: i["classes"] for i in layout["interfaces"] if "classes" in i}
    assert named == {
        "r1": {
            "16": {"kind": "htb", "classes": ["web", "rest"]},
            "17": {"kind": "drr", "classes": ["a", "new"]},
        }
    }
    plain = compile_experiment(experiment(Queue("pfifo"))).layout
    assert not any("classes" in i for i in plain["interfaces"])


def test_a_machine_is_asked_for_all_that_classes_need() -> None:
    queue = Queue(
        "drr",
        classes=[QueueClass("a", queue="codel", match={"mark": 7}), WEB.replace(rate=None, ceil=None), "b"],
    )
    needs = host_place.features(experiment(queue))
    assert {"qdisc drr", "qdisc codel", "qdisc fq_codel", "qdisc pfifo", "flower", "fw"} <= needs.keys()


# Read


def test_a_dropped_packet_was_in_the_class_of_its_headers() -> None:
    owner = {"10.0.1.1": "left", "10.0.3.2": "right"}
    left, right = 0x0A000101, 0x0A000302
    classes = [
        QueueClass("web", match={"dport": 80, "protocol": "tcp"}),
        QueueClass("marked", match={"mark": 7}),
        QueueClass("left", match={"src": "left"}),
        QueueClass("ping", match={"protocol": "icmp"}),
        "rest",
    ]
    queue = Queue("prio", classes=classes)

    def of(*packet: int) -> list[str]:
        return [one.name for one in possible_classes(queue, Packet(*packet), owner)]

    assert of(TCP, right, left, 5, 80) == ["web"]
    assert of(UDP, left, right, 5, 80) == ["marked", "left"]
    assert of(ICMP, right, left, -1, -1) == ["marked", "ping"]
    assert of(UDP, right, left, 80, 5) == ["marked", "rest"]


def test_a_link_says_its_classes() -> None:
    assert queue_text(HTB) == "htb (web, rest)"


def of_queue(queue: Queue) -> Experiment:
    return Experiment(dumbbell(rate="10mbit", queue=queue), duration="1s")


def by(**match: Any) -> list[QueueClass | str]:
    return [QueueClass("mine", match=match), "rest"]


@pytest.mark.parametrize(
    ("queue", "modules"),
    [
        (Queue("fq_codel"), ()),
        (Queue("drr", classes=by(port=80)), ("sch_drr",)),
        (Queue("prio", classes=by(mark=1)), ("cls_fw",)),
        (Queue("ets", classes=by(mark=1)), ("cls_fw", "sch_ets")),
    ],
    ids=["fq_codel", "drr", "prio by mark", "ets by mark"],
)
def test_a_guest_loads_what_its_kernel_has_not_built_in(queue: Queue, modules: tuple[str, ...]) -> None:
    assert compile_experiment(of_queue(queue)).modules == modules


def test_a_machines_kernel_loads_its_modules_itself() -> None:
    assert compile_experiment(of_queue(Queue("drr", classes=by(port=80))), SHARED_KERNEL).modules == ()
