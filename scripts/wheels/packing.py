"""A folder into a platform wheel: its metadata, its licences, and a tag that auditwheel has found to be true.

The same content gives the same bytes: no time of making, no user, files in their order."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EPOCH = "315532800"  # 1980-01-01, the first day of zip files
OLDEST = (2, 35)
"""The glibc of Ubuntu 22.04, the oldest system that is served: Debian 12 has 2.36, Ubuntu 24.04 2.39."""


class TooNew(Exception):
    """What was compiled here asks for a younger glibc than the oldest system has."""


@dataclass(frozen=True)
class Wheel:
    """What its metadata say. name: as pip knows it; requires: lines of Requires-Dist; licences: files of
    LICENSES/ without .txt; notices: files that go with it because others ask for that, each in a folder
    called as what it is of; noticed: licences (SPDX) whose text is among them."""

    name: str
    version: str
    summary: str
    licences: tuple[str, ...]
    requires: tuple[str, ...] = ()
    notices: tuple[Path, ...] = ()
    noticed: tuple[str, ...] = ()


def pack(staged: Path, what: Wheel, out: Path) -> Path:
    """The wheel of a folder that holds its package. Raises TooNew."""
    info = _described(staged, what)
    with tempfile.TemporaryDirectory() as trial:
        tag = audited(_packed(staged, info, "linux_x86_64", Path(trial)))
    out.mkdir(parents=True, exist_ok=True)
    return _packed(staged, info, tag, out)


def pack_for(tag: str, staged: Path, what: Wheel, out: Path) -> Path:
    """The same, where the tag is known: of programs that need no library."""
    out.mkdir(parents=True, exist_ok=True)
    return _packed(staged, _described(staged, what), tag, out)


def _described(staged: Path, what: Wheel) -> Path:
    """Its metadata, licences and rights; returns the folder of the first two."""
    info = staged / f"{what.name.replace('-', '_')}-{what.version}.dist-info"
    (info / "licenses").mkdir(parents=True)
    for name, file in _texts(what).items():
        shutil.copy(file, info / "licenses" / name)
    (info / "METADATA").write_text(_metadata(what))
    _same_rights(staged)
    return info


def audited(wheel: Path) -> str:
    """The platform tag that auditwheel finds: "manylinux_2_34_x86_64". Raises TooNew."""
    done = _python("auditwheel", "show", "--json", str(wheel))
    found = json.loads(done)
    tag = str(found["overall_tag"])
    glibc = re.fullmatch(r"manylinux_(\d+)_(\d+)_x86_64", tag)
    if found["external_libs"] or glibc is None or (int(glibc[1]), int(glibc[2])) > OLDEST:
        asked = ", ".join(name for names in found["versioned_symbols"].values() for name in sorted(names))
        libraries = ", ".join(found["external_libs"]) or "none but libc"
        raise TooNew(
            f"{wheel.name}: {tag}, but Ubuntu 22.04 has glibc {OLDEST[0]}.{OLDEST[1]} "
            f"(asked for: {asked}; libraries: {libraries})"
        )
    return tag


def _texts(what: Wheel) -> dict[str, Path]:
    """Its licences and notices, by their names in the wheel."""
    ours = {f"{licence}.txt": ROOT / "LICENSES" / f"{licence}.txt" for licence in what.licences}
    return ours | {f"{path.parent.name}-{path.name}.txt": path for path in what.notices}


def _metadata(what: Wheel) -> str:
    head = {
        "Metadata-Version": ["2.4"],
        "Name": [what.name],
        "Version": [what.version],
        "Summary": [what.summary],
        "Requires-Python": [">=3.11"],
        "License-Expression": [" AND ".join((*what.licences, *what.noticed))],
        "License-File": [*_texts(what)],
        "Requires-Dist": what.requires,
        "Description-Content-Type": ["text/markdown"],
    }
    lines = [f"{name}: {value}" for name, values in head.items() for value in values]
    return "\n".join(lines) + "\n\n" + (ROOT / "scripts" / "wheels" / "ABOUT.md").read_text()


def _packed(staged: Path, info: Path, tag: str, out: Path) -> Path:
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    (info / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: labkit make wheels\nRoot-Is-Purelib: false\n{tags}"
    )
    (info / "RECORD").unlink(missing_ok=True)
    _python("wheel", "pack", str(staged), "-d", str(out))
    return out / f"{info.stem}-py3-none-{tag}.whl"


def _same_rights(staged: Path) -> None:
    """Whatever the umask of who makes it."""
    for path in staged.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def nobodys(info: tarfile.TarInfo, mode: int = 0o644) -> tarfile.TarInfo:
    """Of no user and of no time."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mtime, info.mode = int(EPOCH), mode
    info.pax_headers = {}
    return info


def _python(*arguments: str, cwd: Path | None = None) -> str:
    return run([sys.executable, "-m", *arguments], cwd)


def run(command: Sequence[str], cwd: Path | None = None) -> str:
    """What it printed. Raises SystemExit with its last words if it fails."""
    settings = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
    done = subprocess.run(command, cwd=cwd, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:6])} failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout
