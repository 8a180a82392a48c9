"""Backgrounds, pings and trains as descriptions: what is drawn has the distribution that was asked for."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from labkit.compile.compiler import compile_experiment
from labkit.errors import SpecError
from labkit.spec import Background, Experiment, Exponential, OnOff, Pareto, Pings, Poisson, Trains
from labkit.spec.paths import with_field
from labkit.spec.shaken import shaken
from labkit.spec.topologies import dumbbell, pair
from labkit.traffic.arrivals import instants
from labkit.traffic.kind import Context
from labkit.traffic.sizes import Fixed, as_sizes, bounded_mean, smallest

NET = pair(rate="10mbit", delay="10ms")
BACKGROUND = Background("left", "right", load=0.5, duration="100s")
PINGS = Pings("left", "right", count=100)
TRAINS = Trains("left", "right", count=100)
SURE = 4.0  # standard errors: such a deviation comes once in 16,000


def drawn(sizes: Any, n: int = 100_000) -> np.ndarray[Any, Any]:
    share = random.Random("sizes").random
    return np.array([sizes.draw(share) for _ in range(n)])


def begins(
    process: Any, per_s: float, until_s: float, *profile: float, period_s: float = 10.0
) -> list[float]:
    return list(instants(process, per_s, until_s, profile, period_s, random.Random("arrivals").random))


@pytest.mark.parametrize(
    ("mean", "shape", "most"), [(3e4, 1.3, 3e6), (3000, 1.1, 1e10), (1e4, 1.0, 1e6), (5, 3, 50)]
)
def test_a_bounded_pareto_has_the_mean_that_scipy_gives_it(mean: float, shape: float, most: float) -> None:
    least = smallest(mean, shape, most)
    assert 0 < least < mean
    assert stats.truncpareto(shape, most / least, scale=least).mean() == pytest.approx(mean, rel=1e-6)
    assert bounded_mean(least, shape, most) == pytest.approx(mean, rel=1e-9)


def test_drawn_sizes_are_distributed_as_scipy_says() -> None:
    """Kolmogorov and Smirnov; rounding up to bytes moves the distribution by less than 1/least."""
    pareto = Pareto("30kB", shape=1.3, most="3MB")
    least = smallest(pareto.mean, pareto.shape, pareto.most)
    law = stats.truncpareto(1.3, pareto.most / least, scale=least)
    assert stats.kstest(drawn(pareto, 10_000), law.cdf).pvalue > 1e-4
    assert stats.kstest(drawn(Exponential("30kB"), 10_000), stats.expon(scale=30_000).cdf).pvalue > 1e-4


@pytest.mark.parametrize("sizes", [Fixed("30kB"), Exponential("30kB"), Pareto("30kB", shape=2.5)], ids=repr)
def test_the_mean_of_drawn_sizes_is_the_mean(sizes: Any) -> None:
    found = drawn(sizes)
    error = found.std() / math.sqrt(len(found))
    assert abs(found.mean() - 30_000) <= SURE * error + 1  # a byte: each is rounded up


def test_a_pareto_is_a_hundred_times_its_mean_at_the_most() -> None:
    assert Pareto("30kB").most == 3_000_000
    assert drawn(Pareto(100)).max() <= 10_000
    assert Background("a", "b", rate="1mbit", duration=1).sizes == Pareto("30kB", most="3MB")


def test_a_plain_size_is_the_same_for_all() -> None:
    assert as_sizes("30kB") == as_sizes(30_000) == Fixed(30_000)
    assert set(drawn(Fixed(7), 10)) == {7}


def test_poisson_arrivals_have_exponential_gaps_and_their_number() -> None:
    found = begins(Poisson(), 100.0, 1000.0)
    assert abs(len(found) - 100_000) < SURE * math.sqrt(100_000)
    assert stats.kstest(np.diff(found[:10_000]), stats.expon(scale=0.01).cdf).pvalue > 1e-4
    assert found == sorted(found)


def test_bursts_leave_the_mean_as_it_is_and_make_counts_vary() -> None:
    """The variance of counts in 10 s is above a Poisson process's, which is its mean."""
    found = begins(OnOff("1s", "4s"), 100.0, 10_000.0)
    counts = np.histogram(found, bins=1000, range=(0, 10_000))[0]
    error = counts.std() / math.sqrt(len(counts))
    assert abs(counts.mean() - 1000) < SURE * error
    assert counts.var() > 10 * counts.mean()


def test_a_profile_says_how_many_come_when() -> None:
    found = np.array(begins(Poisson(), 100.0, 1000.0, 0, 1, 3, period_s=30.0))
    where = (found % 30 // 10).astype(int)
    counts = np.bincount(where, minlength=3)
    assert counts[0] == 0
    for count, expected in zip(
        counts[1:], (33_000 + 1000, 99_000), strict=True
    ):  # 1000 s: 33 periods and 10 s
        assert abs(count - expected) < SURE * math.sqrt(expected) + 1000


def test_a_profile_of_ones_draws_another_but_as_many() -> None:
    assert abs(len(begins(Poisson(), 100.0, 1000.0, 1, 1)) - 100_000) < SURE * math.sqrt(100_000)


def offered(
    background: Background, slowest: int | None = 10_000_000, mtu: int = 1500, seed: int = 1
) -> float:
    """Bits on the wire per second of its duration."""
    context = Context(0, 0, 1, "10.0.0.1", "10.0.0.2", 1, 2, seed, 0.01, slowest, mtu)
    total = sum(size for _, size in background.transfers(context))
    return 8 * total * (mtu + 14) / (mtu - 52) / background.duration


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"load": 0.5}, 5e6),
        ({"load": 0.5, "arrivals": OnOff("1s", "1s")}, 5e6),
        ({"load": None, "rate": "2mbit"}, 2e6),
        ({"load": 0.2, "profile": [0.5, 1.5], "period": "1s"}, 2e6),
        ({"load": 1.2, "profile": [0.5], "period": "1s"}, 6e6),
    ],
)
def test_the_load_is_a_share_of_the_slowest_link(fields: dict[str, Any], expected: float) -> None:
    """4 % over 10,000 s: 20,000 transfers of equal size and more, in bursts of a second at the least."""
    background = BACKGROUND.replace(**({"duration": 10_000, "sizes": "30kB"} | fields))
    assert offered(background) == pytest.approx(expected, rel=0.04)


def test_another_seed_draws_others_and_the_same_one_the_same() -> None:
    exp = Experiment(NET, flows=[BACKGROUND])
    one = compile_experiment(exp).program
    assert compile_experiment(exp).program == one
    assert compile_experiment(exp.replace(seed=2)).program != one
    first, second = (Context(i, 0, 1, "10.0.0.1", "10.0.0.2", 1, 2, i, 0.01, 10**7, 1500) for i in (0, 1))
    assert BACKGROUND.transfers(first) != BACKGROUND.transfers(second)  # two of them do not begin in step


def test_all_are_flows_of_other_kinds_and_are_read_again() -> None:
    flows = [
        BACKGROUND,
        BACKGROUND.replace(
            arrivals=OnOff("1s", "4s"), sizes=Exponential("5kB"), profile=[1, 2], name="bursts"
        ),
        PINGS,
        TRAINS,
    ]
    exp = Experiment(NET, flows=flows)
    assert [flow.name for flow in exp.flows] == ["left-right", "bursts", "left-right#2", "left-right#3"]
    assert Experiment.from_json(exp.to_json()) == exp
    assert Experiment.from_json(exp.to_json()).digest() == exp.digest()
    assert [flow.kind for flow in with_field(exp, "flows.load", 0.9).flows] == [
        flow.kind for flow in exp.flows
    ]
    assert with_field(exp, "flows.load", 0.9).flows[1].load == 0.9


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BACKGROUND.replace(load=None), "load, rate: neither given: write load=0.5"),
        (lambda: BACKGROUND.replace(rate="1mbit"), "load, rate: both given"),
        (lambda: BACKGROUND.replace(load=0), "load=0: "),
        (lambda: BACKGROUND.replace(load=math.nan), "load=nan: "),
        (lambda: BACKGROUND.replace(dst="left"), "dst='left': the same host as src"),
        (lambda: BACKGROUND.replace(profile=[0, 0]), "profile: only zeros"),
        (lambda: BACKGROUND.replace(profile=[-1]), "profile\\[0\\]=-1: "),
        (
            lambda: BACKGROUND.replace(arrivals="poisson"),
            "arrivals='poisson': must be Poisson\\(\\) or OnOff",
        ),
        (lambda: BACKGROUND.replace(arrivals={"kind": "regular"}), "must be Poisson\\(\\) or OnOff"),
        (
            lambda: BACKGROUND.replace(sizes={"kind": "normal"}),
            "sizes.kind='normal': must be one of fixed, exp",
        ),
        (lambda: BACKGROUND.replace(sizes="0kB"), "a size is at least 1"),
        (lambda: Pareto("30kB", most="20kB"), "most=20000: not above the mean \\(30000\\)"),
        (lambda: Pareto("30kB", shape=0), "shape=0: "),
        (lambda: OnOff("1us", "1s"), "on='1us': must be at least 0.001"),
        (
            lambda: Experiment(pair(delay="1ms"), flows=[BACKGROUND]),
            "no link from 'left' to 'right' has a rate",
        ),
        (lambda: Experiment(NET, flows=[BACKGROUND.replace(cc="cubik")]), 'did you mean "cubic"'),
        (lambda: PINGS.replace(count=0), "count=0: "),
        (lambda: PINGS.replace(every=0), "every=0"),
        (lambda: PINGS.replace(every="100us"), "their numbers would repeat"),
        (lambda: PINGS.replace(size=70_000), "size=70000: "),
        (lambda: TRAINS.replace(size=7), "size=7: "),
        (lambda: TRAINS.replace(packets=1000, count=100_000), "100,000,000 packets: at most 2,000,000"),
        (lambda: compiled(BACKGROUND.replace(sizes=1)), "more than 1,000,000 transfers: lower load"),
        (lambda: compiled(BACKGROUND.replace(duration="1ms")), "no transfer begins within its duration"),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(make: Callable[[], object], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        make()


def compiled(background: Background) -> bytes:
    return compile_experiment(Experiment(NET, flows=[background])).program


def test_the_slowest_link_of_the_way_counts_and_its_smallest_mtu() -> None:
    """Twice the rate at the bottleneck, twice the transfers: the same draws, in half the time."""
    slow, fast = (
        compiled_bytes(
            dumbbell(rate=rate, delay="1ms"), Background("left", "right", load=0.5, duration="100s")
        )
        for rate in ("10mbit", "20mbit")
    )
    assert fast / slow == pytest.approx(2, rel=0.2)


def compiled_bytes(network: Any, background: Background) -> int:
    return len(compile_experiment(Experiment(network, flows=[background])).program)


def test_shaken_they_begin_later_and_follow_the_links_rate() -> None:
    exp = Experiment(NET, flows=[BACKGROUND, PINGS, TRAINS])
    moved = shaken(exp, 3)
    assert all(0 < flow.start < 0.021 for flow in moved.flows)
    assert moved.seed != exp.seed
    assert moved.flows[0].replace(start=0) == exp.flows[0]
