"""labkit in a page of a real browser, under the site's policy: the same bytes, from files that are kept, and
refused where they arrive damaged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from live.planned import plan
from playwright.sync_api import Browser, BrowserContext, Error

from bench import experiments, python
from bench.browser import served
from labkit.errors import SetupError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from tests.site import policy
from tests.web.programs.page import same

SLOW_S = 60  # on a busy machine; bench/ has the figures


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("python-site")
    try:
        python.lay(folder)
    except SetupError as missing:
        pytest.skip(str(missing))
    return folder


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    yield context
    context.close()


def test_a_page_compiles_the_same_bytes(site: Path, context: BrowserContext) -> None:
    exp = experiments.one_reno()
    with served(site, headers=policy()) as address:
        answer = python.compiled(python.opened(context, address), exp)
    same(answer, plan(exp, BUILT_IN))
    assert answer["taken_s"] < SLOW_S


def test_what_was_fetched_is_kept_for_the_next_page(site: Path, context: BrowserContext) -> None:
    asked: list[str] = []
    with served(site, headers=policy()) as address:
        for _ in range(2):
            asked.clear()
            context.on("request", lambda request: asked.append(request.url))
            page = python.opened(context, address)
            python.compiled(page, experiments.one_reno())
            page.close()
    assert any(url.endswith("pyodide.mjs") for url in asked)
    assert not [url for url in asked if url.endswith((".bin", ".zip"))]


def test_what_labkit_says_reaches_the_page(site: Path, context: BrowserContext) -> None:
    with served(site, headers=policy()) as address:
        page = python.opened(context, address)
        with pytest.raises(Error, match="topology: Topology: must be a mapping"):
            page.evaluate("json => compile(json)", json.loads('{"topology": 3}'))


def test_a_damaged_part_is_refused_by_name(site: Path, context: BrowserContext) -> None:
    with served(site, headers=policy()) as address:
        page = python.opened(context, address)
        context.route("**/modules.zip", lambda route: route.fulfill(body=b"no modules"))
        with pytest.raises(Error, match=r"python/modules\.zip arrived damaged"):
            python.compiled(page, experiments.one_reno())
