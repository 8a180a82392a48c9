"""Folders of the cache that are made once per user and found again: whole, or not there."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labkit.decode.folder import sha256
from labkit.errors import LabkitError, SetupError
from labkit.execute.artifacts import cache, working

NOTE = "complete.json"


@contextmanager
def making(folder: Path, kept: Sequence[str], **more: str) -> Iterator[Path]:
    """A folder beside it, to work in. At the end of the block these files alone are left there, with a note
    of the facts, and it takes its place: two at once do not collide, half is never whole. Raises SetupError
    if the cache cannot be written."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with working.making(folder.parent) as made:
            yield made
            for path in made.iterdir():
                if path.name not in kept:
                    path.unlink()
            note(made, kept, **more)
            made.chmod(0o755)  # a class may share it
            shutil.rmtree(folder, ignore_errors=True)
            try:
                made.rename(folder)
            except OSError:
                if not is_whole(folder):  # another has made it meanwhile
                    raise
    except OSError as error:
        raise cache.unusable(error, folder) from None


def note(made: Path, kept: Sequence[str], **more: str) -> None:
    """Write down what is in a folder: by that it is known later to be whole, and as it was made."""
    sizes = {name: (made / name).stat().st_size for name in kept}
    found = {"sizes": sizes, "sha256": {name: sha256(made / name) for name in kept}, **more}
    (made / NOTE).write_text(json.dumps(found, indent=1))


def facts(folder: Path) -> dict[str, Any]:
    """What was written down of it; empty if nothing is, or nothing that can be read."""
    try:
        found = json.loads((folder / NOTE).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def is_whole(folder: Path) -> bool:
    """Whether all is there that was there when it was made."""
    try:
        sizes = facts(folder)["sizes"]
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def spoilt(program: Path) -> str:
    """The command that makes a program of the cache anew, if it is not as it was made; empty if it is, or if
    nothing is written down of it. Reads all of it: for one that did not work."""
    for folder in program.parents[:2]:  # the agent lies in the guest's root, where no note may be
        known = facts(folder)
        made, again = known.get("sha256"), known.get("again")
        if not (isinstance(made, dict) and again):
            continue
        try:
            wanted = made.get(program.relative_to(folder).as_posix())
            may_run = program.stat().st_mode & 0o111  # whether its disk lets it, who starts it will hear
            as_made = bool(may_run) and sha256(program, follow=True) == wanted
        except (OSError, LabkitError):  # it is gone, or no file
            as_made = False
        return "" if as_made else str(again).format(folder=folder)
    return ""


def require_as_made(*programs: Path) -> None:
    """Raises SetupError for the first that is not as it was made, with what makes it anew. What has not been
    touched since it was last looked at is not read again."""
    for program in programs:
        try:
            seen = os.stat(program)
            state = seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
        except OSError:
            state = None
        if again := _spoilt(program, state):
            raise damaged(program, again)


@functools.lru_cache
def _spoilt(program: Path, _: tuple[int, ...] | None) -> str:
    return spoilt(program)


def damaged(what: Path, again: str) -> SetupError:
    """The one message for it."""
    return SetupError(f"{what} is not as it was made: `{again}` makes it anew")
