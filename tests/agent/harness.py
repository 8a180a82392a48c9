"""The agent compiled with sanitizers, run on a program in a folder of its own, and how it ended."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from labkit.decode.raw import Raw
from labkit.execute.artifacts.binaries import AGENT, FLAGS
from labkit.program.structs import Kind
from labkit.spec import Link, Topology

SANITIZED = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
OPTIONS = {"ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99:print_stacktrace=1"}
NOBODY = 65534
DRIVERS = Path(__file__).parent / "drivers"
ASK_TO_STOP_S, PATIENCE_S = 1.5, 60.0
_AT_GATE = 'exec "$0" 10<&"$1" 11>&"$2"'  # the descriptors that labkit/execute/native/keeper.c passes on


@dataclass(frozen=True)
class Outcome:
    """status: of the agent, None if it had to be killed; raw: what it had written; said: on stderr, and of
    one that had to be killed where each of its threads stood."""

    status: int | None
    said: str
    raw: Raw

    @property
    def errors(self) -> list[str]:
        """The texts of its error records."""
        return self.raw.texts(self.raw.records(Kind.ERROR))

    @property
    def refused(self) -> bool:
        """Nothing was done: one line, status 2."""
        lines = self.said.splitlines()
        return self.status == 2 and len(lines) == 1 and lines[0].startswith("agent: ")

    @property
    def clean(self) -> bool:
        """Refused, or carried out to an end that the raw file tells."""
        return self.refused or (self.status == 0 and not self.said and not self.raw.truncated)


def build(
    folder: Path,
    *options: str,
    name: str = "agent",
    driver: str | None = None,
    own_main: bool = False,
    wrap: Sequence[str] = (),
    sanitized: Sequence[str] = SANITIZED,
) -> Path:
    """Compile the agent; with a file of drivers/, which answers calls of `wrap` and may have a main()
    of its own. Static and the address sanitizer do not go together."""
    program = folder / name
    sources = [path for path in sorted(AGENT.glob("*.c")) if not (own_main and path.name == "main.c")]
    if driver is not None:
        sources.append(DRIVERS / driver)
    wrapped = [f"-Wl,--wrap={function}" for function in wrap]
    command = ["cc", *FLAGS, "-O1", *sanitized, *options, f"-I{AGENT}", *wrapped, "-o", str(program)]
    done = subprocess.run(
        [*command, *map(str, sources), "-lm"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return program


def namespaces_for(user: int | None) -> bool:
    """May this user make a user namespace here?"""
    command = ["unshare", "--user", "--map-root-user", "--net", "true"]
    return subprocess.run(command, user=user, group=user, capture_output=True, check=False).returncode == 0


def unprivileged() -> int | None:
    """Whom to run dangerous programs as: nobody, when we are root and nobody may make namespaces."""
    return NOBODY if os.geteuid() == 0 and namespaces_for(NOBODY) else None


def execute(agent: Path, program: bytes, user: int | None = None, *, then: Sequence[bytes] = ()) -> Outcome:
    """Run it; ask it to stop after a while, as a good program with a late end may run long.

    then: programs for which it waits at the gate, one after the other.
    """
    folder = Path(tempfile.mkdtemp(prefix="labkit-agent-"))
    try:
        folder.chmod(0o777)
        (folder / "program").write_bytes(program)
        with (folder / "stderr").open("wb") as stderr, _gate() as (agents, ours):
            process = subprocess.Popen(
                ["bash", "-c", _AT_GATE, str(agent), *map(str, agents)] if then else [str(agent)],
                cwd=folder,
                env=OPTIONS,
                pass_fds=agents,
                stdin=subprocess.DEVNULL,
                stdout=stderr,
                stderr=stderr,
                user=user,
                group=user,
                extra_groups=None if user is None else [],
            )
            for following in then:
                ready, _, _ = select.select([ours[0]], [], [], PATIENCE_S)
                assert ready, "the agent does not come to the gate"
                assert os.read(ours[0], 1) == b"w"
                (folder / "program").write_bytes(following)
                os.write(ours[1], b"g")
            status, stood = _end(process, folder)
        raw = folder / "raw"
        data = raw.read_bytes() if raw.exists() else b""
        return Outcome(status, (folder / "stderr").read_text(errors="replace") + stood, Raw(data))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _gate() -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Two pipes: what the agent reads and writes, what we read and write."""
    (hears, says), (word, waits) = os.pipe(), os.pipe()
    try:
        yield (hears, waits), (word, says)
    finally:
        for fd in (hears, says, word, waits):
            os.close(fd)


def _end(process: subprocess.Popen[bytes], folder: Path) -> tuple[int | None, str]:
    """Its status, and where it stood if it had to be killed."""
    try:
        return process.wait(ASK_TO_STOP_S), ""
    except subprocess.TimeoutExpired:
        (folder / "stop").touch()
    try:
        return process.wait(PATIENCE_S), ""
    except subprocess.TimeoutExpired:
        pass
    try:
        stood = threads(process.pid)
    finally:
        process.kill()
        process.wait()
    return None, stood


def threads(pid: int) -> str:
    """A line for each thread of a process and of its children: number, name and, for root, where in the
    kernel it stands. Threads that end meanwhile are left out."""
    tasks: list[Path] = []
    with suppress(psutil.NoSuchProcess, FileNotFoundError):
        top = psutil.Process(pid)
        for process in (top, *top.children(recursive=True)):
            tasks += Path(f"/proc/{process.pid}/task").iterdir()
    lines = []
    for task in tasks:
        with suppress(FileNotFoundError, ProcessLookupError):
            name = (task / "comm").read_text().strip()
            lines.append(f"killed: {task.name} {name}: {_stack(task)}\n")
    return "".join(lines)


def _stack(task: Path) -> str:
    try:
        calls = (task / "stack").read_text().split()[1::2]
    except PermissionError:
        return (task / "wchan").read_text()
    return " < ".join(calls)


#   left ---- r1 ======== r2 ---- right         === rate and queue, at routers only: no netem needed
def routed(rate: str | None = "20mbit", queue: str = "50p", **fields: object) -> Topology:
    """A bottleneck that every kernel with tbf can make."""
    limited = {"rate": rate, "queue": queue} if rate else {}
    links = [Link("left", "r1"), Link("r1", "r2", **limited, **fields), Link("r2", "right")]
    return Topology(["left", "r1", "r2", "right"], links)
