"""A cache without a result, beside others that run experiments on this machine: for tests, and for claims."""

from __future__ import annotations

from pathlib import Path

from labkit.execute.artifacts import cache

OWN = ("results", "runs")  # folders of a cache that are not shared


def settings(folder: Path) -> dict[str, str]:
    """Environment variables that have labkit use this cache alone."""
    return dict.fromkeys(cache.SETTINGS, "") | {cache.CACHE: str(folder)}


def users_settings() -> dict[str, str]:
    """Those of the user's cache, wherever they are read."""
    return {variable: str(cache.root(variable)) for variable in cache.SETTINGS}


def fresh_cache(folder: Path) -> Path:
    """In an empty folder: links to all that the user's cache has but results and runs."""
    kept = {entry.name for entry in cache.root().iterdir()} | {"kernel", "native", "wasm"}
    for name in kept.difference(OWN):
        if cache.place(name).exists():
            (folder / name).symlink_to(cache.place(name))
    (folder / "runs").mkdir()
    return folder
