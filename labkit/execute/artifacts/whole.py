"""Folders of the cache that are made once per user and found again: whole, or not there."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from labkit.decode.folder import sha256
from labkit.execute.artifacts import cache

NOTE = "complete.json"


@contextmanager
def making(folder: Path, kept: Sequence[str], **facts: str) -> Iterator[Path]:
    """A folder beside it, to work in. At the end of the block these files alone are left there, with a note
    of the facts, and it takes its place: two at once do not collide, half is never whole. Raises SetupError
    if the cache cannot be written."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="making-", dir=folder.parent))
        try:
            yield made
            for path in made.iterdir():
                if path.name not in kept:
                    path.unlink()
            sizes = {name: (made / name).stat().st_size for name in kept}
            note = {"sizes": sizes, "sha256": {name: sha256(made / name) for name in kept}, **facts}
            (made / NOTE).write_text(json.dumps(note, indent=1))
            made.chmod(0o755)  # a class may share it
            shutil.rmtree(folder, ignore_errors=True)
            try:
                made.rename(folder)
            except OSError:
                if not is_whole(folder):  # another has made it meanwhile
                    raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise cache.unusable(error) from None


def is_whole(folder: Path) -> bool:
    """Whether all is there that was there when it was made."""
    try:
        sizes = json.loads((folder / NOTE).read_bytes())["sizes"]
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def spoilt(program: Path) -> str:
    """The command that makes a program of the cache anew, if it is not as it was made; empty if it is, or if
    nothing is written down of it. Reads all of it: for one that did not work."""
    try:
        note = json.loads((program.parent / NOTE).read_bytes())
        made, again = note["sha256"][program.name], str(note["again"])
        as_made = os.access(program, os.X_OK) and sha256(program) == made
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return "" if as_made else again
