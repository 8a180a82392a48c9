"""Executes chapters on the lab kernel and keeps their outputs: chapters/NN-name.md -> NN-name.ipynb.

`record.py` records every chapter, `record.py 01 A` those with these numbers; an appendix has a letter.
`record.py --words 01` runs nothing: where words alone have changed, the recording's outputs go to the
same cells of the new source. The same source gives the same bytes; a recording carries its source's
SHA-256, by which a test finds a stale one.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from itertools import zip_longest
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from labkit.cli.chapters_command import fold

CHAPTERS = Path("chapters")
WORDS = "--words"
TIMEOUT_S = 600  # for one cell
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
WIDGET = "application/vnd.jupyter.widget-view+json"  # names a model that dies with the kernel


def load(source: Path) -> NotebookNode:
    """The source as a notebook whose identifiers and metadata depend on the source alone."""
    nb: NotebookNode = jupytext.read(source, fmt="md:myst")
    for number, cell in enumerate(nb.cells):
        cell["id"] = f"cell-{number:03d}"
    fold(nb.cells)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    nb.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "labkit": {"source_sha256": digest}})
    nb.nbformat, nb.nbformat_minor = 4, 5
    return nb


def execute(nb: NotebookNode) -> None:
    """Run all cells in a fresh kernel, in chapters/. Raises CellExecutionError."""
    client = NotebookClient(
        nb,
        timeout=TIMEOUT_S,
        startup_timeout=TIMEOUT_S,  # a virtual machine may stand still for more than the usual 60 s
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(CHAPTERS)}},
    )
    client.execute()


def settle(nb: NotebookNode) -> None:
    """Drop what differs from run to run or from Python to Python."""
    nb.metadata["language_info"] = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
    for cell in nb.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)


def carry_over(nb: NotebookNode, recording: Path) -> None:
    """Take the outputs of a recording with the same cells of code in the same order. Raises ValueError."""
    old: NotebookNode = nbformat.read(recording, as_version=4)
    cells, recorded = ([cell for cell in one.cells if cell.cell_type == "code"] for one in (nb, old))
    for at, (cell, known) in enumerate(zip_longest(cells, recorded), 1):
        if cell is None or known is None or cell.source != known.source:
            raise ValueError(f"{recording}: cell of code {at} is another than in the source: record it")
        cell.outputs, cell.execution_count = known.outputs, known.execution_count


def record(source: Path, words: bool = False) -> None:
    """Write the recording beside its source, whole or not at all. words: with the outputs of the one that is
    there. Raises CellExecutionError, ValueError."""
    nb = load(source)
    if words:
        carry_over(nb, source.with_suffix(".ipynb"))
    else:
        execute(nb)
    settle(nb)
    nbformat.validate(nb)
    text = nbformat.writes(nb) + "\n"
    for private in {str(Path.cwd()), str(Path.home())} - {"/"}:
        if f"{private}/" in text:
            raise ValueError(f"{source}: an output names a path of this machine ({private}/)")
    fresh = source.with_suffix(".ipynb.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(source.with_suffix(".ipynb"))


def number(source: Path) -> str:
    """A chapter's number by its file's name: "07", "A"."""
    return source.name.partition("-")[0]


def chosen(numbers: list[str]) -> list[Path]:
    """The sources of the chapters with these numbers, in the book's order; all of them if there is none."""
    sources = sorted(CHAPTERS.glob("*-*.md"))
    for asked in numbers:
        if asked not in map(number, sources):
            sys.exit(f"There is no chapter {asked!r}; there are: {', '.join(s.stem for s in sources)}")
    return [source for source in sources if not numbers or number(source) in numbers]


def main() -> int:
    """Record what is asked for. Returns the exit code."""
    failed = 0
    numbers = [word for word in sys.argv[1:] if word != WORDS]
    with tempfile.TemporaryDirectory() as ipython:
        # Neither a user's IPython profile nor hash order nor time zone may leave a trace.
        os.environ |= {"IPYTHONDIR": ipython, "PYTHONHASHSEED": "0", "TZ": "UTC"}
        os.environ["LABKIT_RECORD"] = "1"  # explorers run all their knobs' values and keep the results
        os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # .venv's kernel, not a user's of the same name
        for source in chosen(numbers):
            start = time.monotonic()
            try:
                record(source, WORDS in sys.argv)
            except (CellExecutionError, ValueError) as fault:
                failed += 1
                print(f"{source}: not recorded\n{fault}", file=sys.stderr)
            else:
                print(f"{source.with_suffix('.ipynb')}: recorded in {time.monotonic() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
