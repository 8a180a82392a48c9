"""What a program counts of itself, by which it is made a second time."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

from labkit.execute.wasm.clang import tools, version
from labkit.execute.wasm.compilers import HERE, Compiler
from labkit.execute.wasm.counted import COUNTING, counted
from labkit.execute.wasm.linked import Linked
from labkit.execute.wasm.translated import compile_module, counts_of
from tests.wasm.small_modules import Program, carried_out


def counts(profile: Path, function: str) -> int:
    """How often a function of the module was entered."""
    show = [tools().counts, "show", "--counts", f"--function=w2c_kernel_{function}", str(profile)]
    said = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    found = re.search(rf"w2c_kernel_{function}:\n.*\n.*\n *Function count: (\d+)", said)
    assert found, said
    return int(found[1])


def test_experiments_count_what_of_the_kernel_is_executed(wasm: Linked, native: Path) -> None:
    profile = counts_of(wasm)
    packets = counts(profile, "netem_enqueue")
    assert packets > 5_000_000 // 1448
    assert counts(profile, "tcp_ack") > packets / 3
    assert counts(profile, "netem_init") < 100


def test_a_program_counts_behind_its_walls_the_same_each_time_and_is_made_by_it(
    program: Program, tmp_path: Path
) -> None:
    module, by = program("tasks").parent / "module.wasm", Compiler((tools().clang,), version(), HERE)

    def make(to: Path) -> None:
        compile_module(module, to, replace(by, options=COUNTING))

    first, second = (counted(tmp_path / name, make, [b"", b""]) for name in ("first", "second"))
    assert counts(first, "f10") == 2 * 1001
    assert first.read_bytes() == second.read_bytes()
    (tmp_path / "made").mkdir()
    compile_module(module, tmp_path / "made/lab", by, first)
    raw = []
    for lab in (program("tasks"), tmp_path / "made/lab"):
        folder = tmp_path / lab.parent.name / "run"
        folder.mkdir(parents=True)
        assert carried_out(lab, folder, b"").returncode == 0
        raw.append((folder / "raw").read_bytes())
    assert raw[0] == raw[1]
