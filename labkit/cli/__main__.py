"""python -m labkit.cli: the same as the `labkit` command."""

from __future__ import annotations

import sys

from labkit.cli import main

if __name__ == "__main__":
    sys.exit(main())
