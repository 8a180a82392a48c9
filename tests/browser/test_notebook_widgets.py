"""Explorers and predictions in JupyterLab, where the notebook's kernel is their laboratory."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from playwright.sync_api import Browser, Locator, Page, expect

PATIENCE_S = 60
CELLS = [
    """
    from labkit import *
    from labkit import charts
    def made(cc="reno", loss="0%"):
        network = dumbbell(rate="10mbit", delay="10ms", queue="50p", loss=loss)
        return Experiment(network, flows=[Flow("left", "right", cc=cc, duration="3s")])
    """,
    'explore(made, cc=["reno", "cubic"], loss=Slider("0%", "1%"), chart=charts.cwnd, name="window")',
    'predict("How much?", made(loss="5%"), "goodput", between=(0, 10), chart=charts.cwnd)',
    """
    two = [made(loss="0%"), made(loss="5%")]
    predict("How?", two, "goodput", x=[0, 5], x_title="Loss (%)", between=(0, 10))
    """,
    'predict("Which?", made(loss="5%"), lambda r: r.goodput().iloc[0], unit="Mbit/s")',
]


def notebook() -> nbformat.NotebookNode:
    cells = [
        v4.new_code_cell("\n".join(line.removeprefix("    ") for line in cell.strip("\n").splitlines()))
        for cell in CELLS
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


@pytest.fixture(scope="module")
def jupyterlab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a notebook in a JupyterLab of its own."""
    program = Path(sys.executable).with_name("jupyter-lab")
    if not program.exists():
        pytest.skip("no JupyterLab here: pip install jupyterlab")
    room = tmp_path_factory.mktemp("jupyterlab")
    nbformat.write(notebook(), room / "widgets.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"JUPYTER_CONFIG_DIR": str(room / "config"), "JUPYTERLAB_SETTINGS_DIR": str(room / "settings")}
    options = [f"--ServerApp.root_dir={room}", "--IdentityProvider.token=", f"--port={port}", "--allow-root"]
    command = [str(program), "--no-browser", "--LabApp.news_url=", *options]
    with (room / "log").open("w") as log:
        server = subprocess.Popen(command, env=os.environ | settings, stdout=log, stderr=log)
    try:
        yield answering(f"http://127.0.0.1:{port}/lab/tree/widgets.ipynb", room / "log")
    finally:
        server.terminate()
        server.wait()


def answering(address: str, log: Path) -> str:
    """This address, once something answers there."""
    for _ in range(10 * PATIENCE_S):
        try:
            urllib.request.urlopen(address).close()
        except OSError:
            time.sleep(0.1)
        else:
            return address
    raise AssertionError(log.read_text())


@pytest.fixture(scope="module")
def page(browser: Browser, jupyterlab: str) -> Iterator[Page]:
    """All its cells have been run."""
    with browser.new_page(viewport={"width": 1200, "height": 4000}) as page:
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(jupyterlab)
        page.locator("#jp-main-statusbar").get_by_text("| Idle").wait_for(timeout=1000 * PATIENCE_S)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        expect(page.locator(".lp-predict")).to_have_count(3)
        yield page
        assert not faults


def widget(page: Page, number: int) -> Locator:
    """The nth of the notebook, in view."""
    found = page.locator(".lp-notebook").nth(number)
    found.scroll_into_view_if_needed()
    return found


def runs(figure: Locator) -> Locator:
    return figure.locator(".lp-runs li")


def test_a_knob_runs_and_keeps_the_run_before(page: Page) -> None:
    figure = widget(page, 0)
    expect(runs(figure)).to_have_text(
        re.compile(r"^This run: .* reno, Loss 0\s%\. Goodput: 9\.\d+ Mbit/s; Retr")
    )
    expect(figure.locator(".lp-view canvas")).to_be_visible()
    figure.get_by_label("Congestion control").select_option("cubic")
    expect(runs(figure)).to_have_count(2)
    expect(runs(figure).first).to_contain_text("This run: Congestion control cubic, Loss 0 %.")


def test_keys_are_the_knobs_own_and_not_jupyterlabs(page: Page) -> None:
    """Of whose shortcuts x cuts a cell, and arrows go to the next."""
    figure = widget(page, 0)
    cells = page.locator(".jp-CodeCell").count()
    slider = figure.get_by_role("slider", name="Loss")
    slider.focus()
    for key in ("x", "d", "d", "m", "ArrowRight"):
        slider.press(key)
    expect(runs(figure).first).to_contain_text("Loss 0.01 %.")
    assert page.locator(".jp-CodeCell").count() == cells
    slider.press("ArrowLeft")
    expect(runs(figure).first).to_contain_text("Loss 0 %.")


def test_a_number_is_typed_between_two_values(page: Page) -> None:
    figure = widget(page, 0)
    typed = figure.get_by_label("Loss, typed")
    typed.fill("0.7")
    typed.press("Enter")
    expect(runs(figure).first).to_contain_text("Loss 0.7 %.")
    typed.fill("101")
    typed.press("Enter")
    expect(figure.get_by_role("alert").filter(has_text="Loss: it goes from 0 % to 100 %.")).to_be_visible()


def test_the_result_is_kept_as_a_file(page: Page, tmp_path: Path) -> None:
    figure = widget(page, 0)
    figure.get_by_text("Keep this run").click()
    expect(figure.get_by_label("Table").locator("option").first).to_be_attached()
    for name, ending in (
        ("Save result (.zip)", "zip"),
        ("Save table (.csv)", "csv"),
        ("Save capture (.pcapng)", "pcapng"),
    ):
        with page.expect_download() as saved:
            figure.get_by_role("button", name=name).click()
        assert saved.value.suggested_filename.endswith(f".{ending}")
        assert saved.value.path().stat().st_size > 100


def test_a_prediction_is_measured_on_commit_and_with_other_seeds(page: Page) -> None:
    figure = widget(page, 1)
    expect(figure.get_by_role("button", name="Measure it here")).to_be_disabled()
    figure.get_by_label("Your prediction").fill("3")
    figure.get_by_label("Your prediction").press("Enter")
    expect(figure.locator(".lp-verdict")).to_contain_text("You said 3 Mbit/s; measured ")
    expect(figure.locator(".lp-view canvas")).to_have_count(2)
    figure.get_by_label("Seeds").fill("4-5")
    figure.get_by_role("button", name="Measure it here").click()
    expect(runs(figure)).to_have_count(2)
    expect(runs(figure).last).to_contain_text("Here, seed 5: ")
    figure.get_by_role("button", name="Try again").click()
    expect(figure.get_by_label("Your prediction")).to_be_enabled()
    expect(figure.locator(".lp-verdict")).to_have_text("")


def test_a_curve_is_measured_at_each_point(page: Page) -> None:
    figure = widget(page, 2)
    for label in ("Loss (%) 0", "Loss (%) 5"):
        figure.get_by_label(label, exact=True).fill("9")
    figure.get_by_role("button", name="Commit").click()
    expect(figure.locator(".lp-verdict")).to_contain_text("Near at 1 of 2 points.")


def test_a_question_that_is_no_word_tells_how_far_seeds_differ(page: Page) -> None:
    figure = widget(page, 3)
    figure.get_by_label("Your prediction").fill("3")
    figure.get_by_role("button", name="Commit").click()
    expect(figure).to_contain_text("Repeated with 20 different seeds: ")
    assert not figure.get_by_label("Seeds").count()
