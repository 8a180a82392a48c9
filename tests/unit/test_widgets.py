"""Knobs, paths and points: what a reader may turn, and what is run then. Nothing runs here."""

from __future__ import annotations

from decimal import Decimal

import pytest

from labkit import Choice, Experiment, Flow, Link, Slider, SpecError, Toggle, Topology, dumbbell
from labkit.spec.paths import with_field
from labkit.widgets.knobs import as_knob
from labkit.widgets.space import Space

FLOW = Flow("left", "right", cc="reno", size="1MB")
NETWORK = Topology(
    ["left", "router", "right"],
    [Link("left", "router", delay="10ms"), Link("router", "right", rate="10mbit", delay="15ms")],
)
EXP = Experiment(NETWORK, flows=[FLOW, FLOW.replace(cc="cubic")], seed=1)


@pytest.mark.parametrize(
    ("path", "value", "read"),
    [
        ("seed", 7, lambda exp: exp.seed == 7),
        ("flows.cc", "bbr", lambda exp: [flow.cc for flow in exp.flows] == ["bbr", "bbr"]),
        ("flows[1].cc", "bbr", lambda exp: [flow.cc for flow in exp.flows] == ["reno", "bbr"]),
        (
            "flows.left-right#2.size",
            "2MB",
            lambda exp: [flow.size for flow in exp.flows] == [10**6, 2 * 10**6],
        ),
        ("links.router-right.forward.loss", "1%", lambda exp: _loss(exp) == (0.01, None)),
        ("topology.links[1].backward.loss", "1%", lambda exp: _loss(exp) == (None, 0.01)),
        ("links.right-router.forward.loss", "1%", lambda exp: _loss(exp) == (None, 0.01)),
        ("links.router-right.loss", "1%", lambda exp: _loss(exp) == (0.01, 0.01)),
        ("links.delay", "1s", lambda exp: {link.forward.delay for link in exp.topology.links} == {1.0}),
        (
            "links.router-right.queue",
            "codel",
            lambda exp: exp.topology.links[1].forward.queue.kind == "codel",
        ),
        ("sysctls.net.ipv4.tcp_sack", 0, lambda exp: exp.sysctls == {"net.ipv4.tcp_sack": 0}),
        (
            "hosts.left.sysctls.net.ipv4.tcp_sack",
            0,
            lambda exp: exp.host_sysctls("left")["net.ipv4.tcp_sack"] == 0,
        ),
    ],
)
def test_a_path_changes_its_field(path: str, value: object, read: object) -> None:
    assert callable(read)
    assert read(with_field(EXP, path, value))


def _loss(exp: Experiment) -> tuple[float | None, float | None]:
    link = exp.topology.link("router", "right")
    return tuple(getattr(way.loss, "p", None) for way in (link.forward, link.backward))  # type: ignore[return-value]


def test_what_is_not_named_stays() -> None:
    changed = with_field(EXP, "links.router-right.forward.loss", "1%")
    assert with_field(changed, "links.router-right.forward.loss", None) == EXP


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("flows.ccc", r"flows\.ccc = 1: 'ccc': no such name or field \(did you mean \"cc\"\?\)"),
        ("sed", r'Experiment has no such field \(did you mean "seed"\?\)'),
        ("flows[9].cc", r"\[9\]: there are 2, counted from 0"),
        ("links.left-right.loss", r"'left-right': no such name or field.*left-router"),
        ("links.router-right.forward.los", r'Direction has no such field \(did you mean "loss"\?\)'),
        ("seed.more", r"has no field more: it is 1"),
        ("changes.at", r"'at': there is none"),
        ("flows..cc[", "no path of a field"),
        ("", "no path of a field"),
    ],
)
def test_an_unknown_path_is_named_with_what_would_be_right(path: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        with_field(EXP, path, 1)


def test_a_knob_writes_its_values() -> None:
    assert Slider(10, 2.5, unit="ms").texts == ("10 ms", "2.5 ms")
    assert Slider("0%", "1%").texts == ("0%", "1%")
    assert Choice({"drop-tail": "100p", "CoDel": "codel"}).values == ("100p", "codel")
    assert Toggle().texts == ("off", "on")
    assert Choice("reno", "cubic", default="cubic").default == 1
    assert Slider([1, 2, 3]).values == (1, 2, 3)


def test_lists_become_knobs() -> None:
    assert as_knob(["reno", "cubic"]).kind == "choice"
    assert as_knob(range(3)).values == (0, 1, 2)
    assert as_knob([True, False]).default == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("reno", "'reno' is no knob: write a list of values"),
        (["reno"], "1 values: a knob needs two"),
        ([1, 1.0], "two values read the same"),
        (5, "5 is no knob"),
    ],
)
def test_what_is_no_knob_is_refused(given: object, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        as_knob(given)


def test_labels_come_from_fields() -> None:
    assert Choice(1, 2).named("flows[0].cc") == "Congestion control"
    assert Choice(1, 2).named("rtt") == "RTT"
    assert Choice(1, 2).named("links.a-b.forward.loss") == "Loss"
    assert Choice(1, 2).named("window_bytes") == "Window bytes"
    assert Choice(1, 2, label="Who").named("flows.cc") == "Who"


def made(cc: str, loss: str) -> Experiment:
    return Experiment(dumbbell(rate="10mbit", loss=loss), flows=[FLOW.replace(cc=cc)])


def test_a_function_and_paths_give_the_same_experiments() -> None:
    by_function = Space(made, {"cc": ["reno", "cubic"], "loss": Slider("0%", "1%")})
    base = made("bic", "5%")
    by_path = Space(base, {"flows.cc": ["reno", "cubic"], "links.r1-r2.forward.loss": Slider("0%", "1%")})
    assert list(by_function.grid()) == list(by_path.grid()) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [by_function.experiment(p) for p in by_function.grid()] == [
        by_path.experiment(p) for p in by_path.grid()
    ]
    assert by_path.texts((1, 0)) == {"Congestion control": "cubic", "Loss": "0%"}


def test_a_point_is_named_by_values_or_texts() -> None:
    space = Space(made, {"cc": ["reno", "cubic"], "loss": Slider("0%", "1%", default="1%")})
    assert space.point({}) == (0, 1)
    assert space.point({"cc": "cubic", "loss": "0%"}) == (1, 0)
    with pytest.raises(SpecError, match="knob 'loss': '7%' is not on this knob: it has 0%, 1%"):
        space.point({"loss": "7%"})
    with pytest.raises(SpecError, match="knob 'delay': there is none: knobs are cc, loss"):
        space.point({"delay": 1})


@pytest.mark.parametrize(
    ("source", "knobs", "said"),
    [
        (EXP, {"flows.cc": ["reno", "cubik"]}, r"knob 'flows\.cc' at cubik: .*did you mean \"cubic\""),
        (EXP, {"flows.xx": [1, 2]}, r"knob 'flows\.xx' at 1: flows\.xx = 1"),
        (EXP, {"seed": "1"}, "knob 'seed': '1' is no knob"),
        (EXP, {}, "no knob"),
        (made, {"cc": ["reno", "cubic"]}, "does not take cc: missing a required argument: 'loss'"),
        (lambda seed: seed, {"seed": [1, 2]}, "the function gave 1: it must return an Experiment"),
        (3, {"seed": [1, 2]}, "3 is neither an Experiment nor a function"),
    ],
)
def test_a_wrong_knob_is_named_before_anything_runs(
    source: object, knobs: dict[str, object], said: str
) -> None:
    with pytest.raises(SpecError, match=said):
        Space(source, knobs)  # type: ignore[arg-type]


def test_between_its_values_a_knob_takes_a_number_as_its_texts_have_it() -> None:
    space = Space(made, {"cc": ["reno", "cubic"], "loss": Slider("0%", "1%", "5%")})
    assert space.between({"cc": 1, "loss": Decimal("0.7")}) == made("cubic", "0.7%")
    assert space.between({}) == space.experiment(space.default)
    with pytest.raises(SpecError, match="Congestion control: no number may be typed here"):
        space.between({"cc": Decimal(3)})


def test_the_widest_range_that_is_accepted_may_be_typed() -> None:
    space = Space(made, {"cc": ["reno", "cubic"], "loss": Slider("0%", "1%", "5%")})
    everything = space.ranges(lambda values: True)
    assert everything.keys() == {"loss"}
    assert {name: everything["loss"][name] for name in ("unit", "low", "high", "whole")} == {
        "unit": "%", "low": 0, "high": 100, "whole": False,
    }  # fmt: skip
    steps = everything["loss"]["steps"]
    assert len(steps) == 101 and {0, 1, 5} < set(steps) and steps == sorted(steps)
    some = space.ranges(lambda values: all(isinstance(n, Decimal) and n <= 60 for n in values.values()))
    assert some["loss"]["high"] == 50
    assert space.ranges(lambda values: False) == {}
