"""UCL's page: each series and finding of the source has its place, and what the page says is in the rows.

Runs nothing. Rows are one run each, as nothing is random there: bounds hold for the kept rows.
"""

from __future__ import annotations

import json
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

from labkit.models import response
from tests.project.test_tree import ROOT, script

CASES = script("cases")
UCL = CASES.CASES["ucl"]
SOURCE = json.loads((ROOT / "book/data/ucl.json").read_text())
PAGE = UCL.page.read_text(encoding="utf-8")
FLAT = " ".join(PAGE.split())
CCS = ["reno", "highspeed", "scalable"]
LINE = 1000 * 1448 / 1514  # Mbit/s of payload
HOLDS = 500  # packets: 6 ms of 1 Gbit/s
SERIES = {  # as the source has them -> the measures of ours
    "throughput and its standard deviation and coefficient of variation": ["rate", "rate_std", "rate_cv"],
    "mean cwnd and its standard deviation": ["cwnd_mean", "cwnd_std"],
    "packets out per 10 ms": ["packets_per_10ms"],
    "data packets and ACKs, and their ratio": ["data_packets", "acks", "acks_per_packet"],
    "cwnd against packets out per 10 ms": ["cwnd_mean", "packets_per_10ms"],
    "queue normalised to mean cwnd": ["queue_over_cwnd"],
    "congestion avoidances": ["avoidance_steps"],
    "slow starts": ["slow_start_steps"],
    "cwnd moderations and validations": ["moderations"],
    "CPU load against throughput": [],
    "fast retransmits against packets retransmitted": ["recoveries", "retransmitted"],
    "induced losses against retransmits": ["induced_losses", "retransmitted"],
    "retransmits against duplicate ACKs": ["retransmitted", "duplicate_acks"],
    "congestion signals": ["congestion_signals"],
    "mean RTT": ["rtt_mean"],
    "SACKs received": ["duplicate_acks"],
}


@cache
def rows(name: str = "01-three-stacks") -> pd.DataFrame:
    """A file's rows; axes by short names."""
    found: pd.DataFrame = CASES.kept(UCL, name).table
    short = {
        str(column): "n" if str(column).endswith("loss") else str(column).split(".")[-1]
        for column in found
        if "." in str(column)
    }
    found = found.rename(columns=short)
    return found.assign(n=[int(n.replace("k", "000").replace("M", "000000")) for n in found["n"]])


def by_n(measure: str, name: str = "01-three-stacks", **at: object) -> pd.DataFrame:
    """N down, stacks across."""
    found = rows(name)
    for key, value in at.items():
        found = found[found[key] == value]
    return found.pivot(index="n", columns="cc", values=measure)


def section(title: str) -> str:
    """From a heading that begins so to the next of its rank or above."""
    begins = re.search(rf"^(#+) {re.escape(title)}.*$", PAGE, re.MULTILINE)
    assert begins, title
    rest = PAGE[begins.end() :]
    ends = re.search(rf"^#{{1,{len(begins[1])}}} ", rest, re.MULTILINE)
    return rest[: ends.start()] if ends else rest


# What was published.


def test_every_series_has_its_section_and_its_rows() -> None:
    assert list(SERIES) == SOURCE["series"] and len(SERIES) == 16
    numbers = [
        n
        for text in re.findall(r"^## ((?:\d+(?: and )?)+):", PAGE, re.MULTILINE)
        for n in text.split(" and ")
    ]
    assert sorted(map(int, numbers)) == list(range(1, 17))
    for measures in SERIES.values():
        assert rows()[measures].notna().all().all()


@pytest.mark.parametrize(("number", "series"), list(enumerate(SERIES, 1)))
def test_a_section_shows_what_its_series_is_made_of(number: int, series: str) -> None:
    heading = next(
        h
        for h in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
        if re.match(rf"(\d+ and )*{number}( and \d+)*:", h)
    )
    shown = " ".join(re.findall(r"<!-- ucl: 01-three-stacks (.*?) -->", section(heading)))
    told = {"moderations", "duplicate_acks"} if number in (9, 16) else {"cwnd_mean"} if number == 5 else set()
    assert set(SERIES[series]) - told <= set(shown.split())


def test_every_finding_stands_in_the_last_table() -> None:
    lines = [
        line.split("|")[1].strip() for line in section("Published and measured").splitlines() if "|" in line
    ]
    for finding in SOURCE["findings"]:
        assert finding in lines, finding


def test_the_guesses_are_said() -> None:
    for guess in ("exactly each $N$-th", "1 Gbit/s", "6 ms", "1000 packets"):
        assert re.search(rf"{re.escape(guess)}[^|]*: a guess", FLAT), guess
    assert "Linux 6.12" in PAGE


# What the page says of ours.


def test_0_the_line_holds_500_packets_and_a_window_of_1500_fits_with_the_queue() -> None:
    (link,) = UCL.file("01-three-stacks").template.topology.links
    assert link.forward.rate == 1e9 and link.forward.delay + link.backward.delay == pytest.approx(0.006)
    assert link.forward.rate * 0.006 / 8 / 1514 == pytest.approx(HOLDS, rel=0.02)
    assert sorted(rows()["n"].unique())[::10] == [100, 1_000_000] and rows()["n"].nunique() == 11


def test_1_throughput_by_loss() -> None:
    rate, later = by_n("rate"), by_n("rate_later")
    assert rate.loc[100, "scalable"] / rate.loc[100, "reno"] == pytest.approx(2.18, abs=0.01)
    assert rate.loc[100, "highspeed"] / rate.loc[100, "reno"] == pytest.approx(0.72, abs=0.01)
    ahead = rate.loc[2000:50_000]
    assert (rate.loc[:1000, "highspeed"] < rate.loc[:1000, "reno"]).all()
    assert (ahead["highspeed"] > ahead["reno"]).all() and (ahead["scalable"] > ahead["reno"]).all()
    for cc, n in (("scalable", 10_000), ("highspeed", 50_000), ("reno", 1_000_000)):
        there = later[cc] > 0.99 * LINE
        assert there.loc[n:].all() and not there.loc[: n - 1].any()


def test_1_the_variation_is_the_first_seconds_and_then_a_teeths() -> None:
    whole, later = by_n("rate_cv"), by_n("rate_cv_later")
    assert (whole.loc[:2000].idxmin(axis=1) == "reno").all()
    assert later.loc[:5000].max().max() < 0.0121
    assert (later.loc[200:5000].idxmin(axis=1) == "scalable").all()
    assert later.loc[100_000, "reno"] == pytest.approx(0.074, abs=0.001)
    assert later.loc[100_000, ["highspeed", "scalable"]].max() < 1e-4
    assert later.loc[20_000:100_000].idxmax(axis=1).eq("reno").all()
    assert later.loc[[50_000, 1_000_000], "scalable"].between(0.009, 0.015).all()
    tooth = 100_000 / (by_n("rate_later").loc[100_000, "reno"] * 1e6 / 8 / 1448)
    assert tooth == pytest.approx(1.6, abs=0.05)
    assert response.recovery_time(500, 0.006, *response.mimd_rules()) == pytest.approx(0.08, abs=0.001)


def test_2_the_depth_of_the_cut_sets_how_much_cwnd_varies() -> None:
    cv = by_n("cwnd_cv_later")
    assert round(0.5 / np.sqrt(3) / 1.5, 2) == 0.19 and round(0.125 / np.sqrt(3) / 1.875, 3) == 0.038
    assert cv["reno"].loc[:100_000].between(0.17, 0.22).all() and cv["reno"][1_000_000] > 0.3
    assert cv["scalable"].between(0.03, 0.06).all() and (cv.idxmin(axis=1) == "scalable").all()
    assert by_n("recoveries").loc[1_000_000, "reno"] == 4


def test_3_and_5_cwnd_is_linear_in_packets_until_there_is_a_queue() -> None:
    ratio, queue = by_n("cwnd_mean") / by_n("packets_per_10ms"), by_n("queue_over_cwnd")
    assert ratio[queue < 0.05].stack().dropna().between(0.605, 0.665).all()
    assert ratio[queue > 0.6].min().min() > 1.5


def test_4_acks_per_packet() -> None:
    ratio = by_n("acks_per_packet")
    assert ratio.min().min() == pytest.approx(0.42, abs=0.001) and ratio.max().max() < 0.52
    assert (ratio < 0.5).mean().mean() > 0.9
    assert ratio.loc[1_000_000, "reno"] > ratio.loc[100, "reno"]


def test_6_a_full_queue_is_two_thirds_of_the_window() -> None:
    queue = by_n("queue_over_cwnd")
    assert queue["scalable"].loc[20_000:].between(0.63, 0.65).all()
    assert queue.where(by_n("rate_later") < 0.99 * LINE).max().max() < 0.05


def test_7_and_8_the_steps() -> None:
    grown, slow = by_n("avoidance_steps"), by_n("slow_start_steps")
    assert (grown.loc[:1000].idxmax(axis=1) == "reno").all()
    assert (grown.loc[2000:].idxmax(axis=1) == "scalable").all()
    assert (slow.loc[5000:, ["reno", "highspeed"]] == 2550).all().all()
    assert (grown > 0).all().all()


def test_9_nothing_is_moderated_and_14_no_timeout() -> None:
    assert (rows()["moderations"] == 0).all() and len(rows()) == 33
    assert (rows()["timeouts"] == 0).all()
    assert rows()["congestion_signals"].equals(rows()["recoveries"])


def test_10_processor_time_is_linear_in_throughput() -> None:
    found = pd.read_csv(ROOT / "book/data/ucl/processor.csv")
    load = found["used_s"] / found["lasted_s"]
    slope, base = np.polyfit(found["goodput_mbit_s"], load, 1)
    assert len(found) == 30 and np.corrcoef(found["goodput_mbit_s"], load)[0, 1] == pytest.approx(
        0.97, abs=0.005
    )
    assert slope * 100 == pytest.approx(0.018, abs=0.0005)
    assert slope * 1448 * 8 == pytest.approx(2.1, abs=0.05)  # µs for each packet
    assert base + slope * 941 == pytest.approx(0.19, abs=0.005)
    assert found["load_average"].between(4.4, 5.2).all()
    for rate, part in load.groupby(found["rate_mbit_s"]):
        spread = f"{100 * part.min():.1f} to {100 * part.max():.1f}"
        mean = found.loc[part.index, "goodput_mbit_s"].mean()
        assert f"| {rate} | {mean:.0f} | {100 * part.mean():.1f} | {spread} |" in PAGE


def test_10_the_model_is_at_the_line_until_a_packet_costs_more_than_its_time_on_it() -> None:
    found = rows("08-processor").set_index("nic_b")
    assert found["rate"][["6 µs", "12 µs"]].to_list() == pytest.approx(
        [found["rate"]["nothing"]] * 2, rel=1e-3
    )
    work = found["data_packets"] / 2 * 1e-6
    assert 6 * work["6 µs"] == pytest.approx(0.485, abs=0.005)
    assert 12 * work["12 µs"] == pytest.approx(0.97, abs=0.005)
    most = 1448 * 8 / 24
    assert round(most) == 483 and 0.97 * most < found["rate"]["24 µs"] < most


def test_11_one_packet_for_each_recovery_until_the_queue_overflows() -> None:
    extra = by_n("retransmitted") - by_n("recoveries")
    assert (extra.loc[:1000] == 1).all().all() and (extra.loc[2000:] > 500).all().all()


def test_12_the_excess_is_what_the_queue_lost() -> None:
    excess = by_n("retransmitted") - by_n("induced_losses")
    assert (excess.loc[:1000] == 0).all().all()
    assert (excess.loc[5000:100_000, ["reno", "highspeed"]] == 1498).all().all()
    assert excess.loc[5000:, "scalable"].min() == 3665
    assert (excess - by_n("queue_losses")).abs().max().max() <= 1
    few = by_n("induced_losses") < 30
    assert [few.index[few[cc]].min() for cc in CCS] == [20_000, 50_000, 50_000]


def test_13_sacks_per_packet_sent_again() -> None:
    ratio = by_n("duplicate_acks") / by_n("retransmitted")
    assert ratio.min().min() > 1 and ratio.max().max() < 12
    assert set(ratio.idxmax()) <= {500, 1000} and set(ratio.idxmin()) <= {100_000, 1_000_000, 10_000, 20_000}


def test_15_the_rtt_is_higher_at_high_loss_until_the_queue_hides_it() -> None:
    rtt = by_n("rtt_mean")
    assert rtt.loc[100].min() == pytest.approx(6.18, abs=0.005)
    assert rtt.loc[100].max() == pytest.approx(6.58, abs=0.005)
    assert rtt.loc[10_000, "reno"] == pytest.approx(6.12, abs=0.005)
    assert (rtt.loc[1_000_000] > 12).all()


# Why?


def test_why_alike_the_line_makes_hstcp_and_scalable_alike() -> None:
    near, far = by_n("rate_later"), by_n("rate_later", "03-five-times-as-far")
    near, far = near["highspeed"] / near["scalable"], far["highspeed"] / far["scalable"]
    assert near[50_000] == pytest.approx(1, abs=0.001) and near[20_000] == pytest.approx(0.61, abs=0.005)
    assert far[[20_000, 50_000, 200_000]].round(2).to_list() == [0.22, 0.28, 0.84]
    window = by_n("cwnd_mean_later", "03-five-times-as-far")
    assert (window["scalable"] > 3 * window["highspeed"]).loc[[5000, 20_000]].all()


def test_why_alike_an_ack_for_each_packet_lifts_hstcp_and_no_other() -> None:
    delayed, each = (by_n("rate_later", "05-quick-acks", commands=how) for how in ("delayed", "quick"))
    assert each.loc[20_000, "highspeed"] / each.loc[20_000, "scalable"] == pytest.approx(0.95, abs=0.005)
    assert each.loc[100, "highspeed"] / each.loc[100, "reno"] == pytest.approx(1, abs=0.04)
    lifted = each / delayed
    assert (
        lifted[["reno", "scalable"]].stack().between(0.98, 1.02).all() and (lifted["highspeed"] > 1.4).all()
    )


def test_cwnd_is_not_alike_past_3000_anywhere() -> None:
    for name in ("01-three-stacks", "03-five-times-as-far", "06-window"):
        window = by_n("cwnd_mean_later", name).loc[5000:100_000]
        assert (window["scalable"] > 1.25 * window["highspeed"]).all()


def test_why_ten_the_constant_is_the_queues() -> None:
    found = rows("04-queues").set_index(["cc", "queue"])
    excess = (found["retransmitted"] - found["induced_losses"]).unstack()[[100, 1000, 10_000]]
    assert excess.loc["reno"].to_list() == [161, 1498, 0]
    assert (excess[10_000] == 0).all() and (excess.loc["scalable", :1000] > excess.loc["reno", :1000]).all()
    far = rows("03-five-times-as-far")
    far = far[far["cc"] == "highspeed"]
    assert set(far["queue_losses"]) == {1282}
    window = rows("06-window")
    assert window["retransmitted"].equals(window["induced_losses"]) and (window["queue_losses"] == 0).all()


def test_why_hurt_what_they_lose_by_themselves() -> None:
    lost, cut = by_n("queue_losses"), by_n("recoveries")
    assert cut.loc[1_000_000, CCS].to_list() == [4, 11, 58]
    own = lost.loc[1_000_000] - lost.loc[20_000]
    assert own[["scalable", "highspeed", "reno"]].to_list() == [765, 40, 2]
    found = rows("04-queues").set_index(["cc", "queue"])
    assert found.loc[("scalable", 100), ["queue_losses", "induced_losses"]].to_list() == [479, 4]
    assert (found.loc["scalable"]["rate_later"] > 0.995 * LINE).all()
    short = found.loc[("highspeed", 100)]
    assert short["recoveries"] == 13 and short["induced_losses"] == 4
    assert short["rate_later"] / LINE == pytest.approx(0.85, abs=0.005)
    assert found.loc["scalable"]["rtt_mean"].round().to_dict() == {100: 7, 1000: 17, 10_000: 65}


def test_why_rtt_without_delayed_acks_the_excess_is_gone() -> None:
    delayed, each = (by_n("rtt_mean", "05-quick-acks", commands=how) for how in ("delayed", "quick"))
    assert (delayed.loc[100] - 6).min() > 0.155 and (delayed.loc[100] - 6).max() < 0.555
    assert delayed.loc[100].idxmax() == "highspeed" and (each.loc[100] - 6 < 0.01).all()


def test_why_rtt_with_a_small_window_it_is_the_published_series() -> None:
    rate, rtt = by_n("rate_later", "06-window"), by_n("rtt_mean", "06-window")
    assert rate.loc[1_000_000].to_list() == pytest.approx([0.947 * LINE] * 3, rel=0.002)
    assert rate.loc[1_000_000, "reno"] * 1e6 * 0.006 / 8 / 1448 == pytest.approx(470, rel=0.01)
    assert (rtt.loc[1_000_000].round(2) == 6.02).all()
    assert rtt.loc[100, ["reno", "highspeed", "scalable"]].round(2).to_list() == [6.37, 6.54, 6.16]
    assert rtt["reno"].is_monotonic_decreasing and rtt["highspeed"].is_monotonic_decreasing
    assert rtt["scalable"].drop(10_000).is_monotonic_decreasing
    grown = by_n("avoidance_steps", "06-window")
    assert (grown.loc[1_000_000] == 0).all() and grown.loc[100_000, "scalable"] == 0
    assert grown.loc[100_000].idxmax() == "reno" and (grown.loc[[100, 1000]].idxmax(axis=1) == "reno").all()
    assert rows("06-window")["data_packets"].max() < 1e6


def test_why_fewer_acks_a_card_that_waits() -> None:
    found = rows("07-card").pivot(index="n", columns=["nic_b", "cc"], values="acks_per_packet")
    waits = found["waits 30 µs"]
    assert waits.loc[100, "reno"] == pytest.approx(0.41, abs=0.005)
    higher = [*waits.loc[1000:].stack(), waits.loc[100, "scalable"]]
    assert min(higher) > 0.285 and max(higher) < 0.345
    assert (waits.loc[10_000] > waits.loc[1000]).all() and (waits < found["at once"]).all().all()


def test_six_others() -> None:
    rate, three = by_n("rate_later", "02-six-others"), by_n("rate_later")
    assert rate.loc[1000, "illinois"] / three.loc[1000, "reno"] == pytest.approx(6.4, abs=0.1)
    assert rate.loc[1000, "yeah"] == pytest.approx(three.loc[1000, "scalable"], rel=0.01)
    assert (by_n("queue_over_cwnd", "02-six-others")["yeah"].loc[10_000:] < 0.1).all()
    assert (rate["yeah"].loc[10_000:] > 0.99 * LINE).all()
    for n in (1000, 10_000):
        assert three.loc[n, "reno"] < rate.loc[n, "bic"] < three.loc[n, "scalable"]
        assert rate.loc[n, ["cubic", "htcp"]].to_list() == pytest.approx([three.loc[n, "reno"]] * 2, rel=0.12)
        assert rate.loc[n, "hybla"] < 0.7 * three.loc[n, "reno"]


def test_the_last_table_says_the_same() -> None:
    for said in (
        "0.7 of Reno's",
        "2.1 times",
        "0.42 to 0.51",
        "constant 1498",
        "6.37 ms at 100, 6.02 without loss",
    ):
        assert said in section("Published and measured"), said
    for left in ("the ten", "cwnd alike past 3000", "most congestion avoidances at high loss"):
        assert left in section("Published and measured").split("Not explained:")[1].split("Not")[0], left
