"""A cache without a result, beside others that run experiments on this machine: for tests, and for claims."""

from __future__ import annotations

import os
from pathlib import Path

from labkit.execute import cache

OWN = ("results", "runs")  # folders of a cache that are not shared


def fresh_cache(folder: Path) -> Path:
    """In an empty folder: links to all that the user's cache has but results and runs, and the user's locks
    of processors: two guests that know nothing of each other would be pinned to the same one."""
    for entry in cache.root().iterdir():
        if entry.name not in OWN:
            (folder / entry.name).symlink_to(entry)
    locks = cache.folder("runs")
    (folder / "runs").mkdir()
    for cpu in os.sched_getaffinity(0):
        (folder / "runs" / f"cpu{cpu}.lock").symlink_to(locks / f"cpu{cpu}.lock")
    return folder
