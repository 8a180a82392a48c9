"""Debian systems in a folder that nobody else sees, by mmdebstrap: as root, or by an ordinary user with ids
of their own (/etc/subuid). Nothing of this machine is to be left in them; book/vm.md says how far that was
seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

from scripts.vm.packages import KEPT, LEFT_OUT, SUITE

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_ENVIRONMENT = f'PATH={_PATH} LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH"'
INSIDE = f'chroot "$1" env -i {_ENVIRONMENT}'
"""How a hook starts a command there: nothing of this machine's settings goes in."""


def bootstrap(packages: Iterable[str], made: Path | None, epoch: int, hooks: Iterable[str]) -> None:
    """made: the .tar of it, or None if only the hooks matter; epoch: the time of every new file, in seconds
    since 1970. VM_MIRROR names a mirror; without it, it is mmdebstrap's. Raises SystemExit with its last
    words."""
    if shutil.which("mmdebstrap") is None:
        raise SystemExit("no mmdebstrap here: sudo apt install mmdebstrap uidmap")
    options = [f"--include={','.join(packages)}", "--aptopt=APT::Install-Recommends false"]
    options += [f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT]
    options += [f"--dpkgopt=path-include={path}" for path in KEPT]
    mirror = [mirror] if (mirror := os.environ.get("VM_MIRROR")) else []
    command = [
        *("mmdebstrap", "--variant=minbase", f"--mode={'unshare' if os.geteuid() else 'root'}"),
        *(*options, *hooks, f"--format={'tar' if made else 'null'}", SUITE, str(made or "-"), *mirror),
    ]
    # TERM: iperf3 asks its question, and debconf notes that it was seen, only where there is a terminal.
    settings = os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "PATH": _PATH, "TERM": "dumb"}
    done = subprocess.run(
        command, env=settings, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise SystemExit(f"mmdebstrap failed:\n{(done.stdout + done.stderr)[-4000:]}")


def packed(contents: dict[str, Path], tar: Path, epoch: int) -> Path:
    """Folders and files, by where they are to lie, as a .tar for a hook: root's, with the same rights under
    any umask."""

    def alike(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = epoch
        info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
        return info

    with tarfile.open(tar, "w") as archive:
        for name, path in sorted(contents.items()):
            archive.add(path, name, filter=alike)
    return tar
