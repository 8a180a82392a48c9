"""A class on one machine: 30 users, each with a notebook of their own and one lab kernel for all, turn knobs.

Called by root, each student is a user of their own, with a home and caches; called by another, all are that
user, with caches of their own. Who reads no further than the interpreter's folder (a pyenv below /root) lends
them the system's Python of the same version.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Sample
from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.guest.kernel.build import kernel
from labkit.execute.wasm.linked import linked
from labkit.execute.wasm.translated import translated

STUDENTS = 30
CLICKS = 4
THINK_S = 20.0
SEED = 1
_FIRST_UID = 61200
_ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Student:
    """A running bench.student."""

    process: subprocess.Popen[str]

    def ready(self) -> None:
        """Until its widget is there, and clicked once, which loads what the first figure needs."""
        self._line()
        self.click()

    def click(self) -> float:
        """Seconds from click to figure."""
        assert self.process.stdin
        self.process.stdin.write("click\n")
        self.process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a student's process ended with {self.process.wait()}")
        return line


def shared_kernel(folder: Path) -> Path:
    """Lab kernels and the programs around them, to be read by all and written by none: as LABKIT_KERNEL."""
    builds, folders = [kernel()], [binaries().root.parent]
    with contextlib.suppress(SetupError):
        module = linked()
        if program := translated(module):
            builds.append(module.kernel)
            folders += [module.module.parent, program.parent]
    for built in builds:
        copy = folder / "kernel" / built.folder.name
        shutil.copytree(built.folder, copy, ignore=shutil.ignore_patterns("tree"))
        (copy / "tree").mkdir(exist_ok=True)
    for made in folders:
        shutil.copytree(made, folder / made.parent.name / made.name)
    subprocess.run(["chmod", "-R", "a+rX,a-w", str(folder)], check=True)
    return folder


def interpreter() -> str:
    """One that every student may read."""
    own = Path(sys.executable).resolve()
    if all(folder.stat().st_mode & 0o005 == 0o005 for folder in own.parents):
        return sys.executable
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    found = shutil.which(version, path="/usr/bin:/usr/local/bin")
    if found is None:
        raise RuntimeError(f"students cannot read {own}, and there is no {version} in /usr/bin")
    return found


@dataclass(frozen=True)
class User:
    """home: theirs, and no one else may look; shared: LABKIT_KERNEL."""

    home: Path
    shared: Path
    uid: int | None

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A Python of theirs with this checkout's labkit."""
        packages = [str(_ROOT), *(path for path in sys.path if path.endswith("-packages"))]
        environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(packages),
            "PYTHONDONTWRITEBYTECODE": "1",
            cache.KERNEL: str(self.shared),
        }
        return subprocess.Popen(
            [interpreter(), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.home,
            env=environment,
            user=self.uid,
            group=self.uid,
            extra_groups=None if self.uid is None else (),
        )

    def run(self, *arguments: str) -> str:
        """What it prints, to its end. Raises ChildProcessError."""
        process = self.start(*arguments)
        said, _ = process.communicate()
        if process.returncode:
            raise ChildProcessError(f"{self.uid}: ended with {process.returncode}")
        return said.strip()


@contextlib.contextmanager
def users(number: int = STUDENTS) -> Iterator[list[User]]:
    """So many, who share a kernel. Raises RuntimeError if there is no Python for them."""
    interpreter()
    with tempfile.TemporaryDirectory(prefix="labkit-class-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shared = shared_kernel(folder / "shared")
        yield [_user(folder / f"student{one}", shared, _FIRST_UID + one) for one in range(number)]


def _user(home: Path, shared: Path, uid: int) -> User:
    home.mkdir(mode=0o700)
    if os.geteuid():
        return User(home, shared, None)
    os.chown(home, uid, uid)
    return User(home, shared, uid)


@contextlib.contextmanager
def a_class(number: int = STUDENTS) -> Iterator[list[Student]]:
    """So many students at their notebooks, ready to click."""
    with users(number) as all_of_them, contextlib.ExitStack() as stack:
        students = []
        for user in all_of_them:
            process = user.start("-m", "bench.student")
            stack.callback(process.wait)
            stack.callback(process.kill)
            students.append(Student(process))
        with ThreadPoolExecutor(2) as two:  # at a time, as they come in
            list(two.map(Student.ready, students))
        yield students


@functools.cache
def at_once() -> tuple[float, ...]:
    """Seconds of each student's click, all at the same moment: the worst that a class can do."""
    with a_class() as students, ThreadPoolExecutor(len(students)) as pool:
        return tuple(pool.map(Student.click, students))


@functools.cache
def thinking() -> tuple[float, ...]:
    """Seconds of every click of students who look at each figure for THINK_S, exponentially distributed."""
    with a_class() as students, ThreadPoolExecutor(len(students)) as pool:
        taken = pool.map(_lesson, students, range(len(students)))
        return tuple(took for one in taken for took in one)


def _lesson(student: Student, number: int) -> list[float]:
    thinks = random.Random(SEED + number)
    taken = []
    for _ in range(CLICKS):
        time.sleep(thinks.expovariate(1 / THINK_S))
        taken.append(student.click())
    return taken


def once_median() -> Sample:
    """Of all at the same moment."""
    return Sample(statistics.median(at_once()))


def once_worst() -> Sample:
    """Of all at the same moment."""
    return Sample(max(at_once()))


def lesson_median() -> Sample:
    """Of students who think."""
    return Sample(statistics.median(thinking()))


def lesson_worst() -> Sample:
    """Of students who think."""
    return Sample(max(thinking()))
