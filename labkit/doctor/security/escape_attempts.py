"""Tries to get out of the walls around a guest: by a program in the lab kernel's stead (attempts.c), by a
command in a guest, by a kernel module. What gets out is a wall that is missing."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import FLAGS, binaries
from labkit.execute.guest.machine_files import SYSTEM
from labkit.execute.machine.process import Process

_HERE = Path(__file__).parent
_PATIENCE_S = 30.0
_STOPPED = (errno.EPERM, errno.EACCES, errno.ENOSYS)


@dataclass(frozen=True)
class Attempt:
    """wall: what should have stopped it. what: was tried. error: the errno that stopped it; 0: it got out."""

    wall: str
    what: str
    error: int

    @property
    def out(self) -> bool:
        """Did no wall stop it? An error of another kind says that it was let through."""
        return self.error not in _STOPPED


@dataclass(frozen=True)
class Outside:
    """What stands outside of the walls to be attacked: a folder with a file "secret", and a process."""

    folder: Path
    pid: int

    def harmed(self) -> list[str]:
        """What is no longer as it was made."""
        found = []
        if [path.name for path in self.folder.iterdir()] != ["secret"]:
            found.append("files in its folder")
        secret = self.folder / "secret"
        if (
            not secret.is_file()
            or secret.read_bytes() != b"secret"
            or secret.stat().st_mode & 0o7777 != 0o600
        ):
            found.append("its file")
        if os.waitpid(self.pid, os.WNOHANG) != (0, 0):
            found.append("its process")
        return found


@contextlib.contextmanager
def outside() -> Iterator[Outside]:
    """A folder and a process of ours, for as long as it takes."""
    asleep = ["sleep", "600"]
    with tempfile.TemporaryDirectory(prefix="outside-", dir=cache.root()) as folder:
        secret = Path(folder) / "secret"
        secret.write_bytes(b"secret")
        secret.chmod(0o600)
        victim = subprocess.Popen(asleep, start_new_session=True)
        try:
            yield Outside(Path(folder), victim.pid)
        finally:
            victim.kill()
            victim.wait()


def tried(target: Outside, shown: Sequence[str] = SYSTEM) -> list[Attempt]:
    """What attempts.c tries, in a process with a guest's walls. Raises SetupError when they cannot stand."""
    programs = binaries()
    with tempfile.TemporaryDirectory(prefix="labkit-attempts-") as folder:
        program = _compiled(Path(folder))
        argv = [str(program), str(target.folder), str(target.pid)]
        environment = {"LD_PRELOAD": str(programs.shim)}
        with Process(programs, argv, {}, environment=environment, shown=shown) as process:
            process.wait(_PATIENCE_S)
            said, status = process.console(1000), process.status
    if status:
        raise SetupError(f"the walls cannot be set up here: {said}")
    return [_attempt(line) for line in said.splitlines()]


def tried_in_guest(target: Outside, module: Path = _HERE / "escape.c") -> list[Attempt]:
    """The same by a command, root in a guest, and by a module that asks the machine's kernel (escape.c).
    Raises LabkitError when there is no lab kernel."""
    from labkit.results.run import run
    from labkit.spec import Command, Experiment
    from labkit.spec.topologies import pair

    commands = [Command("left", _SCRIPT.format(folder=shlex.quote(str(target.folder))))]
    commands.append(Command("left", "cat /sys/module/escape/parameters/tried"))
    exp = Experiment(pair(), commands=commands, probes=[], modules=[str(module)])
    result = run(exp, cache=False)
    of_command, of_module = (
        [_attempt(f"{wall}\t{line}") for line in result.output(i).splitlines() if "\t" in line]
        for i, wall in enumerate(("a command", "a kernel module"))
    )
    shutil.rmtree(result.folder, ignore_errors=True)
    return [*of_command, *of_module]


_SCRIPT = r"""
t() {{ if eval "$2" > /dev/null 2>&1; then error=0; else error=1; fi; printf '%s\t%s\n' "$1" $error; }}
mkdir -p /tmp/m
t 'the secret' 'cat {folder}/secret'
t 'a new file' 'touch {folder}/new'
t '/etc/shadow' 'cat /etc/shadow'
t 'the root, writable' 'mount -o remount,rw / && touch {folder}/new'
t 'the secret, by another mount' 'mount -t hostfs none /tmp/m -o {folder} && cat /tmp/m/secret'
t 'a new file, by another mount' 'mount -t hostfs none /tmp/m -o {folder} && touch /tmp/m/new'
t 'processes of the machine' 'mount -t hostfs none /tmp/m -o /proc && cat /tmp/m/1/environ /tmp/m/1/maps'
t 'a link in the run folder' 'ln -s /etc/shadow /proc/1/root/run/link'
t 'a link for the raw file' 'ln -sf /etc/shadow /proc/1/root/run/raw'
t 'a file in the run folder' 'echo > /proc/1/root/run/manifest.json'
t 'another host' 'ping -c 1 -W 1 192.0.2.1'
"""


def _attempt(line: str) -> Attempt:
    wall, what, error = line.split("\t")
    return Attempt(wall, what, int(error))


def _compiled(folder: Path) -> Path:
    made = folder / "attempts"
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        raise SetupError(f"no C compiler ({compiler}) for attempts.c: sudo apt install gcc libc6-dev")
    command = [compiler, *FLAGS, "-o", str(made), str(_HERE / "attempts.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SetupError(f"attempts.c cannot be compiled: {done.stderr.splitlines()[:3]}")
    return made
