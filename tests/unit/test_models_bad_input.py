"""Every public function of labkit.models answers bad input with its documented value or a clear error.

`models_arguments` has good arguments for each; a function that is not there fails. In the place of each
argument comes what may be wrong with it. The answer must be a SpecError that names the argument, unless VALID
says that this is no bad input there: then it must be an answer. A warning fails, too.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labkit.models
from labkit.errors import SpecError
from labkit.models import (
    cottrell,
    erasure,
    highspeed,
    padhye,
    response,
    short_flows,
    square_root,
    tfrc,
)
from labkit.models.fairness import alpha_fair, jain, max_min
from labkit.models.htcp import window
from labkit.models.optics import frame_error_rate
from labkit.models.reno import needs_timeout, rule_of_thumb
from labkit.models.rto import Sample
from labkit.models.rtt_bias import RENO, shares
from labkit.models.vegas import linux_misled
from tests.unit.models_arguments import ARGUMENTS, VALID

NAN, INF = float("nan"), float("inf")
WRONG = {"nan": NAN, "inf": INF, "-1": -1, "0": 0, "x": "x", "None": None, "ragged": [[1, 2], [3]]}
A_PATH = {("pinger.table", "file"), ("pinger.lines", "file")}
"""A text may be the path of a file, and then there is none: Python's own error."""
APART = {"dispersion.capacity", "estimates.difference", "estimates.ratio"}
"""Take two rows that need not be of one length."""


def function(name: str) -> Callable[..., Any]:
    module, _, of = name.partition(".")
    return getattr(importlib.import_module(f"labkit.models.{module}"), of)  # type: ignore[no-any-return]


def public() -> Iterator[str]:
    """module.function of all but `arguments`, which is the checks themselves."""
    for module in pkgutil.iter_modules(labkit.models.__path__):
        found = importlib.import_module(f"labkit.models.{module.name}")
        for name, value in vars(found).items():
            own = inspect.isfunction(value) and value.__module__ == found.__name__
            if own and not name.startswith("_") and module.name != "arguments":
                yield f"{module.name}.{name}"


def asked(name: str, /, **change: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return function(name)(**(ARGUMENTS[name] | change))


def refuses(name: str, said: str, /, **change: Any) -> None:
    with pytest.raises(SpecError, match=said):
        print(name, change, asked(name, **change))


def valid(name: str) -> dict[str, list[str]]:
    return {one.split()[0]: one.split()[1:] for one in VALID.get(name, "").split(", ") if one}


def takes_arrays(name: str, argument: str) -> bool:
    value = ARGUMENTS[name][argument]
    if isinstance(value, np.ndarray):
        return True
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        asked(name, **{argument: np.array([value, value])})
    except SpecError as error:
        assert re.search(rf"\b{argument}\b", str(error)), f"{name}: an array as {argument}: {error}"
        return False
    return True


def test_the_table_has_every_public_function_with_each_of_its_arguments() -> None:
    assert sorted(public()) == sorted(ARGUMENTS)
    assert VALID.keys() <= ARGUMENTS.keys()
    for name, known in ARGUMENTS.items():
        if name != "padhye.checked":  # which takes any
            assert known.keys() == inspect.signature(function(name)).parameters.keys(), name


@pytest.mark.parametrize("name", ARGUMENTS)
def test_good_arguments_have_an_answer(name: str) -> None:
    asked(name)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_what_is_no_good_argument_is_refused_by_its_name(name: str) -> None:
    fine = valid(name)
    for argument, (label, value) in itertools.product(ARGUMENTS[name], WRONG.items()):
        if label in fine.get(argument, ()):
            asked(name, **{argument: value})
        elif label != "x" or (name, argument) not in A_PATH:
            refuses(name, rf"\b{argument}\b", **{argument: value})


@pytest.mark.parametrize("name", sorted(ARGUMENTS.keys() - APART))
def test_shapes_that_do_not_fit_each_other_are_refused(name: str) -> None:
    arrays = [argument for argument in ARGUMENTS[name] if takes_arrays(name, argument)]
    for a, b in itertools.combinations(arrays, 2):
        of = {one: np.resize(ARGUMENTS[name][one], many) for one, many in ((a, 2), (b, 3))}
        refuses(name, rf"\b{a}\b|\b{b}\b", **of)


SHARES = [
    (name, argument)
    for name, known in ARGUMENTS.items()
    for argument in known
    if argument in ("p", "loss", "lost_out", "lost_back", "loss_share", "bit_error_rate")
    and isinstance(known[argument], float)
]


@pytest.mark.parametrize(("name", "argument"), SHARES)
def test_more_than_all_cannot_be_lost(name: str, argument: str) -> None:
    refuses(name, rf"\b{argument}=1.1", **{argument: 1.1})
    if takes_arrays(name, argument):
        refuses(name, rf"\b{argument}=-0.1 at 1 \(1 of 2", **{argument: [0.1, -0.1]})


@pytest.mark.parametrize(
    ("found", "right"),
    [
        (lambda p: response.reno(p), (INF, np.sqrt(1.5))),
        (lambda p: response.scalable(p), (INF, 0.08)),
        (lambda p: response.cubic(p, 0.1), (INF, 1.2)),
        (lambda p: response.bic(p), (INF, np.sqrt(1.5))),
        (lambda p: highspeed.window(p), (INF, 1.2)),
        (lambda p: square_root.window(p, 1.22), (INF, 1.22)),
        (lambda p: tfrc.rate(p, 0.1) > 0, (True, True)),
        (lambda p: padhye.send_rate(p, 0.1, 0.3, 20), (200, 1 / (64 * 0.3))),
        (lambda p: padhye.throughput(p, 0.1, 0.3, 20), (200, 0)),
        (lambda p: short_flows.latency(10, p, 0.1, 0.3), (0.1, INF)),
        (lambda p: erasure.residual_loss(p, 5, 4), (0, 1)),
        (lambda p: frame_error_rate(p, 8), (0, 1)),
        (lambda p: cottrell.improved(p, 0.5, 1), (0, 0.5)),
    ],
)
def test_no_loss_and_nothing_but_loss_have_documented_values(
    found: Callable[[float], float], right: tuple[float, float]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (found(0.0), found(1.0)) == pytest.approx(right)


@pytest.mark.parametrize(
    "law", [lambda p: response.bic(p), lambda p: response.periodic(p, *response.aimd_rules())]
)
def test_a_tooth_that_was_not_followed_has_no_window(law: Callable[[Any], Any]) -> None:
    assert np.isfinite(law(1e-9))
    with pytest.raises(SpecError, match=r"p=1e-13 at 1 \(1 of 2 values\): must be 0, or from .*e-1. to"):
        law([1e-4, 1e-13])


def test_a_tooth_that_is_too_short_has_none_either() -> None:
    with pytest.raises(SpecError, match=r"p=1: must be 0, or from .* to 0\.1"):
        response.periodic(1.0, *response.aimd_rules())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: highspeed.decrease(1e9), "w=1e.*: must be below 565,000"),
        (lambda: highspeed.loss_rate(10), "w=10: must be 38 or more"),
        (lambda: response.bic(0.1, s_min=33), "s_min=33, s_max=32"),
        (lambda: response.periodic(0.01, lambda w: -w, lambda w: w * 0 + 0.5), r"increase\(w\)=-2 at 0"),
        (lambda: response.periodic(0.01, lambda w: w, lambda w: w * 0), r"decrease\(w\)=0 at 0"),
        (lambda: window([2, 1, 0.0], 50, 0.1), "t: must begin at 0"),
        (lambda: window([5.0, 6.0], 50, 0.1), "t: must begin at 0"),
        (lambda: linux_misled(0.12, 0.1), "longer one"),
        (lambda: jain(5.0), "rates=5: must be a row"),
        (lambda: jain([]), "rates: empty"),
        (lambda: shares(RENO, [], True), "rtts: empty"),
        (lambda: jain([1, 2], axis=1), "axis=1: must be a whole number from -1 to 0"),
        (lambda: max_min({"l": 1}, {"f": ["l"]}, demands={"f": NAN}), "demands: f=nan"),
        (lambda: max_min({"l": 1}, {"f": ["l"]}, weights={"g": 1}), r"weights: 'g' is not among \['f'\]"),
        (lambda: max_min({"l": 1}, {"f": "l"}), "routes: f has 'l'"),
        (lambda: alpha_fair({}, {}, 1), "routes: no flow"),
        (lambda: needs_timeout(10, [1, 1]), "lost=.*twice"),
        (lambda: rule_of_thumb(10, [1, 50]), "places from 0 to 9"),
        (lambda: Sample(0, -1.0, 1, 1), "rtt_s=-1"),
        (lambda: short_flows.slow_start_time(50, 0.1, 10, 1), "gamma=1: must be above 1"),
        (lambda: short_flows.latency(5, 0, 0.1, 1, first=10, wmax=4), "first=10: must be at most wmax"),
        (lambda: erasure.residual_loss(0.1, 2000, 1000), "1000 at most"),
    ],
)
def test_what_makes_no_sense_together_is_refused(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        call()


def test_of_a_series_the_label_is_named_and_not_all_of_it_printed() -> None:
    runs = pd.Series([0.1, NAN, -0.1], index=pd.Index([3, 5, 7], name="seed"))
    with pytest.raises(SpecError, match=r"^p=nan at seed 5 \(1 of 3 values\): holds what is no number$"):
        response.reno(runs)
    with pytest.raises(SpecError, match=r"^p=-0\.1 at seed 7 \(1 of 2 values\)"):
        response.reno(runs.dropna())
    with pytest.raises(SpecError, match=r"^p=Series of 3: must be a number or an array of numbers$"):
        response.reno(runs.astype(str))


def test_numbers_give_numbers_and_no_arrays_without_a_dimension() -> None:
    for name in ARGUMENTS:
        assert not (isinstance(found := asked(name), np.ndarray) and not found.ndim), f"{name}: {found!r}"
