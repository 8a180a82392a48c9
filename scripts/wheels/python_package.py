"""labkit itself: its sdist, made of what is tracked, and its wheel, made of nothing but that sdist."""

from __future__ import annotations

import gzip
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

from scripts.wheels.packing import EPOCH, ROOT, nobodys, run
from scripts.wheels.tracked import tracked

_BACKEND = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"


def sdist(out: Path) -> Path:
    """From a copy of what is tracked: nothing that was made here gets in, nothing is made in the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        for name in tracked(ROOT):
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, Path(folder) / name)
        run(["git", "init", "--quiet"], Path(folder))
        run(["git", "add", "--force", "."], Path(folder))
        return _alike(_built("build_sdist", Path(folder), out, "labkit-*.tar.gz"))


def _alike(made: Path) -> Path:
    """The same archive without time and user, which setuptools writes into it."""
    with tarfile.open(made) as archive, tempfile.TemporaryDirectory(dir=made.parent) as folder:
        again = Path(folder) / made.name
        with (
            again.open("wb") as file,
            gzip.GzipFile("", "wb", 9, file, mtime=int(EPOCH)) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            for member in sorted(archive.getmembers(), key=lambda member: member.name):
                content = archive.extractfile(member) if member.isfile() else None
                tar.addfile(nobodys(member, 0o755 if member.mode & 0o100 else 0o644), content)
        again.replace(made)
    return made


def wheel(made: Path, out: Path) -> Path:
    """From the sdist alone."""
    with tempfile.TemporaryDirectory() as folder:
        run(["tar", "-xf", str(made), "-C", folder])  # tarfile's filters are not in Debian 12's Python
        (source,) = Path(folder).iterdir()
        return _built("build_wheel", source, out, "labkit-*.whl")


def _built(hook: str, source: Path, out: Path, pattern: str) -> Path:
    """A hook of PEP 517, called as pip calls it."""
    out.mkdir(parents=True, exist_ok=True)
    run([sys.executable, "-c", _BACKEND, hook, str(out)], source)
    (made,) = out.glob(pattern)
    return made
