"""The rules by which the ledger says how a loss was found, each on a few segments made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.results.ledger.recovery import Recovery, RecoveryOutcome, Side
from labkit.results.ledger.sightings import _shared

MS = 10**6
Segment = tuple[int, int, int]  # ms, seq, end_seq
Ack = tuple[int, int, Sequence[tuple[int, int]]]  # ms, ack, SACK blocks


def side(
    sent: Sequence[Segment], acks: Sequence[Ack], states: Sequence[tuple[int, str]] = (), syn: int = -1
) -> Side:
    """Of a sender that sent these segments, got these ACKs, and went through these states."""
    packets = pd.DataFrame(sent, columns=["time_ns", "seq", "end_seq"]).astype("int64")
    packets["time_ns"] *= MS
    packets["syn"] = np.arange(len(packets)) == syn
    came = pd.DataFrame([ack[:2] for ack in acks], columns=["time_ns", "ack"]).astype("int64")
    came["time_ns"] *= MS
    edges = np.full((2, len(acks), 4), -1, np.int64)
    for i, (_, _, blocks) in enumerate(acks):
        for j, block in enumerate(blocks):
            edges[:, i, j] = block
    begun = np.array([at * MS for at, _ in states], np.int64)
    return Side(packets, came, edges[0], edges[1], begun, np.array([state for _, state in states], dtype=str))


FIVE: list[Segment] = [(i, 1 + 10 * i, 11 + 10 * i) for i in range(5)]
IN_RECOVERY = [(0, "Open"), (22, "Disorder"), (24, "Recovery")]


def found(*given: Any, i: int = 1, transmission: int = 1, **more: Any) -> RecoveryOutcome:
    return Recovery(side(*given, **more)).data(i, transmission)


SACKS: list[Ack] = [(20, 11, ()), (22, 11, [(21, 31)]), (23, 11, [(21, 41)]), (24, 11, [(21, 51)])]


def test_three_segments_behind_it_in_recovery_are_sack() -> None:
    answer = found([*FIVE, (24, 11, 21)], [*SACKS, (44, 51, ())], IN_RECOVERY)
    assert answer == RecoveryOutcome("sack", 24 * MS, 44 * MS)


@pytest.mark.parametrize("behind", [1, 2])
def test_fewer_than_three_behind_it_are_rack(behind: int) -> None:
    assert (
        found([*FIVE, (30, 11, 21)], SACKS[: 1 + behind], [(0, "Open"), (29, "Recovery")]).found_by == "rack"
    )


def test_a_retransmission_lost_itself_is_rack_whatever_is_behind_it() -> None:
    again = [*FIVE, (24, 11, 21), (48, 11, 21)]
    assert found(again, SACKS, IN_RECOVERY, i=5, transmission=2).found_by == "rack"


def test_data_that_is_sent_again_in_state_loss_is_rto() -> None:
    assert found([*FIVE, (300, 11, 21)], SACKS[:1], [(0, "Open"), (300, "Loss")]).found_by == "rto"


@pytest.mark.parametrize("state", ["Open", "Disorder", "CWR"])
def test_data_that_is_sent_again_outside_recovery_is_tlp(state: str) -> None:
    assert found([*FIVE, (60, 41, 51)], [(20, 41, ())], [(0, state)], i=4).found_by == "tlp"


def test_before_any_state_is_known_it_is_open() -> None:
    assert found([*FIVE, (60, 41, 51)], [(20, 41, ())], [], i=4).found_by == "tlp"


def test_without_sack_the_first_of_a_recovery_is_dupack_and_the_next_a_partial_ack() -> None:
    acks: list[Ack] = [(20 + i, 11, ()) for i in range(4)] + [(44, 31, ()), (64, 51, ())]
    sent = [*FIVE, (24, 11, 21), (44, 31, 41)]
    assert found(sent, acks, IN_RECOVERY).found_by == "dupack"
    assert found(sent, acks, IN_RECOVERY, i=3) == RecoveryOutcome("partial ack", 44 * MS, 64 * MS)


def test_a_syn_is_found_by_its_timer() -> None:
    answer = found([(0, 0, 1), (1000, 0, 1)], [(1020, 1, ())], [(1000, "Loss")], i=0, syn=0)
    assert answer == RecoveryOutcome("syn timeout", 1000 * MS, 1020 * MS)


def test_data_that_a_later_ack_covers_unasked_is_not_needed() -> None:
    assert found(FIVE, [(20, 11, ()), (30, 51, ())], IN_RECOVERY) == RecoveryOutcome(
        "not needed", -1, 30 * MS
    )


def test_data_that_nobody_hears_of_again_is_not_found() -> None:
    assert found(FIVE, SACKS[:1], IN_RECOVERY) == RecoveryOutcome("not found", -1, -1)


def test_data_known_to_have_arrived_before_it_is_sent_again_is_not_needed() -> None:
    answer = found([*FIVE, (60, 11, 21)], [(30, 51, ())], [(0, "Open"), (60, "Loss")])
    assert answer == RecoveryOutcome("not needed", -1, 30 * MS)


def test_sack_tells_of_arrival_before_the_ack_does() -> None:
    acks: list[Ack] = [*SACKS, (40, 1, [(11, 21)]), (90, 51, ())]
    assert found([*FIVE, (24, 11, 21)], acks, IN_RECOVERY).recovered_ns == 40 * MS


def test_a_state_that_begins_at_that_instant_counts() -> None:
    assert found([*FIVE, (24, 11, 21)], SACKS, IN_RECOVERY).found_by == "sack"


def test_a_retransmission_of_part_of_the_data_counts() -> None:
    assert found([*FIVE, (24, 15, 21)], SACKS, IN_RECOVERY).retransmitted_ns == 24 * MS


def acks_that_came(*pairs: tuple[int, int]) -> tuple[Any, Any]:
    times, numbers = np.array(pairs, np.int64).reshape(-1, 2).T
    return times * MS, np.maximum.accumulate(numbers)


@pytest.mark.parametrize(
    ("sent", "ack", "answer"),
    [
        (10, 21, RecoveryOutcome("not needed", -1, 30 * MS)),  # one as high
        (10, 25, RecoveryOutcome("not needed", -1, 40 * MS)),  # only the higher one covers it
        (10, 99, RecoveryOutcome("not found", -1, -1)),
        (35, 21, RecoveryOutcome("not needed", -1, 40 * MS)),  # one before it does not help
        (50, 21, RecoveryOutcome("not found", -1, -1)),
    ],
)
def test_a_lost_ack_is_not_needed_if_a_later_one_as_high_arrives(
    sent: int, ack: int, answer: RecoveryOutcome
) -> None:
    recovery = Recovery(side(FIVE, []))
    assert recovery.pure_ack(sent * MS, ack, acks_that_came((30, 21), (40, 31))) == answer


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), max_size=12), st.integers(0, 4))
def test_any_acks_give_an_answer_in_the_order_of_time(pairs: list[tuple[int, int]], i: int) -> None:
    acks: list[Ack] = [(at, 1 + 10 * (n % 6), [(11, 21)] if n > 6 else ()) for at, n in sorted(pairs)]
    answer = found([*FIVE, (30, 1 + 10 * i, 11 + 10 * i)], acks, IN_RECOVERY, i=i)
    assert answer.retransmitted_ns in (-1, 30 * MS)
    assert answer.recovered_ns == -1 or answer.recovered_ns >= i * MS
    assert (answer.found_by == "not found") <= (answer.recovered_ns == -1)


def keys(*names: str) -> Any:
    return np.array([ord(name) for name in names])


def test_of_two_alike_under_way_together_each_is_seen_once() -> None:
    match = _shared(keys("a", "b", "a"), np.array([5, 6, 7]), np.array([2, 1, 2]))
    assert match.tolist() == [0, 1, 2]


def test_a_duplicate_stays_with_its_packet_if_no_other_is_missing() -> None:
    assert _shared(keys("a", "b"), np.array([5, 6, 7]), np.array([0, 0, 1])).tolist() == [0, 0, 1]


def test_a_missing_packet_that_was_sent_later_is_not_taken() -> None:
    assert _shared(keys("a", "a"), np.array([5, 6]), np.array([0, 0])).tolist() == [0, 0]
