"""The lab in a browser tab: what is fetched, how long runs take in Chromium's worker.

The first time its compiler is still at work, so later runs are timed apart. And in node: processor time
beside the guest's.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from playwright.sync_api import Page

from bench import browser, experiments
from bench.measure import Sample, Stopwatch
from labkit.compile.compiler import compile_experiment
from labkit.execute.tab.pieces import MACHINE, Pieces, pieces
from labkit.results.run import run
from labkit.spec import Experiment, Flow
from labkit.spec.topologies import dumbbell

PAGE = """<!doctype html><title>tab</title><script type="module">
const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
const inflated = async (path) =>
  new Uint8Array(await new Response(
    (await fetch(path)).body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
const worker = new Worker("machine/worker.mjs", { type: "module" });
const answer = () => new Promise((go, stop) => {
  worker.onmessage = ({ data }) => {
    if (data.type === "failed") stop(new Error(data.message));
    else if (data.type !== "time") go(data);
  };
});
window.ready = async () => {
  const start = performance.now();
  const [wasm, state] = await Promise.all([bytes("v86.wasm"), inflated("state.gz")]);
  worker.postMessage({ type: "open", wasm, state });
  await answer();
  return (performance.now() - start) / 1000;
};
window.run = async () => {
  const program = await bytes("program"), start = performance.now();
  worker.postMessage({ type: "run", id: 1, program });
  const { reason } = await answer();
  if (reason !== "end") throw new Error(reason);
  return (performance.now() - start) / 1000;
};
window.loaded = true;
</script>"""


#   left ---- r1 ------------------------- r2 ---- right
#                10 Mbit/s, 10 ms each way
#                100 packets, 1 % loss ->
def one_flow(duration: str) -> Experiment:
    """What a widget of the first chapters runs."""
    net = dumbbell(rate="10mbit", delay="10ms", queue="100p", loss="1%")
    probes = ["tcp_info", "tcp_probe", "queue"]
    return Experiment(net, flows=[Flow("left", "right", cc="cubic", duration=duration)], probes=probes)


def thirty_flows() -> Experiment:
    """Half a minute of packets on one link, of thirty connections."""
    net = dumbbell(30, rate="10mbit", delay="10ms", queue="100p")
    flows = [Flow(f"left{i}", f"right{i}", duration="10s") for i in range(1, 31)]
    return Experiment(net, flows=flows, probes=["tcp_info"])


def fetched() -> Sample:
    """MB that a page loads before its first run, as a server sends them."""
    found = pieces()
    scripts = [path.read_bytes() for path in MACHINE.glob("*.mjs") if path.name != "node.mjs"]
    sent = [len(gzip.compress(body)) for body in (found.wasm.read_bytes(), *scripts)]
    return Sample((sum(sent) + found.state.stat().st_size) / 1e6)


def in_tab(experiment: Experiment, *, later: int = 0) -> Sample:
    """One run in a new tab; or one after so many others of the same."""
    with _page(experiment) as page:
        page.evaluate("ready()")
        for _ in range(later):
            page.evaluate("run()")
        return Sample(page.evaluate("run()"), virtual_s=_virtual_s(experiment))


def times_the_guest(experiment: Experiment) -> Sample:
    """Processor time of a run in node, by how it differs between four runs and two, over the guest's."""
    with Stopwatch() as guest:
        shutil.rmtree(run(experiment, cache=False).folder, ignore_errors=True)
    two, four = (_node_cpu_s(experiment, runs) for runs in (2, 4))
    return Sample((four - two) / 2 / guest.cpu_s)


@cache
def _virtual_s(experiment: Experiment) -> float:
    return float(run(experiment).virtual_s)


def _node_cpu_s(experiment: Experiment, runs: int) -> float:
    """Of a process of node that runs it so many times."""
    found = pieces()
    script = [str(Path(__file__).with_suffix(".mjs")), str(found.wasm), str(found.state)]
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as folder:
        program = Path(folder, "program")
        program.write_bytes(compile_experiment(experiment).program)
        command = ["node", *script, str(program), str(runs)]
        with Stopwatch() as watch:
            subprocess.run(command, check=True, capture_output=True)
    return watch.cpu_s


@contextmanager
def _page(experiment: Experiment) -> Iterator[Page]:
    """A tab with all that a machine needs, and the program of this experiment."""
    found: Pieces = pieces()
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as name:
        folder = Path(name)
        shutil.copytree(MACHINE, folder / "machine")
        shutil.copyfile(found.wasm, folder / "v86.wasm")
        shutil.copyfile(found.state, folder / "state.gz")
        (folder / "program").write_bytes(compile_experiment(experiment).program)
        (folder / "index.html").write_text(PAGE)
        with browser.served(folder) as address, browser.chromium() as chromium:
            page = chromium.new_page()
            page.goto(f"{address}index.html")
            page.wait_for_function("window.loaded")
            yield page


ten_first = partial(in_tab, one_flow("10s"))
ten_later = partial(in_tab, one_flow("10s"), later=2)
sixty_later = partial(in_tab, one_flow("60s"), later=1)
a_later = partial(in_tab, experiments.one_reno(), later=1)
thirty_later = partial(in_tab, thirty_flows(), later=1)
a_times_the_guest = partial(times_the_guest, experiments.one_reno())
