"""The models of the chapters' live widgets say what labkit.models says, on random input."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from labkit.errors import SpecError
from labkit.models import dispersion, fitting, power_law, sample_size, square_root
from labkit.models.exponential import EXPONENTIAL
from labkit.models.intervals import t_quantile
from tests.decode_js.decoded import needs_node

MODELS = Path(__file__).with_name("models.mjs")
Call = tuple[Any, ...]


def by_javascript(calls: Sequence[Call]) -> list[Any]:
    """What each call gives; NaN comes back as None. Raises AssertionError."""
    needs_node()
    given = json.dumps(calls)
    done = subprocess.run(
        ["node", MODELS], input=given, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.fixture
def chance() -> np.random.Generator:
    return np.random.default_rng(3)


def test_students_quantile() -> None:
    freedoms = [*range(1, 400), 1000, 9999, 123_456]
    found = by_javascript([("tQuantile", n) for n in freedoms])
    assert found == pytest.approx([t_quantile(n) for n in freedoms], rel=1e-10)


def test_runs_for_an_interval(chance: np.random.Generator) -> None:
    cases = [*zip(chance.lognormal(-0.5, 1, 300), chance.uniform(0.02, 0.6, 300), strict=True)]
    found = by_javascript([("runsForInterval", cv, half) for cv, half in cases])
    assert found == [sample_size.runs_for_interval(cv, half) for cv, half in cases]


@pytest.mark.parametrize(("cv", "half"), [(0, 0.1), (-1, 0.1), (1, 0), (50, 0.001)])
def test_runs_that_nobody_can_make(cv: float, half: float) -> None:
    (found,) = by_javascript([("runsForInterval", cv, half)])
    assert set(found) == {"error"}


def test_modes(chance: np.random.Generator) -> None:
    cases = []
    for _ in range(100):
        near = [chance.normal(at, at / 200, chance.integers(1, 40)) for at in chance.uniform(1, 20, 4)]
        cases.append((np.concatenate(near), float(chance.uniform(0.005, 0.1)), int(chance.integers(1, 5))))
    found = by_javascript([("modes", values.tolist(), width, least) for values, width, least in cases])
    assert found == [
        [mode._asdict() for mode in dispersion.modes(values, width, least)] for values, width, least in cases
    ]


def test_rates_of_trains(chance: np.random.Generator) -> None:
    """Of several flows, with lost packets, single packets and packets out of order."""
    rows = [
        (flow, train, float(train + chance.exponential(0.001)) if chance.random() > 0.1 else None)
        for flow in ("probe", "a probe")
        for train in range(60)
        for _ in range(int(chance.integers(1, 4)))
    ]
    flow, train, received = zip(*rows, strict=True)
    table = pd.DataFrame({"flow": pd.Categorical(flow), "train": train, "packet": 0, "received_s": received})
    table["received_s"] = table["received_s"].astype("float64")
    ours = dispersion.rates(table, 1514)
    (found,) = by_javascript([("rates", flow, train, received, 1514)])
    assert [np.nan if rate is None else rate for rate in found] == pytest.approx(ours.tolist(), nan_ok=True)


def test_numpys_random_numbers(chance: np.random.Generator) -> None:
    seeds = [0, 1, 2, 2**32 - 1, *chance.integers(0, 2**32, 20).tolist()]
    bounds = [1, 2, 3, 5, 10, 1000, 2**31, 2**31 + 1, 2**32 - 1] * 20
    found = by_javascript([("below", seed, bounds) for seed in seeds])
    for seed, mine in zip(seeds, found, strict=True):
        drawn = np.random.default_rng(seed)
        assert mine == [int(drawn.integers(bound)) for bound in bounds]


def test_numpys_resamples(chance: np.random.Generator) -> None:
    groups = [chance.normal(size=n).tolist() for n in (5, 5, 1, 2, 7, 100)]
    found = by_javascript([("resample", seed, groups) for seed in range(20)])
    for seed, mine in enumerate(found):
        drawn = np.random.default_rng(seed)
        assert mine == [drawn.choice(group, len(group)).tolist() for group in groups]


FORMS = {"exponential": EXPONENTIAL, "rising": power_law.RISING}


@pytest.mark.parametrize("name", FORMS)
def test_fits_are_as_good_as_scipys(name: str) -> None:
    """Growing, falling and straight points, with little noise and with much. In nine of ten cases it is the
    same curve to a millionth; the others have a flat valley, where the last bit decides how far it goes."""
    chance, form = np.random.default_rng(5), FORMS[name]
    x = np.array([0.0, 2, 5, 8, 10, 15])
    cases = []
    for _ in range(150):
        a, b, c = chance.uniform(0.1, 3), chance.uniform(0.001, 3), chance.uniform(-0.3, 0.4)
        y = (a + b * np.exp(c * x)) * np.exp(chance.normal(0, chance.choice([1e-3, 0.05, 0.4]), len(x)))
        cases.append((y, y if chance.random() < 0.7 else np.ones_like(y)))
    found = by_javascript([("fit", name, x.tolist(), y.tolist(), s.tolist()) for y, s in cases])
    worse, same = [], 0
    for (y, sigma), mine in zip(cases, found, strict=True):
        try:
            ours = fitting.fit(form, x, y, sigma)
        except SpecError:  # it gave up
            continue
        said = form.function(x, *mine)
        if (((y - said) / sigma) ** 2).sum() > (1 + 1e-5) * (((y - ours(x)) / sigma) ** 2).sum():
            worse.append((y, mine, ours.values))
        same += np.allclose(said, ours(x), rtol=1e-6)
    assert not worse
    assert same >= 0.9 * len(cases)


def test_a_point_without_a_value_is_named() -> None:
    (found,) = by_javascript([("fit", "rising", [0, 2, 5], [1, None, 3], [1, 1, 1])])
    assert "at 2" in found["error"]


def test_the_square_root_law(chance: np.random.Generator) -> None:
    cases = [*zip(chance.uniform(1e-5, 1, 50), chance.uniform(1e-3, 1, 50), strict=True)]
    found = by_javascript([("squareRootRate", p, rtt, 1460, 1) for p, rtt in cases])
    assert found == pytest.approx([square_root.rate(p, rtt, 1460, 1.0) for p, rtt in cases], rel=1e-12)


def test_arithmetic(chance: np.random.Generator) -> None:
    pairs = [
        *zip(chance.integers(-50, 50, 200) / 20, chance.choice([0.05, 0.1, -0.1, 0.3], 200), strict=True)
    ]
    found = by_javascript([("floorDivided", a, b) for a, b in pairs])
    assert found == [a // b for a, b in pairs]
    rows = [chance.integers(0, 5, 7).tolist() for _ in range(50)]
    assert by_javascript([("smallest", row) for row in rows]) == [int(np.argmin(row)) for row in rows]
    assert by_javascript([("largest", row) for row in rows]) == [int(np.argmax(row)) for row in rows]
    (even, steep) = by_javascript([("evenly", 0, 15, 16), ("geometrically", 0.05, 20, 60)])
    assert even == np.linspace(0, 15, 16).tolist()
    assert steep == pytest.approx(np.geomspace(0.05, 20, 60).tolist(), rel=1e-14)
