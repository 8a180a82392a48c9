"""Nothing but the program decides what is in the memory of the kernel: two boots leave the same bytes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from labkit.compile.compiler import compile_experiment
from tests.wasm.experiments import EXPERIMENTS

SCRIPT = Path(__file__).with_name("two_boots.mjs")


def ends(module: Path, program: Path, name: str) -> list[dict[str, object]]:
    program.write_bytes(compile_experiment(EXPERIMENTS[name]).program)
    command = ["node", str(SCRIPT), str(module), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


def test_two_boots_leave_the_same_memory(for_node: Path, tmp_path: Path) -> None:
    first, second = ends(for_node, tmp_path / "program", "these packets")
    assert first == second
    assert first["reason"] == "end" and int(str(first["bytes"])) >= 128 << 20
    other, _ = ends(for_node, tmp_path / "program", "pings and trains")
    assert other["sha256"] != first["sha256"]
