"""Into the sdist goes all that git tracks: tests and book, too. pyproject.toml names Sdist to setuptools.

setuptools has the list in SOURCES.txt, which it reads before it makes an sdist: in one that was unpacked, the
list is there already. Loaded by its path, so that nothing of this project is imported.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from setuptools.command.sdist import sdist


def tracked(root: Path) -> list[str]:
    """Names of all files of a checkout. Raises SystemExit outside of one."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode:
        raise SystemExit("an sdist is made of what git tracks, and this is no checkout: git clone it")
    return [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


class Sdist(sdist):  # type: ignore[misc]  # setuptools has no types
    """With the whole list."""

    def run(self) -> None:
        if not Path("PKG-INFO").exists():  # which an unpacked sdist has
            listed = Path(self.get_finalized_command("egg_info").egg_info, "SOURCES.txt")
            listed.parent.mkdir(exist_ok=True)
            listed.write_text("".join(f"{name}\n" for name in tracked(Path.cwd())))
        super().run()
