"""The tab's machine is a function of its state and the program: booted, restored, in a browser."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bench.browser import served
from labkit import run
from labkit.compile.compiler import compile_experiment
from labkit.execute.tab.pieces import MACHINE, Pieces
from tests.tab.experiments import EXPERIMENTS

HERE = Path(__file__).parent
NAME, OTHER = "these packets", "pings and trains"

PAGE = """<!doctype html><title>tab</title><script type="module">
const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
const worker = new Worker("machine/worker.mjs", { type: "module" });
const said = [];
worker.onmessage = ({ data }) => {
  said.push(data);
  if (data.type === "ready")
    bytes("program").then((program) => worker.postMessage({ type: "run", id: 7, program }));
  if (data.type === "done" || data.type === "failed") {
    worker.terminate();
    window.done = data;
    window.times = said.filter((one) => one.type === "time").map((one) => one.seconds);
  }
};
worker.onerror = (error) => { window.done = { type: "failed", message: error.message }; };
Promise.all([bytes("v86.wasm"), bytes("state")]).then(([wasm, state]) =>
  worker.postMessage({ type: "open", wasm, state }));
</script>"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("programs")
    made = {name: folder / f"{i}.program" for i, name in enumerate((NAME, OTHER))}
    for name, path in made.items():
        path.write_bytes(compile_experiment(EXPERIMENTS[name]).program)
    return made


@pytest.fixture(scope="module")
def in_place(tab: Pieces) -> str:
    """SHA-256 of what the place "tab" gives."""
    return run(EXPERIMENTS[NAME], place="tab", cache=False).digest()


def test_booted_restored_and_after_other_programs(
    tab: Pieces, programs: dict[str, Path], in_place: str
) -> None:
    agent = tab.state.parent / "agent"
    paths = [tab.wasm, tab.state, tab.kernel.linux, agent, programs[NAME], programs[OTHER]]
    command = ["node", str(HERE / "sameness.mjs"), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.pop("state, booted") == found.pop("state")
    assert found.pop("another") != in_place
    assert found.pop("reason of one that was stopped") == "stopped"
    assert {name: digest for name, digest in found.items() if digest != in_place} == {}
    assert len(found) == 6


def test_in_a_worker_of_a_browser(
    tab: Pieces, programs: dict[str, Path], in_place: str, tmp_path: Path, browser: Browser
) -> None:
    shutil.copytree(MACHINE, tmp_path / "machine")
    shutil.copyfile(tab.wasm, tmp_path / "v86.wasm")
    shutil.copyfile(programs[NAME], tmp_path / "program")
    (tmp_path / "state").write_bytes(gzip.decompress(tab.state.read_bytes()))
    (tmp_path / "index.html").write_text(PAGE)
    with served(tmp_path) as address, closing(browser.new_page()) as page:
        page.goto(f"{address}index.html")
        page.wait_for_function("window.done", timeout=240_000)
        said = page.evaluate(
            "({...window.done, raw: Array.from(window.done.raw ?? []), times: window.times})"
        )
    assert said["type"] == "done", said
    assert said["reason"] == "end"
    assert hashlib.sha256(bytes(said["raw"])).hexdigest() == in_place
    assert said["times"] == sorted(said["times"])
    assert said["times"][-1] > 3
