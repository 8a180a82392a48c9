"""The packet player on the site and in a notebook's HTML: what is drawn is what the film has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat import v4
from playwright.sync_api import Browser, Locator, Page, expect

from bench.browser import served
from labkit import Experiment, Flow, Nic, Tunnel, dumbbell, pair, run
from labkit.player.player import MIME
from tests import films
from tests.browser import pages
from tests.browser.conftest import Look, Visit

QUEUE = Experiment(
    dumbbell(rate="10mbit", delay="10ms", queue="30p"), flows=[Flow("left", "right", cc="reno", size="1MB")]
)
RING = Experiment(
    pair(nic=Nic(rx_ring=64, packet_cost="15us"), delay="5us"),
    flows=[Flow("left", "right", duration="20ms")],
)
TUNNEL = Experiment(
    dumbbell(rate="10mbit", delay="10ms", queue="30p"),
    flows=[
        Tunnel("left", "right", name="outer", nodelay=True),
        Flow("left", "right", size="50kB", through="outer", start="100ms", name="inner"),
    ],
    duration="1s",
)


@pytest.fixture(scope="module")
def bundles() -> list[dict[str, Any]]:
    """What the cells of the chapter hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LABKIT_RECORD", "1")
        made = [
            run(QUEUE).player(name="queue"),
            run(RING).player(name="ring"),
            run(TUNNEL).player(name="tunnel"),
        ]
        *found, tunnel = [one._repr_mimebundle_() for one in made]
    older = {MIME: {**found[0][MIME], "format": 0, "name": "older"}, "text/plain": "older"}
    return [*found, older, {pages.MIME: pages.chart("after"), "text/plain": "A chart"}, tunnel]


@pytest.fixture(scope="module")
def film(bundles: list[dict[str, Any]]) -> dict[str, Any]:
    held: dict[str, Any] = bundles[0][MIME]
    return held


@pytest.fixture(scope="module")
def address(
    browser: Browser, bundles: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The page with all of them."""
    folder = tmp_path_factory.mktemp("players")
    pages.write(folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters: [{file: players}]\n")
    cells = [v4.new_markdown_cell("# Players", id="title")]
    for number, bundle in enumerate(bundles):
        output = v4.new_output("execute_result", bundle, execution_count=1)
        cells.append(v4.new_code_cell("player", outputs=[output], execution_count=1, id=f"cell-{number}"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    told = {"kernelspec": kernel, "language_info": {"name": "python"}}
    nbformat.write(v4.new_notebook(cells=cells, metadata=told), folder / "players.ipynb")
    done = pages.build(folder)
    assert done.returncode == 0, done.stderr[-4000:]
    with served(folder / "_build/html") as site:
        yield site + "players.html"


@pytest.fixture
def visit(look: Look, address: str) -> Visit:
    return look(address).drawn()


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit.page


def state(page: Page, name: str = "queue") -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(
        "name => { const s = document.getElementById(name).player.state();"
        " return {...s, event: s.event && {at: s.event.at, what: s.event.what, packet: s.event.packet.n}}; }",
        name,
    )
    return found


def seek(page: Page, at_us: float, name: str = "queue") -> None:
    page.evaluate("([name, t]) => document.getElementById(name).player.seek(t)", [name, at_us])


def stage(page: Page, name: str = "queue") -> Locator:
    return page.locator(f"#{name} canvas.lpp-stage")


def test_the_script_reads_what_was_packed(page: Page, film: dict[str, Any]) -> None:
    read = page.evaluate(
        """() => document.getElementById("queue").player.model.packets.map((packet) => [packet.first,
          packet.seq, packet.ack, packet.payload, packet.flags, packet.window, packet.tsval,
          packet.nodes.map((node) => node.at)])"""
    )
    packets = films.packets(film)
    names = ["at", "seq", "ack", "payload", "flags", "window", "tsval"]
    assert [row[:-1] for row in read] == packets[names].to_numpy().tolist()
    seen = films.sightings(film).groupby("packet")["at"].apply(list)
    assert [row[-1] for row in read] == seen.tolist()


def test_the_queue_is_drawn_as_full_as_it_was(page: Page, film: dict[str, Any]) -> None:
    came, gone = films.stays(film, "r1", "r2")
    begin, end = film["span"]
    for at in range(begin + 1, end, (end - begin) // 40):
        drawn = page.evaluate(
            """t => document.getElementById("queue").player.model.at(t)
                 .filter((part) => part.store === "queue:r1>r2").length""",
            at,
        )
        assert drawn == int((came <= at).sum() - (gone <= at).sum())


def test_a_packet_on_a_link_is_between_two_captures(page: Page, film: dict[str, Any]) -> None:
    seen = films.sightings(film)
    begin, end = film["span"]
    at = (begin + end) // 2
    came = seen[(seen["kind"] == films.IN) & (seen["before"] >= 0)]
    left = seen.loc[came["before"], "at"].to_numpy()
    under_way = came[(left <= at) & (came["at"].to_numpy() > at) & (came["at"].to_numpy() > left)]
    drawn = page.evaluate(
        """t => document.getElementById("queue").player.model.at(t)
             .filter((part) => part.on === "link").map((part) => part.packet.n)""",
        at,
    )
    assert sorted(drawn) == sorted(under_way["packet"])
    assert drawn


def test_the_legend_has_no_flow_whose_packets_are_not_seen(page: Page) -> None:
    """What a tunnel carries is inside of its packets."""
    told = page.locator("#tunnel .lpp-legend li")
    expect(told.first).to_have_text("data")
    assert not [text for text in told.all_inner_texts() if "inner" in text]


def test_it_plays_and_pauses_in_virtual_time(page: Page, film: dict[str, Any]) -> None:
    stage(page).focus()
    page.keyboard.press("Space")
    assert state(page)["playing"]
    later = film["span"][0] + 5000
    page.wait_for_function(f"document.getElementById('queue').player.state().t > {later}")
    page.locator("#queue").get_by_role("button", name="Pause").click()
    assert not state(page)["playing"]
    before = state(page)["t"]
    page.wait_for_timeout(100)
    assert state(page)["t"] == before


def test_steps_and_losses_by_keyboard(page: Page, film: dict[str, Any]) -> None:
    lost = sorted(at for at in films.losses(film)["at"] if film["span"][0] <= at <= film["span"][1])
    canvas = stage(page)
    canvas.focus()
    page.keyboard.press("Shift+ArrowRight")
    found = state(page)
    assert (found["t"], found["event"]["what"]) == (lost[0], "lost")
    expect(page.locator("#queue .lpp-spoken[aria-live]")).to_contain_text("queue full, QDISC_DROP")
    expect(page.locator("#queue .lpp-panel")).to_contain_text("Kernel's reason: QDISC_DROP")
    page.keyboard.press("Shift+ArrowRight")
    assert state(page)["t"] == lost[1]
    page.keyboard.press("Shift+ArrowLeft")
    assert state(page)["t"] == lost[0]
    page.keyboard.press("ArrowLeft")
    assert state(page)["t"] <= lost[0]
    page.keyboard.press("ArrowRight")
    assert state(page)["event"]["what"] == "lost"
    page.keyboard.press("Home")
    assert state(page)["t"] == film["span"][0]
    page.keyboard.press("End")
    assert state(page)["t"] == film["span"][1]
    page.keyboard.press("Escape")
    expect(page.locator("#queue .lpp-panel")).to_be_hidden()


def test_every_event_can_be_stepped_through(page: Page, film: dict[str, Any]) -> None:
    begin, end = film["span"]
    sent = [at for at in films.packets(film)["at"] if begin <= at <= end]
    lost = [at for at in films.losses(film)["at"] if begin <= at <= end]
    seen = films.sightings(film)
    last = seen.groupby("packet").last()
    arrived = [
        r.at
        for r in last.itertuples()
        if r.kind == films.IN and r.host in ("left", "right") and begin <= r.at <= end
    ]
    times = page.evaluate("document.getElementById('queue').player.model.events.map((event) => event.at)")
    assert times == sorted(sent + lost + arrived)


def test_a_packet_is_chosen_by_pointing_and_by_key(page: Page, film: dict[str, Any]) -> None:
    seek(page, int(films.losses(film)["at"].min()))
    where = page.evaluate(
        """() => { const box = document.querySelector("#queue canvas.lpp-stage").getBoundingClientRect();
          const {stage} = document.getElementById("queue").player;
          const item = stage.shown().find((one) => one.packet.kind === "data");
          return [box.left + item.x, box.top + item.y, item.packet.n]; }"""
    )
    page.mouse.click(where[0], where[1])
    chosen = state(page)["chosen"]
    assert chosen is not None
    row = films.packets(film).loc[chosen]
    panel = page.locator("#queue .lpp-panel")
    expect(panel).to_be_visible()
    expect(panel).to_contain_text(f"IP identification {row['ip_id']}")
    expect(panel).to_contain_text(f"{row['seq']:,} to {row['seq'] + row['payload']:,}")
    times = [
        text.replace("\u2009", "").removesuffix(" s") for text in panel.locator("li button").all_inner_texts()
    ]
    seen = films.sightings(film)
    recorded = (seen[seen["packet"] == chosen]["at"] / 1e6).map("{:.6f}".format)
    assert set(recorded) <= set(times)
    stage(page).focus()
    page.keyboard.press("n")
    assert state(page)["chosen"] not in (None, chosen)
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert state(page)["chosen"] is not None


def test_scrubbing_and_pointing_at_the_charts_seek(page: Page, film: dict[str, Any]) -> None:
    begin, end = film["span"]
    slider = page.locator("#queue").get_by_role("slider", name="Time")
    slider.fill(str((begin + end) // 2))
    assert state(page)["t"] == (begin + end) // 2
    assert (
        slider.get_attribute("aria-valuetext")
        == f"{(begin + end) // 2 / 1e6:.6f}"[:-3] + "\u2009" + f"{(begin + end) // 2 / 1e6:.6f}"[-3:] + " s"
    )
    box = page.locator("#queue .lpp-plots").bounding_box()
    assert box is not None
    page.locator("#queue .lpp-plots").click(position={"x": box["width"] - 10, "y": 40})
    assert state(page)["t"] == pytest.approx(end, rel=1e-3)


def test_a_ring_fills_and_overruns(page: Page, bundles: list[dict[str, Any]]) -> None:
    lost = films.losses(bundles[1][MIME])
    missed = lost[lost["cause"] == "ring full"]["at"]
    held = page.evaluate(
        """times => times.map((t) => document.getElementById("ring").player.model.at(t)
             .filter((part) => part.store === "rx:right>left").length)""",
        [int(at) for at in missed],
    )
    assert len(held) > 3
    assert set(held) <= {63, 64}
    seek(page, float(missed.iloc[0]), "ring")
    expect(page.locator("#ring .lpp-says")).to_contain_text("ring full, FULL_RING")


def test_the_strip_tells_what_is_outstanding(page: Page, film: dict[str, Any]) -> None:
    seek(page, film["span"][1] - 1)
    text = page.locator("#queue .lpp-numbers").inner_text()
    assert text.startswith("Window of left-right: outstanding ")
    found = page.evaluate(
        """([t, ack]) => { const {model} = document.getElementById("queue").player;
          const now = window.LabkitPlayer.strip(model.senders[0], t); return [now.una, now.cwnd]; }""",
        [film["span"][1] - 1, 0],
    )
    changes = films.changes(film["senders"][0]["cwnd"])
    assert found[1] == [value for at, value in changes if at <= film["span"][1] - 1][-1]
    packets, seen = films.packets(film), films.sightings(film)
    home = seen[(seen["kind"] == films.IN) & (seen["host"] == "left") & (seen["at"] < film["span"][1])]
    acks = packets.loc[home["packet"]]
    assert found[0] == acks["ack"].max()


def test_screen_readers_get_a_description_a_table_and_names(page: Page, film: dict[str, Any]) -> None:
    canvas = stage(page)
    assert canvas.get_attribute("aria-label") == film["description"]
    assert "queue full" in film["description"]
    described = canvas.get_attribute("aria-describedby")
    expect(page.locator(f"#{described}")).to_contain_text("Shift ← →: to the loss before, the next one")
    page.locator("#queue .lp-table summary").click()
    rows = page.locator("#queue .lp-table tbody tr")
    expect(rows).to_have_count(len(film["table"]["rows"]))
    expect(rows.first).to_contain_text("QDISC_DROP")
    for name in ("Play", "Step back", "Step", "Jump to the next loss"):
        expect(page.locator("#queue").get_by_role("button", name=name, exact=True)).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(look: Look, address: str, dark: bool) -> None:
    page = look(address, dark=dark).drawn().page
    page.locator("#queue").get_by_role("button", name="Jump to the next loss").click()
    found = Axe().run(page, context="main").response["violations"]
    serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
    assert not serious, [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in serious]


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_drawn_stands_out_from_the_page(look: Look, address: str, dark: bool) -> None:
    page = look(address, dark=dark).drawn().page
    page.locator("#queue").scroll_into_view_if_needed()
    contrast = page.evaluate(
        """() => {
          const canvas = document.querySelector("#queue canvas.lpp-stage"), pen = canvas.getContext("2d");
          const ground = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);
          const one = (v) => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
          const light = ([r, g, b]) => 0.2126 * one(r) + 0.7152 * one(g) + 0.0722 * one(b);
          const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
          let best = 1;
          for (let i = 0; i < data.length; i += 4) {
            if (data[i + 3] < 255) continue;
            const [a, b] = [light(ground), light([data[i], data[i + 1], data[i + 2]])];
            best = Math.max(best, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
          }
          return best;
        }"""
    )
    assert contrast > 4.5  # names and outlines: WCAG 2.2, 1.4.3


def test_a_change_of_the_page_s_colours_is_followed(page: Page) -> None:
    paint = "document.querySelector('#queue canvas.lpp-stage').toDataURL()"
    before = page.evaluate(paint)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_function(f"{paint} !== {before!r}")


def test_a_narrow_screen_is_wide_enough(look: Look, address: str) -> None:
    page = look(address, width=360).drawn().page
    page.locator("#queue").get_by_role("button", name="Jump to the next loss").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    for one in page.locator("#queue :is(input, select, button, canvas):visible").all():
        box = one.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360


def test_focus_is_seen(page: Page) -> None:
    page.keyboard.press("Tab")
    stage(page).focus()
    assert (
        stage(page).evaluate("e => getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth")
        == "solid3px"
    )


def test_another_labkits_film_says_so_and_the_page_goes_on(page: Page) -> None:
    expect(page.locator("#older .lp-error")).to_contain_text(
        "recorded by another labkit (format 0, this page reads 1)"
    )
    expect(page.locator("#older .lp-table")).to_have_count(1)
    expect(page.locator("#after svg")).to_be_visible()


def test_nothing_is_asked_of_another_host_and_nothing_goes_wrong(visit: Visit, address: str) -> None:
    visit.page.locator("#queue").get_by_role("button", name="Play", exact=True).click()
    host = address.rpartition("/")[0]
    assert [url for url in visit.requests if not url.startswith((host, "data:", "blob:"))] == []
    assert visit.errors == []


def test_without_scripts_there_are_a_picture_and_the_losses(look: Look, address: str) -> None:
    page = look(address, scripts=False).page
    expect(page.locator("#queue img")).to_be_visible()
    page.locator("#queue summary").click()
    expect(page.locator("#queue table tbody tr").first).to_contain_text("queue full")


def test_a_notebook_shows_the_same_from_its_html_alone(browser: Browser, film: dict[str, Any]) -> None:
    html = run(QUEUE).player(name="queue")._repr_mimebundle_()["text/html"]
    context = browser.new_context(viewport={"width": 800, "height": 900}, offline=True)
    errors: list[str] = []
    try:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        # As JupyterLab does it: the HTML into the page, then its scripts run.
        page.set_content("<body data-jp-theme-light='true'><div id='out'></div><div id='again'></div></body>")
        for ident in ("out", "again"):
            page.evaluate(
                """([id, html]) => { const out = document.getElementById(id); out.innerHTML = html;
                  for (const old of out.querySelectorAll("script")) {
                    const fresh = document.createElement("script");
                    fresh.textContent = old.textContent;
                    old.replaceWith(fresh);
                  } }""",
                [ident, html],
            )
        expect(page.locator("canvas.lpp-stage")).to_have_count(2)
        page.locator("canvas.lpp-stage").first.focus()
        page.keyboard.press("Shift+ArrowRight")
        expect(page.locator(".lpp-panel").first).to_contain_text("Kernel's reason: QDISC_DROP")
        expect(page.locator("#out .lpp-table tbody tr")).to_have_count(len(film["table"]["rows"]))
        assert not errors
    finally:
        context.close()


def controls(page: Page) -> list[float]:
    """Where each of the player's controls begins, below the stage's top."""
    found: list[float] = page.evaluate(
        """() => { const top = (one) => one.getBoundingClientRect().top;
          const player = document.querySelector("#queue .lpp");
          return [...player.querySelectorAll(".lpp-bar > *, .lpp-scrub, .lpp-strip, .lpp-plots")]
            .map((one) => Math.round(top(one) - top(player))); }"""
    )
    return found


@pytest.mark.parametrize("width", [390, 1280])
def test_no_control_moves_whatever_is_said(
    look: Look, address: str, film: dict[str, Any], width: int
) -> None:
    page = look(address, width=width).drawn().page
    before = controls(page)
    assert len(before) > 7
    begin, end = film["span"]
    seek(page, begin)
    assert controls(page) == before
    for at in sorted(films.losses(film)["at"])[:12]:
        seek(page, float(at) - 1)
        page.keyboard.press("Escape")
        assert controls(page) == before
        page.locator("#queue").get_by_role("button", name="Jump to the next loss").click()
        assert controls(page) == before
    seek(page, end)
    assert controls(page) == before


@pytest.mark.parametrize(("width", "height"), [(390, 800), (360, 640)])
def test_on_a_phone_the_chosen_packet_is_read_where_it_was_chosen(
    look: Look, address: str, width: int, height: int
) -> None:
    page = look(address, width=width).drawn().page
    page.set_viewport_size({"width": width, "height": height})
    stage(page).evaluate("one => scrollTo(0, scrollY + one.getBoundingClientRect().top - 120)")
    page.locator("#queue").get_by_role("button", name="Jump to the next loss").click()
    panel = page.locator("#queue .lpp-panel")
    expect(panel.locator(".lpp-title")).to_be_in_viewport(ratio=1)
    box, seen = panel.bounding_box(), stage(page).bounding_box()
    assert box
    assert seen
    assert box["y"] + box["height"] <= height + 1
    assert box["y"] >= seen["y"] + seen["height"] * 0.8, "the packets are seen, too"
    page.locator("#queue").get_by_role("button", name="Choose no packet").click()
    expect(panel).to_be_hidden()


@pytest.mark.parametrize("name", ["queue", "ring", "tunnel"])
def test_the_first_picture_shows_packets_and_play_begins_at_the_beginning(
    page: Page, bundles: list[dict[str, Any]], name: str
) -> None:
    film = next(one[MIME] for one in bundles if one.get(MIME, {}).get("name") == name)
    shown = page.evaluate("name => document.getElementById(name).player.stage.shown().length", name)
    assert shown >= 3
    assert state(page, name)["t"] > film["span"][0]
    assert state(page, name)["event"] is None
    stage(page, name).focus()
    page.keyboard.press("ArrowRight")
    first = page.evaluate("name => document.getElementById(name).player.model.events[0].at", name)
    assert state(page, name)["t"] == first
