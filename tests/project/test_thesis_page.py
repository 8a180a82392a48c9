"""What the thesis's page says, against its kept rows: each test is a sentence of the page. Runs nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from labkit.models import estimates
from labkit.models.intervals import mean_interval
from tests.project.test_tree import script

CASES = script("cases")
THESIS = CASES.CASES["thesis"]
DATA, ACKS = "links.router-A.forward.loss", "links.router-C.forward.loss"
QUEUE, RACK, CC = "links.router-A.forward.queue", "sysctls.net.ipv4.tcp_recovery", "flows.cc"
MSS_1400, MSS_1500 = 1348, 1448  # bytes of data in a packet, with timestamps
SIZE = 25e6 * 8e-6  # Mbit
GIVEN_UP_S = 924.6  # fifteen timeouts: chapter 13
RETRANSMITTED_AFTER_ONE = {"sysctls.net.ipv4.tcp_reordering": "one"}


@cache
def table(name: str) -> pd.DataFrame:
    return CASES.kept(THESIS, name).table


def runs(name: str, measure: str = "goodput", **at: object) -> pd.Series:
    """One measure of the runs of a point, by seed; axes by short names: loss, acks, queue, rack, cc ..."""
    short = {"loss": DATA, "acks": ACKS, "queue": QUEUE, "rack": RACK, "cc": CC}
    found = table(name)
    for key, value in at.items():
        found = found[found[short.get(key, key)] == value]
    found = found[found["flow"] == found["flow"].iloc[-1]]  # the second of two transfers
    assert len(found) == found["seed"].nunique() > 0, f"{name} {at}: not one point"
    return found.set_index("seed")[measure]


def arrived(name: str, **at: object) -> estimates.estimate.Share:
    values = runs(name, **at).index
    done = (
        runs(name, "complete", **at) == 1
        if "complete" in table(name)
        else runs(name, "incomplete", **at) == 0
    )
    return estimates.share(int(done.sum()), len(values))


def segments(mbit_s: float, seconds: float) -> float:
    return mbit_s * 1e6 * seconds / 8 / MSS_1400


# The network


def test_the_published_rate_without_loss_is_of_packets_with_timestamps_on_a_wire() -> None:
    assert round(10 * MSS_1400 / 1438, 2) == 9.37 and round(10 * (MSS_1400 + 12) / 1438, 2) == 9.46
    assert runs("26-data-lost", loss=0, cc="reno", rack="today").between(9.36, 9.38).all()


# Lost data at 100 Mbit/s


@pytest.mark.parametrize(("loss", "theirs"), [(0.01, 71.88), (0.03, 25.06)])
def test_1_2_what_the_tunnel_had_lies_within_what_tcp_alone_has(loss: float, theirs: float) -> None:
    found = table("01-02-ssh-over-udp")
    found = found[found[DATA] == loss]
    means = found.groupby([CC, RACK, "links.router-A.forward.delay"])["goodput"].mean()
    assert means.min() < theirs < means.max()
    assert 100 * MSS_1500 / 1538 < 94.3


def test_7_at_10_percent_it_lies_between_at_1_percent_above_both() -> None:
    means = table("07-cubic-30s").groupby([DATA, RACK])["goodput"].mean()
    assert means[0.10, "without RACK"] < 2.89 < means[0.10, "today"]
    for rack in ("today", "without RACK"):
        assert mean_interval(runs("07-cubic-30s", loss=0.01, rack=rack).to_numpy())[1] < 88.5
    assert 76 < means[0.01, "today"] < 85


def test_7_only_1500_everywhere_has_the_published_rate() -> None:
    found = table("07-mtu").pivot_table(index="commands", columns=DATA, values="goodput")
    assert found.loc["1500 everywhere", 0] == pytest.approx(94.1, abs=0.1)
    assert found.drop("1500 everywhere")[0].between(93.7, 93.9).all()
    big = runs("07-mtu", commands="1500 everywhere", loss=0.01)
    for other in found.index.drop("1500 everywhere"):
        assert not estimates.difference(big, runs("07-mtu", commands=other, loss=0.01)).excludes(0)


@pytest.mark.parametrize("rack", ["today", "without RACK"])
@pytest.mark.parametrize("loss", [0.01, 0.03, 0.05, 0.10])
def test_9_in_packets_25_mb_and_30_s_are_the_same(loss: float, rack: str) -> None:
    small = runs("09-cubic-25mb", loss=loss, rack=rack) / MSS_1400
    large = runs("07-cubic-30s", loss=loss, rack=rack) / MSS_1500
    assert not estimates.ratio(small, large).excludes(1)


def test_11_ours_at_the_two_rates_without_rack() -> None:
    fast = runs("11-reno-25mb", loss=0.10, rack="without RACK").mean()
    slow = runs("26-data-lost", loss=0.10, rack="without RACK", cc="reno").mean()
    assert 2.6 < fast < 3.6 and 2.1 < slow < 2.7
    assert 0.5 < 1.93 / fast < 0.7 < 1.93 / slow < 0.9


# Lost data at 10 Mbit/s


@pytest.mark.parametrize("variable", ["tcp_adv_win_scale=2", "tcp_ecn=2"])
def test_two_variables_do_nothing_to_the_last_bit(variable: str) -> None:
    def of(name: str, setting: str) -> list[float]:
        return table(name)[table(name)["sysctls"] == setting]["goodput"].to_list()

    assert of("16-variables", variable) == of("16-variables", "none")
    assert (
        of("22-25-variables-acks-lost", variable)
        == table("21-acks-lost")[table("21-acks-lost")[QUEUE].isin([20, 100])]["goodput"].to_list()
    )
    assert of("appendix-2", "tcp_adv_win_scale=2") == of("appendix-2", "tcp_ecn=2")


def test_16_without_rack_reno_has_what_was_published_up_to_5_percent() -> None:
    def near(setting: str, loss: float) -> float:
        return float(runs("16-variables", sysctls=setting, loss=loss, rack="without RACK").mean())

    assert near("none", 0.01) == pytest.approx(9.18, rel=0.03)
    assert near("tcp_window_scaling=1", 0.03) == pytest.approx(8.4, rel=0.06)
    assert near("none", 0.05) == pytest.approx(5.86, rel=0.10)
    assert 1.1 < near("none", 0.10) / 1.93 < 1.4
    for loss in (0.01, 0.05, 0.10):
        today = runs("16-variables", sysctls="none", loss=loss, rack="today").mean()
        assert today > (9.18, 5.86, 1.93)[(0.01, 0.05, 0.10).index(loss)]


@pytest.mark.parametrize("loss", [0.01, 0.05, 0.10])
def test_19_a_second_transfer_that_remembers_is_as_fast_as_a_first(loss: float) -> None:
    second = runs("19-metrics", loss=loss, rack="without RACK")
    alone = runs("16-variables", sysctls="none", loss=loss, rack="without RACK")
    assert not estimates.difference(second, alone).excludes(0)


@pytest.mark.parametrize(
    ("cc", "loss", "theirs"),
    [
        ("cubic", 0.04, 7.85),
        ("cubic", 0.05, 7.07),
        ("cubic", 0.1, 2.34),
        ("htcp", 0.05, 7.58),
        ("htcp", 0.1, 2.64),
    ],
)
def test_26_cubic_and_h_tcp_lie_between_today_and_without_rack(cc: str, loss: float, theirs: float) -> None:
    assert runs("26-data-lost", cc=cc, loss=loss, rack="without RACK").mean() < theirs
    assert runs("26-data-lost", cc=cc, loss=loss, rack="today").mean() > theirs
    if loss > 0.04:
        ours = runs("26-data-lost", cc="reno", loss=loss, rack="without RACK").mean()
        assert runs("26-data-lost", cc=cc, loss=loss, rack="without RACK").mean() < ours


def test_26_the_queue_does_nothing_and_10_ms_are_too_far() -> None:
    delay = "links.router-A.forward.delay"
    found = table("26-queue-and-round-trip").groupby([CC, QUEUE, delay])["goodput"].mean().unstack(delay)
    assert (found.xs(20, level=QUEUE) / found.xs(100, level=QUEUE)).stack().between(0.97, 1.03).all()
    assert (found["10 ms"] < 0.7 * found["0.2 ms"]).all()
    assert (found["2 ms"] / found["0.2 ms"]).between(0.9, 1.05).all()


def test_26_a_shallower_cut_is_not_enough() -> None:
    means = table("26-cubic-beta").groupby(["commands", DATA, RACK])["goodput"].mean()
    assert 5.86 < means["keeps 0.90", 0.05, "without RACK"] < 6.9
    assert means.xs("without RACK", level=RACK).xs(0.10, level=DATA).max() < 2.34 * 0.85


def test_26_earlier_retransmission_helps_cubic_and_h_tcp_most_and_they_do_not_pass_reno() -> None:
    found = table("26-earlier").groupby([CC, DATA, "sysctls.net.ipv4.tcp_reordering"])["goodput"].mean()
    for loss in (0.05, 0.10):
        gain = {cc: found[cc, loss, "one"] / found[cc, loss, "three"] for cc in ("reno", "cubic", "htcp")}
        assert min(gain["cubic"], gain["htcp"]) > gain["reno"] > 1
        assert max(found["cubic", loss, "one"], found["htcp", loss, "one"]) < found["reno", loss, "one"]
    for cc, theirs in (("cubic", 2.34), ("htcp", 2.64)):
        low, high = mean_interval(runs("26-earlier", cc=cc, loss=0.10, **RETRANSMITTED_AFTER_ONE).to_numpy())
        assert low < theirs < high
    assert found["cubic", 0.05, "one"] < 0.92 * 7.07 and found["htcp", 0.05, "one"] < 0.92 * 7.58


# Lost ACKs at 10 Mbit/s


def test_20_nothing_happens_up_to_10_percent() -> None:
    assert table("20-few-acks-lost")["goodput"].between(9.36, 9.38).all()


@pytest.mark.parametrize("queue", [100, 1000])
def test_21_a_queue_for_a_window_puts_the_cliff_at_80_to_90_percent(queue: int) -> None:
    for acks in (0.4, 0.5, 0.6, 0.7):
        assert runs("21-acks-lost", acks=acks, queue=queue).mean() > 8
    assert 0 < arrived("21-acks-lost", acks=0.8, queue=queue).k < 8
    assert arrived("21-acks-lost", acks=0.9, queue=queue).k == 0


def test_21_with_20_packets_it_falls_from_40_percent_on_by_todays_rules() -> None:
    means = [runs("21-acks-lost", acks=acks, queue=20).mean() for acks in (0.4, 0.5, 0.6, 0.7)]
    assert means[0] < 9.3 and 4 < means[1] < 6.5 and 0.3 < means[2] < 2 and means[3] < 0.05
    assert arrived("21-acks-lost", acks=0.7, queue=20).k == 0


def test_21_a_short_queue_loses_data_and_a_long_one_none() -> None:
    assert runs("21-acks-lost", "retransmits", acks=0.5, queue=100).max() <= 3
    assert runs("21-acks-lost", "retransmits", acks=0.5, queue=20).between(180, 240).all()


def test_21_if_the_sender_is_as_slow_the_queue_does_not_matter() -> None:
    way = "links.router-C.backward"
    for acks in (0.4, 0.5, 0.6, 0.7):
        assert runs("21-slow-sender", acks=acks, **{way: "both lines"}).mean() > 8
    assert runs("21-slow-sender", acks=0.6, **{way: "router to A only"}).mean() < 2


@pytest.mark.parametrize("acks", [0.4, 0.5])
def test_21_a_queue_of_45_is_worse_than_one_of_30_or_40(acks: float) -> None:
    worse = runs("21-queue-between-today", acks=acks, queue=45)
    for queue in (30, 40):
        better = runs("21-queue-between-today", acks=acks, queue=queue)
        assert estimates.paired(better, worse).low > 0


def test_21_the_older_reno_with_a_queue_of_40_has_the_published_pattern() -> None:
    assert (runs("21-queue-between", acks=0.4, queue=40) > 8).sum() >= 14
    half = arrived("21-queue-between", acks=0.5, queue=40)
    assert half.low < 0.5 < half.high
    assert arrived("21-queue-between", acks=0.6, queue=40).k == 0


def test_21_by_older_rules_at_100_packets_and_at_20() -> None:
    name, old = "21-rules-of-2013", {"cc": "Reno of 2013"}
    assert runs(name, acks=0.5, queue=100, **old).mean() > 8.5
    shares = [arrived(name, acks=acks, queue=100, **old).k for acks in (0.6, 0.7, 0.8)]
    assert shares == sorted(shares, reverse=True) and shares[0] > shares[-1] == 0
    assert all(arrived(name, acks=acks, queue=20, **old).k == 0 for acks in (0.5, 0.6, 0.7, 0.8))
    for acks in (0.4, 0.5, 0.6, 0.7):
        switched = runs(name, acks=acks, queue=100, cc="today's Reno")
        assert not estimates.paired(switched, runs("21-acks-lost", acks=acks, queue=100)).excludes(0)


def test_21_if_nothing_is_undone_70_percent_is_deadly_and_60_is_not() -> None:
    def came(sysctls: str, acks: float) -> int:
        return arrived("21-nothing-undone", sysctls=sysctls, acks=acks).k

    assert came("takes cuts back", 0.7) >= 13 and came("cannot", 0.7) == 0
    assert came("takes cuts back", 0.6) == 16 and came("cannot", 0.6) >= 13


def test_21_three_segments_at_first_double_the_older_renos_deaths_at_70_percent() -> None:
    def dead(commands: str, acks: float, cc: str = "Reno of 2013") -> int:
        found = arrived("21-first-window", commands=commands, acks=acks, cc=cc)
        return found.n - found.k

    assert 1.7 < dead("three segments", 0.7) / dead("ten segments", 0.7) < 3
    assert dead("three segments", 0.6) <= 5
    assert all(dead("three segments", acks, "today's Reno") == 0 for acks in (0.4, 0.5, 0.6, 0.7))


@pytest.mark.parametrize("acks", [0.4, 0.5, 0.6, 0.7])
def test_21_a_transfer_whose_address_is_asked_for_in_vain_never_begins(acks: float) -> None:
    values = runs("21-addresses", acks=acks, commands="asked for")
    never = estimates.share(int((values == 0).sum()), len(values))
    assert never.low < acks**3 < never.high and never.k > 0
    assert (runs("21-addresses", acks=acks, commands="known") > 0).all()


def test_what_was_published_as_small_rates_are_a_dozen_segments_or_not_one() -> None:
    few = [segments(mbit_s, GIVEN_UP_S) for mbit_s in (0.00013, 0.00014, 0.0001535)]
    assert [round(count) for count in few] == [11, 12, 13]
    assert segments(4e-7, GIVEN_UP_S) < 0.05 and pytest.approx(12, abs=0.5) == 1348 * 8 / GIVEN_UP_S


def test_22_by_older_rules_settings_differ_by_no_more_than_chance() -> None:
    from scipy.stats import fisher_exact

    def counts(setting: str, acks: float) -> list[int]:
        found = arrived("22-30-older-rules", sysctls=setting, acks=acks)
        return [found.k, found.n - found.k]

    for acks in (0.5, 0.6, 0.7):
        none = counts("none", acks)
        for setting in ("tcp_window_scaling=1", "tcp_no_metrics_save=0", "defaults"):
            assert fisher_exact([none, counts(setting, acks)]).pvalue > 0.05
    assert counts("defaults", 0.5) == [5, 3]


def test_22_half_of_the_transfers_that_were_caught_had_no_more_than_60_segments() -> None:
    found = table("22-30-older-rules")
    found = found[(found["flow"] == "C-A#2") & (found["complete"] == 0)]
    assert segments(found["goodput"].median(), 1800) < 60 and len(found) > 40


# Lost ACKs at 100 Mbit/s


def test_100_mbit_a_second_for_the_handshake_makes_63_of_93_7() -> None:
    assert pytest.approx(63, abs=0.2) == SIZE / (SIZE / 93.7 + 1.04)
    found = table("acks-lost-100mbit")
    assert found["goodput"].between(62, 63.5).sum() > 0.1 * len(found)
    assert runs("acks-lost-100mbit", acks=0.1, cc="cubic", queue=100).mean() == pytest.approx(93.7, abs=0.1)


def test_100_mbit_cubic_at_60_percent_with_short_and_long_queues() -> None:
    assert 1 < runs("acks-lost-100mbit", acks=0.6, cc="cubic", queue=20).median() < 5
    assert 45 < runs("acks-lost-100mbit", acks=0.6, cc="cubic", queue=100).mean() < 75


def test_100_mbit_by_older_rules() -> None:
    def came(acks: float, queue: int) -> int:
        return arrived("acks-lost-100mbit-older", acks=acks, queue=queue).k

    assert came(0.5, 20) == 0
    assert came(0.5, 100) == 8 and 4 <= came(0.6, 100) < 8 and came(0.7, 100) <= 4


# The conclusions


@pytest.mark.parametrize("loss", [0.01, 0.05, 0.10])
def test_the_same_segments_are_sent_again_with_rack_and_without(loss: float) -> None:
    def again(rack: str) -> pd.Series:
        return runs("conclusion-retransmissions", "retransmits", loss=loss, rack=rack)

    assert again("today").mean() == pytest.approx(again("without RACK").mean(), rel=0.02)


def test_retransmissions_are_a_small_part_of_the_time_that_is_lost() -> None:
    def part(loss: float, rack: str) -> float:
        seconds = SIZE / runs("conclusion-retransmissions", loss=loss, rack=rack)
        sent = runs("conclusion-retransmissions", "retransmits", loss=loss, rack=rack) * 1438 * 8e-7
        return float(sent.mean() / (seconds.mean() - SIZE / 9.373))

    assert 0.11 < part(0.10, "today") < 0.22 and 0.03 < part(0.10, "without RACK") < 0.05
    assert 0.85 < part(0.01, "today") < 1.1
    today = runs("conclusion-retransmissions", loss=0.10, rack="today").mean()
    assert today > 2 * runs("conclusion-retransmissions", loss=0.10, rack="without RACK").mean()


def test_cubic_is_ahead_when_acks_are_lost_and_the_queue_is_short() -> None:
    found = [runs("conclusion-algorithms", acks=0.5, cc=cc) for cc in ("cubic", "reno", "htcp")]
    assert estimates.paired(found[0], found[1]).low > 0 and estimates.paired(found[0], found[2]).low > 0
    assert 1.15 < found[0].mean() / found[1].mean() < 1.5


def test_a_cubic_that_cuts_to_a_half_is_no_longer_ahead() -> None:
    def lead(commands: str) -> estimates.estimate.Estimate:
        cubic, reno = (runs("conclusion-cubic-cut", commands=commands, cc=cc) for cc in ("cubic", "reno"))
        return estimates.paired(cubic, reno)

    assert lead("keeps 0.70").low > 0 and lead("keeps 0.50").value < 0.5


@pytest.mark.parametrize(("rate", "line"), [("10 Mbit/s", 9.37), ("100 Mbit/s", 93.7)])
def test_goodput_after_a_lost_handshake_is_25_mb_over_line_time_and_wait(rate: str, line: float) -> None:
    found = table("handshake")
    found = found[found["links.router-A.forward.rate"] == rate]
    expected = SIZE / (SIZE / line + found["established_s"])
    assert np.allclose(found["goodput"], expected, rtol=0.01)
    doubled = found[found["sysctls.net.ipv4.tcp_syn_linear_timeouts"] == "doubled"]["established_s"]
    assert np.allclose(doubled, [0, 1, 3, 7, 15], atol=0.5)


def test_the_waits_that_published_rates_would_be() -> None:
    def waits(mbit_s: float, line: float = 9.37) -> float:
        return SIZE / mbit_s - SIZE / line

    assert waits(8.18) == pytest.approx(3.1, abs=0.05) and waits(7.08) == pytest.approx(6.9, abs=0.05)
    assert waits(17.9, 93.7) == pytest.approx(9.0, abs=0.05)
    assert pytest.approx(8.21, abs=0.01) == SIZE / (SIZE / 9.37 + 3)
    assert pytest.approx(17.96, abs=0.01) == SIZE / (SIZE / 93.7 + 9)
