"""Whether cells run to be recorded (or replayed), rather than for a reader."""

from __future__ import annotations

import os


def recording() -> bool:
    """Then figures keep their results, and nothing is shown that only passes by."""
    return os.environ.get("LABKIT_RECORD") == "1"
