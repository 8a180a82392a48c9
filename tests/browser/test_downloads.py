"""What a page fetches that nobody asked for, and the button that has the whole book kept."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from bench.browser import served
from tests import site
from tests.web.lab.lab_site import Counting, fresh

CHAPTER = "chapters/05-following-one-packet"
MOST = 1_000_000
"""Bytes of a first visit, compressed as servers do it."""
WAIT_MS = 5_000
KERNEL = re.compile(r"/_static/lab/machine/")
NETWORK = "Object.defineProperty(Navigator.prototype, 'connection', {get: () => (%s)})"
KEPT = """async () => {
  let addresses = 0;
  for (const name of await caches.keys()) addresses += (await (await caches.open(name)).keys()).length;
  return addresses;
}"""
FREE = {"saveData": False, "effectiveType": "4g"}


class Noting(Counting):
    """Knows what was asked for."""

    paths: ClassVar[set[str]]

    def do_GET(self) -> None:  # noqa: N802
        self.paths.add(self.path.partition("?")[0].lstrip("/"))
        super().do_GET()


Opened = Callable[..., BrowserContext]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """A profile of its own, whose browser says this of the connection."""
    contexts = []

    def open_(**connection: object) -> BrowserContext:
        context = browser.new_context()
        context.add_init_script(NETWORK % json.dumps(FREE | connection))
        contexts.append(context)
        return context

    yield open_
    for context in contexts:
        context.close()


def kernels(context: BrowserContext) -> list[str]:
    """Addresses of kernels, as they are asked for."""
    seen: list[str] = []
    context.on("request", lambda request: seen.append(request.url) if KERNEL.search(request.url) else None)
    return seen


@pytest.mark.parametrize("page", ["index", CHAPTER])
def test_a_first_visit_fetches_less_than_a_megabyte(
    opened: Opened, tmp_path_factory: pytest.TempPathFactory, page: str
) -> None:
    """Also what the service worker fetches: the server counts."""
    folder, handler = site.book(tmp_path_factory), fresh(Noting, paths=set())
    with served(folder, headers=site.policy(), handler=handler) as address:
        tab = opened().new_page()
        tab.goto(f"{address}{page}.html")
        tab.wait_for_load_state("networkidle")
        tab.wait_for_timeout(WAIT_MS)
    files = [folder / path for path in handler.paths if (folder / path).is_file()]
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 6)) for path in files}
    assert len(sizes) > 10
    assert sum(sizes.values()) < MOST, sorted(sizes.items(), key=lambda one: -one[1])[:8]


@pytest.mark.parametrize(
    ("connection", "fetches"),
    [
        ({}, True),
        ({"saveData": True}, False),
        ({"type": "cellular"}, False),
        ({"effectiveType": "3g"}, False),
    ],
    ids=["free", "asked to save data", "mobile", "slow"],
)
def test_the_kernel_is_fetched_ahead_for_a_figure_that_a_reader_has_reached(
    opened: Opened, book: str, connection: dict[str, object], fetches: bool
) -> None:
    context = opened(**connection)
    seen = kernels(context)
    page = context.new_page()
    page.goto(f"{book}{CHAPTER}.html")
    page.wait_for_load_state("networkidle")
    figure = page.locator("figure.lp-figure[data-lp=explorer]").first
    figure.scroll_into_view_if_needed()
    figure.get_by_role("button", name="Run it here").wait_for()
    assert not seen, "it is only seen"
    if fetches:
        with context.expect_event("response", lambda answer: bool(KERNEL.search(answer.url))):
            figure.hover()
    else:
        figure.hover()
        page.wait_for_timeout(WAIT_MS)
        assert not seen


def offline_button(page: Page) -> tuple[str, int]:
    """What it says, and how many MB."""
    button = page.locator(".lp-offline button")
    expect(button).to_be_visible()
    said = button.inner_text()
    found = re.search(r"\((\d+) MB\)", said)
    assert found, said
    return said, int(found[1])


def test_the_whole_book_is_kept_when_a_reader_asks_and_is_as_large_as_the_button_says(
    opened: Opened, book: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    context = opened()
    page = context.new_page()
    page.goto(f"{book}index.html")
    _, size = offline_button(page)
    expected = site.extension("offline").megabytes(site.book(tmp_path_factory))
    assert size == expected
    page.wait_for_timeout(WAIT_MS)
    assert page.evaluate(KEPT) < 50, "what has been read, and no more"
    page.locator(".lp-offline button").click()
    expect(page.locator(".lp-offline [role=status]")).to_contain_text("of")
    expect(page.locator(".lp-offline [role=status]")).to_have_text(
        "The whole book is on this device.", timeout=120_000
    )
    listing = json.loads((Path(site.book(tmp_path_factory)) / "offline.json").read_text())
    assert page.evaluate(KEPT) > 0.9 * len(listing)
    page.reload()
    expect(page.locator(".lp-offline button")).to_have_text("Remove it from this device")
    context.set_offline(True)
    page.goto(f"{book}book/glossary.html")
    expect(page.locator("article h1")).to_contain_text("Glossary")
    context.set_offline(False)
    page.locator(".lp-offline button").click()
    expect(page.locator(".lp-offline button")).to_contain_text("Keep the whole book")
    assert page.evaluate(KEPT) < 50
