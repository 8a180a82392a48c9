"""The bench in Chromium, under the site's policy: put together, run, looked at, taken along.

But for one test labkit compiles here, outside the page (native_compile.py); machine, decoding, figures and
tables are the page's own.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from labkit import Experiment, dumbbell, read_capture, run
from labkit.errors import SpecError
from tests.web.bench.bench_page import RUN_MS, drawn, flows_shown, json_of, preset, start


def test_a_run_has_figures_and_tables_as_the_guest_has_them(
    visit: Callable[..., Page], tmp_path: Path
) -> None:
    page = visit()
    preset(page, "One flow, one loss in a hundred")
    page.get_by_label("Duration", exact=True).fill("3s")
    exp = Experiment.from_json(json.dumps(json_of(page)))
    assert exp.flows[0].duration == 3
    start(page)
    drawn(page, 2)
    guest = run(exp)
    [flow] = flows_shown(page)
    goodput = float(guest.goodput().iloc[0])
    assert float(flow["goodput_mbit_s"]) == pytest.approx(goodput, rel=0.01)
    assert flow["complete"] == "yes"
    said = page.locator(".lp-four .lp-view").evaluate_all("views => views.map(v => v.ariaLabel)")
    assert [text.split()[0] for text in said] == ["Congestion", "Smoothed", "Packets", "Goodput"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save this table (.csv)").first.click()
    download.value.save_as(tmp_path / "flows.csv")
    [kept] = csv.DictReader((tmp_path / "flows.csv").open())
    assert float(kept["received_bytes"]) == float(flow["received_bytes"])


def test_packets_can_be_filtered_and_kept(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit()
    preset(page, "One flow, one loss in a hundred")
    page.get_by_label("Duration", exact=True).fill("2s")
    start(page)
    drawn(page, 2)
    page.get_by_text("Ledger: every packet that was lost").click()
    ledger = page.get_by_role("region", name="ledger")
    expect(ledger).to_be_visible()  # a fold fills itself after it is open
    lost = ledger.locator("tbody tr").count()
    assert 0 < lost < 100
    page.get_by_text("Packets", exact=True).click()
    pages = page.locator(".lp-paged", has=page.get_by_role("region", name="Packets of one host"))
    rows = pages.locator("tbody tr")
    expect(rows).to_have_count(100)
    every = int(re.sub(r"\D", "", (pages.locator(".lp-pages span").text_content() or "").split("of")[1]))
    with page.expect_download() as download:
        page.get_by_role("button", name="Save this host’s packets (.pcapng)").click()
    download.value.save_as(tmp_path / "left.pcapng")
    assert len(read_capture(tmp_path / "left.pcapng")) == every
    pages.get_by_role("button", name="Last").click()
    expect(pages.get_by_role("button", name="Next")).to_be_disabled()
    page.get_by_label("Packets", exact=True).select_option("lost")
    expect(rows).to_have_count(lost)  # Reno's data alone is lost here, all of it left's
    assert all("lost: wire loss" in text for text in rows.locator("td:first-child").all_text_contents())
    page.get_by_label("Packets", exact=True).select_option("again")
    again = [flow["retransmits"] for flow in flows_shown(page)]
    expect(pages.locator(".lp-pages span")).to_contain_text(f"{again[0]} rows")


def test_the_runs_before_stay_in_the_figures(visit: Callable[..., Page]) -> None:
    page = visit()
    page.get_by_label("Shape").select_option("pair")
    page.get_by_label("Duration", exact=True).fill("1s")
    for number, cc in enumerate(("reno", "cubic", "bbr", "vegas"), 1):
        page.get_by_label("Congestion control").select_option(cc)
        start(page)
        expect(page.locator(".lp-runs li").first).to_contain_text(f"Run {number}", timeout=RUN_MS)
        drawn(page, min(number, 3))
    runs = page.locator(".lp-runs li").all_text_contents()
    assert [text.split(",")[0].split(":")[0] for text in runs] == ["Run 4", "Run 3", "Run 2"]
    assert "Vegas instead of BBR." in runs[0]
    assert "CUBIC instead of Reno." in runs[2]
    page.get_by_role("button", name="Forget the runs before").click()
    drawn(page, 1)
    expect(page.locator(".lp-runs li")).to_have_count(1)


def test_a_link_opens_the_same_experiment_and_runs_nothing(visit: Callable[..., Page]) -> None:
    page = visit()
    page.get_by_label("Shape").select_option("parking_lot")
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Link to it").click()
    link = page.get_by_label("Link to this experiment")
    expect(link).to_have_value(re.compile(r"#1\."))
    asked = json_of(page)
    other = visit("#" + link.input_value().split("#")[1])
    expect(other.get_by_text("A link was opened")).to_be_visible()
    assert json_of(other) == asked
    assert asked["seed"] == 7
    assert other.locator(".lp-results").is_hidden()
    assert "state-" not in str(other.evaluate("performance.getEntriesByType('resource').map(e => e.name)"))
    start(other)
    drawn(other)


@pytest.mark.parametrize(
    ("fragment", "says"),
    [("#1.00000000.AAAA", "damaged"), ("#9.00000000.AAAA", "format 9"), ("#1." + "x" * 40_000, "characters")],
)
def test_a_wrong_link_is_told_and_changes_nothing(
    visit: Callable[..., Page], fragment: str, says: str
) -> None:
    page = visit(fragment)
    expect(page.locator(".lp-news")).to_contain_text(says)
    assert json_of(page) == json_of(visit())


def test_what_a_hostile_link_holds_is_text(visit: Callable[..., Page]) -> None:
    page = visit()
    evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    network = {"hosts": [evil, "b"], "links": [{"a": evil, "b": "b", "rate": evil}]}
    flow = {"src": evil, "dst": "b", "name": evil, "duration": evil, "cc": evil}
    given = {"topology": network, "flows": [flow], evil: [evil]}
    sealed = "async json => (await import('../_static/lab/web/bench/link.mjs')).sealed(json)"
    other = visit(page.evaluate(sealed, given))
    expect(other.get_by_text("A link was opened")).to_be_visible()
    expect(other.locator(".lp-beyond")).to_contain_text("<img src=x")
    start(other)
    expect(other.locator(".lp-faults")).to_contain_text("This experiment cannot run yet")
    other.get_by_role("button", name="Back to the form").click()
    assert other.locator("#lp-bench img, #lp-bench script").count() == 0
    assert "bench" in other.title()


def test_a_run_can_be_cancelled_and_another_started(visit: Callable[..., Page]) -> None:
    """Of so much that it is seen to go on, and less than a page may write."""
    page = visit()
    page.get_by_label("Duration", exact=True).fill("600s")
    start(page)
    expect(page.locator(".lp-clock")).to_contain_text(
        "s of the network’s time".replace("’", "'"), timeout=RUN_MS
    )
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".lp-go [role=status]")).to_have_text("Cancelled.")
    assert page.locator(".lp-results").is_hidden()
    page.get_by_label("Duration", exact=True).fill("1s")
    start(page)
    drawn(page)


def test_it_works_with_the_keyboard_alone(visit: Callable[..., Page]) -> None:
    page = visit()

    def until(script: str) -> None:
        for _ in range(120):
            page.keyboard.press("Tab")
            if page.evaluate(f"(() => {{ const it = document.activeElement; return {script}; }})()"):
                return
        raise AssertionError(f"not reached with Tab: {script}")

    until("it.textContent === 'The sawtooth'")
    page.keyboard.press("Enter")
    drawn(page)
    until("it.dataset.path === 'flows[0].duration'")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("2s")
    until("it.textContent === 'Add pings'")
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.dataset.path") == "flows[1].kind"
    until("it.dataset.path === 'flows[1].count'")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("3")
    until("it.textContent === 'Run it here'")
    page.keyboard.press("Enter")
    drawn(page, 2)
    until("it.textContent === 'Pings'")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="pings").locator("tbody tr")).to_have_count(3)


def test_a_dumbbell_is_drawn_whole_on_a_phone(visit: Callable[..., Page]) -> None:
    drawing = visit(width=390).locator(".lp-network")
    assert drawing.evaluate("svg => svg.parentElement.scrollWidth <= svg.parentElement.clientWidth")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, False), (1280, True)])
def test_axe_finds_nothing_and_it_fits(visit: Callable[..., Page], width: int, dark: bool) -> None:
    page = visit(width=width, dark=dark)
    preset(page, "A deep queue, and pings through it")
    page.get_by_label("Duration", exact=True).fill("1s")
    page.get_by_label("How many").fill("2")
    start(page)
    drawn(page, 2)
    while (closed := page.locator("#lp-bench details:not([open])")).count():
        closed.evaluate_all("folds => folds.forEach(fold => { fold.open = true; })")
    page.get_by_label("Packets", exact=True).wait_for()
    found = Axe().run(page, "#lp-bench", {"preload": False}).response["violations"]
    assert not [(one["id"], [node["html"] for node in one["nodes"][:3]]) for one in found]
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0


def test_what_has_more_than_the_form_is_run_and_changed_as_json(visit: Callable[..., Page]) -> None:
    page = visit()
    exp = Experiment(
        dumbbell(rate="10mbit", delay="10ms", queue="100p"),
        flows=[{"src": "left", "dst": "right", "duration": "1s"}],
        changes=[{"kind": "link", "at": "0.5s", "link": ("r1", "r2"), "set": {"loss": "5%"}}],
    )
    json_of(page)
    page.get_by_label("The experiment", exact=True).fill(exp.to_json())
    page.get_by_role("button", name="Take this").click()
    expect(page.locator(".lp-beyond")).to_contain_text("changes")
    assert page.locator(".lp-form").is_hidden()
    start(page)
    drawn(page)
    page.get_by_role("button", name="Back to the form").click()
    assert page.locator(".lp-form").is_visible()


def test_it_is_taken_along_as_a_notebook(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit()
    preset(page, "BBR beside CUBIC")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as notebook (.ipynb)").click()
    download.value.save_as(tmp_path / "experiment.ipynb")
    notebook = nbformat.read(tmp_path / "experiment.ipynb", as_version=4)
    nbformat.validate(notebook)
    source = next(cell.source for cell in notebook.cells if cell.id == "experiment")
    names: dict[str, Any] = {}
    exec(source.removeprefix("%load_ext labkit\n"), names)
    assert names["exp"] == Experiment.from_json(json.dumps(json_of(page)))
    page.get_by_text("As Python", exact=True).click()
    expect(page.get_by_role("region", name="Python")).to_contain_text("dumbbell(")


def test_the_page_needs_nothing_but_itself(visit: Callable[..., Page]) -> None:
    """labkit's own compile is in the page, with its own words for what is wrong."""
    page = visit(compiler=True)
    preset(page, "The sawtooth")
    page.get_by_label("Congestion control").focus()
    duration = page.get_by_label("Duration", exact=True)
    duration.fill("0s")
    exp = json_of(page)  # elsewhere on the page: the field is left
    with pytest.raises(SpecError, match=r"^flows\[0\]\.duration=0: ") as wrong:
        Experiment.from_json(json.dumps(exp))
    said = str(wrong.value).partition(": ")[2]
    expect(page.locator(".lp-fault:not(:empty)")).to_have_text(
        f"{said[0].upper()}{said[1:]}.", timeout=RUN_MS
    )
    start(page)
    expect(page.locator(".lp-faults li")).to_have_text(f"Duration, Flow 1: {said[0].upper()}{said[1:]}.")
    expect(duration).to_be_focused()
    page.get_by_label("Duration", exact=True).fill("2s")
    start(page)
    drawn(page, 2)
    [flow] = flows_shown(page)
    guest = run(Experiment.from_json(json.dumps(json_of(page))))
    assert float(flow["goodput_mbit_s"]) == pytest.approx(float(guest.goodput().iloc[0]), rel=0.01)


def test_the_film_of_a_run_that_was_not_captured_everywhere(visit: Callable[..., Page]) -> None:
    page = visit()
    preset(page, "One flow, one loss in a hundred")
    page.get_by_label("Duration", exact=True).fill("1s")
    start(page)
    drawn(page, 2)
    page.get_by_text("The film of its packets").click()
    page.get_by_label("From, s").fill("2")
    page.get_by_role("button", name="Show the film").click()
    expect(page.locator("details", has=page.get_by_label("From, s"))).to_contain_text("Write two times")
    page.get_by_label("From, s").fill("")
    page.get_by_role("button", name="Show the film").click()
    expect(page.locator(".lp-film canvas").first).to_be_visible(timeout=RUN_MS)
    expect(page.locator(".lp-film .lpp-table tr").nth(1)).to_be_attached()  # a loss that it shows
