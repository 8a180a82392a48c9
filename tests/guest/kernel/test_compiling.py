"""Modules are compiled outside of the guest, and their source is a stranger's: it leaves no trace either."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.guest import walls
from labkit.execute.guest.kernel import modules
from labkit.execute.guest.kernel.build import kernel
from labkit.execute.guest.kernel.modules import ModuleBuildError, build_module
from labkit.execute.guest.machine_files import SYSTEM

pytestmark = pytest.mark.skipif(not walls.landlock(), reason="this machine's kernel has no Landlock")

MODULE = """
#include <linux/module.h>
%s
static int __init start(void) { return 0; }
module_init(start);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("%s");
"""
ATTEMPTS = {
    "writes a file": "echo here > {outside}/file",
    "empties a file": ": > {secret}",
    "truncates a file": "truncate -s 0 {secret}",
    "reads a file": "cat {secret}",
    "reads it through a link": "ln -s {secret} link; cat link",
    "links it": "ln {secret} hard && cat hard",
    "removes a file": "rm -f {secret}",
    "renames a file": "mv {secret} {outside}/moved",
    "takes a file along": "mv {secret} moved",
    "changes its mode": "chmod 777 {secret}",
    "changes its times": "touch -d 2001-01-01 {secret}",
    "makes a folder": "mkdir {outside}/folder",
    "makes a fifo": "mkfifo {outside}/fifo",
    "makes a device": "mknod {outside}/device c 1 3",
    "lists a home": "ls {outside}",
    "reads secrets": "cat /etc/shadow",
    "ends a process": "kill -USR1 {process}",
    "traces a process": "python3 -c 'import ctypes; print(ctypes.CDLL(None).ptrace(16, {process}, 0, 0))'",
    "reads a process's memory": "head -c 1 /proc/{process}/environ",
    "opens a socket": "python3 -c 'import socket; socket.socket(); print(\"opened\")'",
    "writes to the kernel's tree": "echo here > {tree}/here",
    "writes to the cache": "echo here > {tree}/../../here",
    "enters a namespace": "unshare -Ur id -u",
    "starts a program of its user's": "{outside}/program",
}
SAID = ("hush", "opened", "ran", "root:x:0")


@pytest.fixture(autouse=True)
def nothing_compiled_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of the same source, kept by an earlier session, would be taken and nothing be compiled."""
    monkeypatch.setenv(cache.KERNEL, str(cache.root(cache.KERNEL)))
    monkeypatch.setenv(cache.CACHE, str(tmp_path / "cache"))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("hush")
    (folder / "secret").chmod(0o640)
    os.utime(folder / "secret", (1_000_000_000, 1_000_000_000))
    (folder / "program").write_text("#!/bin/sh\necho ran\n")
    (folder / "program").chmod(0o755)
    return folder


def state(folder: Path) -> list[tuple[str, int, int, int, bytes]]:
    """All that can be told of the files there."""
    facts = ((path, path.lstat()) for path in sorted(folder.rglob("*")))
    return [(path.name, s.st_mode, s.st_nlink, s.st_mtime_ns, path.read_bytes()) for path, s in facts]


def kbuild(folder: Path, *lines: str) -> Path:
    folder.mkdir()
    (folder / "m.c").write_text(MODULE % ("", folder))
    (folder / "Kbuild").write_text("\n".join(["obj-m := m.o", *lines, ""]))
    return folder


@pytest.mark.parametrize("name", ATTEMPTS)
def test_what_a_kbuild_file_has_done_stays_in_its_folder(
    name: str, outside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what its command printed as the reason why it does not compile."""
    tree = kernel().tree
    command = ATTEMPTS[name].format(
        outside=outside, secret=outside / "secret", process=os.getpid(), tree=tree
    )
    before = state(outside)
    lines = (
        f"said := $(shell cd $(KBUILD_EXTMOD); ({command}) 2>&1; echo status $$?)",
        "$(error tried: $(said))",
    )
    with pytest.raises(ModuleBuildError, match=r"tried: (?s:.*)status \d+") as caught:
        build_module(kbuild(tmp_path / "evil", *lines), kernel())
    said = str(caught.value)
    assert "tried: 0 status" not in said  # of ptrace
    assert [word for word in SAID if word in said.replace(command, "")] == []
    assert state(outside) == before
    assert not (tree / "here").exists()
    assert not (tree.parent.parent / "here").exists()


@pytest.fixture(scope="module")
def attempts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("attempts") / "attempts"
    command = [
        "cc",
        "-O2",
        "-Wall",
        "-Werror",
        "-o",
        str(made),
        str(Path(__file__).parent / "compiler_attempts.c"),
    ]
    subprocess.run(command, check=True)
    return made


def test_no_call_reaches_a_file_but_by_its_content_nor_a_process(
    attempts: Path, outside: Path, tmp_path: Path
) -> None:
    """Landlock's own wall for signals, of Linux 6.12, is not what is tried: the calls are refused."""
    folder = tmp_path / "folder"
    folder.mkdir()
    asleep = subprocess.Popen(["sleep", "60"])
    try:
        before = state(outside)
        shown = [*SYSTEM, str(outside), str(attempts.parent)]
        confined = [str(binaries().confine), str(folder), *shown, "--"]
        command = [str(attempts), str(outside / "secret"), str(asleep.pid)]
        done = subprocess.run(
            [*confined, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        said = dict(line.rsplit(": ", 1) for line in done.stdout.splitlines())
        assert done.returncode == 0, done.stderr
        assert len(said) == 89 and asleep.poll() is None
        pretended = {"futimens", "futimens, now", "utimensat, a name whose lower half is 0"}
        assert {name for name, came in said.items() if came != "refused"} == pretended
        assert state(outside) == before  # of these, too
        free = subprocess.run([*command, "some"], capture_output=True, text=True, check=True)
        assert "\nF_SETSIG: done\n" in free.stdout
        assert asleep.wait(10) == -signal.SIGKILL  # without the walls it is reached
    finally:
        asleep.kill()
        asleep.wait()


def test_the_attempts_would_leave_traces_without_the_walls(
    outside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the tests above prove nothing: the same make without them."""
    monkeypatch.setattr(modules, "_walls", lambda *_: [])
    command = f"cat {outside}/secret; echo here > {outside}/file"
    with pytest.raises(ModuleBuildError, match="hush"):
        build_module(kbuild(tmp_path / "evil", f"$(error $(shell {command}))"), kernel())
    assert (outside / "file").read_text() == "here\n"


@pytest.mark.parametrize("how", ['asm(".incbin \\"{}\\"");', '#include "{}"'])
def test_source_takes_in_no_file_of_its_user(how: str, outside: Path, tmp_path: Path) -> None:
    source = tmp_path / "reads.c"
    source.write_text(MODULE % (how.format(outside / "secret"), tmp_path))
    with pytest.raises(ModuleBuildError) as caught:
        build_module(source, kernel())
    assert "hush" not in str(caught.value)
    assert "secret" in str(caught.value)


def test_a_link_is_no_module(outside: Path, tmp_path: Path) -> None:
    """It would be copied, by us, to where the guest reads it."""
    rule = f"$(shell ln -s {outside}/secret $(KBUILD_EXTMOD)/n.ko)"
    assert build_module(kbuild(tmp_path / "links", rule), kernel()).name == "m.ko"


def test_a_compilation_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "_PATIENCE_S", 1.0)
    with pytest.raises(ModuleBuildError, match="not compiled within 1 s"):
        build_module(kbuild(tmp_path / "waits", "$(shell sleep 4711)"), kernel())
    assert gone("sleep 4711")


def test_nothing_that_it_started_outlives_a_compilation(tmp_path: Path) -> None:
    rule = "$(shell (setsid sleep 4712; sleep 4712) > /dev/null 2>&1 &)"
    assert build_module(kbuild(tmp_path / "stays", rule), kernel()).name == "m.ko"
    assert gone("sleep 4712")


def gone(command: str) -> bool:
    """Whether no process has this command line: one that was killed has it for a moment more."""
    patience = time.monotonic() + 60
    while running(command) and time.monotonic() < patience:
        time.sleep(0.05)
    return not running(command)


def running(command: str) -> bool:
    """Whether a process of this machine has this command line."""
    wanted = "\0".join(command.split()).encode() + b"\0"
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal() and (entry / "cmdline").read_bytes() == wanted:
                return True
    return False


def test_a_folder_with_a_kbuild_file_compiles(tmp_path: Path) -> None:
    assert build_module(kbuild(tmp_path / "good", "ccflags-y := -O1"), kernel()).name == "m.ko"


def test_without_landlock_the_hardened_mode_compiles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = kbuild(tmp_path / "good")
    monkeypatch.setattr(modules, "landlock", lambda: 0)
    monkeypatch.setenv("LABKIT_HARDENED", "1")
    with pytest.raises(SetupError, match=r"not compiled in the hardened mode.*Landlock"):
        build_module(folder, kernel())
    monkeypatch.delenv("LABKIT_HARDENED")
    assert build_module(folder, kernel()).name == "m.ko"
