"""The service worker: after one visit all is there without a network, and nobody keeps an old version."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.browser import served
from tests.site import extension, policy
from tests.web.conftest import Tab, Visit
from tests.web.lab.lab_site import Counting, fresh

ROOT = Path(__file__).parents[3]
BUTTON = (ROOT / "book/templates/offline.html").read_text()
KEPT = "html[data-offline=kept]"
NUMBER = "() => document.querySelector('p').textContent"


def lay_version(folder: Path, number: int) -> None:
    """Pages that say which version they are, and the worker that keeps them."""
    script = f'{BUTTON}<script defer src="_static/offline.js"></script>'
    page = (folder / "index.html").read_text().partition("<p>")[0]
    page = page if script in page else page + script
    (folder / "index.html").write_text(f"{page}<p>{number}</p>")
    (folder / "other.html").write_text(f"<!doctype html><title>other</title>{script}<p>{number}</p>")
    extension("offline").write(folder, "Lost Packets")


def keep_all(tab: Tab) -> None:
    """As a reader does it."""
    tab.page.locator(".lp-offline button").click()
    tab.page.wait_for_selector(KEPT, state="attached")


@pytest.fixture
def site(lab_folder: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    shutil.copytree(lab_folder, folder)
    shutil.copy(ROOT / "book/static/offline.js", folder / "_static")
    shutil.copy(ROOT / "book/static/logo.svg", folder / "_static")
    (folder / "plain.html").write_text("<!doctype html><title>plain</title>")
    lay_version(folder, 1)
    return folder


def test_after_one_visit_pages_and_laboratory_are_there_without_a_network(
    visit: Visit, site: Path, digests: dict[str, str]
) -> None:
    program = (site / "programs/short.json").read_text()
    handler = fresh(Counting)
    with served(site, headers=policy(), handler=handler) as address:
        tab = visit(address)
        keep_all(tab)
        assert not tab.said
        assert (handler.asked["plain"], handler.asked["lab"]) == (1, 0), "of the two forms what it takes"
    page = tab.page  # the server is gone
    page.goto(f"{address}other.html?from=elsewhere#p")
    assert page.evaluate(NUMBER) == "1"
    page.goto(address)
    page.wait_for_selector("html[data-loaded]", state="attached")
    page.evaluate("program => { window.fetch = async () => new Response(program); }", program)
    assert page.evaluate("ask('digests', 'short')") == [digests["short"]]
    answer = page.goto(f"{address}never-seen.html")
    assert answer.status == 503
    assert "no network" in page.inner_text("p")


def test_a_reader_sees_a_new_version_at_once_and_keeps_it(visit: Visit, site: Path) -> None:
    handler = fresh(Counting)
    with served(site, handler=handler) as address:
        tab = visit(f"{address}plain.html", wait=False)
        tab.page.evaluate("caches.open('lost packets: site of / 0')")  # of a worker that stored otherwise
        tab.page.goto(address)
        keep_all(tab)
        lay_version(site, 2)
        tab.page.goto(address)
        assert tab.page.evaluate(NUMBER) == "2"
        sent = handler.asked["plain"]
        tab.page.evaluate("navigator.serviceWorker.register('sw.js').then((found) => found.update())")
        tab.page.goto(f"{address}plain.html")
        tab.page.goto(address)
        listing = json.loads((site / "offline.json").read_text())
        here = """async (names) => {
          const cache = await caches.open('lost packets: site of / 1');
          const text = async (name) => (await (await cache.match(name))?.text()) ?? '';
          return [(await text('kept-all')) === names[0], (await text('other.html')).includes('<p>2</p>')];
        }"""
        wanted = f"offline.json?v={(site / 'sw.js').read_text().partition('offline.json?v=')[2][:16]}"
        tab.page.wait_for_selector(KEPT, state="attached")
        for _ in range(100):
            if (found := tab.page.evaluate(here, [wanted])) == [True, True]:
                break
            tab.page.wait_for_timeout(200)
        assert found == [True, True], "the worker of the new version has kept its pages"
        assert "other.html" in listing
        assert handler.asked["plain"] == sent, "what has not changed is not fetched again"
        assert "lost packets: site of / 0" not in tab.page.evaluate("caches.keys()")
    tab.page.goto(f"{address}other.html")
    assert tab.page.evaluate(NUMBER) == "2"


def test_the_manifest_says_what_is_installed_and_its_icons_are_there(site: Path) -> None:
    manifest = json.loads((site / "manifest.webmanifest").read_text())
    assert (manifest["start_url"], manifest["scope"]) == ("./index.html", "./")
    for icon in manifest["icons"]:
        assert (site / icon["src"]).is_file()
    png = (site / "icon-192.png").read_bytes()
    assert (png[:4], int.from_bytes(png[16:20], "big")) == (b"\x89PNG", 192)


def test_every_address_that_is_kept_lies_on_the_site(site: Path) -> None:
    listing = json.loads((site / "offline.json").read_text())
    assert {"index.html", "other.html", "_static/offline.js"} <= listing.keys()
    assert any(name.startswith("_static/lab/machine/plain-") for name in listing)
    assert not [name for name in listing if not (site / name.partition("?")[0]).is_file()]
