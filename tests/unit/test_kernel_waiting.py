"""Claims about waiting for a lab kernel that another process builds. No kernel is built here."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from labkit.cli import kernel_command
from labkit.execute.guest.kernel import build, build_status, source
from labkit.execute.guest.kernel.build import KernelNotBuilt
from labkit.execute.session.progress import bar

ROOT = Path(__file__).parents[2]

BUILDER = textwrap.dedent(
    """
    import shutil, sys
    from dataclasses import replace
    from pathlib import Path
    from labkit import cli
    from labkit.cli import kernel_command
    from labkit.execute.guest.kernel import build
    from labkit.execute.guest.kernel.tools import run
    from labkit.execute.wasm import makeable

    GO = Path(sys.argv[1])

    def compile(origin, folder, lock, progress):
        (folder / "tree").mkdir()
        (folder / "linux").write_bytes(b"ELF")
        progress(0, 100, "building the lab kernel")
        progress(40, 100, "building the lab kernel: net/ipv4")
        said = f"echo $$ >{GO}.part; mv {GO}.part {GO}.pid"
        wait = f"until [ -e {GO} ]; do sleep 0.02; done; exit $(cat {GO})"
        run(["sh", "-c", f"{said}; {wait}"], folder, log=folder / "build.log", hold=(lock,))
        return "6.12.1"

    shutil.which = lambda name: sys.executable
    build.require_tools = lambda: None
    kernel_command.GUEST = replace(build.GUEST, compile=compile)
    kernel_command.module_file = lambda name, bare: None
    makeable.obstacle = lambda: "nothing is compiled to WebAssembly in these tests"
    sys.exit(cli.main(["kernel", "build", *sys.argv[2:]]))
    """
)
"""`labkit kernel build` whose compiler waits for a file, which says how it is to end."""

WAITER = textwrap.dedent(
    """
    import shutil, sys
    from labkit.execute.guest.kernel.build import kernel

    shutil.which = lambda name: sys.executable
    print(kernel().release)
    """
)


class Builds:
    """A cache, and builders at work in it."""

    def __init__(self, root: Path) -> None:
        self.root, self.cache, self.go = root, root / "cache" / "kernel", root / "go"
        self.started: list[subprocess.Popen[str]] = []

    def python(self, script: str, *arguments: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", script, *arguments]
        process = subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)
        self.started.append(process)
        return process

    def begin(self, *options: str) -> subprocess.Popen[str]:
        """A builder that has come to its compiler."""
        self.go.unlink(missing_ok=True)
        builder = self.python(BUILDER, str(self.go), *options)
        _wait_for(lambda: self.compiler.exists() or builder.poll() is not None)
        assert builder.poll() is None, builder.communicate()
        return builder

    @property
    def compiler(self) -> Path:
        """Its number, once it is there."""
        return self.go.with_name("go.pid")

    def end(self, status: int = 0) -> None:
        """The compiler ends so."""
        part = self.root / "part"
        part.write_text(str(status))
        part.rename(self.go)

    def left(self) -> set[str]:
        return {path.name for path in self.cache.iterdir() if not path.name.startswith(".")}


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Builds]:
    """A cache of its own and a tiny source tree."""
    origin = tmp_path / "linux"
    origin.mkdir()
    (origin / "Makefile").write_text("VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 1\n")
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(source.VARIABLE, str(origin))
    monkeypatch.setattr("shutil.which", lambda name: sys.executable)
    made = Builds(tmp_path)
    yield made
    for process in made.started:
        process.kill()
        process.communicate()


def test_whoever_needs_the_kernel_waits_for_the_build_and_sees_how_far_it_is(builds: Builds) -> None:
    builder = builds.begin()
    waiters = [builds.python(WAITER) for _ in "ab"]
    for waiter in waiters:
        assert waiter.stderr is not None
        assert waiter.stderr.readline() == "building the lab kernel: 40 %\n"
    builds.end()
    for waiter in waiters:
        assert waiter.communicate() == ("6.12.1\n", "building the lab kernel: 100 %\n")
    assert builder.wait() == 0
    assert build.kernel().release == "6.12.1"
    assert not (builds.cache / build_status.FILE).exists()


def test_beats_take_the_place_of_the_bar_and_may_end_the_wait(
    builds: Builds, capsys: pytest.CaptureFixture[str]
) -> None:
    builds.begin()
    heard: list[str] = []

    def beat() -> None:
        heard.append(build.being_built())
        if len(heard) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build.kernel(beat=beat)
    assert heard[0].startswith("building the lab kernel: net/ipv4, 40 %, ")
    assert capsys.readouterr().err == ""
    assert build.being_built(), "the build goes on"


def test_ctrl_c_ends_the_wait_and_not_the_build(builds: Builds) -> None:
    builder = builds.begin()
    waiter = builds.python(WAITER)
    assert waiter.stderr is not None
    waiter.stderr.readline()
    waiter.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in waiter.communicate()[1]
    assert builder.poll() is None
    builds.end()
    assert builder.wait() == 0


def test_a_failed_build_ends_the_wait_with_its_reason_and_the_cure(builds: Builds) -> None:
    builder = builds.begin()
    waiter = builds.python(WAITER)
    assert waiter.stderr is not None
    waiter.stderr.readline()
    builds.end(status=3)
    said = waiter.communicate()[1]
    assert builder.wait() == 1
    assert "KernelNotBuilt: the lab kernel could not be built: `sh -c" in said
    assert "`labkit kernel build` begins again" in said
    with pytest.raises(KernelNotBuilt, match="could not be built"):
        build.kernel()
    assert builds.left() == {"lock", "memo.json", "last-failure.log", build_status.FILE}


def test_a_killed_build_ends_the_wait_leaves_nothing_and_can_begin_again(builds: Builds) -> None:
    builder = builds.begin()
    compiler = int(builds.compiler.read_text())
    waiter = builds.python(WAITER)
    assert waiter.stderr is not None
    waiter.stderr.readline()
    builder.kill()
    said = waiter.communicate(timeout=60)[1]
    assert (
        "KernelNotBuilt: the lab kernel was not built to its end: `labkit kernel build` begins again" in said
    )
    assert builds.left() == {"lock", "memo.json", build_status.FILE}
    _wait_for(lambda: not _alive(compiler))
    builds.compiler.unlink()
    again = builds.begin()
    builds.end()
    assert again.wait() == 0
    assert build.kernel().release == "6.12.1"


@pytest.mark.parametrize("end", ["other process", "SIGTERM"])
def test_a_build_beside_another_process_ends_with_it_and_takes_all_with_it(builds: Builds, end: str) -> None:
    other = builds.python("import time; time.sleep(600)")
    builder = builds.begin("--beside", str(other.pid))
    compiler = int(builds.compiler.read_text())
    if end == "SIGTERM":
        builder.terminate()
    else:
        other.kill()
        other.communicate()
    assert builder.wait(timeout=60) == 128 + signal.SIGTERM
    assert builder.communicate() == ("", f"{kernel_command.MEANWHILE}\n"), "it says no more beside JupyterLab"
    assert not _alive(compiler)
    assert builds.left() == {"lock", "memo.json", "last-failure.log", build_status.FILE}


def test_looking_whether_there_is_a_kernel_does_not_wait(builds: Builds) -> None:
    builds.begin()
    with pytest.raises(KernelNotBuilt, match="not there yet: building the lab kernel: net/ipv4, 40 %"):
        build.find_kernel()


def test_nobody_waits_for_the_build_of_another_kernel(builds: Builds) -> None:
    builds.begin()
    with pytest.raises(KernelNotBuilt, match="labkit kernel build --bare"):
        build.kernel(build.BARE)
    assert not build.being_built(build.BARE)


def test_a_kernel_that_is_there_is_not_built_and_waits_for_no_other_build(builds: Builds) -> None:
    """The second build is forced; of another kind it would hold the same lock."""
    first = builds.begin()
    builds.end()
    assert first.wait() == 0
    builds.compiler.unlink()
    builds.begin("--force")
    again = builds.python(BUILDER, str(builds.go))
    assert "6.12.1" in again.communicate(timeout=60)[0]
    assert again.returncode == 0


def test_without_a_build_nobody_waits(builds: Builds) -> None:
    with pytest.raises(KernelNotBuilt, match="there is no lab kernel yet"):
        build.kernel()


def test_the_words_of_another_labkit_are_passed_over(builds: Builds) -> None:
    builds.cache.mkdir(parents=True)
    (builds.cache / build_status.FILE).write_text('{"percent": 40}')
    assert build_status.last(builds.cache) is None


@pytest.mark.parametrize(
    ("passed_s", "done", "said"),
    [(60, 1, "x, 1 %"), (60, 50, "x, 50 %, 60 s to go"), (200, 25, "x, 25 %, about 10 min to go")],
)
def test_the_time_to_go_follows_from_the_share_that_is_done(passed_s: float, done: int, said: str) -> None:
    assert str(build_status.BuildStatus("", done, 100, "x", time.time() - passed_s)) == said


def test_a_bar_that_joins_counts_the_time_from_the_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    with bar(True, began=time.time() - 100) as report:
        report(50, 100, "building")
    assert "50%" in (said := capsys.readouterr().err)
    assert "01:40 passed, 01:40 to go" in said


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False
