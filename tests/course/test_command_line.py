"""`labkit course` as an instructor types it: a small class from release to feedback, and what is said when
something is not as it has to be."""

from __future__ import annotations

import csv
import errno
import os
import shutil
import subprocess
import sys
import tempfile
import termios
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from labkit.course.assignment import load
from labkit.course.checking import solution
from labkit.course.course_folder import Course
from tests.course.conftest import LIMITED

ROOT = Path(__file__).parents[2]
ASSIGNMENT = ROOT / "assignments/03-one-capture"
pytestmark = pytest.mark.skipif(
    not LIMITED, reason="memory cannot be limited here: be root, or systemd-run --user --scope pytest ..."
)


def labkit(*words: object, status: int = 0) -> tuple[str, str]:
    """What `labkit course ...` prints and what it says on stderr; its exit status must be this one."""
    command = [sys.executable, "-m", "labkit.cli", "course", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def on_a_terminal(*words: object) -> str:
    """What somebody at a terminal sees of `labkit course ...` on stderr."""
    ours, its = os.openpty()
    termios.tcsetwinsize(its, (24, 80))
    command = [sys.executable, "-m", "labkit.cli", "course", *map(str, words)]
    with open(ours, "rb", buffering=0) as terminal, tempfile.TemporaryFile() as out:
        running = subprocess.Popen(command, stdout=out, stderr=its)
        os.close(its)
        said = b""
        while True:
            try:
                more = terminal.read(65536)
            except OSError as error:  # Linux: nobody writes there any more
                assert error.errno == errno.EIO
                break
            said += more
        assert running.wait(60) == 0, said
    return said.decode()


def test_a_class_from_release_to_feedback_with_one_whom_the_lab_fails(tmp_path: Path) -> None:
    broken = tmp_path / ASSIGNMENT.name
    shutil.copytree(ASSIGNMENT, broken, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "roster.csv").write_text("student,name\nada,Ada\nbob,Bob\ncyd,Cyd\n")
    _, told = labkit("release", broken, "--course", tmp_path / "mine", status=1)
    assert "there is no roster" in told
    assert not (tmp_path / "mine").exists(), "nothing is made where no course is"
    (tmp_path / "mine").mkdir()
    shutil.copy(tmp_path / "roster.csv", tmp_path / "mine")
    out, _ = labkit("release", broken, "--course", tmp_path / "mine")
    assert out.startswith("3 students: ")
    made = tmp_path / "mine" / broken.name
    with zipfile.ZipFile(made / "handouts/ada.zip") as archive:
        assert {f"ada/{name}" for name in ("case.json", "left.pcapng", f"{broken.name}.ipynb")} == set(
            archive.namelist()
        )
    (made / "submissions").mkdir()
    for name in ("ada", "bob"):
        (made / "submissions" / f"{name}.ipynb").write_text(solution(load(broken)))

    module = broken / "one_capture.py"
    whole = module.read_text()
    head = "    def truth(self, case: Line) -> dict[str, Any]:\n"
    course = made.parent
    bobs = repr(_case(broken, course, "bob"))
    module.write_text(
        whole.replace(
            head, f"{head}        if repr(case) == {bobs!r}:\n            raise ValueError('odd')\n"
        )
    )
    _, said = labkit("grade", broken, "--course", course, status=1)
    assert "labkit: not graded: bob: ValueError: odd\n" in said
    assert "ada" not in said
    assert [row["student"] for row in _rows(made / "grades.csv")] == ["ada", "cyd"]
    _, said = labkit("feedback", broken, "--course", course, status=1)
    assert "no page: bob: not graded yet" in said

    module.write_text(whole)
    seen = on_a_terminal("grade", broken, "--course", course)
    assert seen.index("graded:   0%") < seen.index("graded: 100%"), "how far it is"
    assert "3/3" in seen
    _, said = labkit("grade", broken, "--course", course)
    assert said == "", "nothing but what is wrong, where nobody looks"
    assert [(row["student"], row["total"]) for row in _rows(made / "grades.csv")] == [
        ("ada", "10"),
        ("bob", "10"),
        ("cyd", "0"),
    ]
    assert _rows(made / "similarity.csv")[0]["share"] == "1.00"
    out, _ = labkit("feedback", broken, "--course", course)
    assert out.startswith("3 pages: ")
    assert "10 of 10 points" in (made / "feedback/ada.html").read_text()


def _case(folder: Path, root: Path, name: str) -> Any:
    """What this student was given."""
    course = Course(root, load(folder))
    return next(course.case(one) for one in course.students if one.student == name)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_check_says_which_answers_score_what_the_rubric_does_not_say(tmp_path: Path) -> None:
    folder = tmp_path / ASSIGNMENT.name
    shutil.copytree(ASSIGNMENT, folder)
    rubric = yaml.safe_load((folder / "rubric.yaml").read_text())
    rubric["wrong"] = [rubric["wrong"][-1]]
    (folder / "rubric.yaml").write_text(yaml.safe_dump(rubric))
    out, _ = labkit("check", folder, "--students", "1")
    assert out.count("as the rubric says") == 2
    rubric["wrong"][0]["scores"] = {"rtt_ms": 0}
    (folder / "rubric.yaml").write_text(yaml.safe_dump(rubric))
    out, _ = labkit("check", folder, "--students", "1", status=1)
    assert "rate_mbit: 0, not 3 to 3 of 3" in out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["grade"], 2, "FOLDER"),
        (["mark", "x"], 2, "invalid choice: 'mark'"),
        (["grade", ASSIGNMENT, "--workers", "0"], 2, "--workers"),
        (["grade", "nowhere"], 1, "no rubric.yaml"),
        (["grade", ASSIGNMENT], 1, "there is no roster"),
        (["feedback", ASSIGNMENT], 1, "there is no roster"),
        (["league", "."], 1, "no entries"),
    ],
)
def test_wrong_usage_is_told_in_one_message(
    words: list[object], status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, told = labkit(*words, status=status)
    assert said in told
    assert "Traceback" not in told


def test_a_strange_submission_and_a_moved_line_are_told_before_anybody_is_graded(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("student\nada\nbob\n")
    labkit("release", ASSIGNMENT, "--course", tmp_path)
    submissions = tmp_path / ASSIGNMENT.name / "submissions"
    submissions.mkdir()
    (submissions / "eve.ipynb").write_text("{}")
    _, told = labkit("grade", ASSIGNMENT, "--course", tmp_path, status=1)
    assert "eve.ipynb: of nobody in roster.csv" in told
    (tmp_path / "roster.csv").write_text("student\nbob\nada\n")
    _, told = labkit("grade", ASSIGNMENT, "--course", tmp_path, status=1)
    assert "ada has another line than at the release" in told
