"""What a grading leaves: grades for four systems, a page per student, in which a stranger's text is only
text."""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path

from labkit.course import lms
from labkit.course.assignment import load
from labkit.course.course_folder import Course
from labkit.course.feedback import page
from labkit.course.grading import Graded, marked
from labkit.course.roster import Student
from labkit.course.sandbox.sandbox import HandedIn

ROOT = Path(__file__).parents[2]
EVIL = "<script>alert(1)</script>=1+1"


def course(tmp_path: Path) -> Course:
    (tmp_path / "key").write_text("42" * 32)
    columns = "student,name,email,id_number,canvas_id"
    roster = f'{columns}\nada,"Lovelace, Ada",ada@example.org,7,11\nbob,=cmd(),,,\n'
    (tmp_path / "roster.csv").write_text(roster)
    made = Course(tmp_path, load(ROOT / "assignments/03-one-capture"))
    made.folder.mkdir()
    return made


def graded(made: Course) -> list[Graded]:
    ada, bob = made.students
    right = made.assignment.truth(made.case(ada))
    text = "{" + ", ".join(f'"{name}": {value!r}' for name, value in right.items()) + "}"
    return [marked(made, ada, HandedIn(text, "")), marked(made, bob, HandedIn(None, EVIL))]


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_grades_for_any_system_moodle_and_canvas(tmp_path: Path) -> None:
    made = course(tmp_path)
    plain, moodle, canvas, nbgrader = map(rows, lms.write(made, graded(made)))
    title = made.assignment.rubric.title
    assert plain[0] == ["student", "name", *made.assignment.rubric.questions, "total", "note"]
    assert plain[1][-2:] == ["10", ""]
    assert plain[2] == ["bob", "'=cmd()", "0", "0", "0", "0", "0", EVIL]
    assert moodle[0] == ["Username", "ID number", "Email address", title, f"{title} (feedback)"]
    assert moodle[1][:4] == ["ada", "7", "ada@example.org", "10"]
    assert canvas[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    assert canvas[1] == ["Points Possible", "", "", "", "", "10"]
    assert canvas[2] == ["Lovelace, Ada", "11", "7", "ada", "", "10"]
    assert dict(zip(*nbgrader[:2], strict=True)) == {
        "assignment": "03-one-capture",
        "duedate": "",
        "timestamp": "",
        "student_id": "ada",
        "last_name": "Lovelace",
        "first_name": "Ada",
        "email": "ada@example.org",
        "raw_score": "10",
        "late_submission_penalty": "0",
        "score": "10",
        "max_score": "10",
    }
    assert len(nbgrader) == 3


def test_the_same_grades_are_the_same_bytes(tmp_path: Path) -> None:
    made = course(tmp_path)
    first = [path.read_bytes() for path in lms.write(made, graded(made))]
    assert first == [path.read_bytes() for path in lms.write(made, graded(made))]


def test_a_page_has_the_figures_of_ones_own_network_and_no_script(tmp_path: Path) -> None:
    made = course(tmp_path)
    ada, bob = (page(made, one) for one in graded(made))
    assert "10 of 10 points" in ada
    assert ada.count("<svg") == 1
    assert "<script" not in ada + bob
    assert not re.search(r"(?:src|href)=[\"'](?!data:|#)|url\((?!#|['\"]?#)", ada), "nothing from elsewhere"
    assert '<html lang="en">' in ada
    assert 'role="img" aria-label="Congestion window from ' in ada, "the figure in words"
    assert html.escape(EVIL, quote=False)[:20] in bob
    assert re.search(r"<svg.*</svg>", ada, re.S)[0] != re.search(r"<svg.*</svg>", bob, re.S)[0]  # type: ignore[index]
    assert page(made, graded(made)[0]) == ada


def test_a_student_is_found_by_their_line(tmp_path: Path) -> None:
    made = course(tmp_path)
    assert made.students[0] == Student(
        student="ada", name="Lovelace, Ada", email="ada@example.org", id_number="7", canvas_id="11"
    )
