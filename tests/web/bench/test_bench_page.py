"""The bench in Chromium, under the site's policy: put together, run, looked at, taken along.

But for one test labkit compiles here, outside the page (native_compile.py); machine, decoding, figures and
tables are the page's own.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from labkit import Experiment, dumbbell, read_capture, run
from labkit.errors import SetupError, SpecError
from labkit.execute.wasm.linked import linked
from tests.web.bench.bench_site import bench_site
from tests.web.bench.native_compile import stand_in

RUN_MS = 120_000
PYTHON = "python_worker"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        linked()
    except SetupError as none:
        pytest.skip(str(none))
    with bench_site(tmp_path_factory.mktemp("bench")) as page:
        yield page


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """visit(fragment, width=..., dark=...): the page; it has logged no error when the test is over. compiler:
    labkit compiles in the page, too."""
    contexts, errors = [], []

    def opened(fragment: str = "", *, width: int = 1280, dark: bool = False, compiler: bool = False) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            accept_downloads=True,
        )
        contexts.append(context)
        if not compiler:
            stand_in(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(address + fragment)
        page.wait_for_selector("#lp-bench fieldset", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


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
    assert "flow 1 cc vegas" in runs[0]
    page.get_by_role("button", name="Forget the runs before").click()
    drawn(page, 1)
    expect(page.locator(".lp-runs li")).to_have_count(1)


def test_a_preset_runs_under_its_name_and_another_network_has_figures_of_its_own(
    visit: Callable[..., Page],
) -> None:
    page = visit(width=390)
    compiled: list[str] = []
    page.on("request", lambda request: compiled.append(request.url) if PYTHON in request.url else None)
    preset(page, "One flow, one loss in a hundred")
    assert not compiled, "it was compiled when the site was built"
    runs = page.locator(".lp-runs li")
    expect(runs).to_have_count(1)
    expect(runs.first).to_contain_text("Run 1, the latest: One flow, one loss in a hundred.")
    expect(page.get_by_role("heading", name="Results")).to_be_in_viewport()
    [flow] = flows_shown(page)
    assert not {"sent_packets", "received_packets", "error"} & flow.keys(), "of TCP nobody counts them"
    preset(page, "BBR beside CUBIC")
    expect(runs).to_have_count(1)
    expect(runs.first).to_contain_text("Run 2, the latest: BBR beside CUBIC.")
    page.get_by_label("Seed").fill("7")
    start(page)
    drawn(page, 2)
    assert compiled


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
    expect(other.locator(".lp-faults")).to_contain_text("labkit does not take this experiment")
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


def test_what_labkit_says_stands_beside_its_field(visit: Callable[..., Page]) -> None:
    page = visit()
    forward = page.locator("fieldset.lp-set", has=page.get_by_text("r1 → r2", exact=True)).last
    forward.get_by_label("Rate").fill("10xbit")
    page.get_by_label("Settings of link").select_option("0")  # another link is shown
    start(page)
    invalid = page.locator("[aria-invalid]")
    expect(invalid).to_have_value("10xbit")
    expect(invalid).to_be_focused()
    text = "unknown unit 'xbit': write \"10mbit\""
    expect(page.locator(".lp-faults")).to_contain_text(text)
    described = invalid.get_attribute("aria-describedby") or ""
    assert text in page.locator(f"[id='{described}']").inner_text()
    invalid.fill("10mbit")
    expect(page.locator("[aria-invalid]")).to_have_count(0)


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
    page.get_by_label("Duration", exact=True).fill("2 weeks")
    exp = json_of(page)
    with pytest.raises(SpecError) as wrong:
        Experiment.from_json(json.dumps(exp))
    start(page)
    expect(page.locator(".lp-faults li")).to_have_text(str(wrong.value), timeout=RUN_MS)
    expect(page.get_by_label("Duration", exact=True)).to_be_focused()
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
