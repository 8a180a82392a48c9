"""What pyproject.toml cannot say: the chapters, and what they read, travel with the package, each in its
folder below share/labkit/. `labkit chapters DIR` lays them out."""

import tomllib
from collections import defaultdict
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
PATTERNS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["labkit"]["chapters"]

folders: dict[str, list[str]] = defaultdict(list)
for pattern in PATTERNS:
    for path in sorted(ROOT.glob(pattern)):
        if path.is_file():
            name = path.relative_to(ROOT)
            folders[str("share/labkit" / name.parent)].append(str(name))

setup(data_files=sorted(folders.items()))
