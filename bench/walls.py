"""What the walls around a guest cost: an empty run with them against one without, as only bench has it."""

from __future__ import annotations

import contextlib
import dataclasses
import resource
import statistics
import subprocess
import tempfile
import unittest.mock
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.measure import Sample
from labkit.execute.artifacts.binaries import FLAGS, HERE, SHIM, Binaries, binaries
from labkit.execute.guest import boot
from labkit.execute.machine.process import Process
from labkit.results.run import run
from labkit.spec import Experiment
from labkit.spec.topologies import pair

_PAIRS = 15


def cost() -> Sample:
    """ms of processor time of a guest that does nothing but start and end: the median with walls less
    the median without. Wall time would measure what else the machine does."""
    took: dict[bool, list[float]] = {True: [], False: []}
    with without_walls() as bare:
        for _ in range(_PAIRS):
            for walls in (True, False):
                took[walls].append(_empty_run() if walls else _bare_run(bare))
    return Sample(1000 * (statistics.median(took[True]) - statistics.median(took[False])))


def _empty_run() -> float:
    before = _children_s()
    run(Experiment(pair(), duration="1ms", probes=[]), cache=False)
    return _children_s() - before


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _bare_run(bare: Binaries) -> float:
    def start(_: Binaries, *arguments: Any, shown: object, environment: object, **named: Any) -> Process:
        return Process(bare, *arguments, environment={"LD_PRELOAD": str(bare.shim)}, **named)

    with unittest.mock.patch.object(boot, "Process", start):
        return _empty_run()


@contextlib.contextmanager
def without_walls() -> Iterator[Binaries]:
    """The programs with a shim that closes nothing."""
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as folder:
        shim = Path(folder) / "shim.so"
        sources = [str(HERE / "native" / name) for name in SHIM]
        command = ["cc", *FLAGS, "-DWALLS=0", "-shared", "-fPIC", "-o", str(shim), *sources, "-ldl"]
        subprocess.run(command, check=True)
        yield dataclasses.replace(binaries(), shim=shim)
