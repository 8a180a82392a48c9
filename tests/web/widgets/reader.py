"""A reader of the real book who runs its widgets in the page: what is clicked, turned, typed and seen."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

from bench.browser import METERED
from labkit import Experiment
from tests.web.widgets import recorded

LONG = os.environ.get("LABKIT_LIVE") == "all"
"""Run every widget: `LABKIT_LIVE=all pytest tests/web`."""
PATIENCE_MS = 120_000
HERE = "run here, Linux "
DOTS = {
    "#D55E00": "this run",
    "#0072B2": "run here",
    "#99C7E0": "with other settings",
    "transparent": "recorded",
}
"""A dot's kind by its fill."""
# To the next stop of a slider, between recorded values where its values are numbers.
TURN = """slider => {
  const at = Number(slider.value);
  slider.value = String(at + (at < Number(slider.max) ? 1 : -1));
  slider.dispatchEvent(new Event("input", {bubbles: true}));
  slider.dispatchEvent(new Event("change", {bubbles: true}));
}"""
PLANNED = """async ([stem, name, values, seed]) => {
  const {widgetOf} = await import(new URL("../_static/lab/web/programs/programs.mjs", location.href));
  const {spelled} = await import(new URL("../_static/lab/web/widgets/spelled.mjs", location.href));
  const widget = await widgetOf(stem, name);
  for (const {name: knob, texts} of widget.knobs)
    values[knob] = texts.find((text) => spelled(text) === values[knob]) ?? values[knob];
  const [planned] = await widget.experiments(values, seed ?? undefined);
  return JSON.stringify(planned.manifest.experiment);
}"""


@dataclass
class Reading:
    """A chapter's page. requests: every address that it asked for; faults: what its console says of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def widget(self, name: str) -> Widget:
        """The widget of this name, drawn and in view."""
        figure = self.page.locator(f'figure.lp-figure[data-name="{name}"]')
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-state", "drawn")
        return Widget(self, figure)


@contextmanager
def opened(
    profile: BrowserContext, address: str, stem: str, *, width: int = 1000, dark: bool = False
) -> Iterator[Reading]:
    """The chapter in a tab of its own. What the page itself has remembered is forgotten afterwards."""
    with profile.new_page() as page:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.add_init_script(METERED)
        reading = Reading(page)
        page.on("request", lambda request: reading.requests.append(request.url))
        page.on("pageerror", lambda error: reading.faults.append(str(error)))
        page.on("console", lambda said: reading.faults.append(said.text) if said.type == "error" else None)
        page.goto(f"{address}chapters/{stem}.html")
        try:
            yield reading
        finally:
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")


@dataclass
class Widget:
    """An explorer or a prediction in a page."""

    reading: Reading
    figure: Locator

    @property
    def place(self) -> Locator:
        return self.figure.locator(".lp-here").first

    @property
    def runs(self) -> Locator:
        return self.figure.locator(".lp-runs li")

    def button(self, name: str) -> Locator:
        return self.figure.get_by_role("button", name=name, exact=True)

    def run_here(self) -> Widget:
        """Click, and wait until the laboratory is there."""
        self.button("Run it here").click()
        expect(self.button("Run it here")).to_have_count(0, timeout=PATIENCE_MS)
        expect(self.figure.locator(".lp-live")).to_be_visible()
        return self

    def refused(self, why: str) -> None:
        """It is not run here, and says so; at the latest when that is asked for."""
        said = self.place.get_by_text("It is not run here: ")
        if not said.count():
            self.button("Run it here").click()
        expect(said).to_contain_text(why)

    def turn_all(self) -> None:
        """Each knob to another value, sliders between the recorded ones; the seed, if there is a box."""
        for knob in self.figure.locator(".lp-controls .lp-knob").all():
            if (slider := knob.locator("input[type=range]")).count():
                slider.evaluate(TURN)
            elif (switch := knob.locator("input[type=checkbox]")).count():
                switch.click()
            elif (choice := knob.locator("select")).count():
                texts = [text for text in choice.locator("option").all_inner_texts() if text[:5] != "other"]
                at = int(choice.evaluate("(select) => select.selectedIndex"))
                choice.select_option(label=texts[(at + 1) % len(texts)])
        if (seed := self.figure.get_by_label("Seed", exact=True)).count() and seed.get_attribute("type"):
            seed.fill("4")
            seed.press("Enter")

    @property
    def values(self) -> dict[str, str]:
        """What stands on the knobs, by label, as a screen reader has it."""
        found = {}
        for knob in self.figure.locator(".lp-controls .lp-knob:not(.lp-seed)").all():
            label = knob.locator("label").inner_text()
            if (slider := knob.locator("input[type=range]")).count():
                found[label] = str(slider.get_attribute("aria-valuetext"))
            elif (switch := knob.locator("input[type=checkbox]")).count():
                found[label] = "on" if switch.is_checked() else "off"
            else:
                found[label] = str(knob.locator("select").evaluate("(s) => s.selectedOptions[0].text"))
        return found

    @property
    def words(self) -> str:
        return ", ".join(f"{label} {text}" for label, text in self.values.items())

    def wait_for_run(self, words: str) -> str:
        """The latest run, once it is that of these words and was made here."""
        latest = self.figure.locator(".lp-runs li:first-child").filter(has_text=words).filter(has_text=HERE)
        expect(latest).to_be_visible(timeout=PATIENCE_MS)
        return latest.inner_text()

    def dots(self, count: int) -> dict[str, int]:
        """How many of each kind are drawn, once there are so many."""
        marks = self.figure.locator(".lp-dots-view .mark-symbol.role-mark path")
        expect(marks).to_have_count(count)
        return dict(Counter(DOTS[str(mark.get_attribute("fill"))] for mark in marks.all()))

    @property
    def dots_said(self) -> str:
        """The same in words."""
        view = self.figure.locator(".lp-dots-view")
        told = self.figure.locator(f"id={view.get_attribute('aria-describedby')}").text_content()
        return str(told).replace("\u00a0", " ")

    def wait_for_measurements(self, count: int) -> list[str]:
        """What a prediction has measured here, once there are so many."""
        lines = self.place.locator(".lp-runs li")
        expect(lines.nth(count - 1)).to_be_visible(timeout=PATIENCE_MS)
        return lines.all_inner_texts()

    def table(self, name: str) -> list[dict[str, str]]:
        """A table of the latest run, by way of its download."""
        keep = self.figure.locator("details.lp-keep")
        if keep.get_attribute("open") is None:
            keep.locator("summary").click()
        keep.get_by_label("Table").select_option(name)
        with self.reading.page.expect_download() as saved:
            self.button("Save table (.csv)").click()
        text = Path(saved.value.path()).read_text()
        return list(csv.DictReader(io.StringIO(text)))

    def experiment(self, stem: str, seed: int | None) -> Experiment:
        """What the page runs where its knobs stand."""
        name = self.figure.get_attribute("data-name")
        labels = {knob["label"]: knob["name"] for knob in knobs(stem, str(name))}
        values = {labels[label]: text for label, text in self.values.items()}
        text = self.reading.page.evaluate(PLANNED, [stem, name, values, seed])
        return Experiment.from_json(json.dumps(json.loads(text)))


def knobs(stem: str, name: str) -> list[dict[str, Any]]:
    """Those of a recorded explorer."""
    return next(
        bundle[recorded.EXPLORER]["knobs"]
        for of, bundle in recorded.bundles(recorded.EXPLORER)
        if of == stem and bundle[recorded.EXPLORER]["name"] == name
    )


def number_after(title: str, said: str) -> float:
    """ "Goodput: 2.44 Mbit/s" -> 2.44."""
    found = re.search(rf"{title}: ([\d.,]+)", said)
    assert found, said
    return float(found[1].replace(",", ""))
