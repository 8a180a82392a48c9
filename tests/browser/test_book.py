"""What holds of the real book as a whole: its index, its reference, its drawing of the rooms."""

from __future__ import annotations

import importlib

import pytest

from tests.browser.conftest import Look


def test_the_index_leads_to_every_term_of_the_glossary(look: Look, book: str) -> None:
    terms = look(f"{book}book/glossary.html").page.locator("dl.glossary > dt").all()
    expected = {f"book/glossary.html#{term.get_attribute('id')}" for term in terms}
    links = look(f"{book}genindex.html").page.locator(".genindextable a[href*='glossary.html#']").all()
    assert len(expected) > 200
    assert {link.get_attribute("href") for link in links} == expected


@pytest.mark.parametrize(("page", "module"), [("api", "labkit"), ("api-figures", "labkit.charts")])
def test_every_public_name_can_be_linked_to(look: Look, book: str, page: str, module: str) -> None:
    shown = look(f"{book}book/{page}.html").page
    names = {f"{module}.{name}" for name in importlib.import_module(module).__all__} - {"labkit.charts"}
    assert not names - set(shown.evaluate("[...document.querySelectorAll('dt.sig')].map(one => one.id)"))


def test_the_arrows_of_a_room_stand_out_under_the_pointer(look: Look, book: str) -> None:
    page = look(f"{book}book/architecture.html").page
    room = page.locator(".lp-room", has_text="compile")
    arrow = room.locator("path.lp-weak").first
    opacity = "arrow => Number(getComputedStyle(arrow).opacity)"
    assert arrow.evaluate(opacity) < 0.5
    room.locator("rect").hover()
    assert arrow.evaluate(opacity) == 1
