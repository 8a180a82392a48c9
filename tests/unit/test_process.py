"""What is left when a run cannot start: nothing. And where no run can start at all, that is said first."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.errors import SetupError, UnsupportedError
from labkit.execute.artifacts.binaries import Binaries
from labkit.execute.guest import boot
from labkit.execute.guest.kernel import build
from labkit.execute.machine import shortage
from labkit.execute.machine.process import Process
from labkit.execute.machine.system import require_system
from labkit.lab.laboratory import Lab
from labkit.results.run import run
from labkit.spec import Command, Experiment
from labkit.spec.topologies import pair

SMALLEST = Experiment(pair(), duration=1, probes=())


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The run folders of a cache of its own."""
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))
    return tmp_path / "runs"


def start(root: Path, keeper: Path) -> None:
    """A process that cannot be: there is no such keeper, or no such root."""
    programs = Binaries(root, root, root, keeper, keeper, keeper, "key")
    Process(programs, ["/bin/true"], {"program": b""}, environment={})


def descriptors() -> dict[str, str]:
    """The open files of this process."""
    fds = {fd: f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")}
    return {fd: os.readlink(path) for fd, path in fds.items() if os.path.lexists(path)}


def test_no_shortage_of_descriptors_leaves_any_or_a_lock(runs: Path) -> None:
    """Whichever of the dozen that a start opens is one too many."""
    import resource

    start(Path("/"), Path("/bin/true"))  # makes folders and locks
    kept = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = descriptors()
    refused = 0
    try:
        for number in range(4, 48):
            resource.setrlimit(resource.RLIMIT_NOFILE, (number, kept[1]))
            try:
                start(Path("/"), Path("/bin/true"))
            except SetupError as error:
                refused += 1
                assert "ulimit -n" in str(error)
            resource.setrlimit(resource.RLIMIT_NOFILE, kept)
            assert descriptors() == before
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, kept)
    assert refused > 5


@pytest.mark.parametrize(("root", "keeper"), [("/nowhere", "/bin/true"), ("/", "/nowhere")])
def test_a_process_that_cannot_start_leaves_no_descriptor_and_no_folder(
    runs: Path, root: str, keeper: str
) -> None:
    before = descriptors()
    with pytest.raises(SetupError, match=r"nowhere|no such file"):
        start(Path(root), Path(keeper))
    assert descriptors() == before
    assert [path for path in runs.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("number", range(4))
def test_running_out_of_descriptors_between_two_pipes_leaves_none_open(
    runs: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before, pipe2, made = descriptors(), os.pipe2, []

    def scarce(flags: int) -> tuple[int, int]:
        if len(made) == number:
            raise OSError(24, "Too many open files")
        made.append(number)
        return pipe2(flags)

    monkeypatch.setattr(os, "pipe2", scarce)
    with pytest.raises(SetupError, match=r"no more files can be opened.*ulimit -n"):
        start(Path("/"), Path("/bin/true"))
    assert descriptors() == before
    assert [path for path in runs.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("system", "machine"), [("Linux", "aarch64"), ("Darwin", "arm64"), ("Windows", "AMD64")]
)
@pytest.mark.parametrize(
    "start",
    [build.build, build.kernel, lambda: boot.boot({}, 64), lambda: run(SMALLEST, place="guest")],
    ids=["build", "kernel", "boot", "run"],
)
def test_a_machine_that_can_have_no_guest_is_told_so_at_once_and_what_works_there(
    runs: Path, monkeypatch: pytest.MonkeyPatch, start: Callable[[], object], system: str, machine: str
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(
        SetupError, match=f"x86-64 processor; this is {system} on {machine}: what works.*labkit\\[kernel\\]"
    ):
        start()
    assert not runs.parent.joinpath("kernel").exists()
    assert compile_experiment(SMALLEST).program


@pytest.mark.parametrize("start", [lambda: run(SMALLEST), lambda: Lab(pair()).open()], ids=["run", "open"])
def test_elsewhere_a_package_brings_the_kernel(
    runs: Path, monkeypatch: pytest.MonkeyPatch, start: Callable[[], object]
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    with pytest.raises(SetupError, match=r"pip install .*labkit\[kernel\].* brings it"):
        start()
    assert not runs.parent.joinpath("kernel").exists()


def test_elsewhere_what_only_a_guest_can_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    exp = SMALLEST.replace(commands=[Command("left", "ping -c 1 right")])
    with pytest.raises(
        UnsupportedError, match=r"the command 'ping -c 1 right' on left .*: a guest can, on Linux"
    ):
        run(exp)


def test_this_machines_own_kernel_may_be_of_any_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    require_system("host")
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    with pytest.raises(SetupError, match='place="host" needs Linux; this is Darwin'):
        require_system("host")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EAGAIN, r"no more processes can be started.*ulimit -u"),
        (errno.EMFILE, r"no more files can be opened.*ulimit -n"),
        (errno.ENFILE, r"no more files can be opened.*ulimit -n"),
        (errno.EFBIG, r"files may not grow.*ulimit -f"),
        (errno.EACCES, r"may not be executed.*noexec.*LABKIT_CACHE=DIR"),
    ],
)
def test_a_keeper_that_is_refused_is_one_message_and_leaves_nothing(
    runs: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refuse(path: str, *rest: object, **more: object) -> int:
        raise OSError(number, os.strerror(number), path)

    before = descriptors()
    monkeypatch.setattr(os, "posix_spawn", refuse)
    with pytest.raises(SetupError, match=words) as caught:
        start(Path("/"), Path("/bin/true"))
    assert len(str(caught.value).splitlines()) == 1
    assert descriptors() == before
    assert [path for path in runs.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("console", "words"),
    [
        ("keeper: cannot start another process: Resource temporarily unavailable", "ulimit -u"),
        ("keeper: cannot watch the program: Operation not permitted", "pidfd_open is refused"),
        ("keeper: cannot hold its folder: No locks available", "flock is refused"),
        ("keeper: cannot die with its owner: Function not implemented", "prctl is refused"),
        ("shim: cannot die with its owner: Operation not permitted", "prctl is refused"),
        ("shim: no memory file: Operation not permitted", "memfd_create is refused"),
        ("ptrace: Operation not permitted\ncheck_ptrace : expected SIGSTOP", "ptrace is refused"),
        ("creation of timer failed - errno = 1\nKernel panic", "timer_create is refused"),
        ("write: File too large", "ulimit -f"),
    ],
)
def test_last_words_of_a_guest_that_was_denied_something_name_what_helps(console: str, words: str) -> None:
    said = shortage.heard(console)
    assert said is not None and words in str(said)
    assert len(str(said).splitlines()) == 1


def test_other_last_words_are_no_shortage() -> None:
    assert shortage.heard("Kernel panic - not syncing: it fell over") is None
