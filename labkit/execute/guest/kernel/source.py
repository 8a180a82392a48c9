"""Where the kernel's source comes from: the reader's own, the distribution's, or kernel.org."""

from __future__ import annotations

import hashlib
import os
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from labkit.decode.folder import sha256
from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.guest.kernel.memo import Memo
from labkit.execute.session.progress import Report

OLDEST, NEWEST = (6, 6), (6, 16)
VARIABLE = "LABKIT_KERNEL_SOURCE"
DISTRIBUTION = Path("/usr/src")
COMPRESSIONS = (".tar.xz", ".tar.bz2", ".tar.gz")

PINNED = "linux-6.12.48.tar.xz"
KERNEL_ORG = "https://cdn.kernel.org/pub/linux/kernel/v6.x"

HELP = f"`sudo apt install linux-source-6.12`, or name a tree or a tarball: {VARIABLE}=PATH"

_VERSION = re.compile(r"linux-(?:source-)?(\d+)\.(\d+)(?:\.(\d+))?")


@dataclass(frozen=True)
class KernelSource:
    """A tree or a tarball; version as far as the name tells, else ()."""

    path: Path
    version: tuple[int, ...] = ()

    @property
    def is_tree(self) -> bool:
        return self.path.is_dir()


def find(
    environment: Mapping[str, str] = os.environ, folder: Path = DISTRIBUTION
) -> tuple[KernelSource | None, list[str]]:
    """The source on this machine, if any, and what was passed over and why.

    The one that LABKIT_KERNEL_SOURCE names, else the newest of the distribution's that fits, else what an
    earlier build has fetched. Raises SetupError when the named one does not exist or does not fit.
    """
    if named := environment.get(VARIABLE):
        return _named(Path(named).expanduser()), []
    fitting: list[KernelSource] = []
    passed_over: list[str] = []
    for path in _distribution(folder):
        version = version_in_name(path)
        if problem := unfit(version):
            passed_over.append(f"{path}: {problem}")
        else:
            fitting.append(KernelSource(path, version))
    fetched = cache.place("kernel") / PINNED
    if not fitting and fetched.exists():
        fitting.append(KernelSource(fetched, version_in_name(fetched)))
    return max(fitting, key=lambda source: source.version, default=None), passed_over


def version_in_name(path: Path) -> tuple[int, ...]:
    """(6, 12) for linux-source-6.12.tar.xz; () for a name without a version."""
    match = _VERSION.search(path.name)
    return tuple(int(number) for number in match.groups() if number is not None) if match else ()


def version_in_tree(tree: Path) -> tuple[int, ...]:
    """What the tree's Makefile says it is. Raises SetupError when it is not a kernel's."""
    try:
        head = (tree / "Makefile").read_text(errors="replace")[:2000]
    except OSError:
        head = ""
    numbers = [
        re.search(rf"^{name} *= *(\d+)$", head, re.M) for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL")
    ]
    found = tuple(int(match[1]) for match in numbers if match)
    if len(found) != len(numbers):
        raise SetupError(f"{tree} is not a kernel's source (no Makefile with a version): {HELP}")
    return found


def unfit(version: tuple[int, ...]) -> str:
    """Why a version cannot be used; empty when it can, or is unknown."""
    if not version or OLDEST <= version[:2] <= NEWEST:
        return ""
    name = ".".join(map(str, version))
    return f"{name} is too {'old' if version < OLDEST else 'new'}: 6.6 to 6.16 work"


def identity(source: KernelSource, memo: Memo, *, fresh: bool = True) -> str:
    """A hash of the source. A tarball is read once; a tree is walked, or (not fresh) as last built."""
    if not source.is_tree:
        return memo.about("sha256", source.path, lambda: sha256(source.path))
    question = f"state {source.path.resolve()}"
    known = memo.get(question)
    if known and not fresh:
        return known
    state = _tree_state(source.path)
    if state != known and fresh:
        memo.put(question, state)
    return state


def fetch(memo: Memo, passed_over: list[str], progress: Report) -> KernelSource:
    """The pinned kernel from kernel.org, checked. Raises SetupError, saying what else would do.

    Trust on first use: the checksum comes from the same server, over TLS, and is noted; a later download must
    have the same. (The list is signed, but the key would have to come from somewhere too.)
    """
    path = cache.folder("kernel") / PINNED
    part = path.with_suffix(".part")
    try:
        wanted = memo.get(f"download {PINNED}") or _published_sha256()
        _download(f"{KERNEL_ORG}/{PINNED}", part, progress)
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        part.unlink(missing_ok=True)
        seen = "".join(f"\n  {line}" for line in passed_over)
        reason = getattr(error, "reason", error)
        raise SetupError(
            f"no kernel source in {DISTRIBUTION}, and {KERNEL_ORG} cannot be reached ({reason}): {HELP}{seen}"
        ) from None
    except OSError as error:
        raise cache.unusable(error) from None
    if (got := sha256(part)) != wanted:
        part.unlink()
        raise SetupError(f"{KERNEL_ORG}/{PINNED} has SHA-256 {got}, not {wanted}: not used; {HELP}")
    memo.put(f"download {PINNED}", got)
    part.replace(path)
    return KernelSource(path, version_in_name(path))


def _named(path: Path) -> KernelSource:
    if not path.exists():
        raise SetupError(f"{VARIABLE}={path}: no such file or folder: {HELP}")
    if not path.is_dir() and not path.name.endswith(COMPRESSIONS):
        raise SetupError(f"{VARIABLE}={path}: neither a tree nor one of {', '.join(COMPRESSIONS)}")
    version = version_in_tree(path) if path.is_dir() else version_in_name(path)
    if problem := unfit(version):
        raise SetupError(f"{VARIABLE}={path}: {problem}")
    return KernelSource(path, version)


def _distribution(folder: Path) -> list[Path]:
    """Debian: linux-source-6.12.tar.xz. Ubuntu: linux-source-6.8.0.tar.bz2, also in a folder of its own."""
    names = [f"linux-source-*{end}" for end in COMPRESSIONS]
    found = [path for name in names for path in [*folder.glob(name), *folder.glob(f"linux-source-*/{name}")]]
    return sorted({path.resolve() for path in found if path.is_file()})


def _tree_state(tree: Path) -> str:
    """Names, sizes and times of the tree's own files: a change anywhere is a new kernel."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(tree):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and not name.endswith((".o", ".a", ".ko", ".cmd")):
                stat = os.lstat(os.path.join(folder, name))
                digest.update(f"{folder}/{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _published_sha256() -> str:
    with urllib.request.urlopen(f"{KERNEL_ORG}/sha256sums.asc", timeout=30) as answer:
        lines: list[str] = answer.read().decode(errors="replace").splitlines()
    for line in lines:
        if line.endswith(f"  {PINNED}"):
            return line.split()[0]
    raise SetupError(f"{KERNEL_ORG}/sha256sums.asc does not list {PINNED}: {HELP}")


def _download(url: str, to: Path, progress: Report) -> None:
    with urllib.request.urlopen(url, timeout=30) as answer, to.open("wb") as file:
        size = int(answer.headers.get("Content-Length") or 0)
        while piece := answer.read(1 << 20):
            file.write(piece)
            progress(file.tell() >> 20, size >> 20, f"fetching {to.stem} (MB)")
