"""The laboratory of a page as the site has it: until it waits for a program, the memory that it takes, and
how soon a run that is cancelled is over."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from bench import browser
from bench.measure import Sample
from bench.tab import one_flow
from labkit.compile.compiler import compile_experiment
from labkit.execute.tab.pieces import pieces

EXTENSIONS = str(Path(__file__).parents[1] / "book/extensions")
LAB = "./_static/lab/book/live/lab/lab.mjs"
PAGE = """<!doctype html><html lang="en"><title>lab</title><link rel="icon" href="data:,"></html>"""
OPEN = f"""async () => {{
  const {{ openLab }} = await import("{LAB}");
  const start = performance.now();
  window.lab = await openLab();
  return (performance.now() - start) / 1000;
}}"""
RUN = """async () => {
  const program = new Uint8Array(await (await fetch("program")).arrayBuffer());
  await lab.run(program);
}"""
CANCEL = """async () => {
  const program = new Uint8Array(await (await fetch("program")).arrayBuffer());
  const stop = new AbortController();
  let at = 0;
  setTimeout(() => {
    at = performance.now();
    stop.abort();
  }, 200);
  return lab.run(program, { signal: stop.signal }).then(() => null, () => (performance.now() - at) / 1000);
}"""


def ready() -> Sample:
    """From the question to a machine that waits, in a page of a browser that has kept its pieces."""
    with _site() as address, browser.chromium() as running:
        context = running.new_context()
        _opened(context, address).close()
        return Sample(_opened(context, address).evaluate("opened"))


def memory() -> Sample:
    """MB that the page's process has for itself, after two runs of 10 s at 10 Mbit/s."""
    with _site() as address, browser.chromium() as running:
        page = _opened(running.new_context(), address)
        for _ in range(2):
            page.evaluate(RUN)
        return Sample(own_memory(running) / 1e6)


def cancelled() -> Sample:
    """From the click to a page that has what was cancelled behind it."""
    with _site() as address, browser.chromium() as running:
        took = _opened(running.new_context(), address).evaluate(CANCEL)
        if took is None:
            raise RuntimeError("bench: the run ended before it was cancelled: give it more to do")
        return Sample(took)


def own_memory(running: Browser) -> int:
    """Bytes that belong to the processes of pages alone; of all pages: a browser keeps one in reserve."""
    session = running.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(_private(one["id"]) for one in found if one["type"] == "renderer")


def _private(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except FileNotFoundError:  # it has ended
        return 0
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def _opened(context: BrowserContext, address: str) -> Page:
    """A page with a laboratory; `opened`: the seconds that took."""
    page = context.new_page()
    page.goto(address)
    page.evaluate(f"({OPEN})().then((seconds) => {{ window.opened = seconds; }})")
    return page


@contextmanager
def _site() -> Iterator[str]:
    """A site of the laboratory alone, with a program. Raises SetupError if the machine is not made."""
    if EXTENSIONS not in sys.path:
        sys.path.append(EXTENSIONS)
    import lab_files

    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as room:
        lab_files.write(Path(room, "_static/lab"), pieces())
        Path(room, "index.html").write_text(PAGE)
        Path(room, "program").write_bytes(compile_experiment(one_flow("10s")).program)
        with browser.served(Path(room)) as address:
            yield address
