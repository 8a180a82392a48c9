"""The space between a number and its unit does not break, and no other one is touched."""

from __future__ import annotations

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document

from tests.site import extension

spaces = extension("unit_spaces")
N = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("5 %, or 5\n%.", f"5{N}%, or 5{N}%."),
        ("3.3 Mbit/s in 50 ms", f"3.3{N}Mbit/s in 50{N}ms"),
        ("66 kB, 2 MHz, 20 µs", f"66{N}kB, 2{N}MHz, 20{N}µs"),
        ("10 s later", f"10{N}s later"),
        ("5 sawteeth, 3 packets, 2 Base, 7 msec", "5 sawteeth, 3 packets, 2 Base, 7 msec"),
        ("many ms, x % y", "many ms, x % y"),
    ],
)
def test_a_number_is_joined_to_units_alone(before: str, after: str) -> None:
    assert spaces.joined(before) == after


def test_a_number_and_its_unit_may_lie_in_different_nodes() -> None:
    row = [
        nodes.strong("", "5"),
        nodes.Text("\n"),
        nodes.Text("ms"),
        nodes.emphasis("", "x"),
        nodes.Text(" %"),
    ]
    assert [node.astext() for node in spaces.with_joined(row)] == ["5", f"{N}ms", "x", " %"]


def test_code_and_formulas_stay_as_they_are() -> None:
    document = new_document("page", get_default_settings(Parser()))
    kinds = (nodes.literal, nodes.math, nodes.literal_block, nodes.raw, nodes.emphasis)
    document += nodes.paragraph("", "", *(kind("", "5 ms") for kind in kinds))
    spaces.Join(document).run()
    assert [N in node.astext() for node in document[0]] == [False, False, False, False, True]
