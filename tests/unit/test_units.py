"""Claims about units: what may be written, what it means, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import SpecError
from labkit.units import bit_rate, integer, ns, packets, probability, seconds, si_number, size


@pytest.mark.parametrize(
    ("text", "bit_s"),
    [("10mbit", 10**7), ("1gbit", 10**9), ("64kbit", 64_000), ("1.5 Mbit/s", 1_500_000), (300, 300)],
)
def test_a_rate_is_in_bit_per_second(text: Any, bit_s: int) -> None:
    assert bit_rate(text) == bit_s


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("20ms", 20_000_000), ("5us", 5000), ("1s", 10**9), ("2min", 120 * 10**9), ("7ns", 7), (0.01, 10**7)],
)
def test_a_time_is_a_whole_number_of_nanoseconds(text: Any, nanoseconds: int) -> None:
    assert ns(seconds(text)) == nanoseconds


@given(st.integers(0, 20 * 86400 * 10**9))
def test_nanoseconds_survive_as_float_seconds_for_twenty_days(nanoseconds: int) -> None:
    assert ns(seconds(f"{nanoseconds}ns")) == nanoseconds
    assert seconds(seconds(f"{nanoseconds}ns")) == seconds(f"{nanoseconds}ns")


@given(st.integers(0, 10**9))
def test_a_time_is_the_same_in_any_unit(microseconds: int) -> None:
    assert seconds(f"{microseconds}us") == seconds(microseconds / 10**6)


@pytest.mark.parametrize(
    ("text", "p"), [("1%", 0.01), (0.01, 0.01), ("0.1%", 0.001), ("100%", 1.0), (0, 0.0)]
)
def test_a_probability_is_a_share_of_one(text: Any, p: float) -> None:
    assert probability(text) == p


@pytest.mark.parametrize(
    ("text", "count"), [("25MB", 25 * 10**6), ("64KiB", 65536), ("64kB", 64_000), ("1B", 1), (99, 99)]
)
def test_sizes_know_powers_of_ten_from_powers_of_two(text: Any, count: int) -> None:
    assert size(text) == count


def test_packets_are_counted_in_p() -> None:
    assert packets("100p") == packets(100) == 100


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert bit_rate(numpy.int64(5)) == 5
    assert seconds(numpy.float64(0.1)) == 0.1
    assert integer(numpy.int32(7)) == 7


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("5", 'write "5%" or 0.05'),
        ("0.05", 'write "5%" or 0.05'),
        (5, 'at most 1: write "5%" or 0.05'),
        ("101%", "at most 1"),
        (True, "not a probability"),
        (float("nan"), "not a finite number"),
    ],
)
def test_a_wrong_probability_is_told_what_is_right(value: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        probability(value)


@pytest.mark.parametrize("read", [bit_rate, seconds, probability, size, packets])
@pytest.mark.parametrize(
    "value",
    [-1, "-1ms", "5", "", "%", "x", True, None, [], float("nan"), float("inf"), -0.5, "5 furlongs", "1e999s"],
)
def test_nonsense_is_refused_in_every_quantity(read: Any, value: Any) -> None:
    with pytest.raises(SpecError):
        read(value)


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (bit_rate, "10mbps"),
        (bit_rate, 0),
        (size, "1.5B"),
        (size, "64kb"),
        (packets, 0),
        (seconds, "1m"),
        (seconds, "0.1ns"),
        (seconds, "21d"),
        (integer, 1.0),
        (integer, False),
        (integer, "1"),
    ],
)
def test_what_could_mean_something_else_is_refused(read: Any, value: Any) -> None:
    with pytest.raises(SpecError):
        read(value)


def test_si_number_leaves_words_alone() -> None:
    assert [si_number(text) for text in ("5ms", "10kB", "1%", "3p", "besteffort")] == [
        *(0.005, 10_000, 0.01, 3),
        "besteffort",
    ]
