"""PingER's files, on samples written by hand after what SLAC says of their formats; and what is derived."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labkit.errors import SpecError
from labkit.models import derived, pinger, power_law

TSV = (
    "allmonthly\t?\tJan2007\tFeb2007\tMar2007\tMonitoring-Node\tMonitoring-Site\tMonitoring-Country"
    "\tRemote-Node\tRemote-Site\n"
    "EDU.EXAMPLE.N1-to-CH.EXAMPLE.N2\t.\t0.120\t.\t0.098\tEDU.EXAMPLE.N1\tEXAMPLE\tUnited States"
    "\tCH.EXAMPLE.N2\tEXAMPLE-CH\n"
    "EDU.EXAMPLE.N1-to-IN.EXAMPLE.N1\t.\t2.5\t1.9\t2.1\tEDU.EXAMPLE.N1\tEXAMPLE\tUnited States"
    "\tIN.EXAMPLE.N1\tEXAMPLE-IN\n"
)
COUNTRIES = """allyearly,?,1998,1999,2000

EDU.EXAMPLE.N1-to-Sierra Leone,.,.,.,12.504
EDU.EXAMPLE.N1-to-Chile,.,4,3,2
"""
DAY = (
    "0 1 2 3\n"
    "a.example.edu b.example.ch 0.000 10.000 . 0.000 a.example.edu b.example.ch b.example.ch\n"
    "a.example.edu c.example.in 0 0 0 20 a.example.edu c.example.in c.example.in\n"
)
EARLY = "a.example.edu 192.0.2.1 b.example.gov 198.51.100.7 56 870393602 10 9 6 18 125\n"
LATE = (
    "a.example.edu 192.0.2.1 b.example.gov 198.51.100.7 1000 1152489601 10 3 0.255 0.341 0.467 "
    "0 1 9 0.255 0.301 0.467\n"
)
SILENT = "a.example.edu 192.0.2.1 d.example.org 203.0.113.9 100 1152489602 10 0\n"
LOST = "a.example.edu 192.0.2.1 d.example.org 100 870393602 10\n"


def test_a_table_has_a_row_per_pair_and_tick_and_dots_are_missing() -> None:
    found = pinger.table(TSV)
    assert list(found.columns) == ["monitor", "remote", "tick", "value"] and len(found) == 6
    assert set(found.monitor) == {"EDU.EXAMPLE.N1"} and found.remote.iloc[0] == "CH.EXAMPLE.N2"
    assert list(found.tick[:3]) == ["Jan2007", "Feb2007", "Mar2007"]
    assert found.value.tolist() == pytest.approx([0.12, np.nan, 0.098, 2.5, 1.9, 2.1], nan_ok=True)


def test_a_table_with_commas_and_without_names_takes_them_from_the_pair() -> None:
    found = pinger.table(COUNTRIES)
    assert list(found.remote.unique()) == ["Sierra Leone", "Chile"]
    assert found.value.tolist() == pytest.approx([np.nan, np.nan, 12.504, 4, 3, 2], nan_ok=True)


def test_a_daily_file_of_the_archive_has_hours_and_its_hosts_in_front() -> None:
    found = pinger.table(DAY)
    assert list(found.tick[:4]) == ["0", "1", "2", "3"] and found.remote.iloc[-1] == "c.example.in"
    assert found.value.tolist() == pytest.approx([0, 10, np.nan, 0, 0, 0, 0, 20], nan_ok=True)


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "loss.tsv").write_text(TSV)
    pd.testing.assert_frame_equal(pinger.table(tmp_path / "loss.tsv"), pinger.table(TSV))
    pd.testing.assert_frame_equal(pinger.table(str(tmp_path / "loss.tsv")), pinger.table(TSV))


def test_lines_of_both_formats_of_silence_and_of_the_early_fault() -> None:
    found = pinger.lines(EARLY + LATE + SILENT + LOST)
    assert len(found) == 3
    assert found.size_bytes.tolist() == [100, 1000, 100]
    assert found.sent.tolist() == [10, 10, 10] and found.received.tolist() == [9, 3, 0]
    assert found.avg_ms.tolist() == pytest.approx([18, 0.341, np.nan], nan_ok=True)
    assert found.rtts_ms.tolist() == [(), (0.255, 0.301, 0.467), ()]


@pytest.mark.parametrize(
    ("tick", "year"),
    [("2007", 2007.5), ("Sep2007", 2007 + 8.5 / 12), ("070101", 2007.001), ("990703", 1999.501)],
)
def test_ticks_have_their_place_on_a_scale_of_years(tick: str, year: float) -> None:
    assert pinger.year(tick) == pytest.approx(year, abs=0.002)


@pytest.mark.parametrize("tick", ["7", "Spt2007", "071301", "?", "20071"])
def test_a_tick_without_a_date_is_refused(tick: str) -> None:
    with pytest.raises(SpecError, match="tick"):
        pinger.year(tick)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n", "line 1: empty"),
        ("<html><h1>Sorry</h1>\n", "format=tsv"),
        (TSV.replace("0.098", "n/a"), r"line 2: tick Mar2007 is 'n/a': a number from 0 on, or \"\.\""),
        (TSV.replace("0.098", "-1"), "line 2: tick Mar2007"),
        (TSV.replace("\tEXAMPLE-IN", ""), "line 3: 9 columns, the header has 10"),
        (TSV.splitlines()[0] + "\n", "line 1: a header and no row"),
        (TSV.replace("?\t", "\t"), r"line 1: no header of ticks: .*\"\?\""),
        ("allyearly\t?\tMonitoring-Node\nx\n", 'line 1: no tick behind the "?"'),
        (COUNTRIES.replace("-to-Chile", " Chile"), "line 4: no pair 'EDU.EXAMPLE.N1 Chile'"),
        (DAY.replace(" 0 0 0 20 a.example.edu c.example.in c.example.in", " 0 0"), "line 3: 4 columns"),
        (DAY.replace("0 0 0 20 a.", "0 0 0 20 30 a."), "line 3: '30' behind the last tick: the header has 4"),
        (DAY + DAY.splitlines()[1], "line 4: a.example.edu to b.example.ch has 0 on line 2 already"),
        (TSV.replace("Feb2007", "Jan2007"), "line 2: .* has Jan2007 on line 2 already"),
        (COUNTRIES.replace("4,3,2", "4,3,2,1"), "line 4: 6 columns, the header has 5"),
    ],
)
def test_a_table_that_is_none_is_named_by_its_line(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        pinger.table(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (EARLY + EARLY.replace("192.0.2.1", "b"), r"line 2: column 2 is 'b': write 192\.0\.2\.7"),
        (EARLY.replace(" 10 9 ", " 9 10 "), "line 1: 10 received of 9 sent"),
        (EARLY.replace(" 870393602 ", " noon "), "line 1: column 6 is 'noon': a whole number"),
        (LATE.replace(" 0.467\n", "\n"), "line 1: 16 columns: 3 answers make 11 columns, or 17"),
        (EARLY.replace(" 18 ", " x "), "line 1: column 10 is 'x'"),
        ("a b c\n", "line 1: 3 columns: 8 without an answer"),
        ("\n", "no measurement"),
        (LOST, "no measurement"),
        (EARLY.replace("192.0.2.1 ", "999.0.2.1 "), r"line 1: column 2 is '999\.0\.2\.1'"),
        (EARLY.replace(" 6 18 125", " 18 6 125"), "line 1: 18, 6, 125 ms: must be the least"),
        (EARLY.replace(" 6 18 125", " -6 18 125"), "line 1: column 9 is '-6'"),
        (SILENT.replace(" 10 0\n", " 0 0\n"), "line 1: column 7 is '0'"),
        (SILENT.replace(" 10 0\n", " 10 0 1 2 3\n"), "line 1: 11 columns: without an answer 8"),
    ],
)
def test_a_line_that_is_mangled_is_named(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        pinger.lines(text)


def test_half_a_ping_of_a_hundred_is_the_half_per_cent_of_1999() -> None:
    none, one = derived.throughput([0.0, 0.01], 0.1, sent=100)
    assert none / one == pytest.approx(np.sqrt(2))
    assert none == pytest.approx(8 * 1460 / 0.1 / np.sqrt(0.005))
    assert derived.throughput(0.0, 0.1) == np.inf


def test_the_rate_at_one_per_cent_and_100_ms_is_mathis_with_the_constant_one() -> None:
    # Cottrell 2000: MSS/RTT 1/sqrt(p), 1460 bytes: 1.168 Mbit/s, about half a GB an hour
    rate = derived.throughput(0.01, 0.1)
    assert rate == pytest.approx(1.168e6)
    assert derived.gigabytes_per_hour(rate) == pytest.approx(0.5256)


def test_the_theory_fit_of_2007_belongs_to_a_round_trip_of_62_ms() -> None:
    beta, s = power_law.PINGER_THEORY
    assert s == 0.5
    rtt = 1e-3 * derived.throughput(0.01, 1.0) / beta
    assert rtt == pytest.approx(0.0623, abs=5e-5)


def test_normalising_leaves_loss_and_the_ratio_of_two_round_trips() -> None:
    loss, near, far = 0.01, 0.05, 0.3
    rates = derived.throughput(loss, np.array([near, far]) * 1.2)
    assert derived.normalised(rates, [near, far], 0.1) == pytest.approx(
        derived.throughput(loss, 0.12), rel=1e-12
    )


def test_a_trend_of_six_per_cent_a_month_is_found_and_gaps_are_left_out() -> None:
    months = np.arange(36.0)
    loss = 2.5 * 0.94**months
    loss[7] = np.nan
    found = derived.per_month(months, loss)
    assert found.value == pytest.approx(-0.06) and found.n == 35
    # 40 to 50 % a year, as the ICFA-SCIC reports of 2003 to 2006 have it, are 4.2 to 5.6 % a month
    assert 1 - np.array([0.6, 0.5]) ** (1 / 12) == pytest.approx([0.0417, 0.0561], abs=1e-4)


def test_a_share_in_per_cent_is_100_at_most_if_the_metric_is_known() -> None:
    over = COUNTRIES.replace("12.504", "150")
    assert pinger.table(over).value.max() == 150
    assert pinger.table(over, "average_rtt").value.max() == 150
    with pytest.raises(SpecError, match="line 3: tick 2000 is 150 %"):
        pinger.table(over, "packet_loss")
    with pytest.raises(SpecError, match="metric='loss'"):
        pinger.table(over, "loss")


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\n")
    for file in (tmp_path / "binary", tmp_path, "", None):
        for read in (pinger.table, pinger.lines):
            with pytest.raises(SpecError, match="file="):
                read(file)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        pinger.table(tmp_path / "nowhere")


def test_the_interval_of_a_trend_holds_the_truth_in_19_of_20_cases() -> None:
    rng = np.random.default_rng(20)
    months, held = np.arange(24.0), 0
    for _ in range(1000):
        fit = derived.per_month(months, 3 * 0.97**months * rng.lognormal(0, 0.4, 24))
        held += fit.low <= -0.03 <= fit.high
    assert 930 <= held <= 968  # binomial, three deviations of 7


def test_groups_are_medians_by_tick_and_know_no_strangers() -> None:
    found = derived.by_group(pinger.table(COUNTRIES), {"Chile": "Latin America"})
    assert list(found.columns) == ["Latin America"] and found["Latin America"].tolist() == [4, 3, 2]
    both = derived.by_group(pinger.table(TSV), lambda remote: "all")
    assert both["all"].tolist() == pytest.approx([(0.12 + 2.5) / 2, 1.9, (0.098 + 2.1) / 2])
    with pytest.raises(SpecError, match="no group"):
        derived.by_group(pinger.table(TSV), {})


def test_a_power_law_is_explained_wholly_and_noise_is_not() -> None:
    x = np.geomspace(0.1, 10, 30)
    assert derived.log_r_squared(x, 1526.6 / x**0.66) == pytest.approx(1)
    assert np.isnan(derived.log_r_squared(x, np.ones(30)))


@pytest.mark.parametrize(
    ("call", "of"),
    [
        (lambda: derived.throughput(1.5, 0.1), "loss"),
        (lambda: derived.throughput(np.nan, 0.1), "loss"),
        (lambda: derived.throughput(0.01, 0), "rtt"),
        (lambda: derived.throughput([0.1, 0.2], [0.1, 0.1, 0.1]), "rtt"),
        (lambda: derived.throughput(0.0, 0.1, sent=0), "sent"),
        (lambda: derived.normalised(1e6, 0, 0.1), "min_rtt"),
        (lambda: derived.normalised(1e6, [0.1, 0.2], 0), "reference_rtt"),
        (lambda: derived.gigabytes_per_hour(-1), "bit_s"),
        (lambda: derived.per_month([1, 2], [1, 2]), "three"),
        (lambda: derived.per_month([1, 2, 3], [1, 0, 2]), "values"),
        (lambda: derived.per_month([1, 2, 3], [1, 2]), "equal length"),
        (lambda: derived.log_r_squared([1, 2, 0], [1, 2, 3]), "x"),
        (lambda: derived.log_r_squared([1, 2], [1, 2]), "three points"),
    ],
)
def test_faults_are_named(call: object, of: str) -> None:
    with pytest.raises(SpecError, match=of):
        call()  # type: ignore[operator]
