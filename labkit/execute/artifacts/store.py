"""The result cache: what has been run is not run again. One folder a result, checked before it is used."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labkit.decode.folder import MANIFEST, MANIFEST_MOST, sealed, sha256
from labkit.errors import LabkitError
from labkit.execute.artifacts import cache
from labkit.schema import foreign_files

LIMIT_BYTES = 8 << 30
_MOVED_WHILE_OPEN = os.name != "nt"
"""Whether a folder can be moved while a file in it is open."""


def key(identity: Mapping[str, Any]) -> str:
    """A name for what decides a result: spec, program, kernel, agent, modules."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]


def find(name: str) -> Path | None:
    """The folder of a result, or None. A damaged one is removed: it will be run again."""
    folder = cache.folder("results") / name
    if not folder.is_dir():
        return None
    try:
        content = foreign_files.content(folder / MANIFEST, MANIFEST_MOST)
        if not sealed(content):
            raise ValueError(MANIFEST)
        manifest = json.loads(content)
        for file, facts in manifest["files"].items():
            path = folder / file
            if path.stat().st_size != facts["size"] or sha256(path) != facts["sha256"]:
                raise ValueError(file)
        os.utime(folder)
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError, LabkitError):
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return folder


def keep(made: Path, name: str) -> Path:
    """Move a finished result folder into the cache, in place of an older one of that name.

    Where the older one has the same raw file, as in a lab it should, that stays: somebody may be
    reading it. Where that could not be moved (Windows), the new one gets another name.
    """
    folder = cache.folder("results") / name
    for _ in range(3):
        with contextlib.suppress(OSError):
            os.rename(made, folder)
            return folder
        if _same_raw(made, folder):
            os.replace(made / "manifest.json", folder / "manifest.json")
            shutil.rmtree(made, ignore_errors=True)
            return folder
        if folder.is_dir():
            old = tempfile.mkdtemp(prefix="old-", dir=cache.folder("runs"))
            with contextlib.suppress(OSError):
                os.rename(folder, Path(old) / name)
            shutil.rmtree(old, ignore_errors=True)
    if not _MOVED_WHILE_OPEN:
        folder = folder.with_name(f"{name}-{secrets.token_hex(4)}")
    os.rename(made, folder)
    return folder


def _same_raw(made: Path, folder: Path) -> bool:
    try:
        return sha256(made / "raw") == sha256(folder / "raw")
    except (OSError, LabkitError):
        return False


def prune(limit_bytes: int = LIMIT_BYTES, spare: Path | None = None) -> None:
    """Remove the results used longest ago until the cache fits its limit. spare: one that stays: it was just
    made, and alone may be larger than that."""
    entries = []
    for entry in os.scandir(cache.folder("results")):
        with contextlib.suppress(OSError):
            size = sum(file.stat().st_size for file in os.scandir(entry.path))
            entries.append((entry.stat().st_mtime, size, entry.path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= limit_bytes:
            break
        if path == str(spare):
            continue
        shutil.rmtree(path, ignore_errors=True)
        total -= size
