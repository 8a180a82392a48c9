"""For every test: Hypothesis measures no time, since a busy machine may take a second for anything."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
