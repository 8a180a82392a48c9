"""What this machine remembers of tests that it has run: which have passed, and how long each took.

A small database in the user's cache, beside the lab kernel, so that a fresh clone begins where the last one
ended. One process of a run writes; many runs may at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from labkit.execute.artifacts import cache

DAYS = 60
"""Passes that are older are forgotten: their sources are gone."""


class Kept:
    """The database in a file, made if need be."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.database = sqlite3.connect(file, timeout=60, isolation_level=None)
        self.database.execute("create table if not exists passed (name text primary key, at real)")
        self.database.execute("create table if not exists took (test text primary key, seconds real)")

    def passed(self) -> set[str]:
        """Names of passes: of a test as it was, with all that it depends on (tests/choosing.py)."""
        return {name for (name,) in self.database.execute("select name from passed")}

    def add_pass(self, name: str) -> None:
        self.database.execute("insert or replace into passed values (?, unixepoch())", (name,))

    def forget(self, days: int = DAYS) -> None:
        self.database.execute("delete from passed where at < unixepoch() - ? * 86400", (days,))

    def took(self) -> dict[str, float]:
        """Seconds by test, each as it was last measured."""
        return dict(self.database.execute("select test, seconds from took"))

    def add_times(self, seconds: Mapping[str, float]) -> None:
        self.database.execute("begin")
        self.database.executemany("insert or replace into took values (?, ?)", list(seconds.items()))
        self.database.execute("commit")


def folder() -> Path:
    """What tests keep in the user's cache."""
    return cache.place("tests")


def here() -> Kept:
    """That of the user's cache."""
    return Kept(folder() / "kept.sqlite")
