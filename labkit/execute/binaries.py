"""The C programs of labkit, compiled once per user: the agent, the shim and the keeper. Not the kernel."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute import cache

HERE = Path(__file__).parent
AGENT = HERE / "agent" / "src"
FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", "-fno-strict-aliasing"]
_SHIM = ("shim.c", "filter.c")
_KEEPER = ("keeper.c", "rules.c", "signals.c")
_CONFINE = ("confine.c", "rules.c", "filter.c")
_MOUNT_POINTS = ("proc", "sys", "dev", "run", "machine", "host", "tmp")


@dataclass(frozen=True)
class Binaries:
    """Where they are. root: the guest's root, with the agent and its mount points."""

    root: Path
    agent: Path
    shim: Path
    keeper: Path
    confine: Path
    key: str


def sources() -> list[Path]:
    """Every C file and header, in order."""
    folders = (AGENT, HERE / "native")
    return sorted(path for folder in folders for path in folder.iterdir() if path.suffix in (".c", ".h"))


@functools.cache
def binaries() -> Binaries:
    """The compiled programs, from the cache or made now. Raises SetupError."""
    compiler = os.environ.get("CC", "cc")
    found = shutil.which(compiler)
    if found is None:
        raise SetupError(f"no C compiler ({compiler}): sudo apt install gcc libc6-dev")
    digest = hashlib.sha256()
    stat = os.stat(found)
    digest.update(f"{os.path.realpath(found)} {stat.st_size} {stat.st_mtime_ns} {FLAGS}".encode())
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    key = digest.hexdigest()[:16]
    folder = cache.folder("native") / key
    if not folder.is_dir():
        try:
            _compile(found, folder)
        except OSError as error:
            raise cache.unusable(error) from None
    return Binaries(
        folder / "root",
        folder / "root" / "agent",
        folder / "shim.so",
        folder / "keeper",
        folder / "confine",
        key,
    )


def _compile(compiler: str, folder: Path) -> None:
    """Into a folder beside it, then renamed: two at once do not collide, half is never whole."""
    making = Path(tempfile.mkdtemp(prefix="making-", dir=folder.parent))
    try:
        for name in _MOUNT_POINTS:
            (making / "root" / name).mkdir(parents=True)
        agent = [str(path) for path in sorted(AGENT.glob("*.c"))]
        shim, keeper, confine = (
            [str(HERE / "native" / name) for name in names] for names in (_SHIM, _KEEPER, _CONFINE)
        )
        _cc(compiler, ["-static", "-o", str(making / "root" / "agent"), *agent, "-lm"])
        _cc(compiler, ["-shared", "-fPIC", "-o", str(making / "shim.so"), *shim, "-ldl"])
        _cc(compiler, ["-o", str(making / "keeper"), *keeper])
        _cc(compiler, ["-o", str(making / "confine"), *confine])
        try:
            making.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _cc(compiler: str, arguments: list[str]) -> None:
    done = subprocess.run([compiler, *FLAGS, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        made = Path(arguments[arguments.index("-o") + 1]).name
        lines = "\n".join(done.stderr.splitlines()[:5])
        raise SetupError(f"the C compiler cannot make {made}: sudo apt install gcc libc6-dev\n{lines}")
