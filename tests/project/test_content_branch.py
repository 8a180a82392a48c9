"""scripts/content_branch.py: the same HEAD gives the same commit, no change gives none."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.content_branch import committed, git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "chapters").mkdir(parents=True)
    (root / "chapters/01.ipynb").write_text("{}")
    (root / ".gitignore").write_text("*.csv\n")
    (root / "chapters/data.csv").write_text("1\n")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.org")
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "add", "--all")
    date = {"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z"}
    git(root, "commit", "--quiet", "--allow-empty", "-m", "a change", **date)


def files(root: Path) -> dict[str, Path]:
    return {name: root / name for name in ("chapters/01.ipynb", "chapters/data.csv")}


def test_it_holds_what_is_laid_out_and_nothing_else(repository: Path) -> None:
    new, made = committed(repository, "content", files(repository))
    assert made
    listed = git(repository, "ls-tree", "-r", "--name-only", new).splitlines()
    assert listed == [".labkit-chapters.json", "chapters/01.ipynb", "chapters/data.csv"]
    assert git(repository, "status", "--porcelain") == "", "the checkout stays as it was"


def test_the_same_head_gives_the_same_commit(repository: Path) -> None:
    first, _ = committed(repository, "content", files(repository))
    again, _ = committed(repository, "another", files(repository))
    assert again == first


def test_no_change_gives_no_commit_and_a_change_one_upon_the_last(repository: Path) -> None:
    first, _ = committed(repository, "content", files(repository))
    commit(repository)
    assert committed(repository, "content", files(repository)) == (first, False)
    (repository / "chapters/01.ipynb").write_text("{ }")
    commit(repository)
    second, made = committed(repository, "content", files(repository))
    assert made
    assert git(repository, "rev-parse", f"{second}^") == first


def test_gits_own_words_are_passed_on(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="not a git repository"):
        git(tmp_path, "log", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
