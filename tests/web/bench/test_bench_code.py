"""The bench's form, its JSON and its Python: labkit reads the same experiment from each."""

from __future__ import annotations

import json
import random
import subprocess
from typing import Any

import nbformat
import pytest

from labkit import (
    DropPackets,
    Experiment,
    Flow,
    GilbertElliott,
    Link,
    Pings,
    Queue,
    RandomLoss,
    Topology,
    dumbbell,
    pair,
    parking_lot,
    star,
    tree,
)
from labkit.errors import SpecError
from labkit.traffic.kind import LAB_CONGESTION_CONTROLS
from labkit.units import QUANTITIES, SAYS
from scripts import bench_facts
from tests.web.bench.bench_answers import ROOT, ask

PROBES = ["backlog", "drops", "queue", "recovery", "retransmit", "tcp_info", "tcp_probe"]


def test_its_own_tests_hold() -> None:
    tests = sorted((ROOT / "tests/web/bench").glob("*.test.mjs"))
    assert tests
    ask()  # skips without node
    done = subprocess.run(
        ["node", "--test", *tests], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout


def made_by(code: str) -> Experiment:
    """The experiment that a piece of Python makes."""
    names: dict[str, Any] = {}
    exec(code, names)  # our own code, from our own modules
    found = names["exp"]
    assert isinstance(found, Experiment)
    return found


def same(answer: dict[str, Any]) -> Experiment:
    """labkit's experiment of an answer, whose JSON, code and second JSON say the same."""
    exp = Experiment.from_json(json.dumps(answer["json"]))
    assert made_by(answer["code"]).digest() == exp.digest(), answer["code"]
    assert answer["beyond"] == []
    assert Experiment.from_json(json.dumps(answer["again"])).digest() == exp.digest()
    return exp


def test_what_it_takes_over_from_python_is_as_it_is_there() -> None:
    assert bench_facts.FILE.read_text() == bench_facts.text(), "run scripts/bench_facts.py"


def test_random_experiments_are_the_same_as_code_and_when_read_again() -> None:
    first = random.randrange(10**6)
    print(f"first seed: {first}")
    answers = ask(*[("random", first + i) for i in range(150)])
    assert len({same(answer).digest() for answer in answers}) > 140
    shown = "".join(answer["code"] for answer in answers)
    for name in ("pair(", "dumbbell(", "star(", "tree(", "parking_lot(", "Topology(", "Queue(", "Pings("):
        assert name in shown, f"no random experiment was written with {name}"


def test_canonical_json_is_read_as_the_form_and_back() -> None:
    exps = [Experiment.from_json(json.dumps(a["json"])) for a in ask(*[("random", i) for i in range(60)])]
    for written in (exps[0].to_json, exps[0].canonical):
        assert written()  # both spellings
    answers = ask(*[("read", json.loads(exp.to_json())) for exp in exps])
    for exp, answer in zip(exps, answers, strict=True):
        assert same(answer).digest() == exp.digest()
        assert "from_json" not in answer["code"]


def test_each_shape_of_the_menu_is_what_labkit_makes() -> None:
    [answers] = ask(("shapes", None))
    bottleneck = {"rate": "10mbit", "delay": "10ms", "queue": "100p"}
    each = {"rate": "10mbit", "delay": "5ms", "queue": "100p"}
    for answer in answers:
        exp = same(answer)
        kind, numbers = answer["kind"], answer["numbers"]
        functions: dict[str, Any] = {
            "pair": lambda: pair(**bottleneck),
            "dumbbell": lambda n: dumbbell(n, **bottleneck),
            "parking_lot": lambda n: parking_lot(n, **bottleneck),
            "star": lambda n, exp=exp: star(*exp.topology.names[1:], **each),
            "tree": lambda depth, fanout: tree(depth, fanout, **each),
        }
        if kind in functions:
            assert exp.topology == functions[kind](*numbers), (kind, numbers)
            assert f" {kind}(" in answer["code"]
    assert {answer["kind"] for answer in answers} > {"pair", "dumbbell", "star", "tree", "parking_lot"}


WIRE = {"rate": "10mbit", "delay": "10ms", "queue": "100p"}


def filled(**form: Any) -> dict[str, Any]:
    return {"shape": "pair", "numbers": [], "form": {"run": {"duration": "3s"}, **form}}


RED_FORM = {"kind": "red", "limit": "60kB", "options": "min=10kB, max=30kB, ecn"}
BURSTS_FORM = {"kind": "gilbert_elliott", "texts": {"p": "1%", "r": "0.25"}}
NAMED_FORM = {"kind": "drop_packets", "texts": {"numbers": "5, 7"}}
NO_QUEUE = {"kind": "", "limit": "", "options": ""}
ODD_LINK = {
    "a": "left",
    "b": "right",
    "mtu": "1400",
    "forward": {"texts": {"rate": "2mbit", "delay": "0.5s"}, "queue": RED_FORM, "loss": BURSTS_FORM},
    "backward": {"texts": {}, "queue": NO_QUEUE, "loss": NAMED_FORM},
}
THREE_FLOWS = [
    {"kind": "tcp", "src": "left", "dst": "right", "texts": {"cc": "bbr", "size": "2MB", "start": "1s"}},
    {"kind": "udp", "src": "right", "dst": "left", "texts": {"rate": "1mbit", "duration": "2s"}},
    {"kind": "pings", "src": "left", "dst": "right", "texts": {"count": "5", "every": "100ms"}},
]
RED = Queue("red", bytes=60_000, min="10kB", max="30kB", ecn=True)

FILLED: list[tuple[dict[str, Any], Experiment]] = [
    (
        filled(links=[ODD_LINK], capture=[]),
        Experiment(
            Topology(["left", "right"], [Link(
                "left", "right", mtu=1400,
                forward={"rate": 2e6, "delay": 0.5, "queue": RED, "loss": GilbertElliott(0.01, 0.25)},
                backward={"loss": DropPackets([5, 7])})]),
            flows=[Flow("left", "right", duration=10)], duration=3, probes=PROBES,
        ),
    ),
    (
        filled(flows=THREE_FLOWS),
        Experiment(
            pair(**WIRE),
            flows=[Flow("left", "right", cc="bbr", size="2MB", start=1),
                   Flow("right", "left", protocol="udp", rate="1mbit", duration=2),
                   Pings("left", "right", count=5, every="100ms")],
            duration="3s", probes=PROBES, capture=["left", "right"],
        ),
    ),
    (
        {"shape": "dumbbell", "numbers": [2], "form": {
            "links": {2: {"forward": {"loss": {"kind": "random", "texts": {"p": "0.02"}}}}},
            "sysctls": "net.ipv4.tcp_sack=0", "capture": [], "probes": ["tcp_info"], "run": {"seed": "7"}}},
        Experiment(
            dumbbell(2, **WIRE, loss=RandomLoss(0.02)),
            flows=[Flow("left1", "right1", duration=10), Flow("left2", "right2", duration=10)],
            sysctls={"net.ipv4.tcp_sack": 0}, probes=["tcp_info"], seed=7,
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("form", "exp"), FILLED)
def test_the_form_makes_what_one_would_write(form: dict[str, Any], exp: Experiment) -> None:
    [found] = ask(("filled", form))
    assert Experiment.from_json(json.dumps(found)).digest() == exp.digest()


@pytest.mark.parametrize("cc", LAB_CONGESTION_CONTROLS)
def test_every_congestion_control_is_in_its_menu(cc: str) -> None:
    exp = Experiment(pair(**WIRE), flows=[Flow("left", "right", cc=cc, size="1MB")])
    [answer] = ask(("read", json.loads(exp.to_json())))
    assert same(answer) == exp


def test_what_the_form_has_no_field_for_is_named_and_written_as_json() -> None:
    exp = Experiment(
        pair(**WIRE),
        flows=[Flow("left", "right", duration="3s")],
        changes=[{"kind": "link", "at": "1s", "link": ("left", "right"), "set": {"loss": "5%"}}],
    )
    [answer] = ask(("read", json.loads(exp.to_json())))
    assert answer["beyond"] == ["changes"]
    assert "Experiment.from_json" in answer["code"]
    assert made_by(answer["code"]) == exp


def test_presets_are_experiments_that_the_form_holds() -> None:
    [answers] = ask(("presets", None))
    assert len(answers) >= 6
    for answer in answers:
        assert same(answer).flows


NUMBERS = (
    "0", "1", "5", "10", "0.05", ".5", "10.", "1e3", "1e9", "-3", "1.5", "99999999999999", "", "fast", "1x2",
)  # fmt: skip
UNITS = (
    "", " ", "bit", "mbit", "Mbit", "GBIT/s", "ms", "S", "s", "h", "%", "p", "B", "kB", "MiB", "xbit",
    "__proto__",
)  # fmt: skip


def fault_by_labkit(value: object, quantity: str) -> str:
    try:
        QUANTITIES[quantity].read(value)
    except SpecError as wrong:
        return str(wrong)
    return ""


def test_a_field_says_of_each_text_what_labkit_says_of_it() -> None:
    """In the form an example is a text alone: there is no Python in it."""
    asked = [
        {"text": number + unit, "quantity": quantity}
        for number in NUMBERS
        for unit in UNITS
        for quantity in QUANTITIES
        if (number + unit).strip()
    ]
    answers = ask(*[("faults", one) for one in asked])
    for one, answer in zip(asked, answers, strict=True):
        quantity = QUANTITIES[one["quantity"]]
        said = fault_by_labkit(answer["value"], one["quantity"]).replace(quantity.example, quantity.text)
        assert answer["fault"] == said, one
    faults = [answer["fault"] for answer in answers]
    for template in SAYS.values():
        begins = template.split("{")[0] or template.split("}")[1].split("{")[0]
        assert any(begins in fault for fault in faults), f"none said {template!r}"


def test_the_notebook_is_one_and_its_code_makes_the_experiment() -> None:
    exp = Experiment(pair(**WIRE), flows=[Flow("left", "right", duration="3s")], capture=["left"])
    [answer] = ask(("notebook", json.loads(exp.to_json())))
    notebook = nbformat.reads(answer["file"], as_version=4)
    nbformat.validate(notebook)
    source = next(cell.source for cell in notebook.cells if cell.id == "experiment")
    assert source.startswith("%load_ext labkit\n")
    assert made_by(source.removeprefix("%load_ext labkit\n")) == exp
    assert "result = run(exp)" in answer["code"]
