"""The laboratory of a page as the site has it: what is fetched, how long runs take in Chromium, the memory
that they take, and how soon one that is cancelled is over.

The first run's code is compiled while it runs, so later ones are timed apart.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from bench import browser, experiments
from bench.measure import Sample
from labkit.execute.wasm.linked import linked
from labkit.results.run import run
from labkit.spec import Experiment, Flow
from labkit.spec.topologies import dumbbell

EXTENSIONS = str(Path(__file__).parents[1] / "book/extensions")
PAGE = """<!doctype html><html lang="en"><title>lab</title><link rel="icon" href="data:,">
<script type="module">
import { openLab } from "./_static/lab/web/lab/lab.mjs";
import { fromHex } from "./_static/lab/web/programs/bytes.mjs";
const seconds = (start) => (performance.now() - start) / 1000;
window.open_ = async () => {
  const start = performance.now();
  window.lab = await openLab();
  return seconds(start);
};
const plan = async () => {
  const { program, memory_mb } = await (await fetch("plan.json")).json();
  return { program: fromHex(program), memory_mb };
};
window.run = async () => {
  const one = await plan(), start = performance.now();
  await lab.run(one);
  return seconds(start);
};
window.cancel = async () => {
  const stop = new AbortController();
  let at = 0;
  setTimeout(() => {
    at = performance.now();
    stop.abort();
  }, 200);
  return lab.run(await plan(), { signal: stop.signal }).then(() => null, () => seconds(at));
};
window.loaded = true;
</script></html>"""


#   left ---- r1 ------------------------- r2 ---- right
#                10 Mbit/s, 10 ms each way
#                100 packets, 1 % loss ->
def one_flow(duration: str) -> Experiment:
    """What a widget of the first chapters runs."""
    net = dumbbell(rate="10mbit", delay="10ms", queue="100p", loss="1%")
    probes = ["tcp_info", "tcp_probe", "queue"]
    return Experiment(net, flows=[Flow("left", "right", cc="cubic", duration=duration)], probes=probes)


def thirty_flows() -> Experiment:
    """Ten seconds of packets on one link, of thirty connections."""
    net = dumbbell(30, rate="10mbit", delay="10ms", queue="100p")
    flows = [Flow(f"left{i}", f"right{i}", duration="10s") for i in range(1, 31)]
    return Experiment(net, flows=flows, probes=["tcp_info"])


def fetched() -> Sample:
    """MB of the kernel that a page loads before its first run, as a server sends them."""
    with _site(one_flow("10s")) as (folder, _):
        files = json.loads((folder / "_static/lab/pieces.json").read_text())["files"]
        return Sample(files["plain"]["bytes"] / 1e6)


def ready() -> Sample:
    """Until a laboratory waits for a program, in a page of a browser that has kept its pieces."""
    with _site(one_flow("10s")) as (_, address), browser.chromium() as running:
        context = running.new_context()
        _opened(context, address).close()
        return Sample(_opened(context, address).evaluate("opened"))


def memory() -> Sample:
    """MB that the page's process has for itself, after two runs of 10 s at 10 Mbit/s."""
    with _site(one_flow("10s")) as (_, address), browser.chromium() as running:
        page = _opened(running.new_context(), address)
        for _ in range(2):
            page.evaluate("run()")
        return Sample(own_memory(running) / 1e6)


def cancelled() -> Sample:
    """From the click to a page that has what was cancelled behind it."""
    with _site(one_flow("600s")) as (_, address), browser.chromium() as running:
        took = _opened(running.new_context(), address).evaluate("cancel()")
        if took is None:
            raise RuntimeError("bench: the run ended before it was cancelled: give it more to do")
        return Sample(took)


def ran(experiment: Experiment, *, later: int = 0) -> Sample:
    """One run in a new page; or one after so many others of the same."""
    with _site(experiment) as (_, address), browser.chromium() as running:
        page = _opened(running.new_context(), address)
        for _ in range(later):
            page.evaluate("run()")
        return Sample(page.evaluate("run()"), virtual_s=_virtual_s(experiment))


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


@cache
def _virtual_s(experiment: Experiment) -> float:
    return float(run(experiment).virtual_s)


def _opened(context: BrowserContext, address: str) -> Page:
    """A page with a laboratory; `opened`: the seconds that took."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_function("window.loaded")
    page.evaluate("open_().then((seconds) => { window.opened = seconds; })")
    return page


@contextmanager
def _site(experiment: Experiment) -> Iterator[tuple[Path, str]]:
    """A site of the laboratory alone, with a program: its folder and its address. Raises SetupError if the
    kernel is not made."""
    if EXTENSIONS not in sys.path:
        sys.path.append(EXTENSIONS)
    import lab_files
    from live.planned import plan

    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as room:
        folder = Path(room)
        lab_files.write(folder / "_static/lab", linked())
        one = plan(experiment, ())
        written = {"program": one.program.hex(), "memory_mb": one.memory_mb}
        (folder / "plan.json").write_text(json.dumps(written))
        (folder / "index.html").write_text(PAGE)
        with browser.served(folder) as address:
            yield folder, address


ten_first = partial(ran, one_flow("10s"))
ten_later = partial(ran, one_flow("10s"), later=2)
sixty_later = partial(ran, one_flow("60s"), later=1)
a_later = partial(ran, experiments.one_reno(), later=1)
thirty_later = partial(ran, thirty_flows(), later=1)
