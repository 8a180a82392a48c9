"""Old addresses of chapters lead to where these are now, to the heading that was asked for as well."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from playwright.sync_api import expect

from tests.browser.book_pages import PAGES
from tests.browser.conftest import Look

ROOT = Path(__file__).parents[2]
MOVED = yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]["config"]["redirects"]


def test_every_old_address_leads_to_a_page_of_the_book() -> None:
    assert {Path(old).parent / Path(new).stem for old, new in MOVED.items()} <= set(map(Path, PAGES))
    assert not MOVED.keys() & set(PAGES), "a page would be written over"


@pytest.mark.parametrize("old", ["chapters/07-slow-start-and-the-sawtooth", "chapters/13b-bbr"])
def test_an_old_address_keeps_its_heading(look: Look, book: str, old: str) -> None:
    page = look(f"{book}{old}.html#summary").page
    page.wait_for_url(f"**/chapters/{MOVED[old]}#summary")
    expect(page.locator("#summary")).to_be_visible()


def test_an_old_address_leads_on_without_scripts(look: Look, book: str) -> None:
    page = look(f"{book}chapters/13b-bbr.html", scripts=False).page
    page.wait_for_url("**/chapters/19-bbr.html")
