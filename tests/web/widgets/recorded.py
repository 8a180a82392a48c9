"""The recorded widgets of all chapters, as their notebooks hold them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHAPTERS = Path(__file__).parents[3] / "chapters"
EXPLORER = "application/vnd.labkit.explorer+json"
PREDICTION = "application/vnd.labkit.predict+json"
CHART = "application/vnd.vegalite.v5+json"


def bundles(mime: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(stem of the chapter, outputs by type) of each widget of this kind, in the book's order."""
    for path in sorted(CHAPTERS.glob("*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            for output in cell.get("outputs", []):
                if mime in output.get("data", {}):
                    yield path.stem, output["data"]


def default_chart(bundle: dict[str, Any]) -> dict[str, Any]:
    """Of an explorer: the default point's chart, without data."""
    return {key: item for key, item in bundle[CHART].items() if key != "datasets"}
