"""The game of sick networks on the site: look, diagnose, points; by mouse, keyboard and screen reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat import v4
from playwright.sync_api import Browser, Page, expect

from bench.browser import served
from labkit.mysteries import Examination, Mystery, play
from tests.browser import pages
from tests.browser.conftest import Look, Visit
from tests.ran import recording


class Told:
    """A mystery whose answers are written here."""

    def __init__(self, seed: int, cause: str, place: str) -> None:
        self.seed, self.plan = seed, f"left --- right, network {seed}"
        self._truth = {"cause": cause, "place": place, "said": f"{cause} at {place}.", "lost": []}

    def transcripts(self) -> Examination:
        looks = [(f"m{number}", "right", f"ethtool -S eth{number}") for number in range(12)]
        return Examination(
            {("before", "left", "ping right"): f"0% packet loss {self.seed}\n"}
            | dict.fromkeys(looks, "rx_crc_errors: 7\n")
        )

    def truth(self) -> dict[str, Any]:
        return {**self._truth, "lost": [["r1", "r2", "queue full", 3]]}


@pytest.fixture(scope="module")
def game(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page with two rounds."""
    folder = tmp_path_factory.mktemp("game")
    pages.write(folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters: [{file: game}]\n")
    told = (Told(1, "bit errors", "left-r1"), Told(2, "policer", "r2"))
    with recording():
        bundle = play(*(cast(Mystery, one) for one in told), name="two")._repr_mimebundle_()
    output = v4.new_output("execute_result", bundle, execution_count=1)
    cells = [
        v4.new_markdown_cell("# Game", id="title"),
        v4.new_code_cell("play()", outputs=[output], execution_count=1, id="cell-1"),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    nbformat.write(v4.new_notebook(cells=cells, metadata=metadata), folder / "game.ipynb")
    done = pages.build(folder)
    assert done.returncode == 0, done.stderr[-4000:]
    with served(folder / "_build/html") as address:
        yield address + "game.html"


@pytest.fixture
def visit(look: Look, game: str) -> Visit:
    return look(game).drawn()


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit.page


def test_a_tool_prints_what_was_recorded(page: Page) -> None:
    figure = page.locator("#two")
    figure.get_by_label("Host").select_option("left")
    figure.get_by_role("button", name="Type it").click()
    expect(figure.get_by_role("region", name="What the tool printed")).to_contain_text("0% packet loss 1")
    figure.get_by_label("Network").select_option("1")
    figure.get_by_role("button", name="Type it").click()
    expect(figure.get_by_role("region", name="What the tool printed")).to_contain_text("0% packet loss 2")


def test_a_right_diagnosis_has_its_points_and_the_truth(page: Page) -> None:
    figure = page.locator("#two")
    figure.get_by_role("button", name="Diagnose").click()
    expect(figure).to_contain_text("Choose a cause first.")
    figure.get_by_label("Cause").select_option("bit errors")
    figure.get_by_label("Place").select_option("left-r1")
    figure.get_by_role("button", name="Diagnose").click()
    expect(figure).to_contain_text("Right: bit errors at left-r1.")
    expect(figure).to_contain_text("3 at r1 towards r2: queue full")
    expect(figure).to_contain_text("15 of 15 points here. All networks: 15 of 30 points.")
    expect(figure.get_by_role("button", name="Diagnose")).to_be_disabled()


def test_a_wrong_one_has_none_and_the_right_cause_elsewhere_some(page: Page) -> None:
    figure = page.locator("#two")
    figure.get_by_label("Cause").select_option("policer")
    figure.get_by_role("button", name="Diagnose").click()
    expect(figure).to_contain_text("No: bit errors at left-r1.")
    figure.get_by_label("Network").select_option("1")
    figure.get_by_label("Cause").select_option("policer")
    figure.get_by_label("Place").select_option("r1")
    figure.get_by_role("button", name="Diagnose").click()
    expect(figure).to_contain_text("Right, but elsewhere: policer at r2.")
    expect(figure).to_contain_text("10 of 15 points here. All networks: 10 of 30 points.")


def test_commands_beyond_ten_cost_points(page: Page) -> None:
    figure = page.locator("#two")
    figure.get_by_label("Host").select_option("right")
    for number in range(12):
        figure.get_by_label("Command").select_option(str(number + 1))
        figure.get_by_role("button", name="Type it").click()
    figure.get_by_label("Cause").select_option("bit errors")
    figure.get_by_label("Place").select_option("left-r1")
    figure.get_by_role("button", name="Diagnose").click()
    expect(figure).to_contain_text("13 of 15 points here.")


def test_the_page_does_not_show_the_answer(page: Page) -> None:
    data = page.locator("#two .lp-data").text_content() or ""
    rest = data.replace('"bit errors"', "", 1)  # among the causes to choose from
    assert "bit errors" not in rest


def test_it_fits_a_phone_and_axe_finds_nothing(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("#two").get_by_role("button", name="Type it").click()
    found = Axe().run(page, context="#two").response["violations"]
    assert not found
