"""RFC 5348's equation against the table that Linux had of it: net/dccp/ccids/lib/tfrc_equation.c, f(p) in
millionths, which is packets of size 1 at a round trip of 1 s, with t_RTO = 4 rtt and b = 1."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.errors import LabkitError
from labkit.models import square_root, tfrc

LINUX = {  # p -> f(p), from both of its columns
    0.0001: 8172,
    0.0010: 26052,
    0.0020: 37172,
    0.0100: 89021,
    0.0500: 271305,
    0.1000: 564939,
    0.2000: 1863717,
    1.0000: 243315981,
}


@pytest.mark.parametrize("p", LINUX)
def test_the_equation_is_the_table_of_linux(p: float) -> None:
    assert 8e6 / tfrc.rate(p, 1.0, 1) == pytest.approx(LINUX[p], abs=1)  # whole millionths


def test_without_its_timeouts_it_is_the_square_root_law() -> None:
    p = np.array([1e-4, 1e-2])
    assert tfrc.rate(p, 0.1, t_rto=1e-12) == pytest.approx(square_root.rate(p, 0.1))
    delayed = square_root.constant(per_ack=2)
    assert tfrc.rate(p, 0.1, t_rto=1e-12, per_ack=2) == pytest.approx(square_root.rate(p, 0.1, c=delayed))


def test_without_loss_events_there_is_no_bound() -> None:
    assert tfrc.rate(0, 0.1) == np.inf


def test_reasonably_fair_is_within_a_factor_of_two() -> None:
    assert tfrc.fair(np.array([4.9, 5, 10, 20, 20.1]), 10).tolist() == [False, True, True, True, False]


def test_arrays_of_shapes_that_fit_are_taken_together() -> None:
    assert tfrc.rate(np.full((3, 1), 0.01), np.full(4, 0.1), t_rto=0.2).shape == (3, 4)


@pytest.mark.parametrize("p", [-0.1, 1.1, np.nan])
def test_what_is_no_loss_event_rate_is_refused(p: float) -> None:
    with pytest.raises(LabkitError, match="p="):
        tfrc.rate(p, 0.1)


@pytest.mark.parametrize("wrong", [{"rtt": 0}, {"rtt": -1}, {"size": 0}, {"t_rto": 0}, {"per_ack": np.nan}])
def test_what_is_no_time_or_size_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(LabkitError, match=f"{next(iter(wrong))}="):
        tfrc.rate(**{"p": 0.01, "rtt": 0.1, **wrong})


def test_shapes_that_do_not_fit_are_named() -> None:
    with pytest.raises(LabkitError, match=r"p \(3,\), rtt \(2,\)"):
        tfrc.rate(np.full(3, 0.01), np.full(2, 0.1))
