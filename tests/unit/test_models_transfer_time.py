"""The time of a transfer by Padhye's model: its limits, and its two times found again."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.errors import SpecError
from labkit.models import fitting, padhye
from labkit.models.transfer_time import MSS, padhye_form, transfer_time

LOSS = np.array([0, 2, 5, 8, 10, 15.0])


def test_without_loss_it_is_the_line_and_with_all_lost_it_never_ends() -> None:
    assert transfer_time(0, 0.05, 0.25, 5e5, 0.17) == 0.17
    assert transfer_time(100, 0.05, 0.25, 5e5, 0.17) == np.inf


def test_it_is_the_size_over_padhyes_rate_where_the_line_is_faster() -> None:
    rate = padhye.throughput(0.05, 0.05, 0.25, b=1)
    assert transfer_time(5, 0.05, 0.25, 1448e3, 0.1) == pytest.approx(1000 / rate)
    assert MSS == 1448


def test_rare_losses_give_the_square_root_law() -> None:
    """Mathis et al. 1997, equation 3: 1.22 / (RTT sqrt(p)) packets a second."""
    found = transfer_time(1e-4, 0.1, 0.2, 1448e6, 1)
    assert found == pytest.approx(1e6 * 0.1 * np.sqrt(1e-6) / np.sqrt(1.5), rel=0.01)


def test_both_times_are_found_again() -> None:
    form = padhye_form(5e5, 0.17)
    found = fitting.fit(form, LOSS, transfer_time(LOSS, 0.03, 0.3, 5e5, 0.17))
    assert found.values == pytest.approx([0.03, 0.3], rel=1e-3)


@pytest.mark.parametrize(
    "bad",
    [
        (-1, 0.1, 0.2),
        (101, 0.1, 0.2),
        (5, 0, 0.2),
        (5, 0.1, -1),
        (float("nan"), 0.1, 0.2),
        ([1, 2, 3], [0.1, 0.2], 1),
    ],
)
def test_what_is_no_loss_or_time_is_refused(bad: tuple[object, ...]) -> None:
    with pytest.raises(SpecError, match="loss_percent"):
        transfer_time(*bad, size=5e5, line_s=1)


@pytest.mark.parametrize(("size", "line_s"), [(0, 1), (1, 0), (float("nan"), 1), (1, float("inf"))])
def test_what_is_no_transfer_is_refused(size: float, line_s: float) -> None:
    with pytest.raises(SpecError, match=r"size=|line_s="):
        transfer_time(5, 0.1, 0.2, size, line_s)
