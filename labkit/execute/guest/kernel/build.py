"""Builds the lab kernel once per user, and finds it again. Not how: that is make.py."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute import cache
from labkit.execute.guest.kernel import config, source
from labkit.execute.guest.kernel.make import compile_kernel
from labkit.execute.guest.kernel.memo import Memo
from labkit.execute.guest.kernel.source import KernelSource
from labkit.execute.guest.kernel.tools import NEEDED_MB, compiler_name, disk_full, require_tools
from labkit.execute.locks import lock, unlock
from labkit.execute.progress import Report, bar
from labkit.execute.system import require_system

COMPLETE = "complete.json"
_MAKING = "making-"


class KernelNotBuilt(SetupError):
    """There is no lab kernel for this source, configuration and compiler; `labkit kernel build` makes it."""


@dataclass(frozen=True)
class KernelBuild:
    """A whole build. linux: the program to boot; tree: what modules compile against; release: "6.12.117"."""

    linux: Path
    tree: Path
    release: str
    key: str
    folder: Path


Compile = Callable[[KernelSource, Path, int, Report], str]
"""(source, folder, lock, progress) -> release: makes `linux` and `tree` in the folder."""


def kernel(*, bare: bool = False) -> KernelBuild:
    """The built lab kernel; bare: that without our patches, the control of what they change. Milliseconds.
    Raises KernelNotBuilt, SetupError.

    Where the source or the compiler is gone since (an image that keeps only the cache), any kernel of this
    configuration will do.
    """
    require_system()
    root = cache.root() / "kernel"
    memo = Memo(root / "memo.json")
    found, _ = source.find()
    gcc = shutil.which("gcc")
    if found and gcc:
        built = load(
            root / key_of(source.identity(found, memo, fresh=False), _compiler(gcc, memo), bare=bare)
        )
    else:
        built = newest(root, bare=bare)
    if built is None:
        command = "labkit kernel build" + " --bare" * bare
        raise KernelNotBuilt(f"the lab kernel is not built yet: `{command}` takes three minutes")
    return built


def build(
    progress: Report | None = None, *, compile: Compile | None = None, force: bool = False, bare: bool = False
) -> KernelBuild:
    """Build the lab kernel, or return it if it is there. A second build at once waits for the first.

    progress: called with (steps done, steps in all, what is being done); by default a bar or lines on stderr.
    force: build even if it is there. bare: the one without our patches. Raises SetupError naming what this
    machine lacks.
    """
    require_system()
    require_tools()
    root = cache.folder("kernel")
    try:
        with (
            bar(lines=True) if progress is None else contextlib.nullcontext(progress) as report,
            _locked(root, report) as lock,
        ):
            _remove_leftovers(root)
            return _build(root, lock, report, compile or partial(compile_kernel, bare=bare), force, bare)
    except OSError as error:
        raise cache.unusable(error) from None


def key_of(identity: str, compiler: str, *, bare: bool = False) -> str:
    """The name of a build: what it is built from, how, and with what."""
    made_of = f"{identity}\n{config.recipe(bare=bare)}\n{compiler}\n"
    return hashlib.sha256(made_of.encode()).hexdigest()[:16]


def load(folder: Path) -> KernelBuild | None:
    """The build in a folder, if it is whole."""
    try:
        note = json.loads((folder / COMPLETE).read_bytes())
        whole = (folder / "linux").stat().st_size == note["size"] and (folder / "tree").is_dir()
        return _as_build(folder, str(note["release"])) if whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def newest(root: Path, *, bare: bool = False) -> KernelBuild | None:
    """The latest whole build of the present configuration, whatever its source and compiler."""
    notes = sorted(root.glob(f"*/{COMPLETE}"), key=lambda path: path.stat().st_mtime, reverse=True)
    wanted = config.recipe(bare=bare)
    for note in notes:
        if not note.parent.name.startswith(_MAKING) and json.loads(note.read_bytes()).get("recipe") == wanted:
            built = load(note.parent)
            if built:
                return built
    return None


def _build(root: Path, lock: int, report: Report, compile: Compile, force: bool, bare: bool) -> KernelBuild:
    memo = Memo(root / "memo.json")
    found, passed_over = source.find()
    origin = found or source.fetch(memo, passed_over, report)
    compiler = _compiler(shutil.which("gcc") or "gcc", memo)
    key = key_of(source.identity(origin, memo), compiler, bare=bare)
    folder = root / key
    built = load(folder)
    if built and not force:
        return built
    if shutil.disk_usage(root).free < NEEDED_MB << 20:
        raise disk_full(root)
    making = Path(tempfile.mkdtemp(prefix=_MAKING, dir=root))
    started = time.monotonic()
    try:
        release = compile(origin, making, lock, report)
        note = {
            "release": release,
            "size": (making / "linux").stat().st_size,
            "recipe": config.recipe(bare=bare),
            "source": str(origin.path),
            "compiler": compiler,
            "seconds": round(time.monotonic() - started, 1),
        }
        (making / COMPLETE).write_text(json.dumps(note, indent=1))
        os.sync()  # after a power cut, too, the note means that the rest is there
        making.chmod(0o755)
        _swap(making, folder)
    finally:
        if making.exists():
            _keep_log(making, root)
            shutil.rmtree(making, ignore_errors=True)
    return _as_build(folder, release)


def _swap(making: Path, folder: Path) -> None:
    """Put a whole build in its place; what was there goes. A rename is all that anyone may notice."""
    old = making.with_name(f"{making.name}-old")
    with contextlib.suppress(FileNotFoundError):
        folder.rename(old)
    making.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _as_build(folder: Path, release: str) -> KernelBuild:
    return KernelBuild(folder / "linux", folder / "tree", release, folder.name, folder)


def _compiler(gcc: str, memo: Memo) -> str:
    return memo.about("version", Path(gcc), lambda: compiler_name(gcc))


@contextlib.contextmanager
def _locked(root: Path, report: Report) -> Iterator[int]:
    """The right to build. The tools inherit it: while one of a dead build's still lives, it is held."""
    with (root / "lock").open("a") as file:
        try:
            lock(file.fileno(), wait=False)
        except BlockingIOError:
            report(0, 1, "waiting for another build of the lab kernel")
            lock(file.fileno())
        try:
            yield file.fileno()
        finally:
            unlock(file.fileno())


def _remove_leftovers(root: Path) -> None:
    """Of builds that died: we hold the lock, so nobody works there."""
    for folder in root.glob(f"{_MAKING}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _keep_log(making: Path, root: Path) -> None:
    log = making / "build.log"
    if log.exists():
        log.replace(root / "last-failure.log")
