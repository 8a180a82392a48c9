"""Every assignment: the solution has full marks, each typical wrong answer what the rubric says. `make
course-test` has five students each; otherwise it is one, who is another one each time the assignments
change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labkit.course.assignment import load
from labkit.course.checking import check
from labkit.course.course_folder import Course
from labkit.course.releasing import notebook, release

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path for path in (ROOT / "assignments").iterdir() if path.is_dir())
STUDENTS = int(os.environ.get("LABKIT_COURSE", "1"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_solution_and_wrong_answers_score_what_the_rubric_says(folder: Path) -> None:
    found = check(load(folder), STUDENTS, progress=False)
    assert len(found) == STUDENTS * (1 + len(load(folder).rubric.wrong))
    assert [f"{one.what}, {one.student}: {one.said}" for one in found if not one.right] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_starter_is_the_solution_without_its_answers(folder: Path) -> None:
    """Text, table of questions and the last cell are the same in both."""
    starter, solved = ((folder / name).read_text() for name in ("starter.md", "solution.md"))
    assert starter.partition("\n## Your work\n")[0] == solved.partition("\n## Solution\n")[0]
    last = "```{code-cell} ipython3\n:tags: [hand-in]\n"
    assert starter.partition(last)[2] == solved.partition(last)[2] != ""
    for question in load(folder).rubric.questions:
        assert f"`{question}`" in starter, f"the text does not say what {question} is"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_release_has_no_solution_no_rubric_and_no_key(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("student\nada\n")
    course = Course(tmp_path, load(folder), make_key=True)
    release(course, progress=False)
    handed_out = course.folder / "handouts" / "ada"
    text = b"".join(path.read_bytes() for path in sorted(handed_out.rglob("*")) if path.is_file())
    assert (tmp_path / "key").read_text().strip().encode() not in text
    assert b"## Solution" not in text
    names = {path.name for path in handed_out.iterdir()}
    assert {"case.json", f"{folder.name}.ipynb"} <= names
    assert not names & {"rubric.yaml", "solution.md", "solution.ipynb"}
    assert (course.folder / "handouts" / "ada.zip").is_file()
    assert notebook(folder / "starter.md") == (handed_out / f"{folder.name}.ipynb").read_text()
