"""How far a long build is: a bar with the time left on a terminal, otherwise a line for every tenth."""

from __future__ import annotations

import sys
from typing import TextIO


class Reporter:
    """Shows (done, total, what) as it is told. Call `close` at the end."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._bar = None
        self._told: tuple[str, int] = ("", -1)
        if self._stream.isatty():
            from tqdm import tqdm  # half of labkit's import time, and seldom needed

            bar_format = "{desc}: {percentage:3.0f}%|{bar}| {elapsed} passed, {remaining} to go"
            self._bar = tqdm(total=1, file=self._stream, bar_format=bar_format, leave=False)

    def __call__(self, done: int, total: int, what: str) -> None:
        total = max(total, done, 1)
        if self._bar is not None:
            self._bar.total = total
            self._bar.set_description(what, refresh=False)
            self._bar.update(done - self._bar.n)
            return
        tenth = 10 * done // total
        if what != self._told[0] or tenth > self._told[1]:
            self._told = (what, tenth)
            print(f"{what}: {10 * tenth} %", file=self._stream, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
