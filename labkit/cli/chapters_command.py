"""`labkit chapters DIR`: lays the book's chapters out, and what they read, for those who came by pip.

A file that its reader has changed stays as it is. Which those are, says a list beside them of what was laid.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any

from labkit.cli import OK
from labkit.errors import SetupError

LIST = ".labkit-chapters.json"
_SHARE = ("share", "labkit")
_PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def main(arguments: argparse.Namespace) -> int:
    """Lay them out and say what became of each kind. Raises SetupError."""
    folder = Path(arguments.folder)
    done = lay(dict(sources()), folder)
    for what, names in done.items():
        if names:
            print(f"{what}: {len(names)} file{'s'[: len(names) > 1]}")
    for name in done[_KEPT]:
        print(
            f"  {folder / name} is not as it was laid out: to have the new one, move yours, then call again"
        )
    quoted = subprocess.list2cmdline if os.name == "nt" else shlex.join
    command = quoted(["jupyter", "lab", str(folder)])
    print(f"\nThe chapters are in {folder / 'chapters'}. JupyterLab opens them:  {command}")
    return OK


def sources() -> Iterator[tuple[str, Path]]:
    """What is laid out, by its name below the folder: of the checkout that this is, else of the package.
    Raises SetupError if it came without."""
    found = list(_of_checkout() if _PROJECT.exists() else _of_package())
    if not found:
        raise SetupError("this labkit came without the chapters: install it again, from its own wheel")
    yield from found


def fold(cells: Iterable[dict[str, Any]]) -> None:
    """Has JupyterLab show a notebook's cells as the site does: folded by the tags hide-input and its like."""
    for cell in cells:
        tags = set(cell["metadata"].get("tags", ()))
        hidden = {key: True for key, by in _FOLDED_BY.items() if tags & by and cell["cell_type"] == "code"}
        if hidden:
            cell["metadata"]["jupyter"] = hidden


def unfold(cells: Iterable[dict[str, Any]]) -> None:
    """Takes away again what `fold` has put there."""
    for cell in cells:
        if set(cell["metadata"].get("tags", ())) & set().union(*_FOLDED_BY.values()):
            cell["metadata"].pop("jupyter", None)


_FOLDED_BY = {"source_hidden": {"hide-input", "hide-cell"}, "outputs_hidden": {"hide-output", "hide-cell"}}
_NEW, _NEWER, _SAME, _KEPT = (
    "laid out",
    "replaced by newer ones",
    "there already",
    "left as you have changed them",
)


def lay(files: dict[str, Path], folder: Path) -> dict[str, list[str]]:
    """Copies them, and returns the names by what was done. Raises SetupError where it cannot write."""
    done: dict[str, list[str]] = {_NEW: [], _NEWER: [], _SAME: [], _KEPT: []}
    try:
        laid = _laid(folder)
        for name, source in sorted(files.items()):
            content, target = source.read_bytes(), folder / name
            there = target.read_bytes() if target.is_file() else None
            if there is None:
                what = _KEPT if os.path.lexists(target) else _NEW
            elif there == content:
                what = _SAME
            else:
                what = _NEWER if _digest(there) == laid.get(name) else _KEPT
            done[what].append(name)
            if what in (_NEW, _NEWER):
                _write(target, content)
            if what != _KEPT:
                laid[name] = _digest(content)
        _write(folder / LIST, json.dumps(laid, indent=0, sort_keys=True).encode())
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise SetupError(f"cannot lay the chapters out in {folder}: {said}: name another folder") from None
    return done


def _of_checkout() -> Iterator[tuple[str, Path]]:
    root = _PROJECT.parent
    data_files = tomllib.loads(_PROJECT.read_text())["tool"]["setuptools"]["data-files"]
    laid = (patterns for place, patterns in data_files.items() if place.startswith("/".join(_SHARE)))
    for pattern in chain.from_iterable(laid):
        for path in root.glob(pattern):
            if path.is_file():
                yield path.relative_to(root).as_posix(), path


def _of_package() -> Iterator[tuple[str, Path]]:
    """Below share/labkit, wherever that was installed."""
    for file in metadata.files("labkit") or []:
        for at in range(len(file.parts) - 2):
            if file.parts[at : at + 2] == _SHARE:
                yield "/".join(file.parts[at + 2 :]), Path(str(file.locate()))


def _laid(folder: Path) -> dict[str, str]:
    """SHA-256 of each file as it was laid out here before."""
    try:
        found = json.loads((folder / LIST).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(target: Path, content: bytes) -> None:
    """All of it or nothing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    now = os.umask(0o022)
    os.umask(now)
    return now
