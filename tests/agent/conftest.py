"""One sanitized agent for all tests here."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent import harness


@pytest.fixture(scope="session")
def agent() -> Iterator[Path]:
    """Where everybody may run it."""
    folder = Path(tempfile.mkdtemp(prefix="labkit-sanitized-"))
    folder.chmod(0o755)
    try:
        yield harness.build(folder)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def user() -> int | None:
    """Whom damaged programs run as. Skips where no namespaces can be made at all."""
    found = harness.unprivileged()
    if found is None and not harness.namespaces_for(None):
        pytest.skip("this machine lets us make no namespaces (root, or user namespaces, are needed)")
    return found
