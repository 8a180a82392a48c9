"""How far a sweep is, with the time left: a bar in a terminal or a notebook, nothing elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from labkit.charts.recording import recording


def wanted() -> bool:
    """Is there somebody to see a bar? Not while a chapter is recorded."""
    return not recording() and (sys.stderr.isatty() or _in_notebook())


def _in_notebook() -> bool:
    """Whether this process is a Jupyter kernel."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


class Bar:
    """Counts runs, and those that failed."""

    def __init__(self, total: int, shown: bool | None) -> None:
        """total: so many runs at most. shown: None: if somebody sees it."""
        self._bar: Any = None
        self._failed = 0
        if wanted() if shown is None else shown:
            from tqdm.auto import tqdm  # of terminal and notebook the right one

            self._bar = tqdm(total=total, unit="run", dynamic_ncols=True, leave=False)

    def count(self, *, failed: bool) -> None:
        """One is done."""
        if self._bar is None:
            return
        self._failed += failed
        if failed:
            self._bar.set_postfix(failed=self._failed, refresh=False)
        self._bar.update()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._bar is not None:
            self._bar.close()
