"""Claims about what a figure says: numbers counted here in another way; clear words if there is nothing."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from labkit import charts
from labkit.charts import words
from labkit.charts.lines import mean_over_time
from labkit.charts.rates import jain
from labkit.charts.seeds import means_of
from labkit.errors import LabkitError
from labkit.spec import Experiment, Link, Topology
from labkit.spec.topologies import pair
from tests.ran import Ran, experiment
from tests.unit.charts_data import MSS, conversation

ONE = Ran(packets=conversation(400, lost=(100, 101, 250)))
PROBE = Ran(experiment(1, ("tcp_info",)))


def said(chart: Any) -> str:
    return str(chart.description)


def data(chart: Any, name: str) -> pd.DataFrame:
    return pd.DataFrame(chart.datasets[name])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.float64(9.4567), "9.46"),
        (math.nan, "unknown"),
        (f"0 sent, 0 lost ({math.nan:.1%})", "0 sent, 0 lost (unknown)"),
        (f"{math.nan:.0f} %", "unknown"),
        (f"{math.nan:.0f}, {44.2:.0f} ms", "unknown, 44 ms"),
        ("200 nanoseconds, 7 segments", "200 nanoseconds, 7 segments"),
    ],
)
def test_a_summary_has_no_nan(value: object, said: str) -> None:
    assert words.as_text(value) == said


def test_cwnd_says_its_range_its_cuts_and_its_mean() -> None:
    chart = charts.cwnd(ONE)
    table = ONE.tcp_probe
    assert "cwnd of left-right begins at 10 packets, rises to 59 at 0.5 s" in said(chart)
    assert "is cut 3 times (fast recovery twice and timeout once)" in said(chart)
    assert f"mean {table['snd_cwnd'].iloc[:-1].mean():.3g}" in said(chart), "evenly spaced: the plain mean"
    assert "3 segments sent again" in said(chart)


def test_the_mean_of_cwnd_weighs_each_value_with_its_time() -> None:
    times, cwnd = [0.0, 9.0, 10.0], [10, 100, 50]
    table = pd.DataFrame({"time_s": times, "flow": "left-right", "side": "sender", "snd_cwnd": cwnd})
    assert "mean 19." in said(charts.cwnd(Ran(tables={"tcp_probe": table})))


def test_losses_are_marked_when_and_at_what_window_they_were_taken() -> None:
    marks = data(charts.cwnd(ONE), "losses")
    assert marks["time_s"].tolist() == [2.0, 4.1, 7.0]
    assert marks["event"].tolist() == ["fast recovery", "fast recovery", "timeout"]
    probe = ONE.tcp_probe
    assert marks["packets"].tolist() == [
        probe.loc[probe["time_s"] <= time, "snd_cwnd"].iloc[-1] for time in marks["time_s"]
    ]


def test_without_exact_events_it_says_that_cuts_are_sampled() -> None:
    assert "Cuts are counted in samples" in said(charts.cwnd(PROBE))
    assert "Cuts are counted in samples" not in said(charts.cwnd(ONE))
    assert data(charts.cwnd(PROBE), "losses")["time_s"].tolist() == [5.0]


def test_with_drops_alone_the_losses_themselves_are_marked() -> None:
    chart = charts.cwnd(Ran(experiment(1, ("tcp_probe", "drops"))))
    assert data(chart, "losses")["event"].tolist() == ["packet lost"] * 3
    assert "sees 3 packets lost and ends at" in said(chart)
    assert "sent again" not in said(chart)
    assert set(data(chart, "cwnd")["line"]) == {"cwnd"}, "ssthresh was not recorded"


def test_of_a_run_with_several_flows_only_some_of_which_lose_each_keeps_its_name() -> None:
    both = Ran(experiment(2))
    both.tables["cong_states"] = both.cong_states[both.cong_states["flow"] == "left2-right2"]
    marks = data(charts.cwnd({"a": both}), "losses")
    assert marks["series"].unique().tolist() == ["a: left2-right2"]


def test_ssthresh_is_shown_once_it_is_set() -> None:
    lines = data(charts.cwnd(ONE), "cwnd")
    stored = lines[lines["line"] == "ssthresh"]
    assert stored["time_s"].min() == 5.0
    assert stored["packets"].unique().tolist() == [30]
    assert "ssthresh" not in set(data(charts.cwnd(ONE, ssthresh=False), "cwnd")["line"])


def test_runs_are_laid_over_each_other_by_their_labels() -> None:
    assert data(charts.rtt({"reno": ONE, "cubic": PROBE}), "rtt")["series"].unique().tolist() == [
        "reno",
        "cubic",
    ]
    both = Ran(experiment(2))
    assert data(charts.rtt({"a": both}), "rtt")["series"].unique().tolist() == [
        "a: left1-right1",
        "a: left2-right2",
    ]


def test_only_the_flows_asked_for_are_shown() -> None:
    both = Ran(experiment(2))
    assert data(charts.goodput(both, "left2-right2"), "goodput")["series"].unique().tolist() == [
        "left2-right2"
    ]


def test_goodput_is_bytes_over_time() -> None:
    chart = charts.goodput(Ran(experiment(2)), interval=1.0)
    assert data(chart, "goodput").groupby("series")["mbit_s"].unique().map(list).to_dict() == {
        "left1-right1": [1.0],
        "left2-right2": [2.0],
    }
    assert "left2-right2: mean 2 Mbit/s, at least 2, at most 2" in said(chart)


def test_shares_are_of_the_whole_and_fairness_is_jains() -> None:
    chart = charts.share(Ran(experiment(3)))
    assert "left1-right1 has 17 %, left2-right2 has 33 % and left3-right3 has 50 %" in said(chart)
    assert "fairness is 0.86" in said(chart)
    assert data(chart, "share").groupby("time_s")["share"].sum().between(0.999, 1.001).all()
    assert jain(np.array([5.0, 5.0])) == 1
    assert jain(np.array([1.0, 0, 0, 0])) == 0.25


def test_rtt_says_least_most_and_the_mean_over_time_in_ms() -> None:
    ms = ONE.tcp_probe["srtt_us"] / 1000
    mean = np.trapezoid(ms, ONE.tcp_probe["time_s"]) / np.ptp(ONE.tcp_probe["time_s"])
    text = f"least {ms.min():g} ms at 0.01 s, most {ms.max():g} ms at 0.5 s, mean over time {mean:.3g} ms"
    assert text in said(charts.rtt(ONE))


def test_a_queue_is_exact_before_and_after_each_arrival() -> None:
    shown = data(charts.queue(ONE, end=0.05), "queue")
    assert shown["packets"].tolist() == [n for i in range(10) for n in (i, i + 1)] + [0]
    chart = charts.queue(ONE)
    assert "at most 10 packets, at 0 s" in said(chart)
    assert "2 packets dropped, the first at 0.1 s" in said(chart), "the wire's loss is not the queue's"


def test_a_queue_that_ran_empty_shows_when() -> None:
    shown = data(charts.queue(ONE, end=0.15), "queue")
    assert shown[shown["packets"] == 0]["time_s"].tolist() == [0.0, 0.01, 0.1, 0.11]


def test_delay_is_each_packets_wait_or_backlog_over_rate() -> None:
    assert data(charts.delay(ONE, end=0.05), "delay")["ms"].tolist() == [float(n) for n in range(1, 11)]
    sampled = Ran(experiment(1, ("backlog",)))
    assert data(charts.delay(sampled), "delay")["ms"].max() == 19 * 1250 * 8 / 10e6 * 1000


def test_the_sequence_diagram_tells_segments_sent_again() -> None:
    chart = charts.time_sequence(ONE)
    assert "sends 403 segments up to byte 579,200; 3 segments of them again" in said(chart)
    sent = data(chart, "segments")
    assert sent[sent["kind"] == "data"]["high"].max() == 1 + 400 * MSS
    again = sent[sent["kind"] == "sent again"]
    assert again["low"].tolist() == [1 + MSS * 100, 1 + MSS * 101, 1 + MSS * 250]
    lines = data(chart, "lines")
    assert lines[lines["kind"] == "acknowledged"]["seq"].max() == 1 + 100 * MSS
    assert (lines[lines["kind"] == "window"]["seq"] - 65536).max() == 1 + 100 * MSS


def test_a_part_of_the_sequence_diagram_has_the_segments_of_that_time() -> None:
    shown = data(charts.time_sequence(ONE, start=0.02, end=0.0295), "segments")
    assert shown["low"].tolist() == [1 + MSS * i for i in range(10)]


def test_the_ledger_counts_causes_and_ways_of_finding() -> None:
    chart = charts.ledger(ONE)
    assert (
        "5 packets lost from 1 to 9 s: wire loss at r1 → r2 4 times and queue full at r1 → r2 once"
        in said(chart)
    )
    assert "Found by: SACK once, RACK once" in said(chart)
    assert "3 losses made good, in a median of 250 ms; the slowest, of 3 s, took 400 ms" in said(chart)
    lanes = data(chart, "ledger")["lane"].unique().tolist()
    assert lanes[0] == "wire loss|r1 → r2|3 packets"
    assert set(lanes[1:]) == {"wire loss of ACKs|r1 → r2|1 packet", "queue full|r1 → r2|1 packet"}


def test_the_ladder_finds_every_packet_at_both_ends() -> None:
    chart = charts.ladder(Ran(packets=conversation(12, lost=(5,))))
    arrows = data(chart, "packets")
    assert "14 packets from left to right, 12 packets from right to left. 1 packet lost: 7241:8689" in said(
        chart
    )
    arrived = arrows[arrows["fate"] == "arrived"]
    assert (arrived["to_s"] - arrived["sent_s"]).round(6).unique().tolist() == [0.01]
    assert arrows[arrows["fate"] == "lost"]["to_x"].tolist() == [0.5]
    assert arrows["label"].iloc[0] == "SYN"
    assert "ACK 7241\nSACK 8689:10137" in set(arrows["label"])


def test_a_ladder_with_windows_says_what_the_right_host_offers() -> None:
    tables = conversation(12, lost=(5,))
    right = tables["right"]
    offered = dict(zip(right["ack"], right["window"], strict=True))
    arrows = data(charts.ladder(tables, windows=True), "packets")
    texts = set(arrows["label"])
    assert f"ACK 1449\nwindow {offered[1449]}" in texts
    assert f"ACK 7241\nwindow {offered[7241]}\nSACK 8689:10137" in texts
    assert not any("window" in text for text in arrows[arrows["side"] == "left"]["label"])
    assert not any("window" in text for text in data(charts.ladder(tables), "packets")["label"])


@pytest.mark.parametrize("lost", [(), (5,)])
def test_texts_of_a_ladder_do_not_overlap(lost: tuple[int, ...]) -> None:
    chart = charts.ladder(Ran(packets=conversation(25, lost=lost)))
    arrows = data(chart, "packets")
    assert ("\n" in arrows["label"].str.cat()) == bool(lost)
    per_pixel = (arrows["to_s"].max() - arrows["sent_s"].min()) / chart.height
    for _, mine in arrows.groupby("side"):
        ordered = mine.sort_values("label_s")
        lines = ordered["label"].str.count("\n") + 1
        assert (ordered["label_s"].diff() >= 12.9 * per_pixel * lines.shift())[1:].all()


def test_a_ladder_of_one_capture_has_level_arrows_and_no_losses() -> None:
    tables = conversation(12, lost=(5,))
    arrows = data(charts.ladder({"left": tables["left"], "right": None}), "packets")
    assert (arrows["sent_s"] == arrows["to_s"]).all()
    assert set(arrows["fate"]) == {"arrived"}


def test_what_was_under_way_when_the_captures_ended_is_not_lost_in_a_ladder() -> None:
    whole = conversation(12, lost=(5,))  # packets take 10 ms; the one that gets lost is sent at 25 ms
    early, later = (
        charts.ladder({host: table[table["time_s"] <= end] for host, table in whole.items()})
        for end in (0.028, 0.0365)
    )
    assert said(early).endswith("9 packets under way at the end.")
    assert said(later).endswith("1 packet lost: 7241:8689 of 0.025 s.")
    assert (data(early, "packets")["to_x"] == 0.5).sum() == 9
    assert set(data(early, "packets")["fate"]) == {"arrived"}


def test_the_interval_is_the_means_and_of_one_seed_there_is_none() -> None:
    points = pd.DataFrame({"group": ["a"] * 4 + ["b"], "value": [1.0, 2.0, 3.0, 4.0, 7.0]})
    means = means_of(points).set_index("group")
    half = 3.1824 * math.sqrt(5 / 3) / 2
    assert means.loc["a", "low"] == pytest.approx(2.5 - half, abs=1e-4)
    assert math.isnan(means.loc["b", "low"])
    chart = charts.distribution(points, "value", "group", unit="s")
    assert "a: mean 2.5, 95 % confidence interval 0.446 to 4.55, of 4 seeds. b: mean 7, of 1 seed." in said(
        chart
    )


def test_published_says_how_many_times_as_much_was_measured() -> None:
    table = pd.DataFrame({"case": ["reno"], "published": [2.0], "measured": [5.0]})
    assert "reno: published 2, measured 5 (2.5 times)." in said(charts.published(table, "case"))


def test_the_network_is_said_link_by_link() -> None:
    text = said(charts.topology(pair(rate="10mbit", delay="10ms", loss="1%")))
    assert text == (
        "A network of 2 hosts and 1 link. left to right: 10 Mbit/s, 10 ms, 1 % loss, queue 100 packets; "
        "back 10 Mbit/s, 10 ms, queue 100 packets."
    )


NOTHING = experiment().replace(flows=[], duration="1s")
CUT = {"seq": ["1"], "goodput": [1.0]}


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: charts.cwnd(Ran(NOTHING)), 'cwnd: nothing to draw: .*: add Flow\\("left"'),
        (lambda: charts.rtt(Ran(NOTHING)), "rtt: nothing to draw"),
        (lambda: charts.goodput(Ran(NOTHING)), "goodput: nothing to draw"),
        (lambda: charts.share(Ran(NOTHING)), "share: nothing to draw"),
        (
            lambda: charts.time_sequence(Ran(NOTHING)),
            "^time_sequence: nothing to draw: the run has no TCP flow",
        ),
        (
            lambda: charts.time_sequence(Ran(packets={"left": ONE.packets["left"].iloc[:0]})),
            "no data of left-right",
        ),
        (lambda: charts.queue(Ran(rows=0)), "no packet reached a queue: give the link a rate"),
        (lambda: charts.delay(Ran(rows=0)), "no packet reached a queue"),
        (
            lambda: charts.ledger(Ran(tables={"_ledger": ONE.ledger().iloc[:0]})),
            "no packet was lost: lose some",
        ),
        (
            lambda: charts.ladder(Ran(packets={h: t.iloc[:0] for h, t in ONE.packets.items()})),
            "hold no packet",
        ),
        (lambda: charts.distribution(pd.DataFrame({"cc": [], "x": []}), "x", "cc"), "the table has no rows"),
        (
            lambda: charts.published(pd.DataFrame({"c": [], "published": [], "measured": []}), "c"),
            "has no rows",
        ),
        (lambda: charts.cwnd(ONE, start=50.0), "no data from 50 to 10 s: there is some from 0.01 to 10 s"),
    ],
)
def test_a_figure_of_nothing_says_what_is_missing_and_what_would_be_right(draw: Any, message: str) -> None:
    with pytest.raises(charts.EmptyFigureError, match=message) as caught:
        draw()
    assert isinstance(caught.value, LabkitError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: charts.cwnd(ONE, ["right-left"]), "flow 'right-left': no such flow: flows are left-right"),
        (lambda: charts.cwnd({}), "runs: an empty mapping"),
        (lambda: charts.rtt(ONE, start=3, end=2), "the start must be before the end"),
        (lambda: charts.goodput(ONE, interval=0), "interval=0: must be more than 0 s"),
        (lambda: charts.queue(ONE, ("r2", "r1")), "no packet reached such a queue: there are .'r1', 'r2'."),
        (
            lambda: charts.ladder(ONE),
            "802 packets from 0 to 0.* s: at most 60 can be read: give start= and end=",
        ),
        (lambda: charts.ladder({"left": None, "right": None}), "needs two hosts, one with a table"),
        (
            lambda: charts.distribution(pd.DataFrame(CUT), "goodput", "cc"),
            "no column 'cc': columns are seq, goodput",
        ),
        (lambda: charts.published(pd.DataFrame(CUT), "seq"), "no column 'published'"),
    ],
)
def test_a_figure_that_cannot_be_says_which_argument_is_wrong(draw: Any, message: str) -> None:
    with pytest.raises(charts.FigureError, match=message):
        draw()


def test_the_end_that_a_ladder_proposes_gives_a_ladder() -> None:
    with pytest.raises(charts.FigureError) as caught:
        charts.ladder(ONE)
    end = float(re.findall(r"end=([\d.]+)$", str(caught.value))[0])
    assert len(charts.ladder(ONE, end=end).datasets["packets"]) == 60


def test_a_link_without_rate_has_no_queueing_delay() -> None:
    free = Experiment(Topology(["r1", "r2"], [Link("r1", "r2")]), duration="1s", probes={"backlog"})
    with pytest.raises(charts.EmptyFigureError, match="the link r1 to r2 has no rate: nothing waits there"):
        charts.delay(Ran(free), ("r1", "r2"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (9.5642, "9.56"),
        (142.4, "142"),
        (35594736, "35,594,736"),
        (0.00001234, "0.0000123"),
        (1e-7, "0.0000001"),
    ],
)
def test_numbers_are_written_without_exponents(value: float, text: str) -> None:
    assert words.number(value) == text


def test_counts_and_lists_read_as_english() -> None:
    assert [words.count(n, "packet") for n in (0, 1, 1000)] == ["no packets", "1 packet", "1,000 packets"]
    assert [words.times(n) for n in (0, 1, 2, 3)] == ["never", "once", "twice", "3 times"]
    assert words.listing(["a", "b", "c"]) == "a, b and c"
    assert words.limited(["A.", "B.", "C."], 2, "flows") == "A. B. And 1 more flows."


def test_a_mean_over_time_counts_a_stall_that_has_no_values() -> None:
    curve = pd.DataFrame({"time_s": [0.0, 1, 1, 9], "packets": [10.0, 10, 0, 0]})
    assert mean_over_time(curve, "packets") == mean_over_time(curve, "packets", step=True) == 10 / 9
    assert mean_over_time(curve.iloc[1:3], "packets") == 5
