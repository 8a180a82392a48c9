"""What builds the site, for tests that want a part of it: an extension of the book, or the laboratory alone."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

EXTENSIONS = str(Path(__file__).parents[1] / "book/extensions")


def extension(name: str) -> ModuleType:
    """One of the book's extensions, as Sphinx imports it: it finds its neighbours."""
    if EXTENSIONS not in sys.path:
        sys.path.append(EXTENSIONS)
    return importlib.import_module(name)


def policy() -> dict[str, str]:
    """The header that the site asks for."""
    return {"Content-Security-Policy": extension("policy").POLICY}
