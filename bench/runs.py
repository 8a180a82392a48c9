"""Runs, tables, the command, an open laboratory: each timed once."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import experiments
from bench.measure import Sample, Stopwatch
from bench.memory import peak_mb
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Experiment, Flow

_TABLES = {"recovery": ("retransmissions", "cong_states")}  # of the other probes: the one of its name


def in_hand(result: Result) -> None:
    """Decode what a reader would look at."""
    result.goodput()
    for probe in result.experiment.probes:
        for table in _TABLES.get(probe, (probe,)):
            getattr(result, table)


def forget(result: Result) -> None:
    """The next run is as if it were the first."""
    shutil.rmtree(result.folder, ignore_errors=True)


def a_run(experiment: Callable[[], Experiment], *, read: bool = True) -> Sample:
    """From call to a Result in hand."""
    exp = experiment()
    with Stopwatch() as watch:
        result = run(exp, cache=False)
        if read:
            in_hand(result)
    sample = watch.sample(virtual_s=result.virtual_s)
    forget(result)
    return sample


@contextlib.contextmanager
def the_command() -> Iterator[list[str]]:
    """`labkit run` of A as a user would call it."""
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as folder:
        file = Path(folder) / "a.json"
        file.write_text(experiments.one_reno().to_json())
        yield [sys.executable, "-m", "labkit.cli", "run", str(file), "--no-cache", "--json"]


def a_process() -> Sample:
    """The `labkit run` command: start of Python to end of Python."""
    with the_command() as command, Stopwatch() as watch:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"labkit run ended with {done.returncode}: {done.stderr.strip()}")
    return watch.sample(virtual_s=json.loads(done.stdout)["virtual_s"])


def again() -> Sample:
    """A run whose result is kept."""
    exp = experiments.one_reno()
    result = run(exp)
    with Stopwatch() as watch:
        result = run(exp)
        in_hand(result)
    return watch.sample(virtual_s=result.virtual_s)


def decode() -> Sample:
    """The table tcp_probe of A from its raw file."""
    folder = run(experiments.one_reno()).folder
    with Stopwatch() as watch:
        result = Result(folder)
        _ = result.tcp_probe
    return watch.sample(virtual_s=result.virtual_s)


def compile_many() -> Sample:
    """62 hosts with 30 flows to a lab program."""
    from labkit.compile.compiler import compile_experiment

    exp = experiments.thirty_cubic()
    with Stopwatch() as watch:
        compile_experiment(exp)
    return watch.sample()


_STEPS = 10


def step() -> Sample:
    """lab.advance("1s") of an open laboratory with a flow in it."""
    from labkit.lab.laboratory import Lab

    with Lab(experiments.small(), seed=1) as lab:
        lab.start(Flow("left", "right", cc="reno", duration="60s"))
        lab.advance("1s")
        with Stopwatch() as watch:
            for _ in range(_STEPS):
                lab.advance("1s")
    return watch.sample(virtual_s=float(_STEPS)) / _STEPS


def open_lab() -> Sample:
    """Lab(...).open(): until the first prompt, so to say."""
    from labkit.lab.laboratory import Lab

    lab = Lab(experiments.small(), seed=1)
    with Stopwatch() as watch:
        lab.open()
    lab.close()
    return watch.sample()


def memory() -> Sample:
    """The most that the guest's processes held during A."""
    with the_command() as command:
        return Sample(peak_mb(command))
