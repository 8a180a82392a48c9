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
from typing import Any

from labkit.decode.folder import sha256
from labkit.errors import SetupError
from labkit.execute.artifacts import cache, working
from labkit.execute.artifacts.locks import lock, unlock
from labkit.execute.artifacts.ready import install, ready, ready_program
from labkit.execute.artifacts.whole import damaged, facts
from labkit.execute.guest.kernel import build_status, config, source
from labkit.execute.guest.kernel.make import compile_kernel
from labkit.execute.guest.kernel.memo import Memo
from labkit.execute.guest.kernel.source import KernelSource
from labkit.execute.guest.kernel.tools import NEEDED_MB, compiler_name, disk_full, require_tools
from labkit.execute.machine.system import require_system
from labkit.execute.session.progress import Report, bar

COMPLETE = "complete.json"
_MAKING = "making-"


class KernelNotBuilt(SetupError):
    """There is no lab kernel for this source, configuration and compiler; `labkit kernel build` makes it."""


@dataclass(frozen=True)
class KernelBuild:
    """A whole build. linux: the program to boot; tree: what modules compile against, which a ready-made one
    may lack; release: "6.12.117"."""

    linux: Path
    tree: Path
    release: str
    key: str
    folder: Path


Compile = Callable[[KernelSource, Path, int, Report], str]
"""(source, folder, lock, progress) -> release: makes `linux` and `tree` in the folder."""


@dataclass(frozen=True)
class Kind:
    """A kernel that labkit builds. command: what makes it; recipe: a hash of what it is made of but for the
    source and the compiler; compile: how; packed: whether labkit-kernel brings it ready-made; place: the one
    that boots it."""

    command: str
    recipe: Callable[[], str]
    compile: Compile
    packed: bool = False
    place: str = "guest"


GUEST = Kind("labkit kernel build", lambda: config.recipe(), compile_kernel, packed=True)
BARE = Kind(
    "labkit kernel build --bare", lambda: config.recipe(bare=True), partial(compile_kernel, bare=True)
)
"""Without our patches: the control of what they change."""


def kernel(kind: Kind = GUEST, beat: Callable[[], object] | None = None) -> KernelBuild:
    """The lab kernel, as `find_kernel` finds it. If another process is building it, waits for that, with a
    bar, or calls beat ten times a second; what it raises ends the wait. Raises KernelNotBuilt, SetupError."""
    with contextlib.suppress(KernelNotBuilt):
        return find_kernel(kind)
    root = cache.folder("kernel")  # a cache that cannot be written is said to be that
    if build_status.wait(root, kind.command, beat) and os.access(root, os.W_OK):
        _sweep(root)
    return find_kernel(kind)


def being_built(kind: Kind = GUEST) -> str:
    """How far the build is that `kernel` waits for, in words; empty: there is none."""
    going = build_status.running(cache.place("kernel"))
    return str(going) if going and going.command == kind.command else ""


def find_kernel(kind: Kind = GUEST) -> KernelBuild:
    """The built lab kernel, else the ready-made one. Milliseconds. Raises KernelNotBuilt, SetupError.

    Where the source or the compiler is gone since (an image that keeps only the cache), any kernel of this
    configuration will do.
    """
    require_system(kind.place)
    root = cache.place("kernel")
    if source.find()[0] and shutil.which("gcc"):
        built = _of_source(root, kind, fresh=False)
    else:
        built = newest(root, kind)
    if built is not None:
        _known(built, kind)
    if built is None and kind.packed:
        built = _ready_made(kind)
    if built is None:
        raise KernelNotBuilt(_how_to_get(kind, root))
    return built


def has_guest() -> bool:
    """Whether a guest can boot here, now or once the build that is going on has ended."""
    try:
        find_kernel()
    except KernelNotBuilt:
        return bool(being_built())
    except SetupError:  # another system
        return False
    return True


def tree_of(built: KernelBuild) -> Path:
    """What modules are compiled against. Raises SetupError for a ready-made kernel without it."""
    if not built.tree.is_dir():
        raise SetupError(
            f"this ready-made lab kernel (Linux {built.release}) came without its source tree, which modules "
            f"of one's own are compiled against: {install('modules')}"
        )
    return built.tree


def build(progress: Report | None = None, kind: Kind = GUEST, *, force: bool = False) -> KernelBuild:
    """Build the lab kernel, or return it if it is there. Of two builds at once one waits for the other.

    progress: called with (steps done, steps in all, what is being done); by default a bar or lines on stderr.
    force: build even if it is there. Raises SetupError naming what this machine lacks.
    """
    require_system(kind.place)
    require_tools()
    root = cache.folder("kernel")
    try:
        if not force and (built := _of_source(root, kind, fresh=True)):
            return built
        with (
            bar(lines=True, began=time.time())
            if progress is None
            else contextlib.nullcontext(progress) as report,
            _locked(root, report) as lock,
            build_status.published(root, kind.command, report) as told,
        ):
            _remove_leftovers(root)
            return _build(root, lock, told, kind, force)
    except OSError as error:
        raise cache.unusable(error) from None


def key_of(identity: str, compiler: str, kind: Kind = GUEST) -> str:
    """The name of a build: what it is built from, how, and with what."""
    made_of = f"{identity}\n{kind.recipe()}\n{compiler}\n"
    return hashlib.sha256(made_of.encode()).hexdigest()[:16]


def load(folder: Path) -> KernelBuild | None:
    """The build in a folder, if it is whole."""
    try:
        note = json.loads((folder / COMPLETE).read_bytes())
        whole = (folder / "linux").stat().st_size == note["size"] and (folder / "tree").is_dir()
        return _as_build(folder, str(note["release"])) if whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _recipe(note: Path) -> Any:
    """What a note says that its build was made by; None of one that is damaged."""
    try:
        return json.loads(note.read_bytes())["recipe"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def newest(root: Path, kind: Kind = GUEST) -> KernelBuild | None:
    """The latest whole build of the present configuration, whatever its source and compiler."""
    notes = sorted(root.glob(f"*/{COMPLETE}"), key=lambda path: path.stat().st_mtime, reverse=True)
    wanted = kind.recipe()
    for note in notes:
        if note.parent.name.startswith(_MAKING) or _recipe(note) != wanted:
            continue
        built = load(note.parent)
        if built:
            return built
    return None


def _of_source(root: Path, kind: Kind, *, fresh: bool) -> KernelBuild | None:
    """The build of the source and the compiler that are here; fresh: as in `source.identity`."""
    memo = Memo(root / "memo.json")
    found, _ = source.find()
    gcc = shutil.which("gcc")
    if not found or not gcc:
        return None
    folder = root / key_of(source.identity(found, memo, fresh=fresh), _compiler(gcc, memo), kind)
    built = load(folder)
    if built is None and folder.is_dir() and not fresh:  # it came there whole
        raise damaged(folder / "linux", f"{kind.command} --force")
    return built


def _known(built: KernelBuild, kind: Kind) -> None:
    """Write down what a kernel is that was built before such notes were made, if we may."""
    known = facts(built.folder)
    if "sha256" in known or not os.access(built.folder, os.W_OK):
        return
    known |= {"sha256": {"linux": sha256(built.linux, follow=True)}, "again": f"{kind.command} --force"}
    with contextlib.suppress(OSError), working.making(built.folder) as making:
        (making / COMPLETE).write_text(json.dumps(known, indent=1))
        (making / COMPLETE).replace(built.folder / COMPLETE)


def _ready_made(kind: Kind) -> KernelBuild | None:
    """The kernel of an installed labkit-kernel, if it is of the present configuration."""
    made = ready()
    if made is None or made.recipe != kind.recipe():
        return None
    return KernelBuild(made.linux, made.tree, made.release, made.key, made.folder)


def _how_to_get(kind: Kind, root: Path) -> str:
    if going := being_built(kind):
        return f"the lab kernel is not there yet: {going}"
    if (ended := build_status.last(root)) and ended.command == kind.command:
        what = f"could not be built: {ended.failed}\n" if ended.failed else "was not built to its end: "
        return f"the lab kernel {what}`{kind.command}` begins again"
    takes = f"`{kind.command}` takes about five minutes"
    if not kind.packed:
        return f"the lab kernel is not built yet: {takes}"
    if ready():
        return f"the installed labkit-kernel is not of this labkit: {install('kernel')} --upgrade, or {takes}"
    if ready_program():
        return (
            "the installed labkit-kernel has no guest, which wants a system with glibc 2.34: it runs every "
            f"experiment without programs or modules of its own; for others, {takes} and compilers"
        )
    return f"there is no lab kernel yet: {install('kernel')} brings it ready-made, or {takes} and compilers"


def _build(root: Path, lock: int, report: Report, kind: Kind, force: bool) -> KernelBuild:
    memo = Memo(root / "memo.json")
    found, passed_over = source.find()
    origin = found or source.fetch(memo, passed_over, report)
    compiler = _compiler(shutil.which("gcc") or "gcc", memo)
    key = key_of(source.identity(origin, memo), compiler, kind)
    folder = root / key
    built = load(folder)
    if built and not force:
        return built
    if shutil.disk_usage(root).free < NEEDED_MB << 20:
        raise disk_full(root)
    making = Path(tempfile.mkdtemp(prefix=_MAKING, dir=root))
    started = time.monotonic()
    try:
        release = kind.compile(origin, making, lock, report)
        note = {
            "release": release,
            "size": (making / "linux").stat().st_size,
            "sha256": {"linux": sha256(making / "linux")},
            "again": f"{kind.command} --force",
            "recipe": kind.recipe(),
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
    with (root / build_status.LOCK).open("a") as file:
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


def _sweep(root: Path) -> None:
    """What a build left that was killed, unless another is at work already."""
    with (root / build_status.LOCK).open("a") as file, contextlib.suppress(BlockingIOError):
        lock(file.fileno(), wait=False)
        _remove_leftovers(root)


def _keep_log(making: Path, root: Path) -> None:
    log = making / "build.log"
    if log.exists():
        log.replace(root / "last-failure.log")
