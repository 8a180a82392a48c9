"""The extension's modules import each other as Sphinx has it: from book/extensions."""

from __future__ import annotations

import sys
from pathlib import Path

EXTENSIONS = str(Path(__file__).parents[2] / "book/extensions")
if EXTENSIONS not in sys.path:
    sys.path.append(EXTENSIONS)
