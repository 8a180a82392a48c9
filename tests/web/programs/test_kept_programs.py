"""What a chapter's programs are made of: they are at hand until one of those files changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

STEM = "01-a-network-in-a-notebook"


@pytest.fixture
def home(lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of labkit, by which is judged what is at hand."""
    import live_programs

    copy = tmp_path / "labkit"
    shutil.copytree(live_programs.HOME, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(live_programs, "HOME", copy)
    live_programs._digest.cache_clear()
    return copy


def at_hand() -> Path | None:
    import live_programs
    from live import slices

    live_programs._digest.cache_clear()
    return live_programs.at_hand(STEM, slices.CHAPTERS)


def test_programs_are_made_of_what_describes_and_compiles(lab: Path) -> None:
    import live_programs
    from live import slices

    modules = set(live_programs._list(STEM, slices.CHAPTERS).read_text().split())
    assert {"spec/experiment.py", "compile/target.py", "widgets/knobs.py"} <= modules
    rooms = {name.partition("/")[0] for name in modules}
    assert not {"cli", "course", "doctor", "lab", "models", "mysteries"} & rooms


@pytest.mark.parametrize("file", ["doctor/__init__.py", "mysteries/cause.py"])
def test_they_stay_when_another_file_changes(home: Path, file: str) -> None:
    before = at_hand()
    (home / file).write_text("changed = True")
    assert before is not None and at_hand() == before


@pytest.mark.parametrize("file", ["spec/experiment.py", "units.py", "spec/traces/train.trace"])
def test_they_are_made_anew_when_one_of_theirs_changes(home: Path, file: str) -> None:
    assert at_hand() is not None
    (home / file).write_bytes((home / file).read_bytes() + b"\n")
    assert at_hand() is None


def test_they_are_made_anew_when_the_notebook_changes(lab: Path, tmp_path: Path) -> None:
    import live_programs
    from live import slices

    notebook = f"{STEM}.ipynb"
    (tmp_path / notebook).write_bytes((slices.CHAPTERS / notebook).read_bytes() + b"\n")
    assert live_programs.at_hand(STEM, tmp_path) is None
