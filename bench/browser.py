"""A built site served on this machine, and a Chromium that looks at it; the tests of the site use it too.

Debian's Chromium, driven by playwright.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

METERED = "Object.defineProperty(Navigator.prototype, 'connection', {get: () => ({saveData: true})})"
"""For a context or a page: a connection on which nothing is fetched ahead."""
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


def all_drawn(page: Page) -> None:
    """Wait until every figure is drawn, or has said why not, as after a reader's first move."""
    page.evaluate("dispatchEvent(new Event('scroll'))")
    page.wait_for_function("() => !document.querySelector('figure.lp-figure:not([data-state])')")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, says nothing of it, and sends `headers_sent` with each answer."""

    headers_sent: Mapping[str, str] = {}

    def end_headers(self) -> None:
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    """Takes all the connections that a page opens at once: five wait at most in the library's own, and a SYN
    that finds no place is sent again after seconds."""

    request_queue_size = 128


@contextlib.contextmanager
def served(
    folder: Path, *, headers: Mapping[str, str] | None = None, handler: type[Quiet] = Quiet
) -> Iterator[str]:
    """The folder over HTTP on a free port of the loopback interface; its address, with a slash at the end.

    headers: sent with each answer; handler: what answers."""
    answering = type("Answering", (handler,), {"headers_sent": headers or {}})
    make = functools.partial(answering, directory=str(folder))
    with Server(("127.0.0.1", 0), make) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()
