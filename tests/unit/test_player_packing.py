"""Columns of a film as text: what is packed is read back, whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.player.packing import base36, differences, numbers, texts, unpacked

WHOLE = st.integers(-(2**40), 2**40)


@given(st.lists(st.one_of(st.none(), WHOLE)))
def test_numbers_are_read_back(values: list[int | None]) -> None:
    assert unpacked(numbers(values), len(values)) == values


@given(st.lists(WHOLE))
def test_differences_are_read_back(values: list[int]) -> None:
    assert unpacked(differences(values), len(values)) == values


@given(st.lists(st.text()))
def test_texts_are_read_back(values: list[str]) -> None:
    assert unpacked(texts(values), len(values)) == values


@given(WHOLE)
def test_base_36_is_read_by_int(value: int) -> None:
    assert int(base36(value), 36) == value


@pytest.mark.parametrize(
    ("packed", "text"),
    [
        (numbers([7, 7, 7]), {"is": 7}),
        (numbers([35, 36, 36, None, -1]), {"n": "z 10*2 - -1"}),
        (differences([100, 101, 102, 103]), {"d": "2s 1*3"}),
        (texts(["a", "b", "a"]), {"of": ["a", "b"], "at": "0 1 0"}),
    ],
)
def test_runs_of_one_value_are_short(packed: object, text: object) -> None:
    assert packed == text
