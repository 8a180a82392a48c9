"""The search page: any word is enough, titles come first, other names lead to terms; it quotes sentences."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Look

SENTENCE = re.compile(r"^[\"“(]?[A-Z0-9a-z].*[.!?:)”\"]$", re.DOTALL)


def search(look: Look, book: str, query: str, *, width: int = 1280) -> Page:
    visit = look(f"{book}search.html", width=width)
    visit.page.locator(".bd-search-container input").fill(query)
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator("#search-said")).to_have_text(re.compile("matches|Nothing|not work"))
    assert not visit.errors
    return visit.page


def titles(page: Page) -> list[str]:
    return page.locator("#search-results > li > a").all_inner_texts()


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("slow start", "Slow start and the sawtooth"),
        ("slow start and sawtooth", "Slow start and the sawtooth"),
        ("bbr", "BBR"),
        ("reordered packets", "Reordered and duplicated"),
        ("square root law", "The square-root law"),
        ("bufferbloat", "Full queues and AQM"),
    ],
)
def test_a_page_whose_title_is_asked_for_comes_first(look: Look, book: str, query: str, title: str) -> None:
    assert title.casefold() in titles(search(look, book, query))[0].casefold()


@pytest.mark.parametrize(
    ("query", "also"),
    [
        ("why is my wifi slow", None),
        ("slow wifi", "bufferbloat"),
        ("lag", "queueing delay"),
        ("bufferbloat", None),
        ("speed test", "goodput"),
        ("latency when somebody uploads", "round-trip time"),
    ],
)
def test_a_reader_who_does_not_know_the_terms_finds_pages(
    look: Look, book: str, query: str, also: str | None
) -> None:
    page = search(look, book, query)
    assert len(titles(page)) >= 5
    assert any(re.match(r"\d", title) for title in titles(page)[:3]), "a chapter is among the first"
    if also:
        expect(page.locator("#search-said")).to_contain_text(also)


def test_excerpts_are_sentences_with_the_words_in_bold(look: Look, book: str) -> None:
    page = search(look, book, "bufferbloat")
    excerpts = page.locator("#search-results p.context").all_inner_texts()
    assert len(excerpts) > 5
    assert not [text for text in excerpts if not SENTENCE.match(text) or "After this chapter" in text]
    assert page.locator("#search-results mark").count() >= len(excerpts) / 2


def test_a_result_leads_to_the_section_that_it_quotes(look: Look, book: str) -> None:
    page = search(look, book, "retransmission timeout backoff")
    link = page.locator("#search-results .lp-where a").first
    heading = link.inner_text()
    link.click()
    page.wait_for_url("**#*")
    target = page.locator(f"[id='{page.url.partition('#')[2]}']").first
    expect(target).to_be_in_viewport()
    expect(target).to_contain_text(re.sub(r"^[\d.b]+ ", "", heading))


def test_nothing_found_is_said(look: Look, book: str) -> None:
    page = search(look, book, "xylophonquartz")
    expect(page.locator("#search-said")).to_have_text("Nothing found for “xylophonquartz”.")


@pytest.mark.parametrize("width", [390, 1280])
def test_the_icon_is_off_the_letters(look: Look, book: str, width: int) -> None:
    page = search(look, book, "bufferbloat", width=width)
    field, icon = page.locator(".bd-search-container input"), page.locator(".bd-search-container form i")
    text_from = field.evaluate(
        "one => one.getBoundingClientRect().left + parseFloat(getComputedStyle(one).paddingLeft)"
    )
    box = icon.bounding_box()
    assert box
    assert box["x"] + box["width"] <= text_from


def test_a_page_that_nobody_searches_from_fetches_no_index(look: Look, book: str) -> None:
    visit = look(f"{book}chapters/03-slow-start-and-the-sawtooth.html").drawn()
    assert not [url for url in visit.requests if "search" in url]
