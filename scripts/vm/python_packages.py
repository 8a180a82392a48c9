"""What pip installs in the image: the lock's packages for the extra `lab`, and labkit with its kernel."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from binder.locked import locked
from binder.wheels import names

PYTHON = "3.13"
"""Of the image's Debian."""
LOCK = "lab.txt"
_GLIBC = (41, 39, 36, 34, 31, 28, 27, 17)


def download(made: Path, wheels: Path) -> None:
    """made: the folder that `make wheels` filled; wheels: an empty folder, which gets the lock's lines, too.
    This machine's Python reads the lock's conditions here, the image's when it installs: what is too much is
    left over there, what is missing fails. Raises SystemExit if made lacks one of ours, or if pip cannot have
    one of the lock, or only one with another hash."""
    lock = wheels / LOCK
    lock.write_text(locked("lab"))
    for name in names("*", tree=True):
        found = [*made.glob(name)]
        if len(found) != 1:
            raise SystemExit(f"{made} has {len(found)} wheels {name}, not one: make wheels")
        shutil.copy(found[0], wheels)
    platforms = [word for minor in _GLIBC for word in ("--platform", f"manylinux_2_{minor}_x86_64")]
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"),
        *("--python-version", PYTHON, "--implementation", "cp", *platforms),
        *("--platform", "manylinux2014_x86_64"),
        *("--require-hashes", "--requirement", str(lock), "--dest", str(wheels)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"pip could not fetch what the image needs:\n{done.stderr[-2000:]}")


def digest(path: Path) -> str:
    """SHA-256, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
