"""What pip installs in the image: labkit with its kernel, and JupyterLab, in the versions and with the hashes
of requirements.lock."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

from scripts.wheels.packing import ROOT

PYTHON = "3.13"
"""Of the image's Debian."""
_GLIBC = (41, 39, 36, 34, 31, 28, 27, 17)
WANTED = ("labkit[kernel,modules]", "jupyterlab")


def download(made: Path, wheels: Path) -> None:
    """made: the folder that `make wheels` filled; wheels: an empty folder. Raises SystemExit if pip cannot
    have one of them, or has one that is not of the lock."""
    lock = (ROOT / "requirements.lock").read_text()
    pins = wheels.parent / "constraints.txt"
    pins.write_text(
        "".join(line.rstrip("\\ ") + "\n" for line in lock.splitlines() if re.match(r"[a-z0-9]", line))
    )
    platforms = [word for minor in _GLIBC for word in ("--platform", f"manylinux_2_{minor}_x86_64")]
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:"),
        *(
            "--python-version",
            PYTHON,
            "--implementation",
            "cp",
            *platforms,
            "--platform",
            "manylinux2014_x86_64",
        ),
        *("--constraint", str(pins), "--find-links", str(made), "--dest", str(wheels), *WANTED),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"pip could not fetch what the image needs:\n{done.stderr[-2000:]}")
    for wheel in sorted(wheels.iterdir()):
        ours = made / wheel.name
        known = [digest(ours)] if ours.exists() else re.findall(r"sha256:([0-9a-f]{64})", lock)
        if digest(wheel) not in known:
            raise SystemExit(
                f"{wheel.name} is not the one of requirements.lock: its SHA-256 is {digest(wheel)}"
            )


def digest(path: Path) -> str:
    """SHA-256, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
