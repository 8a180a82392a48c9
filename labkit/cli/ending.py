"""How something long ends when somebody ends it: it takes what it has begun with it."""

from __future__ import annotations

import os
import select
import signal
import threading
from types import FrameType
from typing import NoReturn


def end_cleanly(beside: int | None = None) -> None:
    """From now on SIGTERM and a closed terminal unwind this process as Ctrl-C does, so that it removes what
    is half done. So does the end of the process `beside`. Raises ProcessLookupError if that has ended."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            signal.signal(number, _leave)
    if beside is not None:
        other = os.pidfd_open(beside)
        threading.Thread(target=_end_with, args=(other,), daemon=True).start()


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _end_with(other: int) -> None:
    select.select([other], [], [])
    os.kill(os.getpid(), signal.SIGTERM)
