"""How long a chapter takes to execute for a reader who never ran it: no result of it is at hand."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from bench.measure import Sample, Stopwatch
from labkit.execute.artifacts import cache
from scripts.caches import settings
from scripts.record import execute, load

CHAPTERS = Path(__file__).parent.parent / "chapters"
_OF_THE_MACHINE = ("kernel", "native", "modules")  # what is built once, by whichever chapter comes first


def numbered(numbers: range) -> list[Path]:
    """The sources of these chapters, those that exist."""
    return [path for n in numbers for path in sorted(CHAPTERS.glob(f"{n:02d}-*.md"))]


def executed(source: Path) -> Sample:
    """All cells in a fresh kernel. Raises CellExecutionError."""
    notebook = load(source)
    with _no_results(), Stopwatch() as watch:
        execute(notebook)
    return watch.sample()


@contextmanager
def _no_results() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as folder:
        for name in _OF_THE_MACHINE:
            (Path(folder) / name).symlink_to(cache.folder(name))
        with patch.dict(os.environ, settings(Path(folder))):
            yield
