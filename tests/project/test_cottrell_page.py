"""Cottrell's page: nothing of the source is left out; what it says of a number is a test. Runs nothing."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from labkit.models import cottrell, power_law, square_root
from tests.project.test_tree import ROOT, script
from tests.unit.test_models_padhye import evaluated

CASES, PFTK = script("cases"), script("cottrell_pftk")
COTTRELL = CASES.CASES["cottrell"]
KNOWN = json.loads((ROOT / "book/data/cottrell.json").read_text())
PAGE = " ".join(COTTRELL.page.read_text(encoding="utf-8").split())
KM = KNOWN["rtt_of_distance"]["km"]
DELAY, LOST = "links.left-r.delay", "links.r-right.forward.loss"
BY_LOSS = ("1-chart", "2-rare-loss", "3-rarer-loss", "4-rarest-loss")


def rows(name: str) -> pd.DataFrame:
    return CASES.kept(COTTRELL, name).table


def km(label: str) -> float:
    return float(label.split(" km")[0].replace(" ", ""))


def over_law(name: str) -> pd.Series:
    """Mean goodput over his law (Mbit/s over Mbit/s), by loss and distance."""
    means = rows(name).groupby([LOST, DELAY])["goodput"].mean()
    laws = [square_root.rate(p, cottrell.rtt(km(label)), 1460, 1) / 1e6 for p, label in means.index]
    return means / laws


# What was published.


def test_the_numbers_that_the_page_and_the_models_take_are_the_sources() -> None:
    assert KNOWN["mathis"].startswith("rate = (MSS/RTT) * 1/sqrt(p)")
    assert (KNOWN["pftk"]["b"], KNOWN["pftk"]["T0_s"], PFTK.T0_S) == (2, 3, 3)
    assert f"{KNOWN['mss']['with_mss_1460']} of {KNOWN['mss']['sites']} sites" in PAGE
    assert f"R² = {KNOWN['validation']['r_squared']}" in PAGE
    k, s = power_law.PINGER_FIT
    assert KNOWN["pinger"]["fit"] == f"{k} / loss^{s}, R^2 about 0.89"
    beta, half = power_law.PINGER_THEORY
    assert KNOWN["pinger"]["theory_fit"] == f"beta/sqrt(loss), beta = {beta:g}, X = 12.43, 129 countries"
    assert half == 0.5
    assert "2.85e-6" in KNOWN["zero_loss_rules"][0] and "128 KB" in KNOWN["zero_loss_rules"][1]
    assert cottrell.half_a_packet() == pytest.approx(2.85e-6, rel=2e-3)
    assert "{} to {} % a month".format(*KNOWN["loss_improvement_per_month_percent"]) in PAGE


def test_each_part_of_the_source_has_its_place_on_the_page() -> None:
    for said in (
        "rate = (MSS/RTT)/√p",
        "2.85·10⁻⁶",
        "175,200",
        "Wmax/RTT",
        "128 KB",
        "47 of 48 sites",
        "1526.6/loss^0.66",
        "1875/√loss",
        "12.43",
        "R² = 0.85",
        "2 to 9 % a month",
        "for 36 months",
        "from 2.5 % at 100 ms",
    ):
        assert said in PAGE, said
    for chapter in ("chapter 25", "chapter 27", "chapter 28"):
        assert chapter in PAGE


def test_the_charts_distances_and_round_trips_are_his() -> None:
    labels = COTTRELL.file("1-chart").grid[DELAY]
    assert [km(label) for label in labels] == KM
    assert 2000 * np.array([float(d[:-2]) / 1000 for d in labels.values()]) == pytest.approx(
        KNOWN["rtt_of_distance"]["ms"]
    )


def test_the_charts_losses_are_the_upper_ends_of_the_bands() -> None:
    ends = [float(p[:-1]) / 100 for p in COTTRELL.file("1-chart").grid[LOST]]
    assert ends == pytest.approx(list(cottrell.BANDS.values())[:-1])


@pytest.mark.parametrize("name", BY_LOSS)
def test_published_rates_are_his_law(name: str) -> None:
    for row in COTTRELL.file(name).published.rows:
        p = float(row[LOST][:-1]) / 100
        law = square_root.rate(p, cottrell.rtt(km(row[DELAY])), 1460, 1) / 1e6
        assert row["goodput"] == pytest.approx(law, rel=1e-3)


def test_windows_without_loss_are_the_three_that_are_named() -> None:
    assert list(COTTRELL.file("5-no-loss").grid["flows.rcvbuf"]) == ["128 KiB", "12.8 kB", "8 KiB"]
    for row in COTTRELL.file("5-no-loss").published.rows:
        wmax = {"128 KiB": 131_072, "12.8 kB": 12_800, "8 KiB": 8192}[row["flows.rcvbuf"]]
        rate = cottrell.window_rate(wmax, cottrell.rtt(km(row["links.left-right.delay"]))) / 1e6
        assert row["goodput"] == pytest.approx(rate, rel=1e-3)


PROJECTED = re.findall(r"\| (\d+) % \| ([\d. |]+) \| (\d+) months \|", PAGE)


def test_the_projection_has_a_row_for_each_per_cent_a_month() -> None:
    assert [int(row[0]) for row in PROJECTED] == list(range(1, 11))
    assert "| 0 % | 0.739 | 0.739 | 0.739 | 0.739 | never |" in PAGE
    for monthly, rates, twice in PROJECTED:
        lost = cottrell.improved(0.025, int(monthly) / 100, np.array([0, 12, 24, 36]))
        law = square_root.rate(lost, 0.1, 1460, 1) / 1e6
        assert [float(rate) for rate in rates.split(" | ")] == pytest.approx(law, rel=0.006)
        assert int(twice) == round(float(cottrell.months_until(2, int(monthly) / 100)))


def test_the_measured_projection_is_of_these_losses() -> None:
    grid = COTTRELL.file("6-projection").grid["links.r-far.forward.loss"]
    assert [int(label.split()[0]) for label in grid] == list(range(11))
    assert list(grid.values()) == pytest.approx(cottrell.improved(0.025, np.arange(11) / 100, 36), rel=1e-5)


def test_half_a_packet_over_100_ms_is_what_the_page_says() -> None:
    pings = np.array([cottrell.PINGS_A_YEAR, 480, 100])
    rates = square_root.rate(cottrell.half_a_packet(pings), 0.1, 1460, 1) / 1e6
    assert rates == pytest.approx([69, 3.6, 1.7], rel=0.03)


def test_the_papers_column_is_the_sources_formula() -> None:
    source = KNOWN["pftk"]
    for (p, distance), row in PFTK.rates().iterrows():
        w, wmax = evaluated(source["w(p)"], p=p), PFTK.WMAX / PFTK.MSS
        names = {"p": p, "w": w, "Wmax": wmax, "MSS": 8e-6 * PFTK.MSS, "T0": source["T0_s"]}
        names |= {"RTT": cottrell.rtt(km(distance)), "Q": lambda p, w: evaluated(source["Q(p,w)"], p=p, w=w)}
        names["G"] = lambda p: evaluated(source["G(p)"], p=p)
        branch = "rate if w(p) < Wmax" if w < wmax else "rate otherwise"
        assert row["By the paper"] == pytest.approx(evaluated(source[branch], **names)), (p, distance)


def test_the_table_with_timeouts_is_of_the_kept_rows_and_has_all_of_them() -> None:
    page = COTTRELL.page.read_text(encoding="utf-8")
    assert PFTK.filled(page) == page, "scripts/cottrell_pftk.py"
    assert page.count("<!-- cottrell-pftk -->") == 1
    assert len(PFTK.rates()) == sum(len(COTTRELL.file(name).published.rows) for name in BY_LOSS)


def outputs(chapter: str) -> str:
    """All that is printed in a chapter's recording."""
    cells = json.loads((ROOT / f"chapters/{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    texts = [
        o.get("text") or o.get("data", {}).get("text/plain") for c in cells for o in c.get("outputs", ())
    ]
    return "\n".join("".join(text) for text in texts if text)


def test_what_the_page_says_of_chapters_19_and_20_is_what_they_have_recorded() -> None:
    said = re.search(r"(0\.\d\d) with pings before the transfer, (0\.\d\d) with pings beside", PAGE)
    assert said and "R squared of Mbit/s: {} before, {} beside".format(*said.groups()) in outputs(
        "28-from-ping-to-throughput"
    )
    fits = outputs("27-fitting-what-you-measure")
    in_logs, not_logs, half = (
        re.search(rf"^{row} +([\d. ]+)$", fits, re.MULTILINE)[1].split()  # type: ignore[index]
        for row in ("in logs", "not", "in logs, a half")
    )
    assert "a fit in logs gives {} back ({} to {})".format(*in_logs[:3]) in PAGE
    assert "one not in logs {} to {}".format(*not_logs[1:3]) in PAGE
    assert f"R² {half[3]} in place of {in_logs[3]}" in PAGE


# What was measured.


def test_linux_is_above_his_bound_up_to_2_5_per_cent_at_5_from_250_km_on_and_below_at_12() -> None:
    found = over_law("1-chart").unstack(DELAY)
    far = [label for label in found if km(label) >= 250]
    assert (found.loc[[0.01, 0.025]] > 1).all().all() and (found.loc[0.05, far] > 1).all()
    assert (found.loc[0.12] < 1).all()


def test_at_12_per_cent_a_short_round_trip_has_less_than_a_long_one() -> None:
    found = over_law("1-chart")[0.12]
    assert found["10 km (0.25 ms)"] < 0.3 < 0.6 < found["25 000 km (625 ms)"]


@pytest.mark.parametrize("name", ["2-rare-loss", "3-rarer-loss"])
def test_rare_losses_leave_a_quarter_more_than_the_law_whatever_the_distance(name: str) -> None:
    found = over_law(name)
    assert found.between(1.1, 1.4).all()


def test_the_rarest_too() -> None:
    assert over_law("4-rarest-loss").between(0.9, 1.6).all()


def test_a_window_of_128_kib_gives_the_rule_within_3_per_cent_and_whole_packets_cost_an_eighth() -> None:
    found = rows("5-no-loss").set_index(["flows.rcvbuf", "links.left-right.delay"])["goodput"]
    for (window, label), rate in found.items():
        wmax = {"128 KiB": 131_072, "12.8 kB": 12_800, "8 KiB": 8192}[window]
        share = rate / (cottrell.window_rate(wmax, cottrell.rtt(km(label))) / 1e6)
        low, high = {"128 KiB": (0.97, 1), "12.8 kB": (0.87, 0.93), "8 KiB": (0.85, 0.9)}[window]
        assert low < share < high, (window, label, share)


def test_the_rate_goes_with_the_size_of_a_packet() -> None:
    found = rows("7-mtu").groupby("links.r-right.mtu")["goodput"].mean()
    per_byte = found / (found.index.to_numpy() - 52)
    assert per_byte.max() / per_byte.min() < 1.25
    assert found[9000] / found[576] > 12


def test_linux_has_1_1_to_1_3_times_the_projected_rates() -> None:
    found = rows("6-projection").groupby("links.r-far.forward.loss")["goodput"].mean()
    law = {
        f"{i} %": square_root.rate(cottrell.improved(0.025, i / 100, 36), 0.1, 1460, 1) / 1e6
        for i in range(11)
    }
    ratio = found / pd.Series(law)
    assert ratio.between(1.1, 1.3).all()


def test_the_misprint_counts_where_windows_and_round_trips_are_small() -> None:
    found = PFTK.rates()
    wrong = (found["As printed"] / found["By the paper"]).unstack()
    assert wrong.loc[:0.01, "25 000 km (625 ms)"].max() < 1.1
    assert wrong.loc[0.001, "10 km (0.25 ms)"] == pytest.approx(10, abs=0.5)
    assert wrong.max().max() < 10.5 and (wrong > 1).sum().sum() == wrong.count().sum()


def test_with_three_seconds_the_distance_hardly_counts_and_linux_has_a_thousand_times_as_much() -> None:
    near, middle = (PFTK.rates().loc[0.05, at] for at in ("10 km (0.25 ms)", "1000 km (25 ms)"))
    assert middle["By the paper"] / near["By the paper"] == pytest.approx(0.9, abs=0.05)
    assert near["Measured"] / near["By the paper"] == pytest.approx(1000, rel=0.25)
    assert middle["Measured"] / middle["By the paper"] == pytest.approx(16, rel=0.1)


def test_linux_has_1_5_times_the_formula_and_more_and_with_its_numbers_it_is_right_over_25000_km() -> None:
    found = PFTK.rates()
    assert (found["Measured"] / found["By the paper"]).min() > 1.45
    ours = (found["Measured"] / found["With Linux's numbers"]).unstack()
    assert ours.loc[1e-4:, "25 000 km (625 ms)"].between(1 / 1.07, 1.07).all()
    assert ours.loc[0.001:, "10 km (0.25 ms)"].min() > 2.9
