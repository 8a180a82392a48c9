"""Files of the user's that commands see: copied into the run folder, known by a digest of what was copied.

A copy, so that what a run saw is what its digest says, whoever writes to the original meanwhile, and so that
the guest needs no way to the user's own folders.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from labkit.compile.compiler import shown_names
from labkit.errors import SpecError
from labkit.execute.machine.process import Content
from labkit.spec import Experiment

MOST_BYTES = 1 << 30
MOST_FILES = 100_000
_CHUNK = 1 << 20


def digests(exp: Experiment) -> dict[str, str]:
    """Where commands see it -> a digest of names, contents and which may be executed. Raises SpecError."""
    return {place: _Taking(place, exp.files[place]).digest() for place in exp.files}


def contents(exp: Experiment, known: Mapping[str, Any]) -> dict[str, Content]:
    """What lays each into a run folder. known: their digests; a call raises SpecError if one has changed."""
    return {
        name: partial(_lay, exp.files[place], place, known[place]) for place, name in shown_names(exp).items()
    }


def _lay(source: str, place: str, known: str, target: Path) -> None:
    if _Taking(place, source, target).digest() != known:
        raise SpecError(
            f"files: {place}={source!r}: was changed while the run began: run again when it is still"
        )


@dataclass
class _Taking:
    """One walk over a folder or file; with a target, everything is copied there as it is read."""

    place: str
    source: str
    target: Path | None = None
    files: int = 0
    size: int = 0

    def digest(self) -> str:
        total = hashlib.sha256()
        for inside, mode, content in self._entries(Path(self.source), ""):
            total.update(os.fsencode(f"{inside}\0{mode}\0{content}\n"))
        return total.hexdigest()

    def _entries(self, path: Path, inside: str) -> Iterator[tuple[str, str, str]]:
        """Its name in the source, what it is, and a digest of its content or where it leads."""
        self.files += 1
        if self.files > MOST_FILES:
            raise self._refused(f"has more than {MOST_FILES} files")
        try:
            mode = (os.lstat if inside else os.stat)(path).st_mode
            if stat.S_ISDIR(mode):
                yield inside, "folder", ""
                if self.target is not None:
                    (self.target / inside).mkdir()
                    (self.target / inside).chmod(0o700)  # whatever the umask
                for name in sorted(os.listdir(path), key=os.fsencode):
                    yield from self._entries(path / name, os.path.join(inside, name))
                self._set(inside, 0o755)
            elif stat.S_ISLNK(mode):
                yield inside, "link", self._link(path, inside)
            elif stat.S_ISREG(mode):
                runs = bool(mode & 0o111)
                yield inside, "program" if runs else "file", self._file(path, inside, runs)
            else:
                raise self._refused(f"{path} is no file, folder or link")
        except OSError as error:
            raise self._refused(f"{path}: {(error.strerror or str(error)).lower()}") from None

    def _link(self, path: Path, inside: str) -> str:
        """As it is: it leads where it leads inside the guest."""
        leads = os.readlink(path)
        if self.target is not None:
            os.symlink(leads, self.target / inside)
            os.utime(self.target / inside, (0, 0), follow_symlinks=False)
        return leads

    def _file(self, path: Path, inside: str, runs: bool) -> str:
        content = hashlib.sha256()
        follow = 0 if not inside else os.O_NOFOLLOW
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | follow), "rb") as file:
            target = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            if self.target is not None:
                os.close(target)
                made = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                target = os.open(self.target / inside if inside else self.target, made, 0o600)
            with open(target, "wb") as copied:
                while chunk := file.read(_CHUNK):
                    self.size += len(chunk)
                    if self.size > MOST_BYTES:
                        raise self._refused(f"is larger than {MOST_BYTES >> 20} MiB")
                    content.update(chunk)
                    copied.write(chunk)
        self._set(inside, 0o755 if runs else 0o644)
        return content.hexdigest()

    def _set(self, inside: str, mode: int) -> None:
        """Whatever the umask, and whenever. (Whose the copy is, the guest does not see: native/shown.c.)"""
        if self.target is not None:
            copy = self.target / inside if inside else self.target
            copy.chmod(mode)
            os.utime(copy, (0, 0))

    def _refused(self, text: str) -> SpecError:
        return SpecError(f"files: {self.place}={self.source!r}: {text}")
