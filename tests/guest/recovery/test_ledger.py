"""The loss ledger: one packet lost at a chosen place, and what Linux does about it.

left ---- r1 ------------------------- r2 ---- right
             10 Mbit/s, 10 ms each way
             100 packets, chosen ones lost
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labkit.program.structs import Kind
from labkit.results.ledger import Accounts, LedgerError
from labkit.results.result import Result
from labkit.spec import DropPackets, Experiment, Flow, GilbertElliott
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, counter, fresh

RTT_S, RATE = 0.020, 10e6
FRAME_S = 1514 * 8 / RATE
MSS = 1448
FIRST_DATA = 3  # packets of the data direction: SYN, ACK, then data
NO_SACK = {"net.ipv4.tcp_sack": 0}
RECORD_HEAD = 16  # bytes before a record's payload in the raw file
Fields = Mapping[str, Any]


def lost(
    forward: Any = None, backward: Any = None, size: int = 100_000, sysctls: Fields | None = None, **flow: Any
) -> Result:
    """A Reno transfer over 10 Mbit/s and 20 ms that loses these packets of either direction."""
    ways = [DropPackets(list(way)) if way else None for way in (forward, backward)]
    return fresh(
        Experiment(
            dumbbell(rate="10mbit", delay="10ms", forward={"loss": ways[0]}, backward={"loss": ways[1]}),
            flows=[Flow("left", "right", cc="reno", size=size, **flow)],
            sysctls=sysctls or {},
            probes={"recovery", "tcp_probe", "drops"},
            capture=["left", "right"],
        )
    )


def only(result: Result) -> Any:
    """The ledger's only row."""
    table = result.ledger()
    assert len(table) == 1, table.T
    return table.iloc[0]


def last_data(size: int) -> int:
    """Number of the packet that carries the last byte, if none is sent twice before it."""
    return FIRST_DATA - 1 + -(-size // MSS)


def number_of(result: Result, seq: int, transmission: int) -> int:
    """Number of the packet in its direction, counted where it is handed to the device."""
    table = result.packet_table("left")
    out = table[table["direction"] == "out"].reset_index(drop=True)
    return int(out.index[(out["seq"] == seq) & (out["payload"] > 0)][transmission - 1]) + 1


# ---- one loss, and how it is found ----


@cache
def in_mid_window() -> Result:
    return lost([20])


def test_a_loss_in_mid_window_is_found_by_sack() -> None:
    row = only(in_mid_window())
    assert (row["cause"], row["found_by"], row["transmission"]) == ("named loss", "sack", 1)
    assert (row["host"], row["peer"], row["way"]) == ("r1", "r2", "data")
    assert row["end_seq"] - row["seq"] == row["payload"] == MSS
    assert row["burst"] == 0


def test_it_is_sent_again_when_three_segments_behind_it_are_known_to_have_arrived() -> None:
    """Its ACK would have come at t0; the next three segments follow it through the bottleneck one frame time
    apart, and each one that finds a hole is acknowledged at once (RFC 5681, section 4.2)."""
    result = in_mid_window()
    row = only(result)
    acks = result.packet_table("left")
    acks = acks[(acks["direction"] == "in") & (acks["sack1_left"] == row["end_seq"])]
    third = acks[acks["sack1_right"] == row["end_seq"] + 3 * MSS].iloc[0]
    assert row["retransmitted_s"] == pytest.approx(third["time_s"], abs=1e-6)
    assert row["retransmitted_s"] - row["lost_s"] == pytest.approx(
        RTT_S + 3 * FRAME_S, abs=2 * FRAME_S / 10 + FRAME_S / 10
    )


def test_it_is_recovered_when_the_ack_of_its_retransmission_comes() -> None:
    """An RTT later, and what waits before it in the queue: never more than a window of 27 packets."""
    result = in_mid_window()
    row = only(result)
    acks = result.packet_table("left")
    covering = acks[(acks["direction"] == "in") & (acks["ack"] >= row["end_seq"])]["time_s"].iloc[0]
    assert row["recovered_s"] == pytest.approx(covering, abs=1e-9)
    waited = row["recovered_s"] - row["retransmitted_s"]
    assert RTT_S < waited < RTT_S + row["cwnd_before"] * FRAME_S


def test_reno_halves_its_window_on_it() -> None:
    row = only(in_mid_window())
    assert row["cwnd_after"] == row["cwnd_before"] // 2


def test_the_kernel_counts_one_fast_retransmission_by_sack() -> None:
    result = in_mid_window()
    names = ["TcpRetransSegs", "TcpExtTCPSackRecovery", "TcpExtTCPFastRetrans", "TcpExtTCPTimeouts"]
    assert [counter(result, "left", name) for name in names] == [1, 1, 1, 0]


def test_without_sack_the_third_duplicate_ack_tells() -> None:
    result = lost([20], sysctls=NO_SACK)
    row = only(result)
    assert row["found_by"] == "dupack"
    acks = result.packet_table("left")
    acks = acks[(acks["direction"] == "in") & (acks["ack"] == row["seq"]) & (acks["payload"] == 0)]
    assert row["retransmitted_s"] == pytest.approx(acks["time_s"].iloc[3], abs=1e-6)
    assert counter(result, "left", "TcpExtTCPRenoRecovery") == 1


def test_without_sack_a_second_hole_is_found_by_a_partial_ack() -> None:
    result = lost([20, 23], sysctls=NO_SACK)
    table = result.ledger()
    assert table["found_by"].tolist() == ["dupack", "partial ack"]
    assert table["retransmitted_s"][1] == pytest.approx(table["recovered_s"][0], abs=1e-6)
    assert counter(result, "left", "TcpExtTCPRenoRecovery") == 1


@pytest.mark.parametrize(("recovery", "second"), [(0, "sack"), (1, "rack")])
def test_in_recovery_rack_takes_a_second_hole_for_lost_at_the_first_sack_behind_it(
    recovery: int, second: str
) -> None:
    """Without RACK it waits for three segments once more (RFC 6675)."""
    result = lost([20, 25], sysctls={"net.ipv4.tcp_recovery": recovery})
    assert result.ledger()["found_by"].tolist() == ["sack", second]
    assert counter(result, "left", "TcpExtTCPSackRecovery") == 1


def test_the_last_packet_is_found_by_a_probe() -> None:
    result = lost([last_data(100_000)])
    row = only(result)
    assert (row["found_by"], row["end_seq"]) == ("tlp", 100_001)
    assert counter(result, "left", "TcpExtTCPLossProbes") == 1
    assert counter(result, "left", "TcpExtTCPTimeouts") == 0


def test_of_the_last_two_the_probe_mends_the_last_and_shows_the_other() -> None:
    """The probe sends the last segment; its SACK shows a hole that only one segment is behind."""
    number = last_data(100_000)
    result = lost([number - 1, number])
    table = result.ledger()
    assert table["found_by"].tolist() == ["rack", "tlp"]
    assert table["retransmitted_s"][0] == pytest.approx(table["recovered_s"][1], abs=1e-6)
    assert counter(result, "left", "TcpExtTCPLossProbes") == 1


def test_without_probes_the_timer_finds_the_last_packet() -> None:
    result = lost([last_data(100_000)], sysctls={"net.ipv4.tcp_early_retrans": 0})
    row = only(result)
    assert row["found_by"] == "rto"
    assert row["retransmitted_s"] - row["sent_s"] >= 0.2
    assert counter(result, "left", "TcpExtTCPTimeouts") == 1
    assert counter(result, "left", "TcpExtTCPLossProbes") == 0


def test_a_window_of_two_without_its_first_is_found_by_time() -> None:
    """One segment behind it arrived: RACK waits for a quarter of an RTT and then takes it for lost."""
    row = only(lost([FIRST_DATA], size=2 * MSS))
    assert row["found_by"] == "rack"
    assert RTT_S < row["retransmitted_s"] - row["sent_s"] < 2 * RTT_S


def test_a_window_of_two_without_its_second_is_found_by_a_probe() -> None:
    assert only(lost([FIRST_DATA + 1], size=2 * MSS))["found_by"] == "tlp"


@cache
def retransmission_lost(recovery: int) -> Result:
    """The same loss, and that of what mends it."""
    sysctls = {"net.ipv4.tcp_recovery": recovery}
    once = lost([20], size=300_000, sysctls=sysctls)
    again = number_of(once, int(only(once)["seq"]), 2)
    return lost([20, again], size=300_000, sysctls=sysctls)


def test_a_lost_retransmission_is_found_by_rack() -> None:
    result = retransmission_lost(1)
    table = result.ledger()
    assert table["transmission"].tolist() == [1, 2]
    assert table["found_by"].tolist() == ["sack", "rack"]
    assert table["seq"].nunique() == 1
    assert counter(result, "left", "TcpExtTCPLostRetransmit") == 1
    assert counter(result, "left", "TcpExtTCPTimeouts") == 0


def test_without_rack_only_the_timer_finds_a_lost_retransmission() -> None:
    result = retransmission_lost(0)
    assert result.ledger()["found_by"].tolist() == ["sack", "rto"]
    assert counter(result, "left", "TcpExtTCPTimeouts") == 1


def test_both_lost_packets_are_mended_by_the_same_transmission() -> None:
    table = retransmission_lost(1).ledger()
    assert table["recovered_s"].nunique() == 1
    assert table["retransmitted_s"][0] == pytest.approx(table["sent_s"][1], abs=1e-6)


def test_a_lost_syn_is_found_by_its_timer() -> None:
    result = lost([1])
    row = only(result)
    assert (row["found_by"], row["seq"], row["end_seq"], row["payload"]) == ("syn timeout", 0, 1, 0)
    assert 1.0 <= row["retransmitted_s"] < 1.1
    assert counter(result, "left", "TcpExtTCPSynRetrans") == 1


def test_a_lost_syn_ack_is_found_by_a_timer() -> None:
    row = only(lost(None, [1]))
    assert (row["found_by"], row["way"], row["host"], row["peer"]) == ("syn timeout", "ack", "r2", "r1")


def test_the_lost_third_packet_of_the_handshake_is_not_needed() -> None:
    assert only(lost([2]))["found_by"] == "not needed"


def test_lost_acks_are_not_needed_if_a_later_one_comes() -> None:
    result = lost(None, [10, 11])
    table = result.ledger()
    assert table["found_by"].tolist() == ["not needed"] * 2
    assert table["way"].tolist() == ["ack"] * 2
    assert table["recovered_s"].nunique() == 1
    assert counter(result, "left", "TcpRetransSegs") == 0


def test_syn_acks_that_overtake_nothing_are_told_apart() -> None:
    """With 3 s of round trip both ends send again what is under way: SYN-ACKs without identification."""
    result = fresh(Experiment(pair(delay="1.5s"), flows=[Flow("left", "right", size="1kB")], probes=NOTHING))
    accounts = Accounts(result)
    balance = accounts.balance()
    assert counter(result, "left", "TcpExtTCPSynRetrans") > 0
    assert balance["in_flight"].sum() == accounts.under_way()
    assert balance["lost"].sum() == 0


def test_every_transmission_is_a_packet_of_its_own() -> None:
    packets = Accounts(in_mid_window()).packets
    data = packets[packets["way"] == "data"]
    assert data["ip_id"].is_unique
    assert data["seq"].duplicated().sum() >= 1


def test_retransmissions_by_the_trace_are_those_of_the_capture() -> None:
    result = fresh(
        Experiment(
            dumbbell(rate="10mbit", delay="10ms", loss="3%"),
            flows=[Flow("left", "right", cc="cubic", size="1MB")],
            probes={"recovery", "tcp_probe", "drops"},
        )
    )
    table = result.packet_table("left")
    data = table[(table["direction"] == "out") & (table["payload"] > 0)]
    again = data[data["seq"] < (data["seq"] + data["payload"]).cummax().shift(fill_value=0)]
    assert len(result.retransmissions) == counter(result, "left", "TcpRetransSegs") == len(again) > 20
    assert result.retransmissions["time_s"].tolist() == pytest.approx(again["time_s"].tolist(), abs=1e-6)


def test_what_is_sent_at_the_very_end_is_in_flight() -> None:
    """The sender gives up as the run ends: its reset is lost at that instant, an answer is on its way."""
    loss = GilbertElliott(p=0.1 * 0.02 / 0.98, r=0.1)
    flow = Flow("left", "right", duration="30s")
    result = fresh(Experiment(pair(rate="20mbit", delay="20ms", queue="100p", loss=loss), flows=[flow]))
    last = Accounts(result).packets.query("flags == 'RA'")
    assert last["sent_ns"].tolist() == [Accounts(result).end_ns]
    assert last["fate"].tolist() == ["lost"]
    assert result.balance()["in_flight"].tolist() == [0, 1]
    assert len(result.drops) == (Accounts(result).packets["fate"] == "lost").sum()


def test_a_drop_that_is_missing_is_an_error(tmp_path: Path) -> None:
    """The check can fail: one record of the drop monitor cut out of the raw file, and a packet is nowhere."""
    result = in_mid_window()
    shutil.copytree(result.folder, tmp_path / "run")
    records, data = result.raw.records(Kind.DROP), bytes(result.raw.data)
    (place,) = [i for i, body in enumerate(result.raw.bodies(records)) if b"nft_do_chain" in bytes(body)]
    start, end = int(records.offset[place]) - RECORD_HEAD, int(records.offset[place] + records.size[place])
    (tmp_path / "run" / "raw").write_bytes(data[:start] + data[(end + 7) & ~7 :])
    with pytest.raises(LedgerError, match="does not add up: 1 packets were sent, did not arrive") as caught:
        Result(tmp_path / "run").ledger()
    assert caught.value.balance["lost"].sum() == 0


@cache
def stormy(sack: int) -> Result:
    """Enough losses that everything happens: 1 MB with 6 % loss, and ACKs lost too."""
    return fresh(
        Experiment(
            dumbbell(rate="10mbit", delay="10ms", forward={"loss": "6%"}, backward={"loss": "3%"}),
            flows=[Flow("left", "right", cc="reno", size="1MB")],
            sysctls={"net.ipv4.tcp_sack": sack},
            probes={"recovery", "tcp_probe", "drops"},
            capture=["left", "right"],
            seed=7,
        )
    )


@pytest.mark.parametrize("sack", [0, 1])
def test_stays_in_recovery_are_those_that_the_kernel_counts(sack: int) -> None:
    result = stormy(sack)
    begun = (result.cong_states["state"] == "Recovery").sum()
    assert begun == counter(result, "left", "TcpExtTCPSackRecovery" if sack else "TcpExtTCPRenoRecovery") > 0


def test_what_timers_found_follows_a_timeout_that_the_kernel_counts() -> None:
    """Each expiry sends one segment at once and takes all that is outstanding for lost."""
    result = stormy(0)
    table = result.ledger()
    rto = table[table["found_by"] == "rto"]["retransmitted_s"].to_numpy()
    timeouts = result.cong_states[result.cong_states["state"] == "Loss"]["time_s"].to_numpy()
    assert 0 < len(timeouts) <= counter(result, "left", "TcpExtTCPTimeouts")
    first = np.searchsorted(np.sort(rto), timeouts)
    assert np.sort(rto)[first] == pytest.approx(timeouts, abs=1e-6)


@pytest.mark.parametrize("sack", [0, 1])
def test_probes_are_no_more_than_the_kernel_s(sack: int) -> None:
    result = stormy(sack)
    found = (result.ledger()["found_by"] == "tlp").sum()
    assert found <= counter(result, "left", "TcpExtTCPLossProbes")


@pytest.mark.parametrize("sack", [0, 1])
def test_all_lost_data_is_sent_again_and_recovered(sack: int) -> None:
    table = stormy(sack).ledger()
    data = table[(table["way"] == "data") & (table["payload"] > 0)]
    mended = data[~data["found_by"].isin(["not needed"])]
    assert mended["retransmitted_s"].notna().all() and data["recovered_s"].notna().all()
    assert (mended["sent_s"] < mended["retransmitted_s"]).all()
    assert (mended["retransmitted_s"] < mended["recovered_s"]).all()
