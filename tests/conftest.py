"""For every test: the same examples each time, the longest first, and which processor does which."""

from __future__ import annotations

import asyncio.events
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests import choosing, fuzz, times

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from xdist.scheduler import LoadScopeScheduling


PATIENCE_MS = 30_000
"""How long a page is given to look as it should: only a fault takes it all."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One for a whole process: Playwright leaves its event loop running, and refuses to start beside it.
    Skipped where no Chromium is; `make test` installs Debian's."""
    from playwright.sync_api import expect

    from bench.browser import NoBrowserError, chromium, executable

    try:
        executable()
    except NoBrowserError as none:
        pytest.skip(str(none))
    expect.set_options(timeout=PATIENCE_MS)
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def read_book(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The real book's address: built once for all workers, as `make book` does it; served with its policy."""
    from bench.browser import served
    from tests import site

    with served(site.book(tmp_path_factory), headers=site.policy()) as address:
        yield address


@pytest.fixture(scope="session")
def shared_by_pages(read_book: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A digest of what the pages of the real book share: scripts, styles, fonts."""
    from tests import built_site, site

    return built_site.shared(site.book(tmp_path_factory))


@pytest.fixture
def skip_unless_changed(
    request: pytest.FixtureRequest,
    shared_by_pages: str,
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], None]:
    """skip_unless_changed("chapters/01-name"): of a test that looks at this page (tests/choosing.py)."""
    from tests import built_site, site

    def skip(page: str) -> None:
        own = built_site.own(site.book(tmp_path_factory), page)
        plugin = request.config.pluginmanager.get_plugin("choosing")
        plugin.skip_unless_changed(request.node, f"{own} {shared_by_pages} {browser.version}")

    return skip


@pytest.fixture(autouse=True)
def no_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Playwright leaves its event loop marked as running in this thread, between its calls, too. Whoever has
    no page may run a loop of their own."""
    running = asyncio.events._get_running_loop()
    if running is None or "browser" in request.fixturenames:
        yield
        return
    asyncio.events._set_running_loop(None)
    yield
    asyncio.events._set_running_loop(running)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--keep-times", action="store_true", help=f"write what took how long to {times.FILE.name}"
    )
    choosing.pytest_addoption(parser)


class Failures:
    """A pytest plugin: names a failure as soon as it is known, since the whole takes most of an hour."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            terminal = self.config.pluginmanager.get_plugin("terminalreporter")
            terminal.ensure_newline()
            terminal.write_line(f" failed: {report.nodeid} ({report.when})", red=True)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    fuzz.configure(config)
    config.pluginmanager.register(choosing.Choosing(config), "choosing")
    config.pluginmanager.register(times.Times(config), "times")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config), "failures")


def pytest_report_header() -> list[str]:
    return fuzz.header()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What became of the nasty experiments, for whoever has given `make fuzz` an hour."""
    ended = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    reports = (report for report in ended if isinstance(report, pytest.TestReport) and report.when == "call")
    if found := fuzz.ends(reports):
        terminalreporter.write_line(
            f"{fuzz.ENDS}: {', '.join(f'{end} {n}' for end, n in found.most_common())}"
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Groups of tests in the order in which they were collected, each on one worker."""
    from xdist.scheduler import LoadScopeScheduling

    class InOrder(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return times.group_of(nodeid)

    config.option.loadscopereorder = False
    return InOrder(config, log)
