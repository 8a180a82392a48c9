"""The modules of web/charts by themselves: a page loads them as they are."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "web/charts"
MODULES = sorted(FOLDER.glob("*.mjs"))


def test_they_import_nothing_but_each_other_and_the_decoder() -> None:
    imports = [
        name
        for module in MODULES
        for name in re.findall(r'^(?:import|\}).* from "(.+)";$', module.read_text(), re.MULTILINE)
    ]
    assert imports
    own = [name for name in imports if name.startswith(("./", "../decode/")) and name.endswith(".mjs")]
    assert own == imports
    assert all((FOLDER / name).resolve().is_file() for name in imports)
