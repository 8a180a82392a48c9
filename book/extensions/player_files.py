"""The packet player's scripts and style on the site: the same files as in a notebook, from labkit itself."""

from __future__ import annotations

from pathlib import Path

from labkit.player.notebook import SCRIPTS, STYLE, source

__all__ = ["SCRIPTS", "STYLE", "site_name", "write"]


def site_name(name: str) -> str:
    """What a file is called there: film.js is player-film.js."""
    return name if name.startswith("player") else f"player-{name}"


def write(static: Path) -> None:
    """All of them into the site's folder of static files."""
    for name in (*SCRIPTS, STYLE):
        (static / site_name(name)).write_text(source(name), encoding="utf-8")
