"""What a tab's machine is made of: emulator, kernel, agent, and the state in which it waits for a program.

Made once per user, and found again. How the kernel is made is in kernel/recipe.py, how it starts in machine/.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from labkit.decode.folder import sha256
from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import AGENT, FLAGS
from labkit.execute.guest.kernel.build import KernelBuild, KernelNotBuilt, build, kernel
from labkit.execute.session.progress import Report
from labkit.execute.tab.kernel.recipe import TAB

HERE = Path(__file__).parent
MACHINE = HERE / "machine"
NODE = MACHINE / "node.mjs"
NPM = HERE.parents[2] / "book" / "live"
"""Where npm installs, in a checkout."""
WASM = Path("node_modules", "v86", "build", "v86.wasm")

_STATE, _COMPLETE = "state.gz", "complete.json"
_AGENT_FLAGS = [*FLAGS, "-m32", "-march=i686", "-D_TIME_BITS=64", "-static", "-s"]
_NOT_HERE = ("guest.c",)
_PACKAGES = "sudo apt install gcc-multilib nodejs npm"
_PATIENCE_S = 300


@dataclass(frozen=True)
class Pieces:
    """wasm: the emulator; state: a machine at its gate, by gzip; agent, emulator: hashes; key: of all."""

    wasm: Path
    state: Path
    kernel: KernelBuild
    agent: str
    emulator: str
    key: str


def pieces() -> Pieces:
    """Those that are there. Raises SetupError naming what makes them."""
    found = _named(kernel(TAB))
    if not _whole(found.state.parent):
        raise KernelNotBuilt("the tab's machine is not made yet: `make tab` takes some minutes")
    return found


def make(progress: Report | None = None) -> Pieces:
    """Those that are there, or made now: a quarter of an hour. Raises SetupError, KernelBuildError."""
    _node(), _wasm()  # before the kernel, which takes long
    made = _named(build(progress, TAB))
    folder = made.state.parent
    if not _whole(folder):
        try:
            _make(made, folder)
        except OSError as error:
            raise cache.unusable(error) from None
    return made


def run_command(found: Pieces) -> list[str]:
    """What carries out the program in a run folder."""
    return [_node(), str(NODE), "run", str(found.wasm), str(found.state)]


def _named(built: KernelBuild) -> Pieces:
    wasm = _wasm()
    emulator, agent = sha256(wasm)[:16], _agent_key()
    digest = hashlib.sha256(f"{built.key} {agent} {emulator}\n".encode())
    for path in sorted(MACHINE.glob("*.mjs")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    key = digest.hexdigest()[:16]
    return Pieces(wasm, cache.root() / "tab" / key / _STATE, built, agent, emulator, key)


def _wasm() -> Path:
    """Raises SetupError if npm has not installed it."""
    path = NPM / WASM
    if not path.is_file():
        raise SetupError(f"{path} is not there: `npm ci` in {NPM} installs the emulator")
    return path


def _node() -> str:
    found = shutil.which("node")
    if found is None:
        raise SetupError(f"no node on this machine: {_PACKAGES}")
    return found


@functools.cache
def _agent_key() -> str:
    digest = hashlib.sha256(" ".join([_compiler(), *_AGENT_FLAGS]).encode())
    for path in sorted([*_agent_sources(), *AGENT.glob("*.h")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _agent_sources() -> list[Path]:
    """The agent's C files, with the tab's own in place of the guest's."""
    mine = [path for path in AGENT.glob("*.c") if path.name not in _NOT_HERE]
    return sorted([*mine, *(HERE / "agent").glob("*.c")])


def _compiler() -> str:
    compiler = os.environ.get("CC", "cc")
    found = shutil.which(compiler)
    if found is None:
        raise SetupError(f"no C compiler ({compiler}): {_PACKAGES}")
    stat = os.stat(found)
    return f"{os.path.realpath(found)} {stat.st_size} {stat.st_mtime_ns}"


def _make(wanted: Pieces, folder: Path) -> None:
    """Into a folder beside it, then renamed: two at once do not collide, half is never whole."""
    cache.folder("tab")
    making = Path(tempfile.mkdtemp(prefix="making-", dir=folder.parent))
    try:
        compiler, agent = os.environ.get("CC", "cc"), making / "agent"
        sources = [str(path) for path in _agent_sources()]
        command = [compiler, *_AGENT_FLAGS, f"-I{AGENT}", "-o", str(agent), *sources, "-lm"]
        _run(command, "compile the agent for 32 bits")
        boot = [_node(), str(NODE), "boot", str(wanted.wasm), str(wanted.kernel.linux), str(agent)]
        _run([*boot, str(making / _STATE)], "start the tab's kernel")
        facts = {"size": (making / _STATE).stat().st_size, "kernel": wanted.kernel.key}
        (making / _COMPLETE).write_text(json.dumps(facts, indent=1))
        shutil.rmtree(folder, ignore_errors=True)  # one that is not whole
        making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _run(command: list[str], what: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise SetupError(f"cannot {what}: not done within {_PATIENCE_S} s") from None
    if done.returncode:
        lines = "\n".join(f"  {line}" for line in done.stderr.splitlines()[-12:])
        raise SetupError(f"cannot {what}: {_PACKAGES}\n{lines}")


def _whole(folder: Path) -> bool:
    try:
        note = json.loads((folder / _COMPLETE).read_bytes())
        return bool((folder / _STATE).stat().st_size == note["size"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
