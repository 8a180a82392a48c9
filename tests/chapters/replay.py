"""A recording, run again: strictly, every output as it was, or tolerantly, with a report of what moved."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from scripts.caches import settings

ROOT = Path(__file__).parents[2]
NOTING = Path(__file__).with_name("noting")
_ELSEWHERE = frozenset(
    (".git", ".venv", "node_modules", "_build")
)  # folders of what is no source of the project
SANITIZE = Path(__file__).with_name("sanitize.cfg")
CELL_TIMEOUT_S = 600
STARTUP_TIMEOUT_S = 600  # a virtual machine may stand still for more than nbval's 60 s
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")
_MADE_BY = re.compile(r"Linux (\S+), labkit (\S+), seed")


def made_by(notebook: Path) -> tuple[str, str]:
    """Releases of the kernel and of labkit, as the chapter's last code cell printed them."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    said = "".join(cells[-1]["outputs"][0]["text"])
    found = _MADE_BY.match(said)
    assert found, f"{notebook.name}: the last cell must print 'Linux ..., labkit ..., seed ...'"
    return found.group(1), found.group(2)


def environment(cache: Path) -> dict[str, str]:
    """Of a replay: a cache of its own, and explorers that run their grids as when they were recorded."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | settings(cache) | {"PYTHONPATH": path, "TZ": "UTC", "LABKIT_RECORD": "1"}


def noting(folder: Path) -> dict[str, str]:
    """What makes a replay note the files that it reads."""
    path = [str(NOTING), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(path), "FILES_READ": str(folder / "files-read")}


def read(folder: Path) -> set[Path]:
    """The project's files that were noted, a module's bytecode as the module."""
    found = set()
    for name in set((folder / "files-read").read_text(errors="surrogateescape").splitlines()):
        if name.startswith(f"{ROOT}/") and not _ELSEWHERE.intersection(Path(name).relative_to(ROOT).parts):
            path = Path(name)
            if path.parent.name == "__pycache__":
                path = path.parents[1] / f"{path.name.partition('.')[0]}.py"
            if path.is_file():
                found.add(path)
    return found


def strictly(notebook: Path, env: Mapping[str, str]) -> str:
    """What nbval says of every cell, its text and its figures compared (the longest numbers to ten digits);
    "" if all is as it was."""
    how = ["--nbval", f"--nbval-sanitize-with={SANITIZE}", f"--nbval-cell-timeout={CELL_TIMEOUT_S}"]
    how.append(f"--nbval-kernel-startup-timeout={STARTUP_TIMEOUT_S}")
    plain = [
        "-p",
        "tests.chapters.rounding",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-q",
        "-c",
        os.devnull,
        f"--rootdir={notebook.parent}",
    ]
    command = [sys.executable, "-m", "pytest", *how, *plain, str(notebook)]
    done = subprocess.run(command, cwd=ROOT, env=dict(env), capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout[-8000:] + done.stderr[-2000:]


def tolerantly(notebook: Path, env: Mapping[str, str]) -> list[str]:
    """Runs every cell, so that each claim with the tolerance that the chapter states is checked, and says
    which outputs moved. Raises nbclient's CellExecutionError at the first claim that does not hold."""
    recorded = nbformat.read(notebook, as_version=4)
    replayed = nbformat.read(notebook, as_version=4)
    client = NotebookClient(
        replayed,
        timeout=CELL_TIMEOUT_S,
        startup_timeout=STARTUP_TIMEOUT_S,
        kernel_name="python3",
        coalesce_streams=True,
        resources={"metadata": {"path": str(notebook.parent)}},
    )
    before = dict(os.environ)
    os.environ.update(env)
    try:
        client.execute()
    finally:
        os.environ.clear()
        os.environ.update(before)
    return list(moved(recorded, replayed))


def moved(recorded: NotebookNode, replayed: NotebookNode) -> Iterator[str]:
    """One line for each cell whose output is another: how many numbers moved and which one moved most."""
    for was, now in zip(recorded.cells, replayed.cells, strict=True):
        if was.cell_type != "code":
            continue
        old, new = _text(was), _text(now)
        if old == new:
            continue
        name = f"cell {was.get('id', '?')} ({was.source.strip().splitlines()[0][:60]})"
        if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
            yield f"{name}: its words or the length of its data changed"
            continue
        pairs = list(zip(map(float, _NUMBER.findall(old)), map(float, _NUMBER.findall(new)), strict=True))
        different = [(a, b) for a, b in pairs if a != b]
        most = max(different, key=lambda pair: abs(pair[1] - pair[0]) / max(abs(pair[0]), 1e-12))
        share = (most[1] - most[0]) / max(abs(most[0]), 1e-12)
        most_of_all = f"most from {most[0]:g} to {most[1]:g} ({share:+.1%})"
        yield f"{name}: {len(different)} of {len(pairs)} numbers moved, {most_of_all}"


def _text(cell: NotebookNode) -> str:
    """All that a cell put out, widgets' models left aside, as text with the keys of JSON in order."""
    parts: list[Any] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            parts.append(output.text)
        elif output.output_type in ("execute_result", "display_data"):
            parts.append({kind: data for kind, data in output.data.items() if "widget-view" not in kind})
    return json.dumps(parts, sort_keys=True, ensure_ascii=False)
