"""The C programs of labkit: the agent, the shim, the keeper. Compiled once per user, unless the package
labkit-kernel has brought them. Not the kernel."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts import cache, working
from labkit.execute.artifacts.ready import install, ready
from labkit.execute.artifacts.whole import NOTE, facts, note

HERE = Path(__file__).parents[1]
AGENT = HERE / "agent" / "src"
FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", "-fno-strict-aliasing"]
SHIM = ("shim.c", "shown.c", "filter.c")
_KEEPER = ("keeper.c", "rules.c", "signals.c")
_CONFINE = ("confine.c", "rules.c", "compiler_calls.c")
_APT = "sudo apt install gcc libc6-dev"
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
def sources_key() -> str:
    """A hash of what is compiled and how, whatever the compiler."""
    digest = hashlib.sha256(f"{FLAGS}".encode())
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def binaries() -> Binaries:
    """The programs: from the cache, or ready-made, or compiled now. Raises SetupError."""
    compiler = os.environ.get("CC", "cc")
    found = shutil.which(compiler)
    wanted = sources_key()
    folder = cache.place("native") / _key(found) if found else _of_these(wanted)
    if folder and folder.is_dir():
        return _in(folder)
    made = ready()
    if made and made.sources == wanted:
        return _in(made.folder, wanted)
    if found is None or folder is None:
        brought = install("kernel")
        raise SetupError(f"no C compiler ({compiler}), and no ready-made programs: {brought}, or {_APT}")
    cache.folder("native")
    try:
        _compile(found, folder, wanted)
    except OSError as error:
        raise cache.unusable(error, folder) from None
    return _in(folder)


def _key(compiler: str) -> str:
    """What a compiler makes has a name of its own: a new version may make other programs."""
    stat = os.stat(compiler)
    digest = hashlib.sha256()
    digest.update(f"{os.path.realpath(compiler)} {stat.st_size} {stat.st_mtime_ns} {FLAGS}".encode())
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _of_these(wanted: str) -> Path | None:
    """Where the compiler is gone since: programs of these sources, whatever compiler made them."""
    found = sorted(cache.place("native").glob(f"*/{NOTE}"))
    return next((one.parent for one in found if facts(one.parent).get("sources") == wanted), None)


def _in(folder: Path, key: str = "") -> Binaries:
    root = folder / "root"
    shim, keeper, confine = (folder / name for name in ("shim.so", "keeper", "confine"))
    return Binaries(root, root / "agent", shim, keeper, confine, key or folder.name)


def _compile(compiler: str, folder: Path, wanted: str) -> None:
    """Into a folder beside it, then renamed: two at once do not collide, half is never whole."""
    with working.making(folder.parent) as making:
        for name in _MOUNT_POINTS:
            (making / "root" / name).mkdir(parents=True)
        agent = [str(path) for path in sorted(AGENT.glob("*.c"))]
        shim, keeper, confine = (
            [str(HERE / "native" / name) for name in names] for names in (SHIM, _KEEPER, _CONFINE)
        )
        _cc(compiler, ["-static", "-o", str(making / "root" / "agent"), *agent])
        _cc(compiler, ["-shared", "-fPIC", "-o", str(making / "shim.so"), *shim, "-ldl"])
        _cc(compiler, ["-o", str(making / "keeper"), *keeper])
        _cc(compiler, ["-o", str(making / "confine"), *confine])
        note(making, ("root/agent", "shim.so", "keeper", "confine"), sources=wanted, again="rm -r {folder}")
        making.chmod(0o755)  # a class may share it
        try:
            making.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise


def _cc(compiler: str, arguments: list[str]) -> None:
    done = subprocess.run([compiler, *FLAGS, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        made_in = Path(arguments[arguments.index("-o") + 1]).parent
        if full := cache.full(done.stderr, made_in, cache.temporary()):
            raise full
        made = Path(arguments[arguments.index("-o") + 1]).name
        lines = "\n".join(done.stderr.splitlines()[:5])
        raise SetupError(f"the C compiler cannot make {made}: {_APT}\n{lines}")
