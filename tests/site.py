"""What builds the site, for tests that want a part of it: an extension of the book, its policy."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

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


def built(folder: Path) -> Path:
    """The real book, built below this folder as `make book` does it: where its pages are."""
    command = [sys.executable, "scripts/book.py", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder / "_build/html"
