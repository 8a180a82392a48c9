"""Notebooks that do not mean well: nothing for any of them, the rest of the class is graded, nothing stays
behind."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from labkit.course import grading, lms, similarity
from labkit.course.checking import solution
from labkit.course.course_folder import Course
from labkit.course.feedback import pages
from labkit.course.grading import grade, kept
from labkit.course.roster import CourseError
from labkit.course.sandbox import bubblewrap, groups, sandbox, selftest, temporary_folders
from labkit.course.sandbox.sandbox import confined
from labkit.course.sandbox.selftest import WALLS, Wall
from labkit.errors import SetupError
from tests.course.whole import only_whole

pytestmark = only_whole

FORGED = """
import json, os
full = {"points": 10, "of": 10}
with open("answers.json", "w") as file:
    json.dump({"marks": [full] * 4, "total": 40, "loss_share": 1e308, "rtt_ms": "10 points"}, file)
for pid in filter(str.isdigit, os.listdir("/proc")):
    for fd in range(3, 16):  # whatever pipe the executor has
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
STOPPED, NONE = "stopped after 20 s", "no answers.json"
HOSTILE = {  # what it does, and what is said about it
    "endless": ("while True: pass", STOPPED),
    "sleeper": ("import time\ntime.sleep(1e6)", STOPPED),
    "bomb": (BOMB, STOPPED),
    "large": (LARGE, "No space left on device"),
    "key": (READS_KEY, "nothing of the instructor's is here"),
    "forged": (FORGED, ""),
    "deep": (DEEP, "nested deeper"),
    "flood": ('open("answers.json", "w").write("9" * 50_000_000)', "more than it may hand in"),
    "link": ('import os; os.symlink("/etc/passwd", "answers.json")', NONE),
    "fifo": ('import os; os.mkfifo("answers.json")', NONE),
    "killer": ("import os, signal; os.kill(-1, signal.SIGKILL)", ""),
    "eater": ("x = []\nwhile True: x.append(bytearray(1 << 26))", ""),
    "stays": ("import subprocess; subprocess.Popen(['setsid', 'sleep', '3600'])", NONE),
}
OTHERS = {
    "picture": NONE,
    "json": "does not run to its end",
    "linked": "no file of at most",
    "missing": "nothing was handed in",
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


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other graders of this machine have at the moment is not taken for what these tests left, and what
    else it does is no reason to give up: limits are short here."""
    monkeypatch.setattr(temporary_folders, "PREFIX", f"labkit-sandbox-{os.getpid()}-")
    monkeypatch.setattr(sandbox, "SLOW", 100)


def test_hostile_notebooks_earn_nothing_and_leave_nothing(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = {name: code for name, (code, _) in HOSTILE.items()} | dict.fromkeys(OTHERS, "pass")
    course = made({"first": "", **cells, "good": "", "last": ""})
    spoilt(course)
    (course.part("submissions") / "missing.ipynb").unlink()
    for name in HONEST:
        (course.part("submissions") / f"{name}.ipynb").write_text(solution(course.assignment))
    short = course.assignment.rubric.model_copy(update={"seconds": 20})
    monkeypatch.setattr(course.assignment, "rubric", short)
    assert left_behind() == []
    class_ = grade(course, progress=False)
    assert class_.failed == ()
    assert {one.student.student: one.total for one in class_.graded} == {
        **dict.fromkeys(cells, 0),
        **dict.fromkeys(HONEST, 10),
    }, [(one.student.student, one.note) for one in class_.graded]
    notes = {one.student.student: one.note for one in class_.graded}
    wanted = {name: said for name, (_, said) in HOSTILE.items()} | OTHERS | dict.fromkeys(HONEST, "")
    assert {name: notes[name] for name, said in wanted.items() if said not in notes[name]} == {}
    assert left_behind() == []


HONEST = ("first", "good", "last")


def left_behind() -> list[str]:
    """What a sandbox of this process could leave: folders, groups, mounts, processes of its users. One that
    has ended, and that the machine's first process has not waited for yet, is none: bwrap does not wait for
    its own."""
    found = [str(path) for path in Path(tempfile.gettempdir()).glob(f"{temporary_folders.PREFIX}*")]
    found += [str(path) for path in Path("/sys/fs/cgroup").rglob(f"{temporary_folders.PREFIX}*")]
    found += [
        line for line in Path("/proc/mounts").read_text().splitlines() if temporary_folders.PREFIX in line
    ]
    uids = {bubblewrap.uid_of(slot) for slot in range(8)}
    children = {child.pid for child in psutil.Process().children(recursive=True)}
    for one in psutil.process_iter(["pid", "uids", "cmdline", "status"]):
        alive = one.info["status"] != psutil.STATUS_ZOMBIE
        if one.info["pid"] in children or (alive and one.info["uids"].real in uids):
            found.append(str(one.info))
    return found


def test_what_a_killed_grader_left_is_removed_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    hold = (
        "import sys, time; from pathlib import Path\n"
        "from labkit.course.sandbox import groups, temporary_folders\n"
        f"temporary_folders.PREFIX = {temporary_folders.PREFIX!r}\n"
        f"with temporary_folders.folder(Path({str(tmp_path)!r})), groups.groups(1 << 28, 64):\n"
        "    print(flush=True); time.sleep(600)"
    )
    holders = [
        subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE) for _ in ("dies", "lives")
    ]
    try:
        for holder in holders:
            assert holder.stdout is not None
            holder.stdout.readline()
        folders = sorted(tmp_path.iterdir())
        cgroups = sorted(Path("/sys/fs/cgroup").rglob(f"{temporary_folders.PREFIX}*"))
        for path in (*folders, *cgroups):
            os.utime(path, (0, 0))
        holders[0].kill()
        holders[0].wait()
        assert len(temporary_folders.sweep(tmp_path)) == 1
        assert len(groups.sweep()) == len(cgroups) // 2
        assert len(list(tmp_path.iterdir())) == 1, "the living one's stays"
        assert len(list(Path("/sys/fs/cgroup").rglob(f"{temporary_folders.PREFIX}*"))) == len(cgroups) // 2
        holders[1].kill()
        holders[1].wait()
        temporary_folders.sweep(tmp_path)
        groups.sweep()
        assert list(tmp_path.iterdir()) == []
        assert left_behind() == []
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()


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
        "--unshare-all": ["--unshare-user", "--unshare-pid", "--unshare-uts", "--unshare-ipc"],
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


def test_where_the_machine_allows_no_namespaces_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, made: Callable[[dict[str, str]], Course]
) -> None:
    """As on Ubuntu 24.04 for who is not root."""
    refused = sandbox.Sent(b"", "", 1, "bwrap: setting up uid map: Permission denied\n")
    monkeypatch.setattr(selftest, "confined", lambda *arguments: refused)
    with pytest.raises(
        CourseError, match=r"nobody is graded without: Permission denied.*: (run as|start the)"
    ):
        grade(made({"ada": "pass"}), progress=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_sandbox_has_a_user_of_its_own_outside_too() -> None:
    seen: set[int] = set()

    def watch() -> None:
        while not over.wait(0.05):
            for one in psutil.process_iter(["uids", "cmdline"]):
                if one.info["cmdline"] == ["sleep", "2.0625"]:
                    seen.add(one.info["uids"].real)

    over = threading.Event()
    watcher = threading.Thread(target=watch)
    watcher.start()
    sent = confined(["sh", "-c", "id -u; sleep 2.0625"], bubblewrap.Limits(seconds=30), {}, slot=3)
    over.set()
    watcher.join()
    assert sent.data.split() == [b"1000"]
    assert seen == {bubblewrap.uid_of(3)}


def test_what_the_sandboxs_user_runs_outside_takes_no_process_from_it() -> None:
    """Other sandboxes, say, of a grader who is not root: a fork bomb in one is not the others' failure."""
    limits = bubblewrap.Limits(seconds=30, processes=64)
    user = None if os.geteuid() else bubblewrap.uid_of(0)
    with contextlib.ExitStack() as ends:
        for _ in range(2 * limits.processes):
            ends.callback(ends.enter_context(subprocess.Popen(["sleep", "60"], user=user)).kill)
        sent = confined(["sh", "-c", "sleep 0.1 & wait; echo well"], limits, {})
    assert (sent.data, sent.said) == (b"well\n", "")


def test_a_busy_machine_and_another_number_of_workers_give_the_same_bytes(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = made({"ada": "", "bob": "1 / 0", "cyd": "while True: pass", "dan": "", "eve": FORGED})
    for name in ("ada", "dan"):
        (course.part("submissions") / f"{name}.ipynb").write_text(solution(course.assignment))
    short = course.assignment.rubric.model_copy(update={"seconds": 12})
    monkeypatch.setattr(course.assignment, "rubric", short)
    grade(course, progress=False, workers=1)
    before = written(course)
    with contextlib.ExitStack() as ends:
        for _ in range(3 * (os.cpu_count() or 1)):
            hog = ends.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            ends.callback(hog.kill)
        found = grade(course, progress=False, workers=3, again=True)
    assert found.failed == ()
    assert [one.total for one in found.graded] == [10, 0, 0, 10, 0]
    assert written(course) == before
    monkeypatch.setattr(grading, "notebook", lambda *arguments: pytest.fail("a notebook ran again"))
    grade(course, progress=False)
    assert written(course) == before


def written(course: Course) -> dict[str, bytes]:
    """All that a grading writes."""
    lms.write(course, kept(course).graded)
    similarity.report(course)
    pages(course, progress=False)
    files = [path for path in course.folder.rglob("*") if path.is_file() and "submissions" not in path.parts]
    assert {path.name for path in files} >= {"ada.marks.json", "ada.html", "canvas.csv", "similarity.csv"}
    return {str(path): path.read_bytes() for path in files}


def test_a_machine_that_is_too_slow_is_no_students_fault(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "require_walls", lambda **options: ())
    monkeypatch.setattr(sandbox, "SLOW", 0)
    found = grade(made({"ada": "pass"}), progress=False)
    assert found.graded == ()
    assert "this machine was too slow" in found.failed[0].said


def test_a_sandbox_that_does_not_start_is_no_students_fault(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = made({"ada": "pass"})
    monkeypatch.setattr(grading, "require_walls", lambda **options: ())
    monkeypatch.setattr(sandbox, "_INSIDE", ("-P", "-m", "nonexistent"))
    found = grade(course, progress=False)
    assert [one.said for one in found.failed if "no sandbox started" in one.said]
    assert not list(course.part("graded").iterdir())


def test_a_fault_of_the_lab_for_one_student_leaves_the_others_graded(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = made({"ada": "", "bob": "", "cyd": ""})
    for name in ("ada", "bob", "cyd"):
        (course.part("submissions") / f"{name}.ipynb").write_text(solution(course.assignment))
    whole, faults = course.assignment.truth, {"ada": SetupError("no kernel"), "cyd": TypeError("odd")}
    cases = {str(course.case(student).experiment): student.student for student in course.students}

    def truth(case: Any) -> dict[str, Any]:
        if error := faults.get(cases[str(case.experiment)]):
            raise error
        return whole(case)

    monkeypatch.setattr(course.assignment, "truth", truth)
    found = grade(course, progress=False)
    assert [(one.student.student, one.total) for one in found.graded] == [("bob", 10)]
    assert [(one.student.student, one.said) for one in found.failed] == [
        ("ada", "no kernel"),
        ("cyd", "TypeError: odd"),
    ]
    assert [one.student.student for one in kept(course).failed] == ["ada", "cyd"]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_grading_that_was_interrupted_goes_on_where_it_was(
    made: Callable[[dict[str, str]], Course], end: signal.Signals
) -> None:
    """Whoever was under way is run again, who was done is not, and nobody has fewer points for it."""
    names = [f"s{number}" for number in range(6)]
    course = made(dict.fromkeys(names, ""))
    for name in names:
        (course.part("submissions") / f"{name}.ipynb").write_text(solution(course.assignment))
    command = [sys.executable, "-m", "labkit.cli", "course", "grade", str(course.assignment.folder)]
    grader = subprocess.Popen(
        [*command, "--course", str(course.root), "--workers", "1", "--weak-sandbox"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    answers = course.part("graded")
    try:
        while len(done := list(answers.glob("*.answers.json"))) < 2 and grader.poll() is None:
            time.sleep(0.1)
        os.killpg(grader.pid, end)
    finally:
        grader.wait()
    before = {path: path.stat().st_mtime_ns for path in done}
    assert 2 <= len(before) < len(names)
    found = grade(course, progress=False)
    assert [one.total for one in found.graded] == [10] * len(names)
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert {path.name.split(".")[1] for path in answers.iterdir()} == {"answers", "marks"}


def test_two_graders_do_not_work_on_the_same_class(made: Callable[[dict[str, str]], Course]) -> None:
    course = made({"ada": "pass"})
    with course.alone(), pytest.raises(CourseError, match="another labkit course is at work"):
        grade(course, progress=False)


def test_a_mistake_in_the_rubric_is_mended_without_the_notebooks(
    made: Callable[[dict[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = made({"ada": ""})
    (course.part("submissions") / "ada.ipynb").write_text(solution(course.assignment))
    rubric = course.assignment.rubric
    assert grade(course, progress=False).graded[0].total == 10
    worth = {**rubric.questions, "rtt_ms": rubric.questions["rtt_ms"].model_copy(update={"points": 7})}
    monkeypatch.setattr(course.assignment, "rubric", rubric.model_copy(update={"questions": worth}))
    monkeypatch.setattr(grading, "notebook", lambda *arguments: pytest.fail("a notebook ran again"))
    assert grade(course, progress=False).graded[0].total == 15
