"""The bench's form: results beside it, runs by name, faults at their fields, what is made ready meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.bench.bench_page import RUN_MS, drawn, flows_shown, preset, start

LISTEN = """() => {
  window.asked = 0;
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.question) window.asked += 1;
    return postMessage.call(this, message, ...rest);
  };
}"""
"""Counts what labkit is asked to compile."""


def asked(page: Page) -> int:
    return int(page.evaluate("window.asked"))


def way(page: Page, name: str) -> Locator:
    """The settings of one direction of the link in view."""
    return page.locator("fieldset.lp-set", has=page.get_by_text(name, exact=True)).last


def described(field: Locator) -> str:
    """What a screen reader says of a field besides its name."""
    return str(
        field.evaluate(
            "one => (one.getAttribute('aria-describedby') ?? '').split(' ').map(id => "
            "document.getElementById(id)?.textContent ?? '').join(' ')"
        )
    )


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_on_a_wide_screen_a_result_appears_beside_the_form_without_scrolling(
    visit: Callable[..., Page], width: int, height: int
) -> None:
    page = visit(width=width)
    page.set_viewport_size({"width": width, "height": height})
    go = page.get_by_role("button", name="Run it here")
    for seen in (page.get_by_role("button", name="BBR beside CUBIC"), page.get_by_label("Shape"), go):
        expect(seen).to_be_in_viewport()
    preset(page, "One flow, one loss in a hundred")
    assert page.evaluate("scrollY") == 0
    for seen in (page.locator(".lp-runs li"), page.locator(".lp-four canvas, .lp-four svg").first, go):
        expect(seen).to_be_in_viewport()
    form, results = (page.locator(one).bounding_box() for one in (".lp-form", ".lp-results"))
    assert form and results and form["x"] + form["width"] <= results["x"]
    page.get_by_label("Seed").scroll_into_view_if_needed()
    expect(go).to_be_in_viewport()


def test_on_a_phone_the_page_goes_to_the_result(visit: Callable[..., Page]) -> None:
    page = visit(width=390)
    preset(page, "One flow, one loss in a hundred")
    expect(page.get_by_role("heading", name="Results")).to_be_in_viewport()
    form, results = (page.locator(one).bounding_box() for one in (".lp-form", ".lp-results"))
    assert form and results and form["y"] + form["height"] <= results["y"]


def test_a_preset_runs_under_its_name_and_another_network_has_figures_of_its_own(
    visit: Callable[..., Page],
) -> None:
    page = visit(width=390)
    page.evaluate(LISTEN)
    preset(page, "One flow, one loss in a hundred")
    assert not asked(page), "it was compiled when the site was built"
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
    expect(runs.first).to_contain_text("Run 3, the latest: BBR beside CUBIC, with seed 1 → 7.")
    assert asked(page) == 1


def test_a_field_that_is_left_says_what_is_wrong_and_what_to_write(visit: Callable[..., Page]) -> None:
    page = visit()
    page.evaluate(LISTEN)
    rate = way(page, "r1 → r2").get_by_label("Rate")
    rate.fill("fast")
    expect(rate).not_to_have_attribute("aria-invalid", "true")  # it is still being typed
    rate.blur()
    expect(rate).to_have_attribute("aria-invalid", "true")
    assert described(rate) == "Not a rate: write 10mbit."
    seed = page.get_by_label("Seed")
    seed.fill("one")
    start(page)
    expect(page.locator(".lp-faults li")).to_have_text(
        ["Rate, r1 → r2: Not a rate: write 10mbit.", "Seed, The run: Not a whole number: write 1."]
    )
    expect(rate).to_be_focused()
    assert not asked(page), "what the form sees by itself needs no Python"
    assert page.locator(".lp-results").is_hidden()
    rate.fill("10mbit")
    seed.fill("2")
    seed.blur()
    expect(page.locator("[aria-invalid]")).to_have_count(0)
    start(page)
    drawn(page)


def test_what_labkit_says_stands_beside_the_field_in_its_name(visit: Callable[..., Page]) -> None:
    page = visit()
    jitter = way(page, "r1 → r2").get_by_label("Jitter", exact=True)
    jitter.fill("20ms")
    jitter.blur()
    expect(jitter).to_have_attribute("aria-invalid", "true", timeout=RUN_MS)
    assert described(jitter) == "Must not exceed delay (0.01): raise delay or lower jitter."
    jitter.fill("2ms")
    expect(jitter).not_to_have_attribute("aria-invalid", "true")
    jitter.fill("20ms")
    page.get_by_label("Settings of link").select_option("0")  # another link is shown
    start(page)
    expect(page.locator(".lp-faults li")).to_have_text(
        "Jitter, r1 → r2: Must not exceed delay (0.01): raise delay or lower jitter.", timeout=RUN_MS
    )
    invalid = page.locator("[aria-invalid]")
    expect(invalid).to_have_value("20ms")
    expect(invalid).to_be_focused()
    assert "[" not in page.locator(".lp-faults").inner_text(), "a path is no name"


def test_an_experiment_is_compiled_while_the_reader_still_looks_at_the_form(
    visit: Callable[..., Page],
) -> None:
    page = visit()
    page.evaluate(LISTEN)
    seed = page.get_by_label("Seed")
    seed.focus()
    seed.blur()
    page.wait_for_timeout(300)
    assert not asked(page), "nothing was changed"
    seed.fill("7")
    assert not asked(page)
    seed.blur()
    page.wait_for_function("() => window.asked === 1")
    start(page)
    drawn(page)
    assert asked(page) == 1, "the run takes what is ready"


def test_a_metered_connection_compiles_when_run_is_pressed(visit: Callable[..., Page]) -> None:
    page = visit()
    page.evaluate("Object.defineProperty(navigator, 'connection', {value: {saveData: true}})")
    page.evaluate(LISTEN)
    page.get_by_label("Seed").fill("7")
    page.get_by_label("Seed").blur()
    page.wait_for_timeout(300)
    assert not asked(page)
    start(page)
    drawn(page)
    assert asked(page) == 1


def test_goodput_stays_below_the_rate_of_the_link(visit: Callable[..., Page]) -> None:
    """Where a gap is filled, one ACK acknowledges all that has waited behind it."""
    page = visit()
    for title in ("The sawtooth", "A deep queue, and pings through it"):
        preset(page, title)
        said = page.locator(".lp-four .lp-view").last.get_attribute("aria-label") or ""
        most = re.search(r"at most ([\d.]+)", said)
        assert said.startswith("Goodput") and most, said
        assert 9 < float(most[1]) < 10, said
