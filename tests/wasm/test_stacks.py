"""Stacks for the kernel's tasks, by node where it has them: the same bytes as by asyncify. Of Chromium and
Firefox, which have them, tests/web/lab says so."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from labkit.compile.compiler import compile_experiment
from labkit.execute.wasm.engine import MACHINE
from labkit.execute.wasm.linked import Linked
from labkit.execute.wasm.wasm_place import WasmPlace
from tests.wasm.experiments import EXPERIMENTS

FLAG = "--experimental-wasm-jspi"
ASK = "process.exit(typeof WebAssembly.Suspending === 'function' ? 0 : 1)"


def node_with_stacks() -> list[str]:
    """Node, and what switches them on if they are not yet; else the one that Playwright brings."""
    node = shutil.which("node") or "node"
    brought, _ = compute_driver_executable()
    for command in ([node], [node, FLAG], [brought]):
        if subprocess.run([*command, "-e", ASK], capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip("this node has no JavaScript Promise Integration")


@pytest.mark.parametrize("name", ["these packets", "CUBIC, 1 % loss, all probes"])
def test_they_give_the_bytes_that_asyncify_gives(
    wasm: Linked, for_node: Path, tmp_path: Path, name: str
) -> None:
    program = compile_experiment(EXPERIMENTS[name], WasmPlace().target()).program
    raws = []
    for command, module in ((["node"], for_node), (node_with_stacks(), wasm.module)):
        folder = tmp_path / module.stem
        folder.mkdir()
        (folder / "program").write_bytes(program)
        machine = [*command, MACHINE / "wasm_node.mjs", module, "128", "10", "11"]
        subprocess.run(machine, cwd=folder, capture_output=True, check=True)
        raws.append((folder / "raw").read_bytes())
    assert raws[0] == raws[1]
