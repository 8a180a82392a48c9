"""The kernel in WebAssembly with congestion controls that a chapter's cells define (%%cc), one for a chapter.

A page of such a chapter takes it in place of the ordinary one, for widgets whose experiments name them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from labkit.execute.guest.custom_cc.writing import module_source
from labkit.execute.wasm.linked import Linked
from labkit.execute.wasm.own_cc import with_own
from labkit.spec.custom_cc import CustomCC


def made(chapters: Path, module: Linked) -> Iterator[tuple[str, Path]]:
    """Under the names by which pages ask for them. chapters: the folder of the chapters' files, see
    live/bundles.py. Raises SetupError; KernelBuildError with what the compiler says of a cell."""
    for path in sorted(chapters.glob("*.json")):
        if ccs := [CustomCC(name, cell, 1, module_source(name, cell, 1)) for name, cell in _cells(path)]:
            yield f"own-{path.stem}", with_own(module, ccs)


def _cells(path: Path) -> list[tuple[str, str]]:
    """Of all widgets of a chapter, by name: of one name there is one."""
    widgets = json.loads(path.read_text(encoding="utf-8"))["widgets"].values()
    found = sorted({one for widget in widgets for one in widget["own"].items()})
    if len(dict(found)) < len(found):
        raise ValueError(f"{path.stem}: cells of different text define the same congestion control")
    return found
