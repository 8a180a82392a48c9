"""The branch that nbgitpuller hands out: what `labkit chapters` lays out, and nothing else, committed by git.

    .venv/bin/python scripts/content_branch.py [--branch content]

Made of the checkout's HEAD, whose author and time the commit bears: the same HEAD upon the same branch gives
the same commit. Where nothing has changed since the last, there is none. Nothing is checked out or pushed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from labkit.cli import chapters_command

ROOT = Path(__file__).parents[1]


def git(root: Path, *arguments: str, **settings: str) -> str:
    """What it printed. Raises SystemExit with its own words."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments[:2])} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def tree_of(root: Path, files: dict[str, Path]) -> str:
    """git's name for a folder of these files, laid out by labkit."""
    with tempfile.TemporaryDirectory(prefix="labkit-content-") as folder:
        laid = Path(folder, "content")
        laid.mkdir()
        chapters_command.lay(files, laid)
        place = {
            "GIT_INDEX_FILE": str(Path(folder, "index")),
            "GIT_DIR": git(root, "rev-parse", "--absolute-git-dir"),
        }
        git(
            root,
            "-c",
            "core.autocrlf=false",
            "--work-tree",
            str(laid),
            "add",
            "--force",
            "--all",
            str(laid),
            **place,
        )
        return git(root, "write-tree", **place)


def committed(root: Path, branch: str, files: dict[str, Path]) -> tuple[str, bool]:
    """The branch's newest commit, and whether it was made now."""
    tree = tree_of(root, files)
    tip = git(root, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
    if tip and git(root, "rev-parse", f"{tip}^{{tree}}") == tree:
        return tip, False
    source, name, mail, date = git(root, "log", "-1", "--format=%h%n%an%n%ae%n%aI").splitlines()
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", name), ("EMAIL", mail), ("DATE", date))
    }
    parents = ["-p", tip] if tip else []
    new = git(root, "commit-tree", tree, *parents, "-m", f"The chapters of {source}", **who)
    git(root, "update-ref", f"refs/heads/{branch}", new, tip)
    return new, True


def main() -> int:
    """Commit, and say how it goes on. Returns the exit code."""
    parser = argparse.ArgumentParser(
        "content_branch.py", description="The branch that nbgitpuller hands out."
    )
    parser.add_argument("--branch", default="content")
    asked = parser.parse_args()
    files = dict(chapters_command.sources())
    if changed := git(ROOT, "status", "--porcelain", "--", *files):
        print(f"Not committed yet, so in no HEAD:\n{changed}", file=sys.stderr)
        return 1
    commit, new = committed(ROOT, asked.branch, files)
    print(f"{asked.branch}: {commit[:12]}, {len(files)} files{'' if new else ', as before'}")
    print(f"To publish it:  git push origin {asked.branch}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
