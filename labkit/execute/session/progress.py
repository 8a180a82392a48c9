"""How far something long is (a build, a sweep): a bar with the time left where somebody sees one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from labkit.execute.session.recording import recording

Report = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being done."""

_FORMAT = "{desc}{percentage:3.0f}%|{bar}| {elapsed} passed, {remaining} to go"


@contextmanager
def bar(shown: bool | None = None, *, lines: bool = False, began: float | None = None) -> Iterator[Report]:
    """A bar on stderr or in the notebook while the block runs, moved by what this gives.

    shown: None: in a terminal and in a notebook, but not while a chapter is recorded. lines: where no bar is
    shown, print a line for every tenth instead of nothing. began: of something whose steps take equally long,
    when the first of them did (seconds of the epoch).
    """
    if not (_seen() if shown is None else shown):
        yield _tenths() if lines else lambda done, total, what: None
        return
    from tqdm.auto import tqdm  # of terminal and notebook the right one; half of labkit's import time

    smoothing = 0.3 if began is None else 0.0  # tqdm's own; 0: the mean since the beginning
    with tqdm(total=1, bar_format=_FORMAT, dynamic_ncols=True, leave=False, smoothing=smoothing) as moved:

        def report(done: int, total: int, what: str) -> None:
            nonlocal began
            moved.set_description(what, refresh=False)
            if moved.total != max(total, 1):
                moved.reset(max(total, 1))  # in a notebook, too, where `total` alone moves nothing
                moved.start_t, began = began or moved.start_t, None
            moved.update(min(done, moved.total) - moved.n)
            moved.refresh()  # the time passes, too

        yield report


def _seen() -> bool:
    return not recording() and (sys.stderr.isatty() or _in_notebook())


def _in_notebook() -> bool:
    """Whether this process is a Jupyter kernel."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


def _tenths() -> Report:
    told = ("", -1)

    def report(done: int, total: int, what: str) -> None:
        nonlocal told
        tenth, what = 10 * done // max(total, done, 1), what.partition(":")[0]
        if what != told[0] or tenth > told[1]:
            told = (what, tenth)
            print(f"{what}: {10 * tenth} %", file=sys.stderr, flush=True)

    return report
