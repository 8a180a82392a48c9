"""Claims about shakes: what they move, by how much, and that nothing else moves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import SetupError
from labkit.execute.session import shaking
from labkit.spec import (
    Change,
    Direction,
    Experiment,
    Flow,
    Link,
    NicChange,
    Queue,
    QueueClass,
    Requests,
    SysctlChange,
    Topology,
)
from labkit.spec.shaken import MOST, STRIDE, latest, moved_change, shaken
from labkit.spec.topologies import dumbbell, pair
from tests import fuzz
from tests.strategies import experiments, stressed

SHAKES = st.integers(1, 20)
DUMBBELL = dumbbell(rate="10mbit", delay="10ms", queue="100p", loss="1%")
MOVES = {"delay", "jitter", "rate", "packets", "bytes", "start", "seed", "shaken", "ceil"}


def experiment(**fields: Any) -> Experiment:
    given = {"topology": DUMBBELL, "flows": [Flow("left", "right", duration="5s")], "duration": "10s"}
    return Experiment(**given | fields)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Everything in a spec's JSON that is no mapping or list, by its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*path, number))
    else:
        yield path, value


def of(exp: Experiment) -> dict[tuple[Any, ...], Any]:
    """Its leaves, changes left aside: one of both directions may become two."""
    plain = json.loads(exp.to_json())
    return {path: value for path, value in leaves(plain) if path[0] != "changes"}


def fixed(path: tuple[Any, ...]) -> bool:
    """Whether no shake moves this: all but delays, rates, lengths of queues, starts, and what is a port's."""
    of_port = "nic_a" in path or "nic_b" in path
    return path[-1] not in MOVES or of_port or "options" in path


@fuzz.of(60)
@given(st.one_of(experiments(), stressed()), SHAKES)
def test_a_shaken_experiment_is_valid_and_the_same_each_time(exp: Experiment, shake: int) -> None:
    moved = shaken(exp, shake)
    assert Experiment.from_json(moved.to_json()) == moved == shaken(exp, shake)
    assert moved.shaken == shake and moved.seed == (exp.seed + shake * STRIDE) % 2**63


@fuzz.of(60)
@given(st.one_of(experiments(), stressed()), SHAKES)
def test_nothing_moves_but_delays_rates_queues_starts_and_the_seed(exp: Experiment, shake: int) -> None:
    before, after = of(exp), of(shaken(exp, shake))
    assert before.keys() == after.keys() - {("shaken",)}
    different = {path for path, value in before.items() if after[path] != value}
    assert not [path for path in different if fixed(path)]
    rates = {
        path for path in different if path[0] == "flows" and path[-1] == "rate"
    }  # of UDP flows: TCP has none
    assert all(before[(*path[:-1], "protocol")] == "udp" for path in rates)


@fuzz.of(60)
@given(st.one_of(experiments(), stressed()), SHAKES)
def test_nothing_moves_by_more_than_it_may(exp: Experiment, shake: int) -> None:
    before, after = of(exp), of(shaken(exp, shake))
    for path, old in before.items():
        new = after[path]
        if path[-1] in ("delay", "jitter"):
            assert abs(new - old) <= MOST * old + 1e-9
        elif path[-1] in ("rate", "ceil", "packets", "bytes") and old is not None:
            assert abs(new - old) <= MOST * old + 0.5
        elif path[-1] == "start":
            flow = exp.flows[path[1]]
            assert old <= new <= min(old + latest(flow, exp.topology) + 1e-9, max(exp.end, old))


def test_a_jitter_keeps_its_ratio_to_the_delay() -> None:
    exp = experiment(topology=pair(delay="20ms", jitter="20ms"))
    for shake in range(1, 30):
        way = shaken(exp, shake).topology.links[0].forward
        assert way.jitter == way.delay != 0.02


def test_experiments_on_one_network_are_moved_alike() -> None:
    lossless = dumbbell(rate="10mbit", delay="10ms", queue="100p")
    other = [Flow("left", "right", size="1MB", cc="reno")]
    a, b = shaken(experiment(), 3), shaken(experiment(topology=lossless, flows=other, seed=9), 3)
    for mine, others in zip(a.topology.links, b.topology.links, strict=True):
        for way in ("forward", "backward"):
            assert getattr(mine, way).replace(loss=None) == getattr(others, way)
    assert a.flows[0].start == b.flows[0].start > 0


def test_a_sweep_over_a_delay_keeps_its_proportions() -> None:
    short, long = (shaken(experiment(topology=pair(delay=d)), 4) for d in ("10ms", "40ms"))
    assert long.topology.links[0].forward.delay == pytest.approx(4 * short.topology.links[0].forward.delay)


def test_shakes_directions_fields_and_links_are_moved_each_in_its_own_way() -> None:
    factors = set()
    for shake in (1, 2):
        for link in shaken(experiment(), shake).topology.links:
            for way in (link.forward, link.backward):
                factors |= {way.delay / 0.01 if way.delay else 1, (way.rate or 10**7) / 1e7}
    # Two shakes of three links' rates, both ways, and of the middle one's delay; 1 is of the others' delay.
    assert len(factors) == 2 * (3 * 2 + 2) + 1


def test_a_link_is_the_same_one_named_from_either_end() -> None:
    there = Topology(["a", "b"], [Link("a", "b", delay="10ms")])
    back = Topology(["a", "b"], [Link("b", "a", delay="10ms")])
    one, other = (shaken(Experiment(net, duration="1s"), 5).topology.links[0] for net in (there, back))
    assert (one.forward, one.backward) == (other.backward, other.forward)


def test_a_flow_starts_up_to_a_round_trip_later_and_never_after_the_end() -> None:
    exp = experiment(flows=[Flow("left", "right", size="1MB", name=f"f{i}") for i in range(200)])
    starts = [flow.start for flow in shaken(exp, 1).flows]
    assert 0 <= min(starts) < 0.001 and 0.019 < max(starts) < 0.02  # 200 draws from 0 to 20 ms
    late = experiment(flows=[Flow("left", "right", size="1MB", start="10s")])
    assert shaken(late, 1).flows[0].start == 10


def test_without_delay_nothing_starts_later() -> None:
    exp = experiment(topology=pair(), flows=[Requests("left", "right", request=1, response=1, count=1)])
    assert shaken(exp, 1).flows[0].start == 0


def test_a_change_of_a_link_moves_as_the_link() -> None:
    changes = [
        Change("1s", ("r2", "r1"), delay="10ms", loss="3%"),
        Change("2s", ("r1", "r2"), direction="forward", rate="10mbit", queue="100p"),
        Change("3s", ("r1", "r2"), loss="5%"),
    ]
    moved = shaken(experiment(changes=changes), 2)
    middle = moved.topology.link("r1", "r2")
    seen = [(c.at, c.link, c.direction, c.set) for c in moved.changes if isinstance(c, Change)]
    loss = changes[0].set["loss"]
    assert seen == [
        (1, ("r2", "r1"), "forward", {"delay": middle.backward.delay, "loss": loss}),
        (1, ("r2", "r1"), "backward", {"delay": middle.forward.delay, "loss": loss}),
        (2, ("r1", "r2"), "forward", {"rate": middle.forward.rate, "queue": middle.forward.queue}),
        (3, ("r1", "r2"), "both", {"loss": changes[2].set["loss"]}),
    ]


def test_changes_of_ports_and_sysctls_stay() -> None:
    for change in (
        NicChange("2s", "right", "left", ber=1e-6),
        SysctlChange("1s", "left", "net.ipv4.tcp_sack", 0),
    ):
        assert moved_change(change, 1) == [change]


def test_a_small_queue_may_stay_and_never_vanishes() -> None:
    for shake in range(1, 20):
        way = shaken(experiment(topology=pair(rate="8bit", queue="1p", delay="1ns")), shake)
        assert way.topology.links[0].forward.queue == Queue("pfifo", packets=1)
        assert way.topology.links[0].forward.rate == 8 and way.topology.links[0].forward.delay == 1e-9


def test_a_limit_that_an_option_is_tied_to_stays() -> None:
    tight = Queue("red", bytes=100_000, max=100_000, min=30_000, avpkt=1000, burst=60)
    lengths = {
        shaken(experiment(topology=pair(rate="10mbit", queue=tight)), k).topology.links[0].forward.queue.bytes
        for k in range(1, 10)
    }
    assert min(lengths) == 100_000 < max(lengths)


def test_classes_move_with_their_link() -> None:
    classes = [
        QueueClass("udp", match={"protocol": "udp"}, rate="2mbit", queue="100p"),
        QueueClass("rest", rate="8mbit", ceil="10mbit"),
    ]
    exp = experiment(topology=pair(rate="10mbit", queue=Queue("htb", classes=classes)))
    way = shaken(exp, 1).topology.links[0].forward
    assert way.queue is not None and way.rate is not None and way.rate != 10**7
    for old, new in zip(classes, way.queue.classes, strict=True):
        assert new.rate == pytest.approx(old.rate * way.rate / 10**7, abs=1)
    assert way.queue.classes[1].ceil == way.rate


def test_what_netem_cannot_hold_is_not_made() -> None:
    longest = Direction(delay=3.0, jitter=2.147483647)
    cable = pair(nic={"speed": "1gbit"}, delay="10s")
    for shake in range(1, 20):
        way = shaken(Experiment(pair(delay="3s", jitter=f"{longest.jitter}s"), duration=1), shake)
        assert way.topology.links[0].forward.jitter <= longest.jitter
        assert shaken(Experiment(cable, duration=1), shake).topology.links[0].forward.delay <= 10


def test_what_was_shaken_is_not_shaken_again() -> None:
    moved = shaken(experiment(), 1)
    assert shaken(moved, 1) is moved and shaken(moved.replace(seed=5), 2).seed == 5


def test_an_experiment_that_was_not_shaken_is_known_by_its_old_digest() -> None:
    assert "shaken" not in experiment().canonical()


@fuzz.of(60)
@given(st.one_of(experiments(), stressed()), SHAKES, st.integers(2, 4))
def test_a_longer_one_is_the_same_but_for_its_durations(exp: Experiment, shake: int, times: int) -> None:
    before, after = of(shaken(exp, shake)), of(shaken(exp, shake, times))
    assert before.keys() == after.keys()
    for path, old in before.items():
        lasts = path[-1] in ("time_limit", "wall_limit") or (path[-1] == "duration" and "changes" not in path)
        if lasts and old is not None:
            assert after[path] == pytest.approx(old * times, abs=1e-9)
        elif path[-1] != "start":  # which may be moved by more where there is more time
            assert after[path] == old


def test_what_means_its_durations_keeps_them() -> None:
    timed = experiment(timed=True)
    assert shaken(timed, 3, 4) == shaken(timed, 3)
    assert shaken(timed, 3, 4).replace(timed=False) != shaken(experiment(), 3, 4)
    assert "timed" not in experiment().canonical()


def test_how_much_longer_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(shaking.LONGER, "4")
    assert shaking.entered(experiment()) == experiment()
    monkeypatch.setenv(shaking.VARIABLE, "21")
    assert shaking.entered(experiment()) == shaken(experiment(), 21, 4)
    monkeypatch.setenv(shaking.LONGER, "0")
    with pytest.raises(SetupError, match="LABKIT_SHAKE_TIME='0': write how many times as long, 1 to 100"):
        shaking.entered(experiment())


def test_nothing_is_done_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    exp = experiment()
    for text in ("", None):
        monkeypatch.delenv(shaking.VARIABLE, raising=False)
        if text is not None:
            monkeypatch.setenv(shaking.VARIABLE, text)
        assert shaking.entered(exp) is exp
    monkeypatch.setenv(shaking.VARIABLE, "7")
    assert shaking.entered(exp) == shaken(exp, 7)


@pytest.mark.parametrize("text", ["0", "-1", "x", "1.5", " 1", "1000001", "²"])
def test_a_bad_shake_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(shaking.VARIABLE, text)
    with pytest.raises(SetupError, match=r"LABKIT_SHAKE='.*': write the number of a shake, 1 to 1000000"):
        shaking.entered(experiment())
