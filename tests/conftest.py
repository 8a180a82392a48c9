"""For every test: Hypothesis measures no time, since a busy machine may take a second for anything."""

from __future__ import annotations

from hypothesis import settings

from tests import fuzz

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_report_header() -> str:
    """What to set to try the same again."""
    return fuzz.SAID
