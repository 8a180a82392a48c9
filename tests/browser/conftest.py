"""The real book and the small one, each built once and served, and a browser that notes all that happens.

The browser itself: tests/conftest.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from bench.browser import served
from tests.browser import pages

ROOT = Path(__file__).parents[2]


@dataclass
class Visit:
    """A page as a reader has it. requests: every address it asked for; errors: what the console says of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def drawn(self) -> Visit:
        """Wait until every figure is drawn, or has said why not."""
        self.page.wait_for_selector("figure.lp-figure:not([data-state])", state="detached")
        return self


Look = Callable[..., Visit]


@pytest.fixture
def look(browser: Browser) -> Iterator[Look]:
    """look(address, width=..., dark=..., scripts=...): a visit that counts from the first request."""
    with ExitStack() as contexts:

        def visit(address: str, *, width: int = 1280, dark: bool = False, scripts: bool = True) -> Visit:
            context = browser.new_context(
                viewport={"width": width, "height": 900},
                color_scheme="dark" if dark else "light",
                java_script_enabled=scripts,
                service_workers="block",  # each visit would keep the whole book: tests/live has it kept
            )
            contexts.callback(context.close)
            visit = Visit(context.new_page())
            visit.page.on("request", lambda request: visit.requests.append(request.url))
            visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
            visit.page.on(
                "console", lambda said: visit.errors.append(said.text) if said.type == "error" else None
            )
            visit.page.goto(address)
            return visit

        yield visit


@pytest.fixture(scope="session")
def book(read_book: str) -> str:
    """The real book's address; what breaks its policy is an error on the console."""
    return read_book


@pytest.fixture(scope="session")
def small_folder(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where the small book's pages lie, and what was said while it was built."""
    folder = tmp_path_factory.mktemp("small")
    pages.write(folder)
    done = pages.build(folder)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder / "_build/html", done.stderr


@pytest.fixture(scope="session")
def small_book(small_folder: tuple[Path, str]) -> Iterator[tuple[str, str]]:
    """The small book's address, and what was said while it was built."""
    folder, said = small_folder
    with served(folder) as address:
        yield address, said
