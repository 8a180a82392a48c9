"""Every wall of the sandbox of course work is tried from within. The rest of what hostile notebooks try takes
minutes: test_hostile.py, by make course-test."""

from __future__ import annotations

from labkit.course.sandbox.selftest import WALLS, attempts


def test_every_wall_stands_here() -> None:
    found = attempts()
    assert [wall.name for wall in found] == list(WALLS)
    assert [wall for wall in found if not wall.stands] == []
