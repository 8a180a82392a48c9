"""Claims about building the lab kernel: what is checked, kept, shared and said. No kernel is built here."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.guest.kernel import build, config, modules, source
from labkit.execute.guest.kernel import tools as run
from labkit.execute.guest.kernel.build import KernelBuild, KernelNotBuilt
from labkit.execute.guest.kernel.memo import Memo
from labkit.execute.guest.kernel.source import KernelSource
from labkit.execute.guest.kernel.tools import KernelBuildError
from labkit.execute.session.progress import Report, bar

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, a tiny source tree in LABKIT_KERNEL_SOURCE, and every tool at hand."""
    origin = tmp_path / "linux"
    origin.mkdir()
    (origin / "Makefile").write_text("VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 1\n")
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(source.VARIABLE, str(origin))
    monkeypatch.setattr(build, "require_tools", lambda: None)
    monkeypatch.setattr("shutil.which", lambda name: sys.executable)
    return tmp_path


def compiled(origin: KernelSource, folder: Path, lock: int, progress: Report) -> str:
    """Stands for two minutes of make."""
    (folder / "tree").mkdir()
    (folder / "linux").write_bytes(b"\x7fELF")
    return "6.12.1"


def quiet(done: int, total: int, what: str) -> None:
    """No progress bar."""


# What lab.config asks for


def test_of_two_fragments_the_last_line_of_a_symbol_counts() -> None:
    lab = "CONFIG_A=y\n\n# optional: only some have it\nCONFIG_B=y\n\nCONFIG_C=y\n"
    assert config.symbols(config.merged(lab, "CONFIG_C=n\nCONFIG_D=y\n")) == [
        config.Symbol("CONFIG_A", "y"),
        config.Symbol("CONFIG_B", "y", optional=True),
        config.Symbol("CONFIG_C", "n"),
        config.Symbol("CONFIG_D", "y"),
    ]


def test_every_symbol_asked_for_is_looked_for() -> None:
    fragment = 'CONFIG_A=y\nCONFIG_B=y\nCONFIG_NAME="x"\n'
    dotconfig = 'CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_NAME="y"\n'
    assert config.missing(fragment, dotconfig) == ["CONFIG_B=y (not set)", 'CONFIG_NAME="x" (is "y")']


def test_only_symbols_marked_optional_may_be_absent() -> None:
    fragment = "# optional: new\nCONFIG_A=y\n\nCONFIG_B=y\n"
    assert config.missing(fragment, "") == ["CONFIG_B=y (not set)"]


def test_a_symbol_switched_off_may_be_unknown() -> None:
    assert config.missing("CONFIG_A=n\n", "") == []
    assert config.missing("CONFIG_A=n\n", "CONFIG_A=y\n") == ["CONFIG_A=n (is y)"]


def test_the_lab_kernel_has_all_seventeen_congestion_controls() -> None:
    names = {symbol.name for symbol in config.symbols(config.FRAGMENT.read_text())}
    assert (
        len([name for name in names if name.startswith("CONFIG_TCP_CONG_")]) == 1 + 16
    )  # ADVANCED; Reno is fixed


# The source


@pytest.mark.parametrize(
    "place", ["linux-source-6.8.0.tar.bz2", "linux-source-6.8.0/linux-source-6.8.0.tar.bz2"]
)
def test_the_distributions_source_is_found(tmp_path: Path, place: str) -> None:
    for name in (place, "linux-source-6.1.tar.xz", "linux-source-6.6.tar.xz", "linux-source-6.17.tar.xz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found, passed_over = source.find({}, tmp_path)
    assert found == KernelSource(tmp_path / place, (6, 8, 0))
    assert [line.rpartition("/")[2] for line in passed_over] == [
        "linux-source-6.1.tar.xz: 6.1 is too old: 6.6 to 6.16 work",
        "linux-source-6.17.tar.xz: 6.17 is too new: 6.6 to 6.16 work",
    ]


def test_a_named_source_that_is_not_there_is_an_error_with_the_command_that_helps() -> None:
    with pytest.raises(SetupError, match=r"/nowhere: no such file.*sudo apt install linux-source"):
        source.find({source.VARIABLE: "/nowhere"})


def test_a_named_tree_of_the_wrong_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("VERSION = 5\nPATCHLEVEL = 15\nSUBLEVEL = 0\n")
    with pytest.raises(SetupError, match=r"5\.15\.0 is too old"):
        source.find({source.VARIABLE: str(tmp_path)})


def test_no_source_and_no_network_is_one_message(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "KERNEL_ORG", "http://127.0.0.1:1/linux")
    memo = Memo(home / "memo.json")
    with pytest.raises(SetupError, match=r"cannot be reached.*linux-source-6\.12.*\n  old: too old"):
        source.fetch(memo, ["old: too old"], quiet)


def test_a_tarball_is_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tarball = tmp_path / "linux-6.12.tar.xz"
    tarball.write_bytes(b"one")
    first = source.identity(KernelSource(tarball), Memo(tmp_path / "memo.json"))
    monkeypatch.setattr(source, "sha256", lambda path: "read again")
    assert source.identity(KernelSource(tarball), Memo(tmp_path / "memo.json")) == first
    tarball.write_bytes(b"three")
    assert source.identity(KernelSource(tarball), Memo(tmp_path / "memo.json")) == "read again"


def test_a_changed_file_in_a_tree_is_another_kernel(tmp_path: Path) -> None:
    origin = tmp_path / "linux"
    origin.mkdir()
    (origin / "a.c").write_text("1")
    memo = Memo(tmp_path / "memo.json")
    first = source.identity(KernelSource(origin), memo)
    (origin / "a.c").write_text("12")
    assert source.identity(KernelSource(origin), memo, fresh=False) == first
    assert source.identity(KernelSource(origin), memo) != first


# The cache


def test_the_key_changes_with_source_configuration_and_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {build.key_of("a", "gcc 12"), build.key_of("b", "gcc 12"), build.key_of("a", "gcc 13")}
    fragment = tmp_path / "lab.config"
    fragment.write_text("CONFIG_NET=y\n")
    monkeypatch.setattr(config, "FRAGMENT", fragment)
    keys.add(build.key_of("a", "gcc 12"))
    patch = tmp_path / "0001.patch"
    patch.write_text("--- a\n+++ b\n")
    monkeypatch.setattr(config, "PATCHES", tmp_path)
    keys.add(build.key_of("a", "gcc 12"))
    keys.add(build.key_of("a", "gcc 12", build.BARE))
    assert len(keys) == 6


def test_the_kernel_without_our_patches_is_another_build_beside_the_lab_kernel(home: Path) -> None:
    build.build(quiet, replace(build.GUEST, compile=compiled))
    with pytest.raises(KernelNotBuilt, match="labkit kernel build --bare"):
        build.kernel(build.BARE)
    built = build.build(quiet, replace(build.BARE, compile=compiled))
    assert build.kernel(build.BARE) == built != build.kernel()
    assert build.newest(built.folder.parent, build.BARE) == built


def test_a_built_kernel_is_found_again_without_starting_a_program(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*command: object, **_: object) -> None:
        raise AssertionError(f"started {command}")

    built = build.build(quiet, replace(build.GUEST, compile=compiled))
    monkeypatch.setattr(subprocess, "Popen", started)
    assert build.kernel() == built
    assert built.release == "6.12.1"


def test_no_kernel_names_the_command(home: Path) -> None:
    with pytest.raises(KernelNotBuilt, match="labkit kernel build"):
        build.kernel()


def test_a_half_finished_build_is_not_taken_and_is_removed(home: Path) -> None:
    making = home / "cache" / "kernel" / "making-x"
    making.mkdir(parents=True)
    compiled(KernelSource(home), making, 0, quiet)
    (making / build.COMPLETE).write_text(
        json.dumps({"release": "6.12.1", "size": 4, "recipe": config.recipe()})
    )
    assert build.newest(making.parent) is None
    build.build(quiet, replace(build.GUEST, compile=compiled))
    assert not making.exists()


@pytest.mark.parametrize("lost", ["complete.json", "linux", "tree"])
def test_a_build_that_lost_a_part_is_built_again(home: Path, lost: str) -> None:
    folder = build.build(quiet, replace(build.GUEST, compile=compiled)).folder
    path = folder / lost
    path.rmdir() if path.is_dir() else path.unlink()
    assert build.load(folder) is None
    assert build.build(quiet, replace(build.GUEST, compile=compiled)).folder == folder
    assert build.load(folder)


def test_a_truncated_kernel_is_named_as_damaged_and_made_anew(home: Path) -> None:
    built = build.build(quiet, replace(build.GUEST, compile=compiled))
    whole = built.linux.read_bytes()
    built.linux.write_bytes(whole[:1])
    with pytest.raises(SetupError) as said:
        build.kernel()
    anew = "labkit kernel build --force"
    assert str(said.value) == f"{built.linux} is not as it was made: `{anew}` makes it anew"
    assert build.build(quiet, replace(build.GUEST, compile=compiled), force=True).linux.read_bytes() == whole
    assert build.kernel() == built


def test_what_a_kernel_of_an_older_labkit_is_gets_written_down(home: Path) -> None:
    built = build.build(quiet, replace(build.GUEST, compile=compiled))
    note = built.folder / build.COMPLETE
    known = json.loads(note.read_bytes())
    note.write_text(json.dumps({name: known[name] for name in known if name not in ("sha256", "again")}))
    assert build.kernel() == built
    assert json.loads(note.read_bytes()) == known
    assert sorted(path.name for path in built.folder.iterdir()) == ["complete.json", "linux", "tree"]


def test_without_source_or_compiler_the_cached_kernel_serves(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build.build(quiet, replace(build.GUEST, compile=compiled))
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert build.kernel() == built


def test_a_failed_build_leaves_nothing_but_its_log(home: Path) -> None:
    def failing(origin: KernelSource, folder: Path, lock: int, progress: Report) -> str:
        (folder / "build.log").write_text("a.c: error")
        raise KernelBuildError("make failed")

    with pytest.raises(KernelBuildError):
        build.build(quiet, replace(build.GUEST, compile=failing))
    left = {path.name for path in (home / "cache" / "kernel").iterdir()}
    assert left == {"lock", "memo.json", "last-failure.log", "status.json"}


def test_two_builders_at_once_build_once(home: Path) -> None:
    count: list[str] = []
    results: list[KernelBuild] = []

    def slow(origin: KernelSource, folder: Path, lock: int, progress: Report) -> str:
        count.append(threading.current_thread().name)
        time.sleep(0.3)
        return compiled(origin, folder, lock, progress)

    kind = replace(build.GUEST, compile=slow)
    threads = [threading.Thread(target=lambda: results.append(build.build(quiet, kind))) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(count) == 1
    assert results[0] == results[1]


def test_a_cache_that_cannot_be_written_is_one_message(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").touch()
    monkeypatch.setenv("LABKIT_CACHE", str(home / "file"))
    with pytest.raises(SetupError, match=r"cannot write the cache .*LABKIT_CACHE=DIR"):
        build.build(quiet, replace(build.GUEST, compile=compiled))


def test_too_little_room_is_said_before_two_minutes_have_passed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "NEEDED_MB", 1 << 40)
    with pytest.raises(SetupError, match="the disk is full"):
        build.build(quiet, replace(build.GUEST, compile=compiled))


# The tools


def test_missing_tools_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None if name in ("flex", "bc") else "/bin/" + name)
    with pytest.raises(SetupError, match=r"without flex, bc: sudo apt install gcc .*flex bison bc"):
        run.require_tools()


def test_a_failing_tool_is_named_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(KernelBuildError, match=r"(?s)`sh -c.* failed \(3\):\n  an Error here"):
        run.run(["sh", "-c", "echo fine; echo an Error here; exit 3"], tmp_path, log=tmp_path / "log")


def test_a_full_disk_is_told_from_the_tools_words(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="the disk is full"):
        run.run(["sh", "-c", "echo cc1: No space left on device; exit 1"], tmp_path, log=tmp_path / "log")


def test_the_tools_do_not_see_the_readers_make_and_compiler_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAKEFLAGS", "-n")
    monkeypatch.setenv("CROSS_COMPILE", "arm-")
    run.run(["env"], tmp_path, log=tmp_path / "log")
    assert not {"MAKEFLAGS", "CROSS_COMPILE"} & {
        line.partition("=")[0] for line in (tmp_path / "log").read_text().splitlines()
    }


def test_tools_die_with_a_killed_builder_and_the_lock_is_held_until_then(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import fcntl, sys
        from pathlib import Path
        from labkit.execute.guest.kernel.tools import run
        folder = Path(sys.argv[1])
        with (folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            run(["sh", "-c", "sleep 60 & echo $! >pid; echo $$ >>pid; mv pid pids; wait"],
                folder, log=folder / "log", hold=(lock.fileno(),))
        """
    )
    builder = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    _wait_for(lambda: (tmp_path / "pids").exists())
    pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
    builder.send_signal(signal.SIGKILL)
    builder.wait()
    with (tmp_path / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # would wait a minute if a tool lived on
    _wait_for(lambda: not any(map(_alive, pids)))


def test_without_a_terminal_progress_is_a_line_for_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with bar(lines=True) as report:
        for done in range(101):
            report(done, 100, "building")
    assert capsys.readouterr().err.splitlines() == [f"building: {10 * tenth} %" for tenth in range(11)]


# Modules


def test_a_module_is_one_c_file_or_a_folder_with_a_kbuild(home: Path) -> None:
    kernel = KernelBuild(home / "linux", home / "tree", "6.12.1", "key", home)
    with pytest.raises(modules.ModuleBuildError, match=r"neither a \.c file nor a folder"):
        modules.build_module(home / "none.c", kernel)
    (home / "my-cc.c").touch()
    with pytest.raises(modules.ModuleBuildError, match="letters, digits and _"):
        modules.build_module(home / "my-cc.c", kernel)


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    """Running: a zombie that nobody has buried yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
