"""The laboratory's pieces on their way: damaged, missing, cut off, kept, out of date, without help."""

from __future__ import annotations

from pathlib import Path

from bench.browser import served
from tests.site import policy
from tests.web.conftest import Visit
from tests.web.lab.lab_site import Below, Breaking, Counting, Damaging, Missing, fresh

FETCHED = range(1_000_000, 2_500_000)  # bytes of the kernel


def test_what_is_fetched_is_told_and_then_kept(visit: Visit, lab_folder: Path) -> None:
    handler = fresh(Counting)
    with served(lab_folder, handler=handler) as address:
        tab = visit(address)
        first = tab.page.evaluate("ask('open')")
        amounts, totals = zip(*first["fetched"], strict=True)
        assert list(amounts) == sorted(amounts)
        assert amounts[-1] == totals[-1]
        assert totals[-1] in FETCHED
        assert handler.asked["plain"] == 1
        assert tab.page.evaluate("ask('kept')").keys() == {"plain"}
        again = visit(address, context=tab.context).page.evaluate("ask('open')")
        assert again["kernel"] == first["kernel"]
        assert handler.asked["plain"] == 1, "the second visit has it already"


def test_a_piece_that_arrives_damaged_is_fetched_anew(
    visit: Visit, lab_folder: Path, digests: dict[str, str]
) -> None:
    handler = fresh(Damaging, times=1)
    with served(lab_folder, handler=handler) as address:
        page = visit(address).page
        assert page.evaluate("ask('digests', 'short')") == [digests["short"]]
        assert handler.asked["plain"] == 2


def test_one_that_is_damaged_twice_is_refused_by_name(visit: Visit, lab_folder: Path) -> None:
    handler = fresh(Damaging, times=99)
    with served(lab_folder, handler=handler) as address:
        page = visit(address).page
        found = page.evaluate("ask('open')")
        assert found["kind"] == "damaged"
        assert "machine/plain-" in found["message"]
        assert handler.asked["plain"] == 2
        assert "plain" not in page.evaluate("ask('kept')")


def test_a_copy_that_was_damaged_where_it_is_kept_is_fetched_anew(
    visit: Visit, lab_folder: Path, digests: dict[str, str]
) -> None:
    handler = fresh(Counting)
    with served(lab_folder, handler=handler, headers={"Cache-Control": "no-store"}) as address:
        tab = visit(address)
        tab.page.evaluate("ask('open')")
        tab.page.evaluate("ask('kept', 'damage')")
        later = visit(address, context=tab.context).page
        assert later.evaluate("ask('digests', 'short')") == [digests["short"]]
        assert handler.asked["plain"] == 2


def test_what_the_site_does_not_have_any_more_is_forgotten(visit: Visit, lab_folder: Path) -> None:
    with served(lab_folder) as address:
        tab = visit(address)
        tab.page.evaluate("ask('open')")
        tab.page.evaluate("ask('kept', 'older')")
        assert "older" in tab.page.evaluate("ask('kept')")
        later = visit(address, context=tab.context).page
        later.evaluate("ask('open')")
        gone = (
            "async () => { while ('older' in await ask('kept')) await new Promise((go) => setTimeout(go)); }"
        )
        later.evaluate(gone)


def test_a_piece_that_is_missing_or_cut_off_is_an_error_and_can_be_tried_again(
    visit: Visit, lab_folder: Path
) -> None:
    for handler, words in ((Missing, "answers 404"), (Breaking, "")):
        with served(lab_folder, handler=fresh(handler)) as address:
            page = visit(address).page
            for _ in range(2):
                found = page.evaluate("ask('open')")
                assert found["kind"] in ("fetch", "damaged"), found
                assert words in found["message"]


def test_it_works_below_a_path_under_the_policy(
    visit: Visit, lab_folder: Path, digests: dict[str, str]
) -> None:
    with served(lab_folder, handler=fresh(Below), headers=policy()) as address:
        tab = visit(f"{address}{Below.PLACE[1:]}/")
        assert tab.page.evaluate("ask('digests', 'short')") == [digests["short"]]
        assert not tab.said


def test_over_plain_http_digests_are_computed_and_nothing_is_kept(
    browser, lab_folder: Path, digests: dict[str, str]
) -> None:
    """Such pages have neither crypto.subtle nor the Cache API. The name stands for this machine."""
    with served(lab_folder) as address:
        context = browser.new_context()
        there = "http://book.test/"
        context.route(
            f"{there}**",
            lambda route: route.fulfill(response=route.fetch(url=route.request.url.replace(there, address))),
        )
        page = context.new_page()
        page.goto(there)
        page.wait_for_selector("html[data-loaded]", state="attached")
        assert page.evaluate("[isSecureContext, typeof crypto.subtle, typeof caches]") == [
            False,
            "undefined",
            "undefined",
        ]
        assert page.evaluate("ask('digests', 'short')") == [digests["short"]]
        context.close()
