"""Padhye et al.: every closed form against what it stands for, the approximate model against the table of it
that Linux's DCCP carried, and the form on Cottrell's page term by term."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labkit.errors import SpecError
from labkit.models import padhye, response

P = np.array([0.001, 0.02, 0.05, 0.1, 0.3, 0.6])
# 10^6 f(p), f of RFC 3448, section 3.1, with b = 1 and T0 = 4 RTT: Linux 6.12,
# net/dccp/ccids/lib/tfrc_equation.c
DCCP = {0.0001: 8172, 0.001: 26052, 0.002: 37172, 0.005: 60335, 0.01: 89021}
DCCP |= {0.02: 136520, 0.05: 271305, 0.1: 564939, 0.2: 1863717, 0.28: 4252306}


@pytest.mark.parametrize("b", [1, 2])
def test_the_window_solves_the_papers_balance(b: int) -> None:
    """Of a tooth of X = b W / 2 round trips from W/2 to W, and half a window after the loss: (1-p)/p + W =
    X/2 (W/2 + W - 1) + W/2 packets (section 2.1)."""
    w = padhye.window(P, b)
    rounds = b * w / 2
    assert (1 - P) / P + w == pytest.approx(rounds / 2 * (3 / 2 * w - 1) + w / 2)


def test_a_rare_loss_is_mathis() -> None:
    for b in (1, 2):
        assert padhye.rate_without_timeouts(1e-8, 0.1, b) == pytest.approx(
            response.reno(1e-8, b) / 0.1, rel=1e-3
        )
        assert padhye.window(1e-8, b) == pytest.approx(np.sqrt(8 / (3 * b * 1e-8)), rel=1e-3)  # equation 14


def by_summing(p: float, w: int) -> float:
    """Q by the paper's own way (section 2.2): k packets of the round trip arrive before the first is lost,
    and bring as many into the next one, of which m arrive. Fewer than three: a timeout."""
    q = 1 - p
    share = 0.0
    for k in range(w):
        first_lost = q**k * p / (1 - q**w)
        few = sum(q**m * p if m < k else q**k for m in range(min(3, k + 1)))
        share += first_lost * (1.0 if k < 3 else few)
    return share


@pytest.mark.parametrize("p", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("w", [1, 2, 3, 4, 6, 10, 40])
def test_q_is_the_sum_that_it_abbreviates(p: float, w: int) -> None:
    assert padhye.timeout_share(p, w) == pytest.approx(by_summing(p, w))


def test_q_goes_to_three_over_w_as_losses_become_rare() -> None:
    w = np.array([2, 3, 6, 30])
    assert padhye.timeout_share(1e-9, w) == pytest.approx(padhye.timeout_share_approx(w))
    assert padhye.timeout_share(0, w) == pytest.approx([1, 1, 0.5, 0.1])


@pytest.mark.parametrize("p", [0.0, 0.1, 0.3, 0.6])
def test_a_series_of_timeouts_lasts_what_its_waits_add_up_to(p: float) -> None:
    """The k-th comes with the chance p^(k-1) and lasts 2^(k-1) T0, from the seventh on 64 T0."""
    waits = sum(p**k * 2 ** min(k, 6) for k in range(400))
    assert padhye.series_length(p, 0.3) == pytest.approx(0.3 * waits)


def test_backoff_is_the_polynomial_in_print() -> None:
    assert padhye.backoff(0.5) == 1 + 0.5 + 2 / 4 + 4 / 8 + 8 / 16 + 16 / 32 + 32 / 64
    assert padhye.backoff(1) == 64


@pytest.mark.parametrize("p", DCCP)
def test_the_approximate_rate_is_dccps_table(p: float) -> None:
    assert 1 / padhye.approximate_rate(p, 1, 4, b=1) == pytest.approx(DCCP[p] / 1e6, abs=1e-6)


def test_the_approximate_rate_approximates() -> None:
    p = np.array([1e-5, 1e-4, 1e-3, 0.01])
    ratio = padhye.approximate_rate(p, 0.1, 0.4) / padhye.send_rate(p, 0.1, 0.4)
    assert (abs(ratio - 1) < [0.01, 0.02, 0.03, 0.05]).all()


def test_a_receive_window_limits_both_and_the_branches_meet() -> None:
    for rate in (padhye.send_rate, padhye.approximate_rate, padhye.throughput):
        assert (rate(P, 0.1, 0.4, 8) <= 80).all()
    assert padhye.send_rate(1e-9, 0.1, 0.4, 8) == pytest.approx(80, rel=1e-3)
    w = float(padhye.window(0.02))
    below, above = (padhye.send_rate(0.02, 0.1, 0.4, w * side) for side in (0.999999, 1.000001))
    assert below == pytest.approx(above, rel=0.08)  # the second one counts a round trip more


def test_fewer_packets_arrive_than_are_sent() -> None:
    assert (padhye.throughput(P, 0.1, 0.4) < padhye.send_rate(P, 0.1, 0.4)).all()


def test_limits_at_zero_and_one() -> None:
    assert padhye.send_rate(0, 0.1, 0.4) == np.inf
    assert padhye.send_rate(0, 0.1, 0.4, 64) == padhye.throughput(0, 0.1, 0.4, 64) == 640
    assert padhye.approximate_rate(0, 0.1, 0.4, 64) == 640
    assert padhye.rate_without_timeouts(0, 0.1) == padhye.window(0) == np.inf
    assert padhye.send_rate(1, 0.1, 0.4) == pytest.approx(1 / (64 * 0.4))
    assert padhye.throughput(1, 0.1, 0.4) == 0
    assert padhye.series_length(1, 0.4) == np.inf
    assert padhye.timeout_share(1, 8) == 1
    assert padhye.as_printed(0, 0.1, 3, 64) == 640


def test_small_loss_rates_lose_no_digits() -> None:
    assert padhye.timeout_share(1e-11, 50) == pytest.approx(3 / 50, rel=1e-6)
    assert padhye.send_rate(1e-12, 0.1, 0.4) == pytest.approx(float(response.reno(1e-12, 2)) / 0.1, rel=1e-4)


PAGE = Path(__file__).parents[2] / "book" / "data" / "cottrell.json"


def evaluated(formula: str, **names: Any) -> float:
    """A formula of the transcription, such as "1+p+2p^2"."""
    code = re.sub(r"(\d)p", r"\1*p", formula.replace("^", "**"))
    return float(eval(code, {"sqrt": math.sqrt, "min": min}, names))


class TestThePrint:
    @pytest.mark.parametrize("p", [0.005, 0.02, 0.1, 0.3])
    @pytest.mark.parametrize("wmax", [5, 1e9])
    def test_the_books_transcription_has_the_bracket_where_the_paper_has_it(
        self, p: float, wmax: float
    ) -> None:
        page = json.loads(PAGE.read_text(encoding="utf-8"))["pftk"]
        w = evaluated(page["w(p)"], p=p)
        given = {"p": p, "w": w, "Wmax": wmax, "MSS": 1, "RTT": 0.1, "T0": page["T0_s"]}
        given["Q"] = lambda p, w: evaluated(page["Q(p,w)"], p=p, w=w)
        given["G"] = lambda p: evaluated(page["G(p)"], p=p)
        branch = "rate if w(p) < Wmax" if w < wmax else "rate otherwise"
        assert w == pytest.approx(padhye.window(p, page["b"]))
        assert evaluated(page[branch], **given) == pytest.approx(padhye.send_rate(p, 0.1, 3, wmax))

    def test_its_w_and_its_round_trips_are_the_papers_with_b_2(self) -> None:
        printed = 2 / 3 * (1 + np.sqrt(3 * (1 - P) / P + 1))
        assert padhye.window(P, 2) == pytest.approx(printed)
        rare = 1e-12  # where its Q and the paper's do not matter
        assert padhye.as_printed(rare, 0.1) == pytest.approx(padhye.send_rate(rare, 0.1, 3), rel=1e-3)
        assert padhye.as_printed(rare, 0.1, 3, 8) == pytest.approx(80, rel=1e-3)

    @pytest.mark.parametrize(("p", "w"), [(0.02, 8.0), (0.1, 5.0), (0.1, 20.0)])
    def test_its_q_is_the_papers_with_a_bracket_closed_too_early(self, p: float, w: float) -> None:
        q = 1 - p
        paper = (1 - q**3) * (1 + q**3 * (1 - q ** (w - 3))) / (1 - q**w)
        misprint = (1 - q**3) * (1 + q**3) * (1 - q ** (w - 3)) / (1 - q**w)
        assert padhye.timeout_share(p, w) == pytest.approx(min(1, paper))
        assert padhye.timeout_share_as_printed(p, w) == pytest.approx(misprint)
        assert misprint < paper

    def test_its_q_is_no_chance(self) -> None:
        assert padhye.timeout_share_as_printed(0.1, 3) == pytest.approx(0)
        assert padhye.timeout_share_as_printed(0.3, 2.5) < 0
        assert padhye.timeout_share_as_printed(1e-6, 30) < 1e-4  # 3/30 is right
        assert padhye.as_printed(0.3, 0.1) < 0

    def test_it_promises_more_than_the_paper_at_two_per_cent(self) -> None:
        assert padhye.as_printed(0.02, 0.1) > 1.5 * padhye.send_rate(0.02, 0.1, 3)


@pytest.mark.parametrize("p", [-0.1, 1.1, np.nan, [0.1, np.nan]])
@pytest.mark.parametrize(
    "rate", [padhye.send_rate, padhye.throughput, padhye.approximate_rate, padhye.as_printed]
)
def test_no_loss_rate_no_answer(rate: Callable[..., Any], p: Any) -> None:
    with pytest.raises(SpecError, match="p="):
        rate(p, 0.1, 0.4)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"rtt": 0}, "rtt"),
        ({"t0": -1}, "t0"),
        ({"wmax": 0}, "wmax"),
        ({"wmax": np.nan}, "wmax"),
        ({"b": np.nan}, "b"),
    ],
)
def test_what_must_be_positive_is_named(change: dict[str, float], name: str) -> None:
    with pytest.raises(SpecError, match=f"{name}="):
        padhye.send_rate(**({"p": 0.1, "rtt": 0.1, "t0": 0.4} | change))
    for w in (0, "wide"):
        with pytest.raises(SpecError, match="w="):
            padhye.timeout_share(0.1, w)


def test_arrays_broadcast_and_others_are_refused() -> None:
    table = padhye.send_rate(P[:, None], np.array([0.05, 0.1]), 0.4)
    assert table.shape == (6, 2) and (np.diff(table, axis=0) < 0).all()
    assert isinstance(padhye.send_rate(0.1, 0.1, 0.4), float)
    with pytest.raises(SpecError, match=r"p \(6,\), rtt \(2,\)"):
        padhye.send_rate(P, np.array([0.05, 0.1]), 0.4)
