"""The part of requirements.lock that an extra of pyproject.toml needs, hashes included.

    python binder/locked.py lab >lab.txt && pip install --no-deps --require-hashes -r lab.txt

Below every package the lock says which others asked for it ("# via"). Followed from what pyproject.toml asks
for, this gives all that has to be installed, and at most a little more: what a package needs only with an
extra of its own is counted, whoever wanted that extra. Without an argument: what labkit alone needs. It runs
before anything is installed, so it imports nothing but Python's own library.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent


def part(lock: str, requirements: Iterable[str]) -> str:
    """The lines of the lock for these requirements ("pandas>=3,<4") and all that they need. Raises SystemExit
    naming what the lock lacks."""
    blocks = {_name(block): block.strip() for block in re.split(r"\n(?=\w)", lock)}
    asked_by = {
        name: {*re.findall(r"^    # (?:via |  )(\S+)", block, re.M)} for name, block in blocks.items()
    }
    wanted = {_name(line) for line in requirements}
    if lacking := wanted - blocks.keys():
        raise SystemExit(
            f"requirements.lock lacks {', '.join(sorted(lacking))}: solve it again (CONTRIBUTING.md)"
        )
    while more := {name for name in blocks.keys() - wanted if asked_by[name] & wanted}:
        wanted |= more
    return "".join(f"{block}\n" for name, block in blocks.items() if name in wanted)


def requirements(*extras: str) -> list[str]:
    """What pyproject.toml asks for: labkit's own dependencies and those of the extras. Raises SystemExit."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
    known = project["optional-dependencies"]
    if unknown := set(extras) - known.keys():
        raise SystemExit(f"no extra {', '.join(sorted(unknown))}: pyproject.toml has {', '.join(known)}")
    return [*project["dependencies"], *(line for extra in extras for line in known[extra])]


def locked(*extras: str) -> str:
    """The lock's lines for labkit with these extras."""
    return part((HERE / "requirements.lock").read_text(), requirements(*extras))


def _name(line: str) -> str:
    """Of the package that a line begins with, as the lock writes it."""
    (found,) = re.findall(r"\A[\w.-]+", line)
    return re.sub(r"[-_.]+", "-", found).lower()


if __name__ == "__main__":
    sys.stdout.write(locked(*sys.argv[1:]))
