"""What took how long: kept by `make test`, to begin with what takes longest (tests/kept.py), and as a report
on the run in times.json beside that, which `make bench` reads: in whatever clone it was.

Seconds of a test are those of its call and of the fixtures that were made and unmade for it.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests import kept

FILE = kept.folder() / "times.json"
FORMAT = 1
_SLOW_S, _QUICK_S = 15.0, 0.2  # of a test that has no time yet, with the mark `slow` and without
_EVERY_S = 60.0  # times are kept, as the tests go
_TOOK = "took"
_SITE = "read_book"  # the fixture of the real book's pages
_ALONE = tuple(
    f"tests/{file}.py"
    for file in (
        "chapters/test_claims",
        "chapters/test_recordings",
        "guest/walls/test_nasty_specs",
        "guest/sweeps/test_mysteries",
    )
)
_PROFILE = tuple(
    f"tests/web/widgets/test_{file}.py" for file in ("explorers_live", "kinds", "predictions_live")
)


def group_of(nodeid: str) -> str:
    """What one worker does as a whole: a file, whose tests share what was made for them; of tests/agent the
    folder, whose files share an agent that takes long to build; the live widgets, which share a browser's
    profile. Recordings, claims, nasty experiments and mysteries share nothing: each is its own."""
    file = nodeid.partition("::")[0]
    if file in _ALONE:
        return nodeid
    if file in _PROFILE:
        return _PROFILE[0]
    folder = file.rpartition("/")[0]
    return folder if folder == "tests/agent" else file


def longest_first(items: list[pytest.Item], seconds: dict[str, float], workers: int = 1) -> list[pytest.Item]:
    """The tests, groups whole, the longest group first; within a group as they stand in the file. But whoever
    needs the site waits until it is built: of the groups that the workers begin with, only one does."""
    takes: dict[str, float] = defaultdict(float)
    needs_site: dict[str, bool] = defaultdict(bool)
    for item in items:
        group = group_of(item.nodeid)
        unknown = _QUICK_S if item.get_closest_marker("slow") is None else _SLOW_S
        takes[group] += seconds.get(item.nodeid, unknown)
        needs_site[group] |= _SITE in getattr(item, "fixturenames", ())
    groups = sorted(takes, key=lambda group: (-takes[group], group))
    begins: list[str] = []
    for group in groups:
        waits = needs_site[group] and any(needs_site[other] for other in begins)
        if len(begins) < workers and not waits:
            begins.append(group)
    place = {group: at for at, group in enumerate(dict.fromkeys([*begins, *groups]))}
    return sorted(items, key=lambda item: place[group_of(item.nodeid)])


class Times:
    """A pytest plugin: sorts what was collected; with --keep-times also writes what took how long."""

    def __init__(self, config: pytest.Config) -> None:
        self.started = self.stored = time.time()
        self.seconds: dict[str, float] = defaultdict(float)
        self.main = not hasattr(config, "workerinput")
        self.keeps = config.getoption("--keep-times") and self.main
        self.known = kept.here().took() if self.main else dict(config.workerinput[_TOOK])
        self.workers = 1 if self.main else int(config.workerinput["workercount"])

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Of xdist: what is handed to each worker. All must sort alike."""
        node.workerinput[_TOOK] = self.known

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = longest_first(items, self.known, self.workers)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if self.keeps and time.time() - self.stored > _EVERY_S:
            self.store()

    def store(self) -> None:
        """As the tests go, for a run that is ended teaches the next one, too."""
        kept.here().add_times(self.seconds)
        self.stored = time.time()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.keeps and self.seconds:
            self.store()
            workers = session.config.getoption("numprocesses", None) or 1
            write(self.seconds, time.time() - self.started, workers)


def write(seconds: dict[str, float], wall_s: float, workers: int, file: Path = FILE) -> None:
    """A report on a run, the longest first."""
    tests = {name: round(s, 3) for name, s in sorted(seconds.items(), key=lambda item: -item[1])}
    report = {"format": FORMAT, "wall_s": round(wall_s, 1), "workers": workers, "tests": tests}
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.write_text(json.dumps(report, indent=1) + "\n")
    part.replace(file)
