"""Which lines of the agent have run, and a sanitized agent as process 1 of a lab kernel."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections import defaultdict
from pathlib import Path

from bench.walls import without_walls
from labkit.compile.compiler import compile_experiment
from labkit.decode.raw import Raw
from labkit.execute.artifacts.binaries import AGENT
from labkit.execute.guest.boot import command_line, module_file
from labkit.execute.guest.kernel.build import kernel
from labkit.execute.guest.machine_files import listed
from labkit.execute.machine.process import Process
from labkit.spec import Experiment
from tests.agent.harness import build

# What of the sanitizers can be linked statically, and needs no larger address space than a guest has.
STATIC = ["-g", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-fstack-protector-strong", "-static"]
COUNTED = ["--coverage", "-fprofile-update=atomic"]
_MOUNT_POINTS = ("proc", "sys", "dev", "run", "machine", "host", "tmp")
_MEMORY_MB = 192
Lines = dict[str, set[int]]


def guest_root(folder: Path) -> Path:
    """A lab kernel's root with such an agent in it, compiled in `folder`, where its counters belong."""
    root = folder / "root"
    for name in _MOUNT_POINTS:
        (root / name).mkdir(parents=True)
    agent = build(folder, *COUNTED, driver="last_word.c", wrap=["reboot"], sanitized=STATIC)
    agent.rename(root / "agent")
    return root


def in_guest(folder: Path, exp: Experiment) -> tuple[Raw, str]:
    """Run an experiment by the agent of guest_root(folder): what it wrote, what it said. Its counters are put
    where `lines` looks for them: in files that it makes itself, so there are no walls."""
    compiled = compile_experiment(exp)
    modules = {f"module{i}.ko": module_file(name).read_bytes() for i, name in enumerate(compiled.modules)}
    argv = [*command_line(kernel(), _MEMORY_MB), "GCOV_PREFIX=/run", "GCOV_PREFIX_STRIP=99"]
    files = {"program": compiled.program, "machine": listed(), **modules}
    with (
        without_walls() as bare,
        Process(
            dataclasses.replace(bare, root=folder / "root"),
            argv,
            files,
            environment={"LD_PRELOAD": str(bare.shim)},
        ) as guest,
    ):
        assert guest.wait(120), "it does not end"
        raw, said = guest.folder / "raw", guest.console(100)
        for counters in guest.folder.glob("*.gcda"):
            (folder / counters.name).write_bytes(counters.read_bytes())
        return Raw(raw.read_bytes() if raw.exists() else b""), said


def lines(folder: Path) -> tuple[Lines, Lines]:
    """Of each C file of the agent the lines that have run, of those that were compiled in `folder`."""
    run: defaultdict[str, set[int]] = defaultdict(set)
    known: defaultdict[str, set[int]] = defaultdict(set)
    for counters in sorted(folder.glob("*.gcda")):
        command = ["gcov", "--json-format", "--stdout", counters.name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        for file in json.loads(done.stdout)["files"]:
            path = Path(file["file"])
            if path.parent != AGENT:
                continue
            for line in file["lines"]:
                known[path.name].add(line["line_number"])
                if line["count"]:
                    run[path.name].add(line["line_number"])
    return dict(run), dict(known)
