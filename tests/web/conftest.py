"""The kernel that pages carry, and tabs that open a site."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from labkit.errors import SetupError
from labkit.execute.wasm.linked import Linked, linked


@pytest.fixture(scope="session")
def kernel() -> Linked:
    """The one that the site carries."""
    try:
        return linked()
    except SetupError as none:
        pytest.skip(f"no kernel in WebAssembly: {none}")


@dataclass
class Tab:
    """A tab of a browser that has opened the site. said: faults on its console."""

    page: Page
    context: BrowserContext
    said: list[str] = field(default_factory=list)


Visit = Callable[..., Tab]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """visit(address, context=...): a tab, in a profile of its own unless one is given."""
    with ExitStack() as contexts:

        def opened(address: str, *, context: BrowserContext | None = None, wait: bool = True) -> Tab:
            if context is None:
                context = browser.new_context()
                contexts.callback(context.close)
            tab = Tab(context.new_page(), context)
            tab.page.on("pageerror", lambda error: tab.said.append(str(error)))
            tab.page.on("console", lambda line: tab.said.append(line.text) if line.type == "error" else None)
            tab.page.goto(address)
            if wait:
                tab.page.wait_for_selector("html[data-loaded]", state="attached")
            return tab

        yield opened
