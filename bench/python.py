"""labkit in a page: how long until a Python that is kept by the browser has compiled an experiment."""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page

from bench import browser, experiments
from bench.measure import Sample
from labkit.spec import Experiment

EXTENSIONS = str(Path(__file__).parents[1] / "book/extensions")
SCRIPT = """import { compileExperiment } from "./_static/lab/web/programs/programs.mjs";
window.compile = async (json) => {
  const start = performance.now();
  const { program, manifest, memory_mb, until_s } = await compileExperiment(json);
  const taken_s = (performance.now() - start) / 1000;
  const hex = Array.from(program, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { taken_s, program: hex, manifest, memory_mb, until_s };
};
window.loaded = true;
"""
PAGE = """<!doctype html><html lang="en"><title>python</title><link rel="icon" href="data:,">
<script type="module" src="page.mjs"></script></html>
"""


def lay(folder: Path) -> None:
    """A site of the laboratory alone. Raises SetupError if a part of it is not made."""
    if EXTENSIONS not in sys.path:
        sys.path.append(EXTENSIONS)
    import lab_files
    from live import python_files

    from labkit.execute.wasm.linked import linked

    lab = folder / "_static/lab"
    python_files.write(lab / "python")
    lab_files.write(lab, linked())
    (folder / "page.mjs").write_text(SCRIPT)
    (folder / "index.html").write_text(PAGE)


def compiled(page: Page, exp: Experiment) -> Any:
    """What the page makes of it: taken_s, program (hexadecimal), manifest, memory_mb, until_s."""
    return page.evaluate("json => compile(json)", json.loads(exp.to_json()))


def opened(context: BrowserContext, address: str) -> Page:
    """A page that can compile and has not begun to."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_function("window.loaded")
    return page


def first_compile() -> Sample:
    """From the question to the first lab program, in a page of a browser that has kept what it needs."""
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as room, browser.chromium() as running:
        lay(Path(room))
        with browser.served(Path(room)) as address:
            context = running.new_context()
            compiled(opened(context, address), experiments.one_reno())
            return Sample(compiled(opened(context, address), experiments.one_reno())["taken_s"])


def fetched() -> Sample:
    """MB of Python that a page loads before it compiles the first time."""
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as room:
        lay(Path(room))
        folder = Path(room, "_static/lab/python")
        sizes = [path.stat().st_size for path in folder.iterdir() if path.suffix != ".mjs"]
        scripts = [gzip.compress(path.read_bytes()) for path in folder.glob("*.mjs")]
        return Sample((sum(sizes) + sum(map(len, scripts))) / 1e6)
