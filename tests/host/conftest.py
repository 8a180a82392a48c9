"""One test of this room at a time, in however many workers: their runs share this machine's kernel, and of
two that are traced at once each finds the other's events in its tables (execute/host/host_place.py)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from labkit.execute.artifacts import locks


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    folder = os.open(Path(__file__).parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        locks.lock(folder)
        yield
    finally:
        os.close(folder)
