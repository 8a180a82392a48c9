"""A site that has the laboratory and no book, three lab programs, and what the place "wasm" makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from labkit import DropPackets, Experiment, Flow, dumbbell, run
from labkit.errors import SetupError
from labkit.execute.wasm.linked import Linked, linked
from tests import built_site, site
from tests.wasm.experiments import EXPERIMENTS
from tests.web.lab.lab_site import lay

SHORT = Experiment(
    dumbbell(rate="10mbit", delay="10ms", queue="100p", loss=DropPackets((5,))),
    flows=[Flow("left", "right", size="100kB", cc="reno")],
)
PROGRAMS = {
    "short": SHORT,
    "these": EXPERIMENTS["these packets"],
    "long": EXPERIMENTS["CUBIC, 1 % loss, all probes"],
    "hours": Experiment(dumbbell(rate="10mbit"), flows=[Flow("left", "right", duration="20000s")], probes=[]),
}
"""Of 0.3, 3 and 5 s of virtual time; and one that goes on for minutes of any clock."""


@pytest.fixture(scope="session")
def kernel() -> Linked:
    """The one that the site carries."""
    try:
        return linked()
    except SetupError as none:
        pytest.skip(f"no kernel in WebAssembly: {none}")


@pytest.fixture(scope="session")
def lab_folder(kernel: Linked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's folder."""
    folder = tmp_path_factory.mktemp("lab")
    lay(folder, PROGRAMS)
    return folder


@pytest.fixture(scope="session")
def shared_by_pages(shared_by_pages: str, read_book: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What runs experiments in a page is among it here."""
    return shared_by_pages + built_site.laboratory(site.book(tmp_path_factory))


@pytest.fixture(scope="session")
def digests(kernel: Linked) -> dict[str, str]:
    """SHA-256 of `raw` by program, as the place "wasm" has it: the same kernel outside of a browser."""
    ended = {name: exp for name, exp in PROGRAMS.items() if name != "hours"}
    return {name: run(exp, place="wasm", cache=False).digest() for name, exp in ended.items()}


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
            "**/execute/wasm/machine/worker.mjs",
            lambda route: route.fulfill(body=SLOW, content_type="text/javascript"),
        )
        yield context


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
