"""What a reader does on the bench's page, and sees there."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, expect

RUN_MS = 120_000


def start(page: Page) -> None:
    page.get_by_role("button", name="Run it here").click()


def drawn(page: Page, runs: int = 1) -> None:
    """Wait until four figures show so many runs."""
    expect(page.locator(f".lp-four [data-drawn='{runs}']")).to_have_count(4, timeout=RUN_MS)


def preset(page: Page, title: str) -> None:
    """It runs at once."""
    page.get_by_role("button", name=title, exact=True).click()
    drawn(page)


def json_of(page: Page) -> dict[str, Any]:
    """The experiment as the page says it is."""
    fold = page.locator("details", has=page.get_by_text("As JSON", exact=True))
    if not fold.evaluate("one => one.open"):
        fold.locator("summary").click()
    text = page.get_by_label("The experiment", exact=True)
    expect(text).not_to_have_value("")
    found: dict[str, Any] = json.loads(text.input_value())
    return found


def flows_shown(page: Page) -> list[dict[str, str]]:
    table = page.locator("table", has=page.locator("caption", has_text="flows"))
    table.wait_for(state="attached")  # a fold fills itself after it is open
    heads = table.locator("thead th").all_text_contents()
    rows = [row.locator("td").all_text_contents() for row in table.locator("tbody tr").all()]
    return [dict(zip(heads, row, strict=True)) for row in rows]
