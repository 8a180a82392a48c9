"""What took how long: kept, read, and what begins because of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests import kept, times

RECORDING = "tests/chapters/test_recordings.py::test_replay_gives_what_was_recorded[%s]"


class Item:
    """Of pytest, as far as sorting looks at it."""

    def __init__(self, nodeid: str, slow: bool = False, fixtures: tuple[str, ...] = ()) -> None:
        self.nodeid, self.slow, self.fixturenames = nodeid, slow, fixtures

    def get_closest_marker(self, name: str) -> object:
        return True if name == "slow" and self.slow else None


def order(items: list[Any], seconds: dict[str, float], workers: int = 1) -> list[str]:
    return [item.nodeid for item in times.longest_first(items, seconds, workers)]


def test_a_file_is_done_by_one_worker_and_each_recording_by_any() -> None:
    assert times.group_of("tests/guest/queues/test_aqm.py::test_a[x-1]") == "tests/guest/queues/test_aqm.py"
    assert times.group_of("tests/agent/test_keeper.py::test_a") == "tests/agent"
    assert times.group_of("tests/browser/test_book.py::test_a") == "tests/browser/test_book.py"
    live = [f"tests/web/widgets/test_{file}.py::test_a" for file in ("kinds", "explorers_live")]
    assert len({times.group_of(test) for test in live}) == 1
    assert times.group_of(RECORDING % "01-a") != times.group_of(RECORDING % "02-b")


def test_the_longest_file_comes_first_and_stays_whole() -> None:
    items = [Item("a.py::1"), Item("b.py::1"), Item("b.py::2"), Item("c.py::1")]
    seconds = {"a.py::1": 5.0, "b.py::1": 3.0, "b.py::2": 4.0, "c.py::1": 6.0}
    assert order(items, seconds) == ["b.py::1", "b.py::2", "c.py::1", "a.py::1"]


def test_without_times_what_is_marked_slow_comes_first() -> None:
    items = [
        Item("a.py::1"),
        Item("a.py::2"),
        Item(RECORDING % "02", slow=True),
        Item(RECORDING % "01", slow=True),
    ]
    assert order(items, {}) == [RECORDING % "01", RECORDING % "02", "a.py::1", "a.py::2"]


def test_one_worker_at_first_waits_for_the_site_and_the_others_do_something_else() -> None:
    pages = [Item(f"{name}.py::1", fixtures=("read_book",)) for name in "ab"]
    items = [*pages, Item("c.py::1"), Item("d.py::1")]
    seconds = {"a.py::1": 4.0, "b.py::1": 3.0, "c.py::1": 2.0, "d.py::1": 1.0}
    assert [name[0] for name in order(items, seconds)] == ["a", "b", "c", "d"]
    assert [name[0] for name in order(items, seconds, workers=2)] == ["a", "c", "b", "d"]
    assert [name[0] for name in order(items, seconds, workers=3)] == ["a", "c", "d", "b"]
    assert [name[0] for name in order(items, {**seconds, "c.py::1": 5.0}, workers=2)] == ["c", "a", "b", "d"]


def test_a_report_has_the_longest_first(tmp_path: Path) -> None:
    file = tmp_path / "new/times.json"
    times.write({"a": 1.0, "b": 2.5}, 3.0, 2, file)
    report = json.loads(file.read_text())
    assert list(report["tests"].items()) == [("b", 2.5), ("a", 1.0)]
    assert (report["wall_s"], report["workers"]) == (3.0, 2)


def test_times_are_kept_test_by_test(tmp_path: Path) -> None:
    kept.Kept(tmp_path / "tests/kept.sqlite").add_times({"a": 1.0, "b": 2.5})
    kept.Kept(tmp_path / "tests/kept.sqlite").add_times({"b": 3.5})
    assert kept.Kept(tmp_path / "tests/kept.sqlite").took() == {"a": 1.0, "b": 3.5}
