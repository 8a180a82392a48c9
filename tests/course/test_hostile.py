"""Notebooks that do not mean well: nothing for any of them, the rest of the class is graded, nothing stays
behind."""

from __future__ import annotations

import base64
import json
import os
import struct
import subprocess
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from labkit.course import grading
from labkit.course.checking import solution
from labkit.course.course_folder import Course
from labkit.course.grading import grade
from labkit.course.roster import CourseError
from labkit.course.sandbox import bubblewrap, selftest
from labkit.course.sandbox.sandbox import confined
from labkit.course.sandbox.selftest import WALLS, Wall, attempts

FORGED = """
import json, os
full = {"points": 10, "of": 10}
json.dump({"marks": [full] * 4, "total": 40, "loss_share": 1e308, "rtt_ms": "10 points"},
open("answers.json", "w")) for pid in filter(str.isdigit, os.listdir("/proc")):
    for fd in range(16):  # whatever pipe the executor has
        try:
            with open(f"/proc/{pid}/fd/{fd}", "wb") as pipe:
                pipe.write(b'{"answers": "{}", "problem": "", "total": 10}')
        except OSError:
            pass
"""
READS_KEY = """
import glob, os
from labkit.course import hand_in
found = []
for root in ("/", "/work", "/handout", "/root", "/home", "/tmp", "/proc/1/root", "/proc/1/cwd", "/lab"):
    for folder, _, names in os.walk(root):
        if folder.startswith(("/proc/", "/usr", "/sys")):
            break
        found += [os.path.join(folder, name) for name in names if name in ("key", "roster.csv",
        "rubric.yaml", "solution.md")]
assert found, "nothing of the instructor's is here"
hand_in(rtt_ms=1.0)
"""
BOMB = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
LARGE = """
from labkit.course import hand_in
with open("large", "wb") as file:
    for _ in range(200):
        file.write(bytes(1 << 20))
hand_in(rtt_ms=1.0)
"""
DEEP = 'open("answers.json", "w").write("[" * 200_000)'
HOSTILE = {
    "endless": "while True: pass",
    "bomb": BOMB,
    "large": LARGE,
    "key": READS_KEY,
    "forged": FORGED,
    "deep": DEEP,
    "flood": 'open("answers.json", "w").write("9" * 50_000_000)',
    "link": 'import os; os.symlink("/etc/passwd", "answers.json")',
    "fifo": 'import os; os.mkfifo("answers.json")',
    "killer": "import os, signal; os.kill(-1, signal.SIGKILL)",
    "eater": "x = []\nwhile True: x.append(bytearray(1 << 26))",
    "stays": "import subprocess; subprocess.Popen(['setsid', 'sleep', '3600'])",
}


def png(width: int, height: int) -> str:
    """A picture that says it is so large, of a few bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(100)))).decode()


def spoilt(course: Course) -> None:
    """Submissions that are no honest notebooks themselves: crafted PNG, crafted JSON, a link."""
    folder = course.part("submissions")
    book = json.loads((folder / "picture.ipynb").read_text())
    data = {"image/png": png(2**31 - 1, 2**31 - 1), "text/html": "<script>alert(1)</script>"}
    book["cells"][0]["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]
    (folder / "picture.ipynb").write_text(json.dumps(book))
    (folder / "json.ipynb").write_text("[" * 500_000)
    (folder / "linked.ipynb").unlink()
    (folder / "linked.ipynb").symlink_to("/etc/hostname")


def test_hostile_notebooks_earn_nothing_and_leave_nothing(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {**HOSTILE, "picture": "pass", "json": "", "linked": "", "missing": "", "good": "", "last": ""}
    course = made(names)
    spoilt(course)
    (course.part("submissions") / "missing.ipynb").unlink()
    honest = solution(course.assignment)
    for name in ("good", "last"):
        (course.part("submissions") / f"{name}.ipynb").write_text(honest)
    short = course.assignment.rubric.model_copy(update={"seconds": 60})
    monkeypatch.setattr(course.assignment, "rubric", short)
    before = left_behind()
    class_ = grade(course, progress=False)
    totals = {one.student.student: one.total for one in class_}
    assert totals == {**dict.fromkeys(names, 0), "good": 10, "last": 10}, [
        (one.student.student, one.note) for one in class_
    ]
    assert left_behind() == before


def left_behind() -> tuple[list[str], list[str], list[str]]:
    """What a sandbox could leave: temporary folders, groups, processes of its users."""
    folders = sorted(path.name for path in Path("/tmp").glob("labkit-course-*"))
    groups = sorted(str(path) for path in Path("/sys/fs/cgroup").glob("*/labkit-course-*"))
    uids = {str(bubblewrap.FIRST_UID + slot) for slot in range(8)}
    lines = subprocess.run(
        ["ps", "-eo", "uid=,args="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    processes = [line for line in lines if line.split()[0] in uids or "setsid sleep 3600" in line]
    return folders, groups, processes


def test_every_wall_stands_here() -> None:
    found = attempts()
    assert [wall.name for wall in found] == list(WALLS)
    assert [wall for wall in found if not wall.stands] == []


@pytest.mark.parametrize(
    ("option", "missing"),
    [
        ("--unshare-all", "no network"),
        ("--remount-ro", "read-only"),
        ("--clearenv", "an environment of its own"),
    ],
)
def test_nobody_is_graded_where_a_wall_is_missing(
    option: str, missing: str, monkeypatch: pytest.MonkeyPatch, made: Callable[[dict[str, str]], Course]
) -> None:
    """The option of bwrap that makes the wall is left out: the self-test must see it."""
    whole = bubblewrap._walls
    instead = {
        "--unshare-all": ["--unshare-user", "--unshare-pid"],
        "--clearenv": ["--setenv", "SECRET", "x"],
    }

    def broken(*arguments: object) -> object:
        words, kept, skip = list(whole(*arguments)), [], 0  # type: ignore[arg-type]
        for word in words:
            if skip:
                skip -= 1
            elif word == option:
                kept += instead.get(option, [])
                skip = int(option == "--remount-ro")
            else:
                kept.append(word)
        return iter(kept)

    monkeypatch.setattr(bubblewrap, "_walls", broken)
    with pytest.raises(CourseError, match=missing):
        grade(made({"ada": "pass"}), progress=False)


def test_a_wall_that_was_never_tried_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "attempts", lambda: tuple(Wall(name, True, "") for name in WALLS[:-1]))
    with pytest.raises(CourseError, match=WALLS[-1]):
        selftest.require_walls()


def test_without_bubblewrap_nobody_is_graded(
    monkeypatch: pytest.MonkeyPatch, made: Callable[[dict[str, str]], Course]
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(CourseError, match="sudo apt install bubblewrap"):
        grade(made({"ada": "pass"}), progress=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_sandbox_has_a_user_of_its_own_outside_too() -> None:
    limits = bubblewrap.Limits(seconds=30)
    sent = confined(["sh", "-c", "cat /proc/self/uid_map; id -u"], limits, {}, slot=3)
    inside, outside, number, mine = sent.data.split()
    assert (int(inside), int(outside), int(number), int(mine)) == (1000, bubblewrap.FIRST_UID + 3, 1, 1000)


def test_a_second_grading_runs_no_notebook_and_gives_the_same_bytes(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = made({"ada": "", "bob": "1 / 0"})
    (course.part("submissions") / "ada.ipynb").write_text(solution(course.assignment))
    grade(course, progress=False)
    before = {path.name: path.read_bytes() for path in course.part("graded").iterdir()}
    again = {path.name: path.read_bytes() for path in _graded_anew(course)}
    assert before == again
    monkeypatch.setattr(grading, "notebook", lambda *arguments: pytest.fail("a notebook ran again"))
    grade(course, progress=False)
    assert before == {path.name: path.read_bytes() for path in course.part("graded").iterdir()}


def _graded_anew(course: Course) -> list[Path]:
    grade(replace(course), progress=False, again=True)
    return sorted(course.part("graded").iterdir())


def test_a_mistake_in_the_rubric_is_mended_without_the_notebooks(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = made({"ada": ""})
    (course.part("submissions") / "ada.ipynb").write_text(solution(course.assignment))
    rubric = course.assignment.rubric
    assert grade(course, progress=False)[0].total == 10
    worth = {**rubric.questions, "rtt_ms": rubric.questions["rtt_ms"].model_copy(update={"points": 7})}
    monkeypatch.setattr(course.assignment, "rubric", rubric.model_copy(update={"questions": worth}))
    monkeypatch.setattr(grading, "notebook", lambda *arguments: pytest.fail("a notebook ran again"))
    assert grade(course, progress=False)[0].total == 15
