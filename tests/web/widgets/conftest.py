"""A reader's browser, in which the widgets of the real book are run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests import built_site, site


@pytest.fixture(scope="session")
def shared_by_pages(shared_by_pages: str, read_book: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What runs experiments in a page is among it here."""
    return shared_by_pages + built_site.laboratory(site.book(tmp_path_factory))


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """A reader's: what is fetched and compiled for one widget is there for the next."""
    with browser.new_context(accept_downloads=True) as context:
        yield context


SLOW = """let seconds = 0;
addEventListener("message", () => setInterval(() => postMessage({ seconds: ++seconds }), 100));
"""


@pytest.fixture
def slow(browser: Browser) -> Iterator[BrowserContext]:
    """A reader's browser in which a run goes on and on: its machine only tells the time. Without the site's
    service worker, which would ask for the script itself, past the route to it."""
    with browser.new_context(service_workers="block") as context:
        context.route(
            "**/web/lab/worker.mjs",
            lambda route: route.fulfill(body=SLOW, content_type="text/javascript"),
        )
        yield context
