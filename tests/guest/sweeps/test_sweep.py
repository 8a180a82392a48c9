"""Sweeps on real guests: every executor gives the same table; what is interrupted goes on; nothing stays.

Which runs were done again is seen by the time at which a result's manifest was written.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from dask import config as dask_config
from distributed import Client, LocalCluster

from labkit import Experiment, Flow, Refine, Result, SpecError, SweepFile, cli, dumbbell, pair
from labkit.measures.vocabulary import DEFAULT
from labkit.sweeps import SweepWarning, stream, sweep
from tests.guest.conftest import left
from tests.guest.furnish import ROOT

LOSS, CC = "links.r1-r2.forward.loss", "flows.cc"
EXP = Experiment(
    dumbbell(rate="10mbit", delay="5ms", queue="50p"),
    flows=[Flow("left", "right", size="2MB"), Flow("left", "right", size="1MB", start="1s")],
    probes=[],
)
GRID = {LOSS: ["0%", "2%", "5%"], CC: ["reno", "cubic"]}
SEEDS = [3, 8]
RUNS = 12


@pytest.fixture(scope="module")
def table(own_cache: Path) -> pd.DataFrame:
    """The sweep as the default executor does it, no result at hand."""
    return sweep(EXP, GRID, SEEDS, cache=False).table


@pytest.fixture(scope="module")
def dask(own_cache: Path) -> Iterator[Client]:
    """A Dask cluster of two processes, with our cache. A worker that is to take a dead one's place gives up
    after 30 s by itself, and a cluster without workers waits for ever."""
    patient = dask_config.set({"distributed.comm.timeouts.connect": "300s"})
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with patient, cluster, Client(cluster) as client:
        yield client


def written(cache: Path) -> dict[str, int]:
    """When the manifest of each result was written."""
    found = cache.glob("results/*/manifest.json")
    return {file.parent.name: file.stat().st_mtime_ns for file in found}


@pytest.fixture
def empty(own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache without results, for one test."""
    for name in ("kernel", "native", "modules", "runs"):
        (tmp_path / name).symlink_to(own_cache / name)
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))
    return tmp_path


def test_the_table_has_a_row_per_run_and_flow(table: pd.DataFrame) -> None:
    assert len(table) == 2 * RUNS and (table["error"] == "").all()
    after = ["virtual_s", "incomplete", "error", "spec_digest"]
    assert list(table.columns) == [LOSS, CC, "seed", "flow", *DEFAULT, *after]
    assert table["spec_digest"].nunique() == RUNS
    assert table.loc[table[LOSS] == 0, "goodput"].min() > table.loc[table[LOSS] == 0.05, "goodput"].max() / 2


def test_loss_makes_a_flow_slower_and_its_seeds_differ(table: pd.DataFrame) -> None:
    flows = table[table["flow"] == "left-right"]
    means = flows.groupby([CC, LOSS])["goodput"].mean().unstack()
    assert (means[0.05] < means[0.0]).all()
    spread = flows.groupby([CC, LOSS])["goodput"].nunique().unstack()
    assert (spread[0.0] == 1).all() and (spread[0.05] == 2).all()


# --- executors


def test_other_processes_give_the_same_table(table: pd.DataFrame) -> None:
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        again = sweep(EXP, GRID, SEEDS, executor=processes, cache=False).table
    pd.testing.assert_frame_equal(again, table, check_exact=True)


def test_a_dask_cluster_gives_the_same_table(table: pd.DataFrame, dask: Client) -> None:
    again = sweep(EXP, GRID, SEEDS, executor=dask.get_executor(), cache=False).table
    pd.testing.assert_frame_equal(again, table, check_exact=True)


def test_a_sweep_outlives_a_dask_worker(table: pd.DataFrame, dask: Client) -> None:
    """Killed in the middle of a run: what it had is run by the other."""
    victim, killed = next(iter(dask.run(os.getpid).values())), []

    def kill(row: dict[str, Any]) -> None:
        if not killed:
            killed.append(row)
            os.kill(victim, signal.SIGKILL)

    again = sweep(EXP, GRID, SEEDS, executor=dask.get_executor(), cache=False, on_row=kill).table
    pd.testing.assert_frame_equal(again, table, check_exact=True)
    assert killed and victim not in dask.run(os.getpid).values()


class OneCallOnce(Executor):
    """Takes equal arguments for one and the same call, as Dask does. The first is lost with its worker."""

    def __init__(self) -> None:
        self.calls: dict[str, Future[Any]] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        call = repr((fn, args, kwargs))
        if call not in self.calls:
            self.calls[call] = future = Future()
            if len(self.calls) == 1:
                future.set_exception(RuntimeError("the worker is gone"))
            else:
                future.set_result(fn(*args, **kwargs))
        return self.calls[call]


def test_what_was_lost_with_a_worker_is_run_again_and_not_looked_up() -> None:
    executor = OneCallOnce()
    swept = sweep(EXP, {CC: ["reno", "cubic"]}, 1, executor=executor)
    assert swept.failed.empty and set(swept.table[CC]) == {"reno", "cubic"}
    assert len(executor.calls) == 3


def test_a_run_that_kills_every_worker_is_a_row_and_takes_no_other_along(dask: Client) -> None:
    def deadly(result: Result) -> dict[str, float]:
        if result.experiment.flows[0].cc == "bic":
            os.kill(os.getpid(), signal.SIGKILL)
        return {"goodput": result.goodput().iloc[0]}

    with pytest.warns(SweepWarning, match=r"1 of 4 runs failed:\n  1 x: the worker failed: KilledWorker"):
        swept = sweep(
            EXP, {CC: ["reno", "bic", "cubic", "htcp"]}, 1, measure=deadly, executor=dask.get_executor()
        )
    assert list(swept.failed[CC]) == ["bic"]
    assert swept.table["goodput"].notna().sum() == 3


def test_a_measure_that_dask_cannot_send_is_named(dask: Client) -> None:
    lock = threading.Lock()

    def measure(result: Result) -> dict[str, float]:
        with lock:
            return {"goodput": result.goodput().iloc[0]}

    with pytest.raises(SpecError, match=r"measure=.*measure: cannot be sent to another process"):
        sweep(EXP, GRID, SEEDS, measure=measure, executor=dask.get_executor())


# --- what fails, what is interrupted


def test_a_point_that_meets_its_limit_is_a_row_among_the_others() -> None:
    with pytest.warns(SweepWarning, match=r"2 of 4 runs failed:\n  2 x: not finished after 1 s of virtual"):
        swept = sweep(EXP, {"time_limit": ["1s", "60s"], CC: ["reno", "cubic"]}, 1)
    assert list(swept.failed["time_limit"]) == [1, 1]
    good = swept.table[swept.table["error"] == ""]
    assert list(good["time_limit"]) == [60] * 4 and good["duration"].notna().all()


@pytest.mark.parametrize("executor", [None, 1])
def test_an_interrupted_sweep_goes_on_where_it_was(
    executor: int | None, table: pd.DataFrame, empty: Path
) -> None:
    count = 0

    def interrupt(_: object) -> None:
        nonlocal count
        count += 1
        if count == 7:
            raise KeyboardInterrupt

    pool = None if executor is None else ThreadPoolExecutor(executor)
    with pytest.raises(KeyboardInterrupt):
        sweep(EXP, GRID, SEEDS, on_row=interrupt, executor=pool)
    before = written(empty)
    assert 4 <= len(before) < RUNS
    again = sweep(EXP, GRID, SEEDS).table
    after = written(empty)
    assert len(after) == RUNS
    assert {name: after[name] for name in before} == before
    pd.testing.assert_frame_equal(again, table, check_exact=True)


def test_who_stops_reading_leaves_no_guest(empty: Path) -> None:
    rows = stream(EXP.replace(flows=[Flow("left", "right", duration="500s")]), GRID, SEEDS)
    next(rows)
    rows.close()
    assert left(empty) == []
    assert len(written(empty)) < RUNS


SWEEP = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from labkit import SweepFile
if __name__ == "__main__":
    pool = ProcessPoolExecutor(2, get_context("spawn")) if sys.argv[2] == "processes" else None
    SweepFile.load(sys.argv[1]).run(on_row=lambda row: print(row["seed"], flush=True), executor=pool)
"""


def file(folder: Path, **fields: Any) -> Path:
    """The sweep as a file."""
    path = folder / "sweep.json"
    SweepFile(**{"experiment": EXP, "grid": GRID, "seeds": SEEDS, **fields}).save(path)
    return path


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_ends_in_the_middle_leaves_nothing(
    number: signal.Signals, kind: str, empty: Path, table: pd.DataFrame
) -> None:
    """Its guests go with it; what it has done is not done again."""
    script = empty / "script.py"
    script.write_text(SWEEP)
    command = [sys.executable, str(script), str(file(empty)), kind]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.kill()
    process.communicate(timeout=300) if number == signal.SIGINT else process.wait()
    assert process.returncode != 0
    assert left(empty) == []
    if number == signal.SIGKILL:
        os.killpg(process.pid, number) if kind == "processes" else None
        process.communicate()
    before = written(empty)
    assert 1 <= len(before) < RUNS
    pd.testing.assert_frame_equal(sweep(EXP, GRID, SEEDS).table, table, check_exact=True)
    after = written(empty)
    assert {name: after[name] for name in before} == before


POOL = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
from labkit import SweepFile
def interrupted(row):
    for process in multiprocessing.active_children():
        process.kill()
    raise KeyboardInterrupt
if __name__ == "__main__":
    sys.setswitchinterval(60)  # the pool's thread sees its dead processes after we are through
    pool = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))
    SweepFile.load(sys.argv[1]).run(on_row=interrupted, executor=pool)
"""


def test_a_sweep_ends_that_is_interrupted_together_with_its_pool(empty: Path) -> None:
    """One dead process of two at the time of the interrupt was enough for a wait without end."""
    script = empty / "script.py"
    script.write_text(POOL)
    command = [sys.executable, str(script), str(file(empty))]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert process.stderr.endswith("KeyboardInterrupt\n") and "InvalidState" not in process.stderr
    assert left(empty) == []


DEAF = """
import multiprocessing, signal, sys, time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from labkit import SweepFile
from labkit.sweeps import stream
BUSY = Path(sys.argv[1] + ".busy")
def deaf():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
def one_is_never_done(result):
    exp = result.experiment
    if exp.seed == 3 and exp.flows[0].cc == "reno" and not exp.topology.links[1].forward.loss:
        BUSY.touch()
        time.sleep(10**6)
    return {"mean": 1.0}
if __name__ == "__main__":
    pool = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), initializer=deaf)
    sweep = SweepFile.load(sys.argv[1])
    rows = stream(sweep.experiment, sweep.grid, [3, 8], measure=one_is_never_done, executor=pool)
    with closing(rows):
        for row in rows:
            if BUSY.exists():
                print(row["mean"], flush=True)
                raise KeyboardInterrupt
"""


def test_a_sweep_ends_that_is_interrupted_while_a_worker_does_not_hear_it(empty: Path) -> None:
    script = empty / "script.py"
    script.write_text(DEAF)
    command = [sys.executable, str(script), str(file(empty))]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert process.stdout == "1.0\n" and process.stderr.endswith("KeyboardInterrupt\n")
    assert left(empty) == []


# --- more points where it bends


def test_refinement_finds_the_knee_of_a_window_limit() -> None:
    """Goodput is window/RTT until that is the rate: 10 Mbit/s in frames, 9.57 of payload, at 40 ms."""
    exp = Experiment(
        pair(rate="10mbit", delay="20ms", queue="200p"), flows=[Flow("left", "right", size="5MB")], probes=[]
    )
    windows = [20_000, 60_000, 100_000, 140_000, 180_000]
    swept = sweep(
        exp, {"flows.rcvbuf": windows}, 1, measure="goodput", refine=Refine("flows.rcvbuf", points=4)
    )
    means = swept.summary().set_index("flows.rcvbuf")["mean"]
    limited = means[means < 0.97 * means.max()]
    assert len(means) == 9 and means.is_monotonic_increasing
    first, last = limited.index[-1], means.index[len(limited)]
    assert last - first <= 10_000  # an interval of 40,000 was halved twice


# --- the command


def test_the_command_prints_what_the_sweep_gives(
    table: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.csv"
    assert cli.main(["sweep", str(file(tmp_path)), "--json", "--csv", str(rows)]) == cli.OK
    said = json.loads(capsys.readouterr().out)
    pd.testing.assert_frame_equal(pd.read_csv(rows, keep_default_na=False), table, check_exact=True)
    assert [row["goodput"] for row in said["rows"]] == list(table["goodput"])
    assert len(said["summary"]) == 2 * 6 * len(DEFAULT)
    assert said["interval"].startswith("95 % confidence interval of the mean, Student's t")
    mean = table[(table[LOSS] == 0) & (table[CC] == "reno") & (table["flow"] == "left-right")]["goodput"]
    assert said["summary"][0]["mean"] == mean.mean()


def test_the_commands_status_says_whether_a_limit_was_met(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = {"time_limit": ["1s", "60s"]}
    assert cli.main(["sweep", str(file(tmp_path, grid=grid, seeds=1)), "--workers", "2"]) == cli.LIMIT
    said = capsys.readouterr()
    assert "labkit: 1 of 2 runs failed:\n  1 x: not finished after 1 s" in said.err
    assert "goodput" in said.out


def test_the_command_ends_at_once_when_it_is_interrupted(empty: Path) -> None:
    endless = EXP.replace(flows=[Flow("left", "right", duration="50000s")], time_limit="50000s")
    path = file(empty, experiment=endless)
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = start + f"import sys; from labkit import cli; sys.exit(cli.main(['sweep', {str(path)!r}]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE
    )
    while not any((empty / "runs").glob("*/raw")):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == cli.INTERRUPTED
    assert said.decode().endswith("labkit: interrupted; nothing of the run is left\n")
    assert left(empty) == []
