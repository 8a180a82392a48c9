"""Text of somebody else's is shown and not obeyed, wherever it comes to light."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from labkit.cli import main
from labkit.cli.text import table
from labkit.errors import CellError, LabkitError, LimitReached, SpecError
from labkit.errors.strangers_text import escaped, quoted

ESC, OVERRIDE, C1, HALF = "\x1b[2J", "\u202e", "\x9b31m", "\ud800"


def test_nothing_that_a_terminal_obeys_or_that_cannot_be_seen_is_left() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    left = {unicodedata.category(one) for one in escaped(every)}
    assert not left & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    escaped(every).encode()


def test_what_can_be_seen_stays_as_it_is() -> None:
    for text in ("", "plain", "Ångström 3 µs, Ελλάδα, 日本 🙂", "no\u00a0break", r"C:\new"):
        assert escaped(text) == text


def test_lines_stay_lines_where_they_are_meant_to() -> None:
    assert escaped("a\tb\r\nc\x1b") == r"a\tb\r\nc\x1b"
    assert escaped("a\tb\r\nc\x1b\rd", lines=True) == "a\tb\nc\\x1b\\rd"


def test_it_is_as_long_as_is_said() -> None:
    assert escaped("x" * 50, most=10) == "xxxxxxx..."
    assert escaped("x" * 10, most=10) == "x" * 10


def test_no_line_of_a_guests_can_be_taken_for_ours() -> None:
    assert quoted(f"walls: open\nlabkit: {ESC}") == "guest> walls: open\nguest> labkit: \\x1b[2J"


@pytest.mark.parametrize("kind", [LabkitError, SpecError, LimitReached, CellError])
def test_no_error_of_labkits_carries_what_a_terminal_obeys(kind: type[LabkitError]) -> None:
    said = str(kind(f"line 1: {ESC}{OVERRIDE}{C1}{HALF}\nline 2"))
    assert said == "line 1: \\x1b[2J\\u202e\\x9b31m\\ud800\nline 2"


def test_a_table_for_the_terminal_is_text() -> None:
    assert table(["a"], [[f"x{ESC}\n"]]).splitlines()[1] == r"x\x1b[2J\n"


def test_the_command_line_says_a_files_name_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", f"none{ESC}.json"]) == 1
    assert "\x1b" not in capsys.readouterr().err
