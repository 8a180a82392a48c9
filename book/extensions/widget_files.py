"""The widgets' script and style on the site. The style is that of a notebook, from labkit itself."""

from __future__ import annotations

from pathlib import Path

from labkit.widgets import face

SCRIPT = "widgets.js"
"""Made by web/build.mjs, in book/static."""
STYLE = "widgets.css"


def write(static: Path) -> None:
    """The style into the site's folder of static files."""
    (static / STYLE).write_text((face.HERE / "face.css").read_text(encoding="utf-8"), encoding="utf-8")
