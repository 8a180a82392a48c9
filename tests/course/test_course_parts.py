"""What course work is made of, without a sandbox: drawn numbers, the roster, what is handed in, grades,
likeness."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from labkit.course.assignment import load
from labkit.course.checking import solution
from labkit.course.controls import LONGEST, objection
from labkit.course.course_folder import Course
from labkit.course.csv_file import _tame
from labkit.course.draw import DECK, Draw
from labkit.course.grading import Graded
from labkit.course.parallel import each
from labkit.course.releasing import notebook
from labkit.course.roster import CourseError, Student, read_key, read_roster
from labkit.course.rubric import Mark, Question, judged, near
from labkit.course.sandbox import temporary_folders
from labkit.course.similarity import MOST_CODE, MOST_VALUES, code_of, fingerprints, report
from labkit.course.submitted import MOST, Answers, Unreadable, checked, plain
from labkit.errors.strangers_text import escaped

ROOT = Path(__file__).parents[2]
KEY = bytes(range(32))


class Some(Answers):
    number: float | None = None
    word: str | None = None


def test_a_draw_depends_on_key_assignment_student_and_name_alone() -> None:
    one = Draw(KEY, "a", "ada").whole("rate", 0, 10**9)
    assert one == Draw(KEY, "a", "ada", place=7).whole("rate", 0, 10**9)
    others = [Draw(bytes(32), "a", "ada"), Draw(KEY, "b", "ada"), Draw(KEY, "a", "bob")]
    assert one not in [other.whole("rate", 0, 10**9) for other in others]
    assert one != Draw(KEY, "a", "ada").whole("delay", 0, 10**9)


def test_names_cannot_be_shifted_into_one_another() -> None:
    assert Draw(KEY, "a", "b").whole("cd", 0, 10**9) != Draw(KEY, "a", "bc").whole("d", 0, 10**9)


@pytest.mark.parametrize("options", [2, 3, 5])
def test_in_every_deck_each_option_comes_equally_often(options: int) -> None:
    deck = DECK * options
    dealt = [Draw(KEY, "a", f"s{i}", i).deal("cause", range(options)) for i in range(4 * deck)]
    for number in range(4):
        found = Counter(dealt[number * deck : (number + 1) * deck])
        assert found == dict.fromkeys(range(options), DECK)


@pytest.mark.parametrize("known", [(-1,), (1,), (-1, 1), (-4, -3, -2, -1)], ids=str)
def test_what_neighbours_were_dealt_does_not_tell_ones_own(known: tuple[int, ...]) -> None:
    """The best guess from them, learned from one half of 400 classes of 40, is right in the other half as
    often as one without: 1 in 5, and no more than 4 points in 100 above it."""
    seen: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    right = tried = 0
    for number in range(400):
        key = number.to_bytes(32, "big")
        dealt = [Draw(key, "a", f"s{i}", i).deal("cause", range(5)) for i in range(40)]
        for i in range(4, 39):
            neighbours = tuple(dealt[i + step] for step in known)
            if number % 2 == 0:
                seen[neighbours][dealt[i]] += 1
            elif neighbours in seen:
                tried += 1
                right += seen[neighbours].most_common(1)[0][0] == dealt[i]
    assert 0.16 < right / tried < 0.24


def test_who_joins_at_the_end_changes_nobody_elses() -> None:
    first = [Draw(KEY, "a", f"s{i}", i).deal("cause", "xyz") for i in range(10)]
    assert first == [Draw(KEY, "a", f"s{i}", i).deal("cause", "xyz") for i in range(11)][:10]


def test_blocks_are_dealt_in_different_orders() -> None:
    orders = {
        tuple(Draw(KEY, "a", "s", 5 * b + i).deal("cause", range(5)) for i in range(5)) for b in range(20)
    }
    assert len(orders) > 10


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    key = read_key(tmp_path / "key", make=True)
    assert len(key) == 32
    assert read_key(tmp_path / "key", make=True) == key
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["", "zz", "00ff"])
def test_a_bad_key_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(CourseError):
        read_key(tmp_path / "key")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\nAda\n", "one of them student"),
        ("student\n../ada\n", "line 2"),
        ("student\nada\nADA\n", "there twice: ada"),
        ("student\n.hidden\n", "letters"),
    ],
)
def test_a_bad_roster_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "roster.csv").write_text(text)
    with pytest.raises(CourseError, match=said):
        read_roster(tmp_path / "roster.csv")


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "1", "{", '{"a": NaN}', '{"a": Infinity}', '{"a": 1, "a": 2}', "\0", '{"a": "\\ud800"}'),
        *("[" * 100_000, '{"a":' * 50 + "1" + "}" * 50, '{"a": ' + "9" * 5000 + "}", '"' + "x" * MOST + '"'),
    ],
)
def test_what_is_no_plain_data_is_refused_in_words(text: str) -> None:
    with pytest.raises(Unreadable):
        plain(text)


def test_one_slip_costs_its_own_question_only() -> None:
    given, faults = checked(Some, {"number": "5", "word": "yes"})
    assert given == Some(word="yes")
    assert list(faults) == ["number"]


def test_a_question_that_nobody_asked_is_left_out() -> None:
    given, faults = checked(Some, {"number": 5.0, "total": 100})
    assert given == Some(number=5.0)
    assert list(faults) == ["total"]


@pytest.mark.parametrize("value", [True, None, "1", [1], float("nan"), float("inf")])
def test_only_a_number_is_near_a_number(value: object) -> None:
    assert not near(value, 1.0, Question(points=1, within=0.5, says=""))


def test_a_tolerance_holds_on_both_sides() -> None:
    question = Question(points=1, within=0.1, says="")
    assert [near(value, 10, question) for value in (8.99, 9.01, 10.99, 11.01)] == [False, True, True, False]


def test_points_are_tenths_and_never_more_than_there_are() -> None:
    question = Question(points=4, says="no")
    assert [judged("q", question, share).points for share in (-1, 0, 0.333, 0.999, 1, 7)] == [
        0,
        0,
        1.3,
        3.9,
        4,
        4,
    ]


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\n=1", " =1"])
def test_no_cell_of_a_table_is_a_formula(cell: str) -> None:
    assert _tame(cell) == "'" + escaped(cell)


CODE = """
total = 0
for row in table:
    if row.payload > 0 and row.src == me:
        total += row.payload
rate = 8 * total / seconds
for host in (left, right):
    print(host, rate, len(table), max(table.time))
"""


def test_other_names_and_numbers_do_not_hide_a_copy() -> None:
    renamed = CODE.replace("total", "s").replace("row", "packet").replace("8", "8.0") + "# mine\n"
    assert fingerprints(renamed) == fingerprints(CODE)


def test_other_code_has_other_fingerprints() -> None:
    other = "x = {k: [v for v in w if v] for k, w in d.items()}\nwhile True:\n    x.pop()\n" * 4
    assert not fingerprints(other) & fingerprints(CODE)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"cells": 5}', '{"cells": [{"cell_type": "code"}]}', "[" * 99_999]
)
def test_what_is_no_notebook_has_no_code(text: str) -> None:
    assert code_of(text) == ""


def test_code_of_a_notebook_is_its_code_cells() -> None:
    cells = [{"cell_type": "code", "source": ["a\n", "b"]}, {"cell_type": "markdown", "source": "c"}]
    assert code_of(json.dumps({"cells": cells})) == "a\nb"


def test_a_copy_with_other_names_in_another_order_of_cells_is_found_and_the_starter_is_nobodys(
    tmp_path: Path,
) -> None:
    (tmp_path / "roster.csv").write_text("student\nada\n")
    course = Course(tmp_path, load(ROOT / "assignments/03-one-capture"))
    honest, starter = solution(course.assignment), notebook(course.assignment.folder / "starter.md")
    copy = json.loads(honest)
    for cell in copy["cells"]:
        cell["source"] = "".join(cell["source"]).replace("acks", "answers").replace("samples", "times")
    copy["cells"] = [*copy["cells"][::-1]]
    other = "x = {k: [v for v in w if v] for k, w in d.items()}\nwhile True:\n    x.pop()\n" * 9
    mine = json.loads(starter)
    mine["cells"].append({"cell_type": "code", "source": other})
    texts = {"ada": honest, "bob": json.dumps(copy), "cyd": starter, "dan": json.dumps(mine), "eve": starter}
    for name, text in texts.items():
        (course.part("submissions") / f"{name}.ipynb").write_text(text)
    with report(course).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], row["other"]) for row in rows if float(row["share"]) > 0.2] == [("ada", "bob")]
    assert float(rows[0]["share"]) > 0.6
    for name in ("ada", "bob", "dan"):
        (course.part("submissions") / f"{name}.ipynb").unlink()
    assert len(report(course).read_text().splitlines()) == 1, "two who did nothing have nothing in common"


def test_a_folder_is_removed_while_no_sweep_may_take_it(tmp_path: Path) -> None:
    def remove(path: Path) -> None:
        os.utime(path, (0, 0))  # long past the grace
        assert temporary_folders.sweep(tmp_path) == []
        shutil.rmtree(path)

    with temporary_folders.folder(tmp_path, remove):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_bar_says_how_far_it_is_while_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of three is done only when the bar has counted the one before."""
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)

    def when_counted(number: int, slot: int) -> bool:
        until = time.monotonic() + 10
        time.sleep(0.15)  # a bar moves at most each 0.1 s
        while f" {number}/3 " not in terminal.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
        return f" {number}/3 " in terminal.getvalue()

    assert each([0, 1, 2], when_counted, 1, "graded", True) == [True, True, True]
    assert " 3/3 " in terminal.getvalue()


LARGE = {
    "statements": "x = 1 + y\n" * 120_000,
    "quotes": '"' * 1_000_000,
    "quotes of three": '"""' * 300_000,
    "backslashes": "'" + "\\" * 1_000_000,
    "brackets": "(" * 1_000_000,
    "names": "a " * 500_000,
    "comments": "# x\n" * 250_000,
}


@pytest.mark.parametrize("code", LARGE.values(), ids=LARGE)
def test_a_megabyte_of_code_is_compared_as_fast_as_what_is_looked_at_of_it(code: str) -> None:
    begun = time.process_time()
    found = fingerprints(code)
    assert time.process_time() - begun < 1.5
    assert len(found) <= MOST_CODE


HUGE = {
    "code": json.dumps({"cells": [{"cell_type": "code", "source": CODE * 4000}]}),
    "values": "[" * 9 + "{}," * (10 << 20),
    "figures": json.dumps({"cells": [{"cell_type": "code", "source": CODE, "outputs": ["x" * (20 << 20)]}]}),
    "commas": json.dumps({"cells": [{"cell_type": "code", "source": CODE, "outputs": [[1] * (2 << 20)]}]}),
}


def test_large_notebooks_take_a_second_and_what_is_not_compared_is_named(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("student\nada\n")
    course = Course(tmp_path, load(ROOT / "assignments/03-one-capture"))
    for name, text in HUGE.items():
        (course.part("submissions") / f"{name}.ipynb").write_text(text)
    begun = time.process_time()
    with report(course).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert time.process_time() - begun < 2 * len(HUGE)
    told = {row["student"]: row["fingerprints"] for row in rows if not row["other"]}
    assert told == {
        "code": f"not compared: what comes after {MOST_CODE:,} characters",
        "commas": f"not compared: a notebook of more than {MOST_VALUES:,} values",
        "values": f"not compared: a notebook of more than {MOST_VALUES:,} values",
    }
    assert [(row["student"], row["other"]) for row in rows if row["other"]] == [("code", "figures")]


@pytest.mark.parametrize(
    "part", ['"', "/*", "a ", "a*", "a(", '"\\', "\n", "//", "'", "\\", "\\ ", "# ", "#\t", "_"]
)
def test_a_source_is_looked_through_in_a_moment(part: str) -> None:
    begun = time.process_time()
    objection((part * LONGEST)[:LONGEST])
    assert time.process_time() - begun < 0.5


def test_comments_are_no_code_and_strings_no_comments() -> None:
    assert objection("/* asm */ int a; // #include <x>\n") == ""
    assert "asm" in objection('char *s = "/*"; asm(""); /* */')
    assert "asm" in objection('int c = \'"\'; asm(""); // "')


def test_notes_are_one_line_of_text_of_bounded_length() -> None:
    said = "x\x1b[2J\u202e\n" * 10_000
    mark = Mark(question="q", points=0, of=1, said=said)
    assert mark.said.startswith(r"x\x1b[2J\u202e x")
    assert mark.said.isprintable()
    assert len(mark.said) == 1000
    assert Graded(Student(student="ada"), (), said).note == mark.said
