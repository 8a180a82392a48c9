"""Links whose rate follows a trace: what is read, what is refused, what is written, what it compiles to."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.errors import SpecError
from labkit.models import cellular
from labkit.spec import Change, Direction, Experiment, Flow, Link, Trace
from labkit.spec.shaken import shaken
from labkit.spec.topologies import pair
from labkit.spec.traced_rate import FRAME, shipped_text

STEPS = Trace([(0, "8mbit"), (1, "2mbit"), (2, 0)], "3s")


def packets(trace: Trace) -> float:
    """What it carries in a period: frames."""
    return trace.mean * trace.period / 8 / FRAME if trace.period else 0


@pytest.mark.parametrize("bin", ["20ms", "50ms", "100ms", "170ms"])
@pytest.mark.parametrize("name", cellular.SHIPPED)
def test_a_period_carries_as_many_packets_as_mahimahis_has_opportunities(name: str, bin: str) -> None:
    lines = len(shipped_text(name).split())
    assert packets(Trace.shipped(name, bin)) == pytest.approx(lines, rel=2e-3)


def test_each_bin_has_the_rate_of_its_opportunities() -> None:
    """Half of 100 ms with four, half with two: 1,514 bytes each, a thousandth less."""
    trace = Trace.parse("1\n2\n3\n50\n51\n100\n", "50ms")
    assert trace.period == 0.1
    assert [rate for _, rate in trace.steps] == pytest.approx(
        [4 * 8 * 1514 / 0.05, 2 * 8 * 1514 / 0.05], rel=2e-3
    )


def test_an_outage_has_the_last_packet_before_it() -> None:
    trace = Trace.parse("10\n20\n200\n", "50ms")
    assert [time for time, _ in trace.steps] == [0, 0.05, 0.15]
    assert [rate * 0.05 / 8 / 1514 for _, rate in trace.steps] == pytest.approx([1, 0.5, 1], rel=2e-3)


def test_an_outage_goes_on_around_the_end() -> None:
    """Empty at its begin, one packet in its last bin: that step lasts into the next period."""
    trace = Trace.parse("120\n130\n250\n", "50ms")
    assert trace.rate_at(0) == trace.rate_at(0.22) == pytest.approx(8 * 1514 / 0.15, rel=2e-3)
    assert packets(trace) == pytest.approx(3, rel=2e-3)


def test_one_line_is_a_constant_rate() -> None:
    trace = Trace.parse("1\n")
    assert [time for time, _ in trace.steps] == [0]
    assert trace.mean == pytest.approx(12_112_000, rel=2e-3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no line"),
        ("\n\n", "no line"),
        ("5\n4\n", "line 2: 4 after 5"),
        ("-5\n", "line 1: '-5'"),
        ("5\n\n7\n", "line 2: ''"),
        ("5\n1.5\n", "line 2: '1.5'"),
        ("0\n0\n", "its last time is 0"),
        ("5 6\n", "line 1: '5 6'"),
        ("99999999999999\n", "the most"),
    ],
)
def test_what_is_no_trace_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Trace.parse(text)


@pytest.mark.parametrize("bin", ["0.5ms", "1.5ms", "20s", "fast", -1])
def test_what_is_no_bin_is_refused(bin: Any) -> None:
    with pytest.raises(SpecError, match="bin="):
        Trace.parse("5\n", bin)


@pytest.mark.parametrize(
    ("steps", "period", "said"),
    [
        ([], None, r"steps: none"),
        ([(1, "1mbit")], None, "the first time is 0"),
        ([(0, "1mbit"), (2, "2mbit"), (1, "3mbit")], None, r"steps\[2\]: 1.0 s after 2.0 s"),
        ([(0, "1mbit"), (1, -5)], None, "must not be negative"),
        ([(0, "1mbit"), (1, 7)], None, r"steps\[1\]: 7 bit/s: 0 \(an outage\), or 8 at least"),
        ([(0, 0), (1, 0)], "2s", "nothing would ever pass"),
        ([(0, "1mbit"), (1, "2mbit")], "1s", "period=1.0: must exceed"),
        ([(0, "1mbit"), (1, "2mbit")], 0, "period"),
    ],
)
def test_what_is_no_list_of_steps_is_refused(steps: Any, period: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said) as error:
        Link("a", "b", rate={"steps": steps, "period": period})
    assert "\n" not in str(error.value)


def test_a_file_is_read_and_named_in_errors(tmp_path: Path) -> None:
    file = tmp_path / "cell.up"
    file.write_text("5\n7\n")
    assert Trace.read(file) == Trace.parse("5\n7\n")
    file.write_text("5\nx\n")
    with pytest.raises(SpecError, match=r"cell\.up: trace, line 2"):
        Trace.read(file)


def test_a_name_that_is_not_shipped_says_which_are() -> None:
    with pytest.raises(SpecError, match="there are drive, train, walk"):
        Trace.shipped("../walk")


def test_a_trace_is_given_as_the_rate_of_a_link_or_of_one_way() -> None:
    link = Link("a", "b", rate=STEPS, backward={"rate": "1mbit"})
    assert (link.forward.trace, link.backward.trace) == (STEPS, None)
    assert link.forward.rate == STEPS.mean == 3_333_333
    assert link.backward.rate == 10**6


def test_a_rate_beside_a_trace_must_be_its_mean() -> None:
    assert Direction(rate=STEPS.mean, trace=STEPS) == Direction(rate=STEPS)
    with pytest.raises(SpecError, match="follows the trace"):
        Direction(rate="1mbit", trace=STEPS)
    with pytest.raises(SpecError, match="given twice"):
        Direction(rate=STEPS, trace=STEPS)


def experiment(trace: Trace | str, **fields: Any) -> Experiment:
    return Experiment(pair(rate=trace), flows=[Flow("left", "right", duration="7s")], duration="7s", **fields)


def test_an_experiment_with_a_trace_comes_back_from_its_json(tmp_path: Path) -> None:
    exp = experiment(Trace.shipped("walk"))
    again = Experiment.from_json(exp.to_json())
    assert again == exp
    assert again.digest() == exp.digest() != experiment(Trace.shipped("drive")).digest()
    exp.save(tmp_path / "exp.yaml")
    assert Experiment.load(tmp_path / "exp.yaml") == exp


def test_an_experiment_without_a_trace_is_written_as_ever() -> None:
    assert "trace" not in experiment("1mbit").to_json()


def test_steps_that_change_nothing_make_no_difference() -> None:
    assert Trace([(0, 8000), (1, 8000), (2, 9000)]).digest() == Trace([(0, 8000), (2, 9000)]).digest()


def test_a_change_leaves_rate_and_queue_to_the_trace() -> None:
    delay = experiment(STEPS, changes=[Change("1s", ("left", "right"), delay="5ms")])
    assert delay.timeline()[0][1].forward.trace == STEPS
    for fields in ({"rate": "1mbit"}, {"queue": "5p"}):
        with pytest.raises(SpecError, match="follows a trace"):
            experiment(STEPS, changes=[Change("1s", ("left", "right"), **fields)])
    with pytest.raises(SpecError, match="no such field"):
        Change("1s", ("left", "right"), trace=STEPS)


def test_a_run_that_would_take_too_many_changes_is_refused_with_its_end() -> None:
    with pytest.raises(SpecError, match=r'time_limit=.*100,000 at most: write a shorter one.*"60s"'):
        Experiment(pair(rate=Trace.shipped("walk", "10ms")), flows=[Flow("left", "right", duration="5s")])


def test_a_shaken_trace_keeps_its_times_and_outages() -> None:
    way = shaken(experiment(STEPS), 3).topology.links[0].forward
    assert way.trace is not None
    assert [time for time, _ in way.trace.steps] == [0, 1, 2]
    assert way.trace.steps[2][1] == 0
    assert way.trace != STEPS
    assert way.rate == way.trace.mean


def test_it_repeats_until_the_run_ends() -> None:
    found = [(step.at_ns // 10**9, step.rate, step.lasts_ns // 10**9) for step in STEPS.until(7)]
    mbit = 10**6
    assert found == [
        (0, 8 * mbit, 1),
        (1, 2 * mbit, 1),
        (2, 0, 1),
        (3, 8 * mbit, 1),
        (4, 2 * mbit, 1),
        (5, 0, 1),
        (6, 8 * mbit, 1),
    ]


def test_without_a_period_the_last_rate_stays() -> None:
    assert [step.at_ns for step in Trace([(0, 8000), (1, 9000)]).until(50)] == [0, 10**9]


def test_both_directions_are_told_at_the_same_instants() -> None:
    compiled = compile_experiment(experiment(STEPS))
    assert Counter(why for why in compiled.why if why.startswith("trace of")) == {
        "trace of left to right": 7,
        "trace of right to left": 7,
    }
    assert compile_experiment(experiment(STEPS)).program == compiled.program


@pytest.mark.parametrize("name", cellular.SHIPPED)
def test_a_shipped_trace_is_what_its_model_makes(name: str) -> None:
    assert shipped_text(name) == cellular.mahimahi(cellular.deliveries(*cellular.SHIPPED[name]))


def test_without_noise_worth_its_name_the_deliveries_are_poisson() -> None:
    """Mean and variance of the number in 100 ms are the same: within 5 sigma, of 3,000 intervals."""
    times = cellular.deliveries(cellular.Cell(first=200, most=400, noise=1e-9), 300, 7)
    counts = Counter((time - 1) // 100 for time in times)
    found = [counts[i] for i in range(3000)]
    mean = sum(found) / 3000
    assert mean == pytest.approx(20, abs=5 * (20 / 3000) ** 0.5)
    variance = sum((n - mean) ** 2 for n in found) / 2999
    assert variance == pytest.approx(20, abs=5 * 20 * (2 / 2999) ** 0.5)


def test_a_seed_makes_a_trace_of_its_own() -> None:
    cell = cellular.Cell()
    assert (
        cellular.deliveries(cell, 5, 1) == cellular.deliveries(cell, 5, 1) != cellular.deliveries(cell, 5, 2)
    )


@pytest.mark.parametrize("fields", [{"first": 2000}, {"noise": 0}, {"outage": -1}])
def test_a_cell_that_makes_no_sense_is_refused(fields: dict[str, float]) -> None:
    with pytest.raises(SpecError, match=f"^{next(iter(fields))}="):
        cellular.Cell(**fields)
