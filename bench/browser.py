"""A built site served on this machine, and a Chromium that looks at it; the tests of the site use it too.

Debian's Chromium, driven by playwright.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


class NoBrowserError(RuntimeError):
    """No Chromium on this machine."""


def executable() -> str:
    """Where Chromium is. Raises NoBrowserError."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    raise NoBrowserError(f"none of {', '.join(NAMES)} is installed (Debian: apt-get install chromium)")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser without a profile."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable())
        yield browser
        browser.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The folder over HTTP on a free port of the loopback interface; its address, with a slash at the end."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()
