"""Every option of every queueing discipline, once, under random traffic: the kernel takes it, packets pass,
and each that is lost has its cause."""

from __future__ import annotations

import random
from typing import Any

import pytest

from labkit import Experiment, Flow, Queue, QueueClass, dumbbell
from labkit.qdiscs import CLASSFUL, KINDS, readers
from tests.guest.recovery.test_ledger_balance import adds_up, watched

OF_READER: dict[Any, list[Any]] = {
    readers.packets: ["30p", "80p"],
    readers.size: ["20kB", "60kB"],
    readers.flag: [True],
    readers.chance: ["2%", "20%"],
    readers.us: ["2ms", "15ms"],
    readers.ms: ["100ms", "1s"],
    readers.ns: ["10us"],
    readers.whole_s: ["1s"],
    readers.count: [3, 20],
    readers.integer: [-4, 18],
    readers.bit_rate: ["1mbit", "3mbit"],
    readers.capped_byte_rate: ["400kbit"],
    readers.power_of_two: [64],
}
"""What an option is given, by how it is read, ..."""
_PRIORITIES = "1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1"
OF_OPTION: dict[tuple[str, str], list[Any]] = {
    ("prio", "bands"): [4],
    ("prio", "priomap"): [_PRIORITIES],
    ("red", "min"): ["6kB"],
    ("red", "max"): ["30kB"],
    ("red", "avpkt"): [1400],
    ("choke", "min"): ["8p"],
    ("choke", "max"): ["30p"],
    ("choke", "avpkt"): [1400],
    ("sfq", "min"): ["6kB"],
    ("sfq", "max"): ["30kB"],
    ("sfq", "avpkt"): [1400],
    ("sfq", "divisor"): [256],
    ("sfq", "depth"): ["20p"],
    ("cake", "diffserv"): ["diffserv4", "diffserv8"],
    ("cake", "isolation"): ["flows", "hosts"],
    ("cake", "ack_filter"): [True],
    ("cake", "atm"): [True],
    ("cake", "mpu"): [84],
}
"""... or where that would not do, by itself."""
BESIDES: dict[str, dict[str, Any]] = {
    "bfifo": {"limit": "40kB"},
    "red": {"limit": "60kB"},
    "choke": {"limit": "60p"},
}
"""What a kind cannot be without, ..."""
WITH: dict[tuple[str, str], dict[str, Any]] = {
    ("red", "nodrop"): {"ecn": True},
    ("cake", "autorate_ingress"): {"bandwidth": "4mbit"},
}
"""... and an option."""
_SFQ_RED = ("min", "max", "avpkt", "burst", "probability", "ecn", "harddrop")
CLASS_FIELDS: dict[str, list[Any]] = {
    "rate": ["1mbit"],
    "ceil": ["4mbit"],
    "prio": [1, 7],
    "quantum": [3000, "6kB"],
}


def options() -> list[Any]:
    """(kind, option, value) of each option, with each of its values, and of words that stand for one."""
    found = []
    for kind, qdisc in KINDS.items():
        for option, reader in qdisc.options.items():
            read = reader[1] if isinstance(reader, tuple) else reader
            values = OF_OPTION.get((kind, option)) or OF_READER[read] if kind != "ets" else []
            found += [(kind, option, value) for value in values]
        found += [(kind, word, True) for word in qdisc.aliases]
        if not qdisc.options and qdisc.classful is None:
            found.append((kind, "", None))
    return [pytest.param(*one, id=f"{one[0]}-{one[1]}-{one[2]}") for one in found]


def traffic(chance: random.Random) -> list[Any]:
    """More than the link carries, both ways: TCP with and without ECN's marks, UDP at random, short flows."""
    cc, start = ["reno", "cubic", "dctcp"], chance.random() / 5
    both = [("left", "right"), ("right", "left")]
    flows: list[Any] = [
        Flow(*ends, cc=chance.choice(cc), start=start * i, duration="1s") for i, ends in enumerate(both)
    ]
    flows += [Flow("right", "left", size="20kB", start=chance.random()) for _ in range(3)]
    rate, packet = f"{chance.randint(500, 1500)}kbit", chance.randint(100, 1400)
    udp = {"protocol": "udp", "rate": rate, "packet": packet, "pattern": "poisson", "duration": 1}
    return [*flows, Flow("left", "right", **udp)]


def held(queue: Queue, seed: int, **back: Any) -> None:
    """A run with this queue adds up, and something passed. back: another reverse path."""
    chance = random.Random(seed)
    rate, delay = f"{chance.randint(2, 5)}mbit", f"{chance.randint(1, 20)}ms"
    network = dumbbell(rate=rate, delay=delay, queue=queue, backward=back)
    own = {"net.ipv4.tcp_ecn": chance.choice([0, 1])}
    exp = Experiment(network, flows=traffic(chance), seed=seed, duration="1.5s", sysctls=own)
    print(exp.to_json())
    result = watched(exp)
    adds_up(result)
    assert result.errors.empty
    assert (result.goodput() > 0).any()


@pytest.mark.parametrize(("kind", "option", "value"), options())
def test_every_option_adds_up(kind: str, option: str, value: Any) -> None:
    given = BESIDES.get(kind, {}) | WITH.get((kind, option), {}) | ({option: value} if option else {})
    if kind == "sfq" and option in _SFQ_RED:
        given["redflowlimit"] = "60kB"
    back = {"rate": "100kbit"} if option.startswith("ack_filter") else {}  # where acknowledgements wait
    held(Queue(kind, **given), seed=random.randrange(2**31), **back)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        pytest.param(kind, field, value, id=f"{kind}-{field}-{value}")
        for kind in CLASSFUL
        for field in (KINDS[kind].classful.fields or ("",))  # type: ignore[union-attr]
        for value in (CLASS_FIELDS[field] if field else [None])
    ],
)
def test_every_field_of_a_class_adds_up(kind: str, field: str, value: Any) -> None:
    needed = {"rate": "500kbit"} if kind == "htb" else {}
    own = needed | ({field: value} if field else {})
    last = needed if kind != "ets" else own  # behind a class with a quantum none may be strict
    classes = [
        QueueClass("udp", match={"protocol": "udp"}, queue="20p", **own),
        QueueClass("rest", queue="30p", **last),
    ]
    held(Queue(kind, classes=classes), seed=random.randrange(2**31))


def test_so_does_a_map_of_priorities_to_classes() -> None:
    classes = [QueueClass(name, queue="20p", quantum=3000) for name in ("a", "b", "c")]
    held(Queue("ets", classes=classes, priomap=_PRIORITIES), seed=random.randrange(2**31))


def test_no_option_is_left_out() -> None:
    """A new one is tried, too, or named here as one that is tried otherwise."""
    tried = {(one.values[0], one.values[1]) for one in options()}
    every = {(kind, option) for kind, qdisc in KINDS.items() for option in qdisc.options}
    assert every - tried == {("ets", "priomap")}
