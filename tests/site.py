"""What builds the site, for tests that want a part of it: an extension of the book, its policy."""

from __future__ import annotations

import fcntl
import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
EXTENSIONS = str(ROOT / "book/extensions")


def extension(name: str) -> ModuleType:
    """One of the book's extensions, as Sphinx imports it: it finds its neighbours."""
    if EXTENSIONS not in sys.path:
        sys.path.append(EXTENSIONS)
    return importlib.import_module(name)


def policy() -> dict[str, str]:
    """The header that the site asks for."""
    return {"Content-Security-Policy": extension("policy").POLICY}


def once(temporary: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder of this run of the tests: the first worker that asks for it makes it, for all of them."""
    base = temporary.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    is_made = folder.with_suffix(".made")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what a worker has left that failed
            folder.mkdir()
            make(folder)
            is_made.touch()
    return folder


def book(temporary: pytest.TempPathFactory) -> Path:
    """The real book's pages, built once for all workers; or the folder that LABKIT_SITE names, as it is."""
    if ready := os.environ.get("LABKIT_SITE"):
        return Path(ready)
    return once(temporary, "book", built) / "_build/html"


def built(folder: Path) -> Path:
    """The real book, built below this folder as `make book` does it: where its pages are."""
    command = [sys.executable, "scripts/book.py", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder / "_build/html"
