"""The packet player of a run that a page has: its film is made there, its scripts come from the site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from bench.browser import served
from labkit.player.notebook import SCRIPTS
from labkit.player.player import player
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Capture, Experiment, Flow
from labkit.spec.topologies import dumbbell
from tests.site import extension, policy

PAGE = (
    '<!doctype html><html lang="en"><title>player</title><link rel="icon" href="data:,"><main></main></html>'
)
SHOW = """async () => {
  const lab = new URL("_static/lab/web/", location.href);
  const names = ["results/result.mjs", "player/player.mjs", "player/view.mjs"];
  const parts = await Promise.all(names.map((name) => import(new URL(name, lab))));
  const [{ Result }, { filmOf }, { playerFigure }] = parts;
  const raw = new Uint8Array(await (await fetch("raw")).arrayBuffer());
  const film = filmOf(new Result(raw, await (await fetch("manifest.json")).json()), { kernel: "6.12" });
  window.film = film;
  for (let again = 0; again < 2; again++) {
    const figure = await playerFigure(film);
    document.querySelector("main").append(figure);
    window.player = figure.player;
  }
}"""
INK = """() => {
  const canvas = document.querySelector("figure:last-of-type canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value, i) => i % 4 === 3 && value > 0);
}"""


@pytest.fixture(scope="module")
def result() -> Result:
    network = dumbbell(rate="10mbit", delay="10ms", queue="20p")
    ends = [Capture(host, snap=128) for host in network.names]
    probes = {"drops", "recovery", "tcp_probe", "queue"}
    return run(Experiment(network, flows=[Flow("left", "right", size="500kB")], probes=probes, capture=ends))


@pytest.fixture(scope="module")
def address(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site with the laboratory's scripts and one result, under the book's policy."""
    folder: Path = tmp_path_factory.mktemp("site")
    for path, there in extension("lab_files").scripts():
        target = folder / "_static/lab" / there
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    for name in ("raw", "manifest.json"):
        (folder / name).write_bytes((result.folder / name).read_bytes())
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    with served(folder, headers=policy()) as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 800, "height": 900}) as context:
        page = context.new_page()
        page.goto(address)
        yield page


def test_a_run_of_the_page_is_shown_as_a_film(page: Page, result: Result) -> None:
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.evaluate(SHOW)
    ours = player(result).film
    theirs: dict[str, Any] = json.loads(page.evaluate("JSON.stringify(film)"))
    assert theirs == {**ours, "kernel": "6.12"}
    page.wait_for_function(INK)
    losses = page.evaluate("player.model.losses.length")
    assert losses == ours["losses"]["count"] > 0
    page.evaluate("player.toggle()")
    page.wait_for_function("() => player.state().t > player.model.begin")
    assert not said
    assert sorted(asked).count("player.css") == 1
    assert [asked.count(name) for name in SCRIPTS] == [1] * len(SCRIPTS)
    assert page.locator("figure").last.locator("table tr").count() == 1 + losses


def test_scripts_that_do_not_come_are_asked_for_again(page: Page) -> None:
    page.route("**/static/player.js", lambda route: route.abort())
    with pytest.raises(Exception, match="could not be loaded: look at the connection, try again"):
        page.evaluate(SHOW)
    page.unroute("**/static/player.js")
    page.evaluate(SHOW)
    page.wait_for_function(INK)
