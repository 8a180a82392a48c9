"""scripts/lab.sh: JupyterLab at once, and lab kernels beside it."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout whose JupyterLab notes its number, and whose labkit notes what it is asked and has news: no
    kernel."""
    (tmp_path / ".venv/bin").mkdir(parents=True)
    _program(tmp_path, "jupyter", 'echo "$$ ${PATH%%:*}" >jupyter; until [ -e end ]; do sleep 0.02; done')
    builds = 'echo "a long table"; echo "It is ready." >&2; echo "$@" >part; mv part asked'
    _program(tmp_path, "labkit", f'[ "$2" = build ] || exit 1; {builds}')
    return tmp_path


def _program(tree: Path, name: str, body: str) -> None:
    path = tree / ".venv/bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def serve(tree: Path) -> str:
    """What is said until JupyterLab has ended, which it does when labkit has been asked or is not."""
    command = [str(ROOT / "scripts/lab.sh")]
    started = subprocess.Popen(command, cwd=tree, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not (tree / "jupyter").exists() or (started.poll() is None and not (tree / "asked").exists()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    (tree / "end").touch()
    return started.communicate(timeout=30)[1]


def test_without_a_lab_kernel_one_is_built_beside_jupyterlab_and_only_as_long(tree: Path) -> None:
    said = serve(tree)
    number, first_on_path = (tree / "jupyter").read_text().split()
    assert (tree / "asked").read_text() == f"kernel build --beside {number}\n"
    assert first_on_path == str(tree / ".venv/bin")
    assert said == "It is ready.\n"


def test_a_build_that_fails_says_so_and_jupyterlab_goes_on(tree: Path) -> None:
    _program(tree, "labkit", 'echo "$@" >asked; [ "$2" = status ] || echo "labkit: no gcc" >&2; exit 1')
    assert serve(tree) == "labkit: no gcc\n"


def test_where_the_lab_kernel_is_there_nothing_is_built(tree: Path) -> None:
    _program(tree, "labkit", 'echo "$@" >asked')
    assert serve(tree) == ""
    assert (tree / "asked").read_text() == "kernel status\n"
