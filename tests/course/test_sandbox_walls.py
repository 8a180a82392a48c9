"""Every wall of the sandbox of course work is tried from within. The rest of what hostile notebooks try takes
minutes: test_hostile.py, by make course-test."""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from labkit.course.roster import CourseError
from labkit.course.sandbox import bubblewrap, groups, sandbox, selftest
from labkit.course.sandbox.bubblewrap import Limits
from labkit.course.sandbox.groups import Groups
from labkit.course.sandbox.sandbox import SLOW, Sent, confined
from labkit.course.sandbox.selftest import WALLS, attempts, require_walls
from tests.course.conftest import LIMITED, MEMORY

_ADD_KEY, _KEYCTL, _SEARCH, _UNLINK, _SESSION = 248, 250, 10, 9, -3
_SECONDS = 3.0


def python(code: str, seconds: float = 30.0) -> Sent:
    return confined([sys.executable, "-c", code], Limits(seconds=seconds), {})


def test_every_wall_stands_here() -> None:
    found = attempts()
    assert [wall.name for wall in found] == list(WALLS)
    assert [wall for wall in found if not wall.stands and (LIMITED or wall.name != MEMORY)] == []


def test_the_attempts_find_that_there_is_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bubblewrap._walls
    monkeypatch.setattr(bubblewrap, "_walls", lambda *arguments: iter([*whole(*arguments)][2:]))
    missing = {wall.name for wall in attempts() if not wall.stands}
    assert missing >= {"no keys", "few sockets", "few system calls"}


def test_a_students_keys_are_nobody_elses() -> None:
    """What the grader's session holds is not seen inside; what is left inside is not found by the next."""
    libc = ctypes.CDLL(None, use_errno=True)
    key = libc.syscall(_ADD_KEY, b"user", b"labkit-test", b"secret", 6, _SESSION)
    if key < 0:
        pytest.skip("no keys on this machine")
    try:
        said = python(
            "import ctypes\n"
            "c = ctypes.CDLL(None)\n"
            f"print(c.syscall({_KEYCTL}, {_SEARCH}, {_SESSION}, b'user', b'labkit-test', 0))\n"
            f"print(c.syscall({_KEYCTL}, 11, {key}, ctypes.create_string_buffer(9), 9))\n"
            f"print(c.syscall({_ADD_KEY}, b'user', b'for-the-next', b'42', 2, {_SESSION}))\n"
            "try: print(len(open('/proc/keys').read()))\nexcept OSError: print(0)\n"
        ).data.split()
        assert said == [b"-1", b"-1", b"-1", b"0"]
        assert libc.syscall(_KEYCTL, _SEARCH, _SESSION, b"user", b"for-the-next", 0) < 0
    finally:
        libc.syscall(_KEYCTL, _UNLINK, key, _SESSION)


def test_what_notebooks_use_is_still_there() -> None:
    """Sockets on lo, names of interfaces, threads and processes, files in memory: by Python's own library."""
    said = python(
        "import asyncio, concurrent.futures as f, multiprocessing, os, socket, subprocess\n"
        "a, b = socket.create_server(('127.0.0.1', 0)), socket.socket()\n"
        "b.connect(a.getsockname()); socket.socketpair(); socket.if_nameindex()\n"
        "async def go(): await (await asyncio.create_subprocess_exec('true')).wait()\n"
        "asyncio.run(go())\n"
        "with f.ProcessPoolExecutor(2) as pool: assert list(pool.map(abs, [-1])) == [1]\n"
        "os.memfd_create('x'); subprocess.run(['sh', '-c', 'true'], check=True); print('well')"
    )
    assert (said.data, said.said) == (b"well\n", "")


HIDING = {
    "an endless loop": "while True: pass",
    "sleep": "import time; time.sleep(1e6)",
    "children that nobody waits for": selftest._HIDING,
    "a process in state D beside them": (
        "import ctypes, os\n"
        "if os.fork() == 0:\n"
        "    os.execvp('python3', ['python3', '-c', 'import os, signal\\n"
        'c = __import__("ctypes").CDLL(None)\\n'
        "c.vfork() or c.pause()'])\n" + selftest._HIDING
    ),
    "threads": "import threading\ndef work():\n    while True: pass\n"
    "for _ in range(4): threading.Thread(target=work).start()",
    "another processor": "import os\ntry: os.sched_setaffinity(0, range(os.cpu_count()))\n"
    "except PermissionError: pass\nos.fork()\nwhile True: pass",
}


@pytest.mark.parametrize("cgroup", [True, False])
@pytest.mark.parametrize("code", HIDING.values(), ids=HIDING)
def test_no_way_of_spending_time_is_longer_than_the_limit(
    code: str, cgroup: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else the machine does, three times the limit is the end. Whose time it was is said: the
    student's, as long as others had the processor for less than the rest."""
    if not cgroup:
        monkeypatch.setattr(sandbox, "groups", none)
    begun = time.monotonic()
    try:
        assert python(code, _SECONDS).stopped == f"the notebook was stopped after {_SECONDS:g} s"
    except CourseError as error:
        assert "others had the processor for" in str(error)
        assert not cgroup, "it weighs more than what others do"
    assert time.monotonic() - begun < SLOW * _SECONDS + 15


@contextlib.contextmanager
def none(memory: int, processes: int) -> Iterator[Groups]:
    """A machine where no cgroup can be made."""
    yield Groups((), frozenset(), None)


def test_what_it_says_on_stderr_is_kept_to_its_end_and_nowhere_on_the_disk() -> None:
    said = python("import os\nfor _ in range(2000): os.write(2, b'x' * 1000)\nos.write(2, b'the end')").said
    assert len(said) == sandbox._SAID
    assert said.endswith("the end")


def test_without_a_cgroup_nobody_is_graded_but_by_a_weak_sandbox(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No limit of a process counts files in memory, so that wall is missing, which is said either way."""
    monkeypatch.setattr(sandbox, "groups", none)
    monkeypatch.setattr(selftest, "WALLS", WALLS)
    with pytest.raises(
        CourseError, match=r"limit of memory \(.*files: all of it.*systemd-run.*--weak-sandbox"
    ):
        require_walls()
    require_walls(weak=True)
    assert "graded all the same: walls are missing here: limit of memory" in capsys.readouterr().err


def test_a_group_counts_what_all_who_were_in_it_have_done() -> None:
    with groups.groups(1 << 30, 64) as group:
        if group.used is None:
            pytest.skip("no cgroup can be made here")
        hidden = "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" + (
            "if os.fork() == 0:\n    while time.process_time() < 0.5: pass\n    os._exit(0)\ntime.sleep(3)\n"
        )
        before = group.used()
        enter = (
            f"import os\nfor f in {[str(f) for f in group.procs]!r}: open(f, 'w').write(str(os.getpid()))\n"
        )
        subprocess.run([sys.executable, "-c", enter + hidden], check=True)
        assert 0.5 <= group.used() - before < 3
