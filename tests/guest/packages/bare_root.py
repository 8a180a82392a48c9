"""The bare root of a distribution: Python with venv and nothing to compile with; and an ordinary user in it,
without capabilities and without a network. For tests of what pip installs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
USER = "1000"
HOME = "home/student"
_PACKAGES = "python3,python3-venv"
_PLATFORMS = (
    "manylinux_2_28_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
)
_ENTER = """
mount -t proc proc $R/proc; mount --rbind /dev $R/dev
exec chroot $R setpriv --reuid=$U --regid=$U --clear-groups --inh-caps=-all --bounding-set=-all \\
    --no-new-privs \\
    env -i HOME=/$H PATH=/usr/bin:/bin LANG=C.UTF-8 sh -ec 'cd; exec "$@"' sh "$@"
"""


def suite_of_this_machine() -> str:
    """ "bookworm" """
    found = re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(), re.MULTILINE)
    return found[1] if found else ""


def made(folder: Path, suite: str) -> Path:
    """By mmdebstrap, from apt's own mirror; or a .tar of one. Skips where that is not to be had."""
    if os.geteuid():
        pytest.skip("needs root, to make a root and to be somebody else in it")
    if suite.endswith(".tar"):
        command = ["tar", "-C", str(folder), "-xf", suite, "--exclude=./dev/*"]
    elif shutil.which("mmdebstrap") is None:
        pytest.skip("no mmdebstrap here: sudo apt install mmdebstrap")
    else:
        options = ["--variant=minbase", f"--include={_PACKAGES}", "--aptopt=APT::Install-Recommends false"]
        command = ["mmdebstrap", *options, suite, str(folder)]
    done = _run(command)
    if done.returncode:
        pytest.skip(f"there is no root of {suite} here: {done.stderr.strip().splitlines()[-1]}")
    (folder / HOME).mkdir(parents=True)
    os.chown(folder / HOME, int(USER), int(USER))
    return folder


def inside(root: Path, *command: str, timeout: float = 600) -> subprocess.CompletedProcess[str]:
    """A command of that user. Its processes and mounts go with it."""
    enter = [
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--net",
        "--ipc",
        "sh",
        "-ec",
        _ENTER,
        "sh",
    ]
    settings = os.environ | {"R": str(root), "U": USER, "H": HOME}
    return subprocess.run(
        [*enter, *command], env=settings, capture_output=True, text=True, check=False, timeout=timeout
    )


def said(done: subprocess.CompletedProcess[str]) -> str:
    """What it printed; it must have come to a good end."""
    assert done.returncode == 0, f"{done.args[-3:]}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def python(root: Path) -> str:
    """The name of a Python there that is new enough."""
    names = "python3 python3.13 python3.12 python3.11"
    is_one = "-c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null"
    return said(
        inside(root, "sh", "-c", f"for p in {names}; do $p {is_one} && echo $p && break; done")
    ).strip()


def download(root: Path, wheels: Path) -> None:
    """What labkit needs, as locked, for that root's Python. Skips where pip reaches no registry."""
    version = said(
        inside(root, python(root), "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
    ).strip()
    lock = (ROOT / "binder/requirements.lock").read_text()
    pins = wheels / "constraints.txt"
    pins.write_text(
        "\n".join(line.rstrip("\\ ") for line in lock.splitlines() if re.match(r"[a-z0-9]", line))
    )
    (made_here,) = wheels.glob("labkit-*.whl")
    platforms = [word for name in _PLATFORMS for word in ("--platform", name)]
    done = _run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:"),
            *("--python-version", version, "--implementation", "cp", *platforms),
            *("--constraint", str(pins), "--dest", str(wheels), str(made_here)),
        ]
    )
    if done.returncode:
        pytest.skip(f"pip has no wheels for Python {version} here: {done.stderr.strip().splitlines()[-1]}")


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
