"""Every recording, replayed: the lab kernel runs each chapter again and must give the outputs that were kept.

Nothing comes from the cache of results. On a kernel of another release than the recording's the figures
may differ, but every cell must run and every assertion in it hold.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from labkit import Experiment, pair, run
from labkit.places import cache

ROOT = Path(__file__).parents[2]
RECORDINGS = sorted((ROOT / "chapters").glob("[0-9][0-9]-*.ipynb"))
SANITIZE = Path(__file__).with_name("sanitize.cfg")
OWN = ("results", "runs")  # folders of the cache that a replay does not share


@pytest.fixture(scope="session")
def release() -> str:
    """The release of the lab kernel, which is there from now on."""
    return run(Experiment(pair(), duration="1ms")).kernel


@pytest.fixture
def empty_cache(release: str, tmp_path: Path) -> Path:
    """A cache with the user's kernel in it and no result."""
    for entry in cache.root().iterdir():
        if entry.name not in OWN:
            (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


def recorded_release(notebook: Path) -> str:
    """As the chapter's last cell printed it."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    said = "".join(cells[-1]["outputs"][0]["text"])
    found = re.match(r"Linux (\S+), labkit", said)
    assert found, f"{notebook.name}: the last cell must print the kernel's release"
    return found.group(1)


@pytest.mark.slow
@pytest.mark.parametrize("notebook", RECORDINGS, ids=lambda path: path.stem)
def test_replay_gives_what_was_recorded(notebook: Path, release: str, empty_cache: Path) -> None:
    compared = ["--nbval", f"--nbval-sanitize-with={SANITIZE}"]
    how = compared if recorded_release(notebook) == release else ["--nbval-lax"]
    timing = ["--nbval-cell-timeout=600", "-p", "no:cacheprovider", "-p", "no:xdist", "-q"]
    command = [sys.executable, "-m", "pytest", *how, *timing, "-c", os.devnull, f"--rootdir={ROOT}"]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = os.environ | {"LABKIT_CACHE": str(empty_cache), "PYTHONPATH": path, "TZ": "UTC"}
    env |= {"LABKIT_RECORD": "1"}  # as when it was recorded: see labkit.widgets
    replay = subprocess.run(
        [*command, str(notebook)], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert replay.returncode == 0, replay.stdout[-8000:] + replay.stderr[-2000:]
    assert any((empty_cache / "results").iterdir()), "the replay ran no experiment of its own"
