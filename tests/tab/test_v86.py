"""What v86.mjs knows of the emulator's inside, held against the package's own script."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from labkit.execute.tab.pieces import MACHINE, NPM, Pieces

PACKAGE = json.loads((NPM / "package.json").read_text())
OFFSETS = """
import * as v86 from "{module}";
console.log(JSON.stringify({{...v86}}));
"""
NAMES = {"HALTED": "in_hlt", "INSTRUCTIONS": "instruction_counter", "MEMORY_SIZE": "memory_size"}
REGISTERS = (
    "reg32",
    "sreg",
    "segment_offsets",
    "flags",
    "cr",
    "instruction_pointer",
    "reg_xmm32s",
    "fpu_st",
    "mxcsr",
)


def node(code: str) -> str:
    command = ["node", "--input-type=module", "-e", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_the_package(script: str, name: str) -> tuple[int, int]:
    """Where the package's script finds a register in the emulator's memory, and how many bytes it is long."""
    found = re.search(rf"this\.{name} = \S*\((\w+Array), \S+, (\d+), (\d+)\)", script)
    assert found, name
    width = int(re.sub(r"\D", "", found[1])) // 8
    return int(found[2]), width * int(found[3])


def test_registers_are_where_the_package_has_them(tab: Pieces) -> None:
    script = (tab.wasm.parent / "libv86-debug.mjs").read_text()
    known = json.loads(node(OFFSETS.format(module=(MACHINE / "v86.mjs").as_uri())))
    assert {name: known[name] for name in NAMES} == {
        name: in_the_package(script, theirs)[0] for name, theirs in NAMES.items()
    }
    for name in REGISTERS:
        at, size = in_the_package(script, name)
        assert known["PROCESSOR"]["from"] <= at
        assert at + size <= known["PROCESSOR"]["to"], name


def test_the_version_is_the_one_that_is_described(tab: Pieces) -> None:
    version = json.loads((tab.wasm.parents[1] / "package.json").read_text())["version"].split("+")[0]
    assert PACKAGE["dependencies"]["v86"] == version
    assert f"package v86 {version}," in Path(MACHINE / "v86.mjs").read_text()
