"""The bench's page, built once, and a browser that notes what goes wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from labkit.errors import SetupError
from labkit.execute.wasm.linked import linked
from tests.web.bench.bench_site import bench_site
from tests.web.bench.native_compile import stand_in


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        linked()
    except SetupError as none:
        pytest.skip(str(none))
    with bench_site(tmp_path_factory.mktemp("bench")) as page:
        yield page


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """visit(fragment, width=..., dark=...): the page; it has logged no error when the test is over. compiler:
    labkit compiles in the page, too."""
    contexts, errors = [], []

    def opened(fragment: str = "", *, width: int = 1280, dark: bool = False, compiler: bool = False) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            accept_downloads=True,
        )
        contexts.append(context)
        if not compiler:
            stand_in(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(address + fragment)
        page.wait_for_selector("#lp-bench fieldset", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
