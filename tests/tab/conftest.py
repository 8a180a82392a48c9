"""The tab's machine as `make tab` makes it.

Skipped where it cannot be made: no node, no compiler for 32 bits, or another kernel than Linux 6.12.
"""

from __future__ import annotations

import pytest

from labkit.errors import SetupError
from labkit.execute.tab.pieces import Pieces, pieces


@pytest.fixture(scope="session")
def tab() -> Pieces:
    try:
        return pieces()
    except SetupError as none:
        pytest.skip(f"no machine of a browser tab: {none}")
