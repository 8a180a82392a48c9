"""What captures and the ledger cost: a run with them, a table of a million packets, the ledger of 100,000."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.measure import Sample, Stopwatch
from labkit.results.ledger import ledger
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Capture, Experiment, Flow
from labkit.spec.topologies import dumbbell, pair

TABLE = """
import json, resource, sys, time
from labkit.results.result import Result
result = Result(sys.argv[1])
begin, cpu = time.perf_counter(), time.process_time()
table = result.packet_table("right")
wall_s, cpu_s = time.perf_counter() - begin, time.process_time() - cpu
peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"packets": len(table), "wall_s": wall_s, "cpu_s": cpu_s, "peak_mb": peak_kb * 1024 / 1e6}))
"""


#   left ---- r1 -------------- r2 ---- right
#                10 Mbit/s, 5 ms each way
def one_reno() -> Experiment:
    """25 MB over 10 Mbit/s: what a capture is added to."""
    network = dumbbell(rate="10mbit", delay="5ms", queue="100p")
    return Experiment(network, flows=[Flow("left", "right", cc="reno", size="25MB")])


def million() -> Experiment:
    """A million packets, data and ACKs, past one interface; 96 bytes of each are kept."""
    network = pair(rate="1gbit", delay="1ms", queue="200p")
    flow = Flow("left", "right", cc="cubic", size="980MB")
    return Experiment(network, flows=[flow], probes=[], capture=[Capture("right", snap=96)])


def hundred_thousand() -> Experiment:
    """100,000 packets sent, of which 1 % of the data gets lost; with all that a ledger needs."""
    network = dumbbell(rate="100mbit", delay="10ms", queue="200p", loss="1%")
    ends = [Capture(host, snap=128) for host in ("left", "right")]
    flow = Flow("left", "right", cc="cubic", size="98MB")
    return Experiment(network, flows=[flow], probes=["drops", "recovery", "tcp_probe"], capture=ends)


def taken(experiment: Experiment) -> float:
    """Seconds from the call to the result, which is thrown away."""
    with Stopwatch() as watch:
        result = run(experiment, cache=False)
    shutil.rmtree(result.folder, ignore_errors=True)
    return watch.wall_s


def ratio() -> Sample:
    """How many times as long the run takes with captures at both ends."""
    bare = one_reno()
    return Sample(taken(bare.replace(capture=["left", "right"])) / taken(bare))


@functools.cache
def kept(name: str) -> tuple[Path, tempfile.TemporaryDirectory[str]]:
    """The folder of a run that is made once; it goes when this process ends."""
    folder = tempfile.TemporaryDirectory(prefix="labkit-bench-")
    result = run({"million": million, "hundred thousand": hundred_thousand}[name](), cache=False)
    result.save(Path(folder.name) / "run")
    shutil.rmtree(result.folder, ignore_errors=True)
    return Path(folder.name) / "run", folder


def _table() -> dict[str, float]:
    """The packet table of a million packets, made in a fresh process. Raises RuntimeError."""
    folder, _ = kept("million")
    done = subprocess.run(
        [sys.executable, "-c", TABLE, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the table was not made: {done.stderr.strip()[-500:]}")
    found: dict[str, float] = json.loads(done.stdout)
    if found["packets"] < 1e6:
        raise RuntimeError(f"{found['packets']} packets are no million")
    return found


def table_time() -> Sample:
    """Seconds."""
    found = _table()
    return Sample(found["wall_s"], found["cpu_s"])


def table_memory() -> Sample:
    """The most that the whole process held, in MB."""
    return Sample(_table()["peak_mb"])


def ledger_time() -> Sample:
    """The ledger alone: the run with its probes and captures is there."""
    result = Result(kept("hundred thousand")[0])
    with Stopwatch() as watch:
        ledger(result)
    return watch.sample()
