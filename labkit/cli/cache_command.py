"""`labkit cache`: how much is kept, and clearing it."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
from pathlib import Path

from labkit.cli import OK
from labkit.cli.text import size, table
from labkit.errors import SetupError
from labkit.execute.artifacts import cache, locks

_WHAT = {
    "kernel": "the lab kernel",
    "modules": "kernel modules",
    "native": "the agent and its helpers",
    "results": "results of runs",
    "runs": "running guests",
    "wasm": "the lab kernel in WebAssembly",
}


def main(arguments: argparse.Namespace) -> int:
    """Describe or clear. Raises SetupError."""
    if arguments.action == "clear":
        _clear([name for name in _WHAT if name != "runs"] if arguments.all else ["results"])
    rows = [(name, what, size(usage(cache.place(name)))) for name, what in _WHAT.items()]
    for variable, what in cache.SETTINGS.items():
        if os.environ.get(variable) or variable == cache.CACHE:
            print(f"{cache.root(variable)}: {what}")
    print(table(("folder", "what", "size"), rows, right=frozenset({2})))
    return OK


def usage(folder: Path) -> int:
    """Bytes on disk below a folder, whatever else is going on in it."""
    total = 0
    for here, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(here, name)).st_blocks * 512
    return total


def _building(folder: Path) -> bool:
    """Does somebody build a kernel there now?"""
    with contextlib.suppress(FileNotFoundError), (folder / "lock").open("a") as lock:
        try:
            locks.lock(lock.fileno(), wait=False)
        except BlockingIOError:
            return True
    return False


def _clear(names: list[str]) -> None:
    """Each folder is renamed first: whoever looks meanwhile finds all of it or nothing."""
    for name in names:
        folder = cache.place(name)
        if name == "kernel" and _building(folder):
            raise SetupError("the lab kernel is being built: wait for its end, or stop it, then clear again")
        away = folder.with_name(f"old-{name}-{os.getpid()}")
        try:
            folder.rename(away)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise cache.unusable(error) from None
        shutil.rmtree(away, ignore_errors=True)
