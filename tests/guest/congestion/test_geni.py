"""GENI's exercises on the lab kernel: what each shows, in a shorter form of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from labkit import SweepFile, run

FILES = Path(__file__).parents[3] / "book" / "data" / "geni"
LIMIT = "links.center-left.forward.wire_limit"
QUEUE = "links.center-left.forward.queue"
FRAMES_S = 1000 / 0.30075  # a second, if 1000 packets are on a way of 300 ms (and three links of 0.25)


def short(name: str, duration: str = "20s", seeds: int = 1, **only: Any) -> pd.DataFrame:
    """The table of a file with shorter flows; only: some values of an axis, by the last part of its path."""
    text = (FILES / f"{name}.yaml").read_text().replace("duration: 60s", f"duration: {duration}")
    file = SweepFile.from_yaml(text)
    grid = dict(file.grid)
    for path, values in grid.items():
        if (chosen := only.get(path.rpartition(".")[2])) is not None:
            grid[path] = {text: values[text] for text in chosen}
    return file.replace(seeds=seeds, grid=grid, published=None).run(progress=False, on_error="raise").table


def mbit_s(packets_s: float) -> float:
    """Goodput of full segments at this rate."""
    return packets_s * 1448 * 8e-6


def test_1_without_loss_and_delay_the_line_is_full() -> None:
    line = mbit_s(98.44e6 / 8 / 1514)
    assert (short("1-no-loss", "5s")["goodput"] > 0.995 * line).all()


def test_2_with_netems_limit_its_1000_packets_are_the_window() -> None:
    exp = SweepFile.load(FILES / "2-delay-60s.yaml").at({LIMIT: "1000p", "flows.duration": "5s"}).template
    result = run(exp.replace(sample_interval="5ms", probes=["tcp_info", "drops"], capture=exp.topology.names))
    lost = result.ledger()
    assert set(lost["cause"]) == {"wire full"}
    info = result.tcp_info.query("side == 'sender'")
    under_way = info[info["time_s"] < lost["sent_s"].min()]["unacked"].iloc[-1]
    assert 1000 <= under_way < 1150  # those that wait on the way there among them


def test_2_with_a_window_of_1_18_mb_the_rate_is_window_per_round_trip_for_both() -> None:
    table = short("2-delay-60s", sysctls=["at most 1.18 MB"])
    assert table["goodput"].nunique() == 1
    window, trip_s = 1179648, 0.30075
    # Nothing for the handshake, a window and a half in seven round trips of 10 to 640 segments, and what is
    # on its way at the end has not arrived.
    full_s = 20 - trip_s - (7 - 1270 * 1448 / window) * trip_s - 0.3
    assert table["goodput"].iloc[0] == pytest.approx(window * 8e-6 / trip_s * full_s / 20, rel=0.02)


def test_2_three_segments_at_first_are_behind_ten_for_three_seconds() -> None:
    table = short("2-delay-first-seconds").query("`flows.cc` == 'reno'")
    rates = table.pivot(index="second", columns="commands", values="goodput_in_second")
    behind = rates["three segments"] < rates["ten segments"]
    assert behind[["1", "2", "3"]].all()


def test_3_thirty_flows_fill_the_line_unless_1000_packets_are_the_limit() -> None:
    table = short("3-parallel-60s", sysctls=["autotuned"]).set_index([LIMIT])["goodput_sum"]
    assert (table["1000 packets"] < mbit_s(FRAMES_S)).all()
    assert (table["no limit"] > 2 * mbit_s(FRAMES_S)).all()


def test_4_without_rack_and_tlp_goodput_is_half_of_todays() -> None:
    table = short("4-loss", seeds=2).groupby(["sysctls", "flows.cc"])["goodput"].mean()
    assert (table["without RACK and TLP"] < 0.7 * table["today"]).all()


def test_5_in_a_fifo_udp_pushes_and_tcp_gets_the_rest() -> None:
    table = short("5-udp-fifo").set_index([QUEUE, "protocol"])
    assert table.loc[(1000, "udp"), "goodput_sum"] > 19
    assert table.loc[(1000, "tcp"), "goodput_sum"] < 80
    lost = table["datagrams_lost"].xs("udp", level="protocol")
    assert lost[200] > 3 * lost[1000]


def test_6_sfq_gives_everybody_an_eleventh() -> None:
    table = short("6-udp-sfq", "10s").set_index("protocol")
    assert table.loc["tcp", "goodput_max"] / table.loc["tcp", "goodput_min"] < 1.02
    assert table.loc["udp", "goodput_sum"] == pytest.approx(table.loc["tcp", "goodput_sum"] / 10, rel=0.03)
    assert table.loc["udp", "datagrams_lost"] > 0.5


def test_7_today_the_threshold_changes_little_and_counting_gets_twenty_times_as_much() -> None:
    how = "sysctls.net.ipv4.tcp_recovery"
    table = short("7-reordering", sysctls=["3", "100", "100000"]).groupby(how)["goodput"]
    assert table.max()["RACK"] < 4
    assert table.min()["counting"] > 4 * table.max()["RACK"]


def test_8_without_sack_goodput_is_less() -> None:
    table = short("8-sack", "60s", seeds=5, sysctls=["today"])
    means = table.groupby("sysctls.net.ipv4.tcp_sack")["goodput"].mean()
    assert means["no SACK"] < 0.66 * means["SACK"]  # published: 0.66


def test_9_exp_is_ahead_of_reno_where_losses_are_random() -> None:
    table = short("9-exp-loss", flows=["one"]).set_index(["sysctls", "flows.cc"])["goodput_sum"]
    assert table["today", "exp"] > 1.3 * table["today", "reno"]
    assert table["nearer to 2008", "exp"] > table["nearer to 2008", "reno"]


def test_9_thirty_flows_over_a_long_way_get_what_1000_packets_are_worth() -> None:
    table = short("9-exp-delay", flows=["thirty"], sysctls=["today"]).set_index([LIMIT])["goodput_sum"]
    assert (table["1000 packets"] < mbit_s(1000 / 0.50075)).all()
    assert (table["no limit"] > 2 * mbit_s(1000 / 0.50075)).all()


def test_9_with_delay_and_loss_both_have_little_and_exp_a_little_more() -> None:
    table = short("9-exp-both", "60s", seeds=3).groupby(["flows", "flows.cc"])["goodput_sum"].mean()
    assert table["one"].max() < 0.5
    assert table["thirty", "exp"] > 1.3 * table["thirty", "reno"]


def test_8_the_timer_finds_one_loss_in_nine_with_rack_four_in_ten_with_sack_half_with_neither() -> None:
    file = SweepFile.load(FILES / "8-sack.yaml")

    def by_timer(how: str, sack: int) -> float:
        exp = file.at({"sysctls": file.grid["sysctls"][how], "sysctls.net.ipv4.tcp_sack": sack}).template
        return float((run(exp).ledger()["found_by"] == "rto").mean())

    assert 0.08 < by_timer("today", 1) < 0.15
    assert 0.35 < by_timer("without RACK and TLP", 1) < 0.45
    assert 0.45 < by_timer("without RACK and TLP", 0) < 0.6
