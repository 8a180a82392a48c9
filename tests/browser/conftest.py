"""The real book and the small one, each built once and served, and a browser that notes all that happens.

The browser itself: tests/conftest.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from bench.browser import METERED, all_drawn, served
from tests import site
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
        all_drawn(self.page)
        return self


Look = Callable[..., Visit]
CLEAR = "() => { localStorage.clear(); sessionStorage.clear(); }"


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Iterator[Callable[[bool], BrowserContext]]:
    """A profile for all visits, with scripts or without: scripts that many pages share are compiled once."""
    with ExitStack() as contexts:

        @cache
        def profile(scripts: bool) -> BrowserContext:
            context = browser.new_context(
                java_script_enabled=scripts,
                service_workers="block",  # it would keep the whole book: tests/web/lab has it kept
            )
            contexts.callback(context.close)
            context.add_init_script(METERED)  # what is fetched ahead elsewhere: test_downloads.py
            return context

        yield profile


@pytest.fixture
def look(profiles: Callable[[bool], BrowserContext]) -> Iterator[Look]:
    """look(address, width=..., dark=..., scripts=...): a visit that counts from the first request. What a
    page remembers is not left to the next test."""
    pages = []

    def visit(address: str, *, width: int = 1280, dark: bool = False, scripts: bool = True) -> Visit:
        visit = Visit(profiles(scripts).new_page())
        pages.append(visit.page)
        visit.page.set_viewport_size({"width": width, "height": 900})
        visit.page.emulate_media(color_scheme="dark" if dark else "light")
        visit.page.on("request", lambda request: visit.requests.append(request.url))
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on(
            "console", lambda said: visit.errors.append(said.text) if said.type == "error" else None
        )
        visit.page.goto(address)
        return visit

    yield visit
    for page in pages:
        if page.url.startswith("http"):
            page.evaluate(CLEAR)
        page.close()


@pytest.fixture
def changed(page: str, skip_unless_changed: Callable[[str], None]) -> None:
    """`make test` visits a page that is not as it was when it last passed, and a quarter of the others."""
    skip_unless_changed(page)


@pytest.fixture(scope="session")
def book(read_book: str) -> str:
    """The real book's address; what breaks its policy is an error on the console."""
    return read_book


@pytest.fixture(scope="session")
def small_folder(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where the small book's pages lie, and what was said while it was built."""
    folder = site.once(tmp_path_factory, "small", pages.made)
    return folder / "_build/html", (folder / pages.SAID).read_text()


@pytest.fixture(scope="session")
def small_book(small_folder: tuple[Path, str]) -> Iterator[tuple[str, str]]:
    """The small book's address, and what was said while it was built."""
    folder, said = small_folder
    with served(folder) as address:
        yield address, said
