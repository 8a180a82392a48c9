"""A site that has the laboratory and no book, three lab programs, and what the place "tab" makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from labkit import DropPackets, Experiment, Flow, dumbbell, run
from labkit.compile.compiler import compile_experiment
from labkit.errors import SetupError
from labkit.execute.tab.pieces import Pieces, pieces
from tests import built_site, site
from tests.live.lab_site import lay
from tests.tab.experiments import EXPERIMENTS

SHORT = Experiment(
    dumbbell(rate="10mbit", delay="10ms", queue="100p", loss=DropPackets((5,))),
    flows=[Flow("left", "right", size="100kB", cc="reno")],
)
PROGRAMS = {
    "short": SHORT,
    "these": EXPERIMENTS["these packets"],
    "long": EXPERIMENTS["CUBIC, 1 % loss, all probes"],
}
"""Of 0.3, 3 and 5 s of virtual time."""


@pytest.fixture(scope="session")
def tab() -> Pieces:
    """The tab's machine as `make tab` makes it."""
    try:
        return pieces()
    except SetupError as none:
        pytest.skip(f"no machine of a browser tab: {none}")


@pytest.fixture(scope="session")
def lab_folder(tab: Pieces, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's folder."""
    folder = tmp_path_factory.mktemp("lab")
    lay(folder, {name: compile_experiment(experiment).program for name, experiment in PROGRAMS.items()})
    return folder


@pytest.fixture(scope="session")
def shared_by_pages(shared_by_pages: str, read_book: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What runs experiments in a page is among it here."""
    return shared_by_pages + built_site.laboratory(site.book(tmp_path_factory))


@pytest.fixture(scope="session")
def digests(tab: Pieces) -> dict[str, str]:
    """SHA-256 of `raw` by program, as the place "tab" has it: the same machine, in node."""
    return {name: run(exp, place="tab", cache=False).digest() for name, exp in PROGRAMS.items()}


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """A reader's: what is fetched and compiled for one widget is there for the next."""
    with browser.new_context(accept_downloads=True) as context:
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
