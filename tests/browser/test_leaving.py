"""A page can be taken along: its menus hand out its files, and say where they run and what of them."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Look

CHAPTER = "chapters/03-slow-start-and-the-sawtooth"
OPEN = ".dropdown-{menu} button"
LINKS = ".dropdown-{menu} .dropdown-menu a"


def entries(page: Page, menu: str) -> dict[str, str]:
    """What an open menu shows: text -> address."""
    page.locator(OPEN.format(menu=menu)).click()
    links = page.locator(LINKS.format(menu=menu))
    expect(links.first).to_be_visible()
    return {link.inner_text().strip(): link.get_attribute("href") or "" for link in links.all()}


@pytest.mark.parametrize("width", [390, 1440])
def test_a_chapter_hands_out_its_notebook_and_its_text(look: Look, book: str, width: int) -> None:
    page = look(f"{book}{CHAPTER}.html", width=width).page
    found = entries(page, "download-buttons")
    assert list(found) == ["Notebook (.ipynb)", "Text and code (.md)"]
    with page.expect_download() as waiting:
        page.locator(LINKS.format(menu="download-buttons")).first.click()
    assert waiting.value.suggested_filename == "03-slow-start-and-the-sawtooth.ipynb"
    cells = json.loads(waiting.value.path().read_text())["cells"]
    assert any(cell["metadata"].get("jupyter", {}).get("source_hidden") for cell in cells)
    assert any(cell.get("outputs") for cell in cells)
    answer = page.request.get(f"{book}chapters/{found['Text and code (.md)']}")
    assert answer.text().startswith("---\njupytext:")


def test_every_other_page_hands_out_its_text(look: Look, book: str) -> None:
    page = look(f"{book}book/glossary.html").page
    found = entries(page, "download-buttons")
    assert list(found) == ["Text and code (.md)"]
    assert page.request.get(f"{book}book/{found['Text and code (.md)']}").text().startswith("# Glossary")


@pytest.mark.parametrize("width", [360, 1440])
def test_the_rocket_says_what_runs_where(look: Look, book: str, width: int) -> None:
    page = look(f"{book}{CHAPTER}.html", width=width).page
    found = entries(page, "launch-buttons")
    assert found["Own Jupyter: all cells"] == "../book/install.html"
    menu = page.locator(".dropdown-launch-buttons .dropdown-menu").bounding_box()
    assert menu
    assert menu["x"] >= 0
    assert menu["x"] + menu["width"] <= width + 1
    live = found["In this tab: the live figures"]
    page.locator(LINKS.format(menu="launch-buttons")).first.click()
    expect(page.locator(live)).to_be_in_viewport()
    expect(page.locator(live).get_by_role("button", name="Run it here")).to_have_count(1)


def test_what_cannot_run_in_the_page_says_where_it_can(look: Look, book: str) -> None:
    page = look(f"{book}chapters/33-diagnosing-a-sick-network.html").page
    said = page.get_by_text("It is not run here: ")
    expect(said).to_have_count(1)
    expect(said).to_contain_text(
        "was recorded in twenty runs. To run it yourself, open this chapter by the rocket"
    )
    assert "Own Jupyter: all cells" in entries(page, "launch-buttons")
