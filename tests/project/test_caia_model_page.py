"""CAIA's model: published errors and deviations, complete, beside ours; what the page says is in the rows.

Runs nothing.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from labkit.models import fitting
from labkit.models.estimates import mean
from labkit.models.exponential import EXPONENTIAL, exponential
from tests.project.test_caia_page import CAIA, CASES, MODEL
from tests.project.test_tree import ROOT, script

OURS = script("caia_model")
WAYS = script("caia_ways")
TALK = json.loads((ROOT / "book/data/caia.json").read_text())
PAGE = CAIA.page.read_text(encoding="utf-8")
PUBLISHED = {  # rate in Mbit/s -> error, deviation, of 0, 2, 5, 8, 10, 15 % loss
    1.5: ([7.25, 1.94, 0.85, 10.89, 17.44, 36.30], [0, 1.69, 9.26, 24.28, 21.77, 38.39]),
    6: ([7.37, -9.08, -8.48, 5.48, 20.00, 22.80], [0, 9.32, 25.58, 39.68, 41.86, 37.73]),
    15: ([7.14, -26.91, -24.19, 8.61, 16.07, 12.35], [0, 21.07, 47.71, 56.05, 41.71, 30.41]),
    25: ([6.88, -24.68, -23.70, 5.79, 23.96, 7.22], [0, 40.79, 52.03, 48.08, 52.16, 44.68]),
}
LOSSES = [0, 2, 5, 8, 10, 15]
FAST = ["6 Mbit/s", "15 Mbit/s", "25 Mbit/s"]


def test_both_published_columns_are_kept_whole() -> None:
    for rate, (errors, spread) in PUBLISHED.items():
        found = OURS.published().xs(f"{rate:g} Mbit/s", level="rate")
        assert found.index.to_list() == LOSSES
        assert found["error"].to_list() == errors and found["deviation"].to_list() == spread
    assert len(OURS.published()) == 24


def test_the_page_has_every_published_figure_beside_ours() -> None:
    for rate, (errors, spread) in PUBLISHED.items():
        for loss, error, deviation in zip(LOSSES, errors, spread, strict=True):
            at = f"| {rate:g} Mbit/s | {loss} % |"
            assert f"{at} {error:.2f} |" in PAGE and f"{at} {deviation:.2f} |" in PAGE


@pytest.mark.slow
def test_the_pages_tables_are_of_the_kept_rows() -> None:
    assert OURS.filled(PAGE) == PAGE, "scripts/caia_model.py"
    assert {match[2] for match in OURS.BLOCK.finditer(PAGE)} == set(OURS.tables())


def test_the_form_is_the_talks() -> None:
    assert TALK["model"].startswith("y(x) = a + b*exp(c*x)") and "`y(x) = a + b*exp(c*x)`" in PAGE
    assert exponential(2, 1, 3, 0.5) == pytest.approx(1 + 3 * np.e)


@pytest.mark.parametrize("name", sorted(MODEL - {"10-model-queue"}))
def test_rows_are_complete_and_files_say_that_no_time_is_published(name: str) -> None:
    file = CAIA.file(name)
    assert file.published.rows == () and "no time is" in file.published.source
    assert file.seeds == (100 if name == "10-model" else 10)
    table = OURS.runs(name)
    assert table["s"].notna().all() and sorted(table["loss"].unique()) == LOSSES


def test_published_errors_are_no_residuals_of_a_best_fit_and_ours_are() -> None:
    errors = OURS.published()["error"].unstack()[OURS.RATES]
    assert [fitting.sign_changes(errors[rate]) for rate in OURS.RATES] == [0, 2, 2, 2]
    for rate, part in OURS.runs().groupby("rate"):
        y = part.groupby("loss")["s"].mean().to_numpy()
        for sigma in (None, y):
            found = fitting.fit(EXPONENTIAL, np.array(LOSSES, float), y, sigma)
            assert fitting.sign_changes(found.residuals) >= 3, rate


def test_fifteen_signs_are_the_forms_bias() -> None:
    theirs = np.sign(OURS.published()["error"].unstack()[FAST])
    ours = np.sign(OURS.errors(OURS.runs())[FAST])
    assert (theirs == ours).loc[:10].all().all() and (theirs != ours).loc[15].all()


def test_rates_fitted_and_times_checked_give_the_sign_at_15_percent() -> None:
    assert (OURS.errors(OURS.runs(), of_rates=True).loc[15] > 0).all()
    assert (OURS.published()["error"].unstack().loc[15] > 0).all()


def test_the_error_without_loss_is_the_same_at_every_rate_and_ours_is_not() -> None:
    published = OURS.published()["error"].unstack().loc[0]
    ours = OURS.errors(OURS.runs()).loc[0]
    assert published.between(6.8, 7.4).all() and ours.max() > 5 * ours.min()


def test_deviations_are_the_published_ones_within_a_factor_of_1_3() -> None:
    found = OURS.settings()
    assert OURS.distance(found["as above"]) < 1.32
    for name, part in found.items():
        if name != "as above":
            assert OURS.distance(part) > 1.6, name
    assert OURS.distance(found["as above"].assign(s=OURS.runs()["duration"])) > 1.4


def test_one_lost_syn_in_ten_would_show() -> None:
    usual = OURS.runs().query("rate == '1.5 Mbit/s' and loss == 2")["s"].mean()
    for late, spread in ((1, 0.1), (3, 0.3)):
        times = pd.Series([usual] * 9 + [usual + late])
        assert times.std() / times.mean() == pytest.approx(spread, abs=0.03)


def test_with_delay_runs_differ_less_at_high_loss_than_published() -> None:
    found = OURS.settings()
    for name in ("25 ms each way", "50 ms each way"):
        ours = OURS.deviations(found[name]).loc[[8, 10, 15], FAST]
        assert (ours < OURS.published()["deviation"].unstack().loc[[8, 10, 15], FAST]).all().all()


def test_some_runs_with_an_early_loss_are_faster_than_those_without() -> None:
    table = OURS.settings()["10 ms each way"].query("rate == '25 Mbit/s'")
    clean, lossy = (table[table["loss"] == loss]["s"] for loss in (0, 2))
    assert lossy.min() < 0.6 * clean.min()
    deep = CASES.kept(CAIA, "10-model-queue").table
    queue = "links.left-right.forward.queue"
    few, _, many = (
        part.groupby("links.left-right.forward.loss")["duration"].min()
        for _, part in deep.groupby(queue, sort=False)
    )
    assert few[0.02] < 0.6 * few[0] and many[0] <= many[0.02] and many[0] < 0.5 * few[0]


def test_timeouts_of_a_second_make_it_longer_and_todays_linux_shorter() -> None:
    at = {
        name: part.query("rate == '25 Mbit/s' and loss == 15")["s"] for name, part in OURS.settings().items()
    }
    assert mean(at["timeouts of 1 s"]).value > 3 * mean(at["as above"]).value
    assert mean(at["today"]).value < 0.6 * mean(at["as above"]).value


@pytest.mark.slow
def test_of_576_ways_to_make_the_table_none_has_all_24_signs_and_three_have_22() -> None:
    found = WAYS.ways()
    assert len(found) == 576 and not found.duplicated(list(found)[:-1]).any()
    assert found["agree"].max() == 22 and (found["agree"] == 22).sum() == 3
    for page in ("book/caia.md", "chapters/27-fitting-what-you-measure.md"):
        said = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert "We tried 576 ways to make the table" in said
        assert re.search(r"[Nn]one had all 24 signs[,;] three had 22\.", said), page


def test_a_way_that_is_the_pages_has_the_pages_errors() -> None:
    found = WAYS.ways().set_index(["setting", "clock", "fitted", "weights", "checked", "sign"])
    theirs = np.sign(OURS.published()["error"].unstack()[OURS.RATES])
    for fitted, of_rates in (("mean times", False), ("mean rates", True)):
        ours = np.sign(OURS.errors(OURS.runs(), of_rates))
        way = ("as above", "from the connection", fitted, "per cents", "mean", "measured less fitted")
        assert found.loc[way, "agree"] == (ours == theirs).to_numpy().sum()
