"""The laboratory of a page: the bytes of the place "wasm", cancelled at once, within limits, for 50 runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bench.browser import served
from bench.lab_page import own_memory
from tests.site import policy
from tests.web.conftest import Visit
from tests.web.lab.lab_site import Counting, WithoutStacks, fresh

MB = 1 << 20


@pytest.fixture(scope="module")
def address(lab_folder: Path) -> Iterator[str]:
    with served(lab_folder, headers=policy()) as found:
        yield found


@pytest.mark.parametrize(
    ("serving", "form", "other"), [(Counting, "plain", "lab"), (WithoutStacks, "lab", "plain")]
)
def test_runs_give_the_bytes_of_the_place_with_and_without_stacks_of_the_browser(
    visit: Visit, lab_folder: Path, digests: dict[str, str], serving: type[Counting], form: str, other: str
) -> None:
    names = ["these", "long", "these", "short", "long"]
    handler = fresh(serving)
    with served(lab_folder, headers=policy(), handler=handler) as address:
        tab = visit(address)
        found = tab.page.evaluate("names => ask('digests', ...names)", names)
    assert found == [digests[name] for name in names]
    assert not tab.said, "under the site's policy"
    assert (handler.asked[form], handler.asked[other]) == (1, 0), "it fetches what it takes"


def test_a_run_tells_its_virtual_time_and_its_own(visit: Visit, address: str) -> None:
    found = visit(address).page.evaluate("ask('run', 'these')")
    assert found["reason"] == "end"
    assert found["wall_s"] > 0
    assert found["times"] == [1, 2, 3], "each second of the network's time"


def test_cancelled_it_is_over_at_once_and_the_next_run_is_right(
    visit: Visit, address: str, digests: dict[str, str]
) -> None:
    """Other processes may have the processor for a while, so it is the best of three."""
    page = visit(address).page
    found = [page.evaluate("ask('cancel', 'hours', 300)") for _ in range(3)]
    assert {one["error"]["kind"] for one in found} == {"cancelled"}
    assert {one["digest"] for one in found} == {digests["short"]}
    assert min(one["ended_ms"] for one in found) < 20
    waited_ms = min(one["next_ms"] - 1000 * one["next_s"] for one in found)
    assert waited_ms < 200, "the next machine waits already"


def test_two_at_once_are_two_machines(visit: Visit, address: str, digests: dict[str, str]) -> None:
    found = visit(address).page.evaluate("ask('together', 'these', 'short', 'these')")
    assert found == [digests[name] for name in ("these", "short", "these")]


def test_a_run_ends_at_its_limits_and_the_next_one_does_not(visit: Visit, address: str) -> None:
    page = visit(address).page
    late = page.evaluate("ask('run', 'hours', {wallLimit_s: 0.2})")
    assert (late["kind"], late["message"]) == ("limit", "The run was not done within 0.2 s.")
    large = page.evaluate("ask('run', 'long', {byteLimit: 1e6})")
    assert large["kind"] == "limit"
    assert "more than 1 MB" in large["message"]
    assert page.evaluate("ask('run', 'long')")["reason"] == "end"


def test_memory_that_the_browser_does_not_give_is_said_in_words(visit: Visit, address: str) -> None:
    """As a phone may refuse less: 4 GiB, and one more, are what WebAssembly's addresses reach."""
    page = visit(address).page
    found = page.evaluate("ask('memory', 4097)")
    assert found["kind"] == "limit"
    assert "does not give the laboratory the 4097 MiB of memory that this run takes" in found["message"]
    assert page.evaluate("ask('run', 'short')")["reason"] == "end"


def test_closed_it_is_cancelled_and_another_can_be_opened(
    visit: Visit, address: str, digests: dict[str, str]
) -> None:
    found = visit(address).page.evaluate("ask('close')")
    assert found["cut"]["kind"] == found["late"]["kind"] == "cancelled"
    assert found["another"]
    assert found["digest"] == digests["short"]


HIDE = """() => {
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_page_that_nobody_looks_at_keeps_no_machine(
    visit: Visit, address: str, digests: dict[str, str]
) -> None:
    page = visit(address).page
    for _ in range(2):
        assert page.evaluate("ask('digests', 'short', 'short')") == [digests["short"]] * 2
        assert len(page.workers) == 1, "both runs in one"
        page.evaluate(HIDE)
        page.wait_for_timeout(500)
        assert not page.workers


def test_the_page_answers_while_a_laboratory_is_opened_and_runs(visit: Visit, address: str) -> None:
    """Inflating, digesting, compiling and running are nearly all of it, and not the page's own work. Other
    processes may have the processor for a while, so it is a share, and the best of three."""
    found = [visit(address).page.evaluate("ask('pause', 'these')") for _ in range(3)]
    assert min(one["longest_ms"] / one["took_ms"] for one in found) < 0.15


def test_two_tabs_at_once(visit: Visit, address: str, digests: dict[str, str]) -> None:
    one = visit(address)
    other = visit(address, context=one.context)
    start = "name => { window.found = ask('digests', name); }"
    one.page.evaluate(start, "these")
    other.page.evaluate(start, "these")
    assert [tab.page.evaluate("found") for tab in (one, other)] == [[digests["these"]]] * 2


GARBAGE = 48 * MB
"""What nobody has collected yet: a run's `raw`, code, inflated bytes. A machine that were kept is 20 MB."""


def settled(memory: Callable[[], int], below: int, patience_s: float = 15) -> int:
    """Once it is below that, or after so long: what is not used is given back by and by."""
    end = time.monotonic() + patience_s
    while (now := memory()) > below and time.monotonic() < end:
        time.sleep(0.5)
    return now


@pytest.mark.slow
@pytest.mark.skipif(not os.access("/proc/self/smaps_rollup", os.R_OK), reason="no /proc/PID/smaps_rollup")
def test_fifty_runs_take_no_more_memory_than_five_and_closing_gives_it_back(
    browser: Browser, visit: Visit, address: str
) -> None:
    own = partial(own_memory, browser)
    page = visit(address).page
    empty = own()
    page.evaluate("ask('many', 5)")
    five = own()
    page.evaluate("ask('many', 50)")
    fifty = settled(own, five + GARBAGE)
    page.evaluate("ask('shut')")
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    shut = settled(own, empty + GARBAGE)
    print(f"{empty / MB:.0f} MB, with a laboratory {five / MB:.0f}, {fifty / MB:.0f}, closed {shut / MB:.0f}")
    assert fifty < five + GARBAGE
    assert shut < empty + GARBAGE
