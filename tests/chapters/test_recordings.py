"""Every recording, replayed: the lab kernel runs each chapter again and must give the outputs that were kept.

On the kernel that recorded it every output is compared as it is, whatever labkit's version is. On another
one the numbers may differ: then every claim must hold within the tolerance that the chapter states, and what
moved is reported as a warning.

Two thirds of a replay is the lab kernel at work. With --chosen (`make test`) it takes from earlier replays on
this machine what the same lab kernel and agent made of the same program, all by their digests: after a change
of labkit's Python the kernel does not repeat itself. Not so the quarter that is drawn by the commit, nor
anything in `make test-all`: there nothing comes from a cache of results.

`make test` replays those that could have changed, and that quarter of the others (tests/choosing.py). That it
knows which could have is held here: what a replay reads of the project must be in the chapter's closure.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from labkit import Experiment, pair, run
from labkit.execute.artifacts import cache
from scripts.caches import fresh_cache
from tests import closure, kept
from tests.chapters import replay

RECORDINGS = sorted((replay.ROOT / "chapters").glob("*-*.ipynb"))


@pytest.fixture(scope="session")
def here() -> str:
    """The release of the lab kernel, which is there from now on."""
    return run(Experiment(pair(), duration="1ms")).kernel


@pytest.fixture
def empty_cache(here: str, tmp_path: Path) -> Path:
    """A cache with the user's kernel in it and no result."""
    return fresh_cache(tmp_path)


@pytest.fixture
def results(request: pytest.FixtureRequest, empty_cache: Path) -> Path:
    """Where a replay's results are: those of earlier replays, or none yet."""
    choosing = request.config.pluginmanager.get_plugin("choosing")
    if choosing.spares(request.node):
        return kept.folder() / "replays"
    return empty_cache


@pytest.mark.slow
@pytest.mark.parametrize("notebook", RECORDINGS, ids=lambda path: path.stem)
def test_replay_gives_what_was_recorded(notebook: Path, here: str, empty_cache: Path, results: Path) -> None:
    env = replay.environment(empty_cache) | replay.noting(empty_cache) | {cache.RUNS: str(results)}
    if replay.made_by(notebook)[0] == here:
        assert replay.strictly(notebook, env) == ""
    else:
        for line in replay.tolerantly(notebook, env):
            warnings.warn(f"{notebook.stem}, recorded by {replay.made_by(notebook)}: {line}", stacklevel=1)
    assert any((results / "results").iterdir()), "the replay ran no experiment of its own"
    known = closure.of(notebook) | closure.of(Path(__file__)) | closure.loaded_by_star("labkit")
    unknown = replay.read(empty_cache) - known
    assert not unknown, f"read, and not in the chapter's closure: {sorted(map(str, unknown))}"
