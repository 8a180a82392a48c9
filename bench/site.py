"""The site as it is measured: how long it takes to build, what a page weighs."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Response

from bench import browser
from bench.measure import Sample, Stopwatch

ROOT = Path(__file__).parent.parent
PAGE = "chapters/01-a-network-in-a-notebook.html"
DATA = re.compile(rb'(<script type="application/json" class="lp-data">).*?(</script>)', re.DOTALL)
TABLES = re.compile(rb'<details class="lp-table">.*?</details>', re.DOTALL)
DENSE = (".woff2", ".png")  # compressed as they are


def built(folder: str) -> Sample:
    """`make book` into a folder of its own."""
    command = [sys.executable, "scripts/book.py", folder]
    with Stopwatch() as watch:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the book was not built: {(done.stderr or done.stdout).strip()[-2000:]}")
    return watch.sample()


def build() -> Sample:
    """The whole site from the recordings."""
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as folder:
        return built(folder)


def weight() -> Sample:
    """A page with everything that a browser loads for it, in MB as a server would send it."""
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as folder:
        built(folder)
        with browser.served(Path(folder, "_build", "html")) as address, browser.chromium() as chromium:
            loaded: list[Response] = []
            page = chromium.new_page()
            page.on("response", lambda response: loaded.append(response))
            page.goto(address + PAGE)
            browser.all_drawn(page)
            page.wait_for_load_state("networkidle")
            sizes = {response.url: sent(response.url, response.body()) for response in loaded}
    return Sample(sum(sizes.values()) / 1e6)


def sent(url: str, body: bytes) -> int:
    """Bytes of one file, compressed; of a page without its figures' data."""
    if url.partition("?")[0].endswith(DENSE):
        return len(body)
    return len(gzip.compress(TABLES.sub(b"", DATA.sub(rb"\1\2", body))))
