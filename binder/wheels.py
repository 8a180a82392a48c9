"""Where pip finds labkit's wheels, one to a line: in dist/, if `make wheels` was run, else in the release.

    python binder/wheels.py [--tree] >wheels.txt && pip install --no-deps -r wheels.txt

The release is the one of this version (pyproject.toml) at the repository that _config.yml names
(repository.url), in GitHub's form: its tag is v and the version, and all of dist/ lies there. The
Containerfile and Binder ask here. --tree: also what modules of one's own are compiled against.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PLATFORM = "manylinux_2_34_x86_64"
"""What auditwheel finds of the lab kernel (scripts/wheels/packing.py); `make container` compares."""


def names(version: str, tree: bool) -> list[str]:
    """The wheels' file names."""
    parts = ("kernel", "kernel_tree") if tree else ("kernel",)
    kernel = [f"labkit_{part}-{version}-py3-none-{PLATFORM}.whl" for part in parts]
    return [f"labkit-{version}-py3-none-any.whl", *kernel]


def places(root: Path, tree: bool) -> list[str]:
    """A path or an address for each. Raises SystemExit if dist/ has some, or nothing says where they are."""
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    here = [root / "dist" / name for name in names(version, tree)]
    if any((root / "dist").glob("labkit*.whl")):
        if missing := [path.name for path in here if not path.exists()]:
            raise SystemExit(f"dist/ lacks {', '.join(missing)}: make wheels")
        return [str(path) for path in here]
    repository = yaml.safe_load((root / "_config.yml").read_text())["repository"]["url"]
    if not repository:
        raise SystemExit(
            "no wheels in dist/, and no release to take them from: make wheels, or say in _config.yml "
            "where the project is published (repository.url)"
        )
    return [f"{repository.rstrip('/')}/releases/download/v{version}/{path.name}" for path in here]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{place}\n" for place in places(ROOT, "--tree" in sys.argv[1:])))
