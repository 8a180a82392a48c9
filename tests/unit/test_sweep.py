"""Sweeps: planning, errors, means and intervals, refinement, tables. Runs are replaced by formulas."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from labkit import Experiment, Flow, Refine, SpecError, charts, cli, dumbbell
from labkit.errors import LabKernelError, LabkitError, LimitReached
from labkit.models.intervals import mean_interval
from labkit.sweeps import Sweep, SweepError, SweepWarning, stream, sweep, work
from labkit.sweeps.axes import axis
from labkit.sweeps.file import SweepFile
from labkit.sweeps.published import Published
from labkit.sweeps.rows import MeasureError, rows_of
from tests.ran import Ran, sweeping

LOSS, CC = "links.r1-r2.forward.loss", "flows.cc"
EXP = Experiment(dumbbell(rate="10mbit"), flows=[Flow("left", "right", size="1MB")])


@pytest.fixture(autouse=True)
def ran() -> Iterator[list[Experiment]]:
    """The experiments that were "run"."""
    with sweeping() as done:
        yield done


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def rate(result: Ran) -> dict[str, Any]:
    return {"rate": 10 - 50 * result.loss + result.seed / 10}


# --- planning


def test_every_point_runs_once_with_every_seed(pool: Executor, ran: list[Experiment]) -> None:
    swept = sweep(
        EXP, {LOSS: ["0%", "1%"], CC: ["reno", "cubic", "htcp"]}, [3, 1], measure=rate, executor=pool
    )
    assert swept.runs == len(ran) == len(set(ran)) == 12
    assert {exp.seed for exp in ran} == {1, 3}
    assert list(swept.table[CC][:4]) == ["reno", "reno", "cubic", "cubic"]


def test_a_function_is_a_template_too(pool: Executor) -> None:
    def made(loss: str, cc: str = "reno") -> Experiment:
        return Experiment(
            dumbbell(rate="10mbit", loss=loss), flows=[Flow("left", "right", cc=cc, size="1MB")]
        )

    swept = sweep(made, {"loss": ["0%", "2%"]}, 1, measure=rate, executor=pool)
    assert list(swept.table["rate"]) == pytest.approx([10, 9])
    with pytest.raises(SpecError, match="sweep: the function does not take los:"):
        sweep(made, {"los": ["1%"]}, executor=pool)


@pytest.mark.parametrize(
    ("given", "labels", "unit"),
    [
        (["0%", "1.5%"], (0.0, 0.015), "share"),
        ([0, "1%"], (0, 0.01), "share"),
        (["10ms", "1s"], (0.01, 1.0), "s"),
        (["100p", "1000p"], (100, 1000), "packets"),
        (["100p", "fq_codel"], ("100p", "fq_codel"), ""),
        ({"none": None, "some": "1%"}, ("none", "some"), ""),
        (np.array([1, 2]), (1, 2), ""),
        ([True, False], (True, False), ""),
    ],
)
def test_an_axis_of_numbers_has_them_in_si_units(given: Any, labels: tuple[Any, ...], unit: str) -> None:
    found = axis("path", given, lambda _: False)
    assert (found.labels, found.unit) == (labels, unit)
    assert found.numeric == (not isinstance(labels[0], str | bool))


def test_the_unit_of_plain_numbers_is_the_fields(pool: Executor) -> None:
    swept = sweep(EXP, {LOSS: [0, 0.01], "links.r1-r2.delay": [0, 0.1]}, 1, measure=rate, executor=pool)
    assert [found.unit for found in swept.axes] == ["share", "s"]


@pytest.mark.parametrize(
    ("grid", "options", "said"),
    [
        ({}, {}, "grid: is empty"),
        ({LOSS: []}, {}, "loss: no value"),
        ({LOSS: "1%"}, {}, r"not a list of values: write \['1%'\]"),
        ({LOSS: ["1%", 0.01]}, {}, "0.01 stands there twice"),
        ({"links.r1-r2.forward.los": ["1%"]}, {}, r'did you mean "loss"'),
        ({"flow.cc": ["reno"]}, {}, r'no such field \(did you mean "flows"\?\)'),
        ({"seed": [1, 2]}, {}, r"for seeds write seeds=range\(10\)"),
        ({CC: ["reno"]}, {"seeds": [1, 2, 1]}, "seeds: 1: there twice"),
        ({CC: ["reno"]}, {"seeds": []}, "seeds=.*none"),
        ({CC: ["reno"]}, {"seeds": 1.5}, "seeds=1.5: write a number"),
        ({CC: ["reno"]}, {"seeds": [-1]}, "seed=-1: must be at least 0"),
        ({CC: ["reno"]}, {"measure": "godput"}, r'no such figure \(did you mean "goodput"\?\)'),
        ({CC: ["reno"]}, {"measure": []}, "measure: nothing"),
        ({CC: ["reno"]}, {"refine": Refine(LOSS)}, f"refine: '{LOSS}': no such axis: axes are {CC}"),
        ({CC: ["reno", "bic", "cubic"]}, {"refine": Refine(CC)}, "not numbers"),
        ({LOSS: ["1%", "2%"]}, {"refine": Refine(LOSS)}, "a bend needs three values: it has 2"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(
    grid: Any, options: Any, said: str, pool: Executor, ran: list[Experiment]
) -> None:
    with pytest.raises(SpecError, match=said):
        sweep(EXP, grid, executor=pool, **options)
    assert ran == []


def test_all_values_that_the_spec_refuses_are_named_at_once(pool: Executor) -> None:
    with pytest.raises(SpecError) as refused:
        sweep(EXP, {LOSS: ["1%", "5", "200%"], CC: ["reno", 7]}, executor=pool)
    said = str(refused.value)
    assert "'5'" in said and "'200%'" in said and f"{CC} = 7" in said
    assert len(said.splitlines()) == 3


def test_a_measure_that_no_other_process_can_get_is_named() -> None:
    with (
        ProcessPoolExecutor(1) as processes,
        pytest.raises(SpecError, match=r"measure=.*<lambda>: cannot be"),
    ):
        sweep(EXP, {CC: ["reno"]}, 1, measure=lambda _: {"a": 1}, executor=processes)


# --- rows and tables


def test_the_table_depends_neither_on_workers_nor_on_the_order_of_ends() -> None:
    class Shuffled(Executor):
        """Does everything at once, in an order of its own."""

        def __init__(self, seed: int) -> None:
            self.random, self.waiting = Random(seed), []

        def submit(self, call: Any, /, *args: Any, **options: Any) -> Future[Any]:
            future: Future[Any] = Future()
            self.waiting.append((future, call, args))
            if len(self.waiting) == 8:
                self.random.shuffle(self.waiting)
                for other, *task in self.waiting:
                    other.set_result(task[0](*task[1]))
            return future

    grid = {LOSS: ["2%", "0%"], CC: ["reno", "bic"]}
    tables = [sweep(EXP, grid, 2, measure=rate, executor=Shuffled(seed)).table for seed in (1, 2)]
    with ThreadPoolExecutor(3) as threads:
        tables.append(sweep(EXP, grid, 2, measure=rate, executor=threads).table)
    for table in tables[1:]:
        pd.testing.assert_frame_equal(tables[0], table)
    assert list(tables[0][LOSS]) == [0.0] * 4 + [0.02] * 4


def test_a_failing_point_is_a_row_and_the_others_stay(
    pool: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(exp: Experiment, **_: Any) -> Ran:
        if exp.flows[0].cc == "bic":
            raise LabKernelError("panic")
        return Ran(exp)

    monkeypatch.setattr(work, "run", run)
    given = {CC: ["reno", "bic"]}, 2
    with pytest.warns(SweepWarning, match=r"2 of 4 runs failed:\n  2 x: panic"):
        swept = sweep(EXP, *given, measure=rate, executor=pool)
    assert list(swept.failed["error"]) == ["panic", "panic"]
    assert (
        swept.failed["spec_digest"].iloc[0]
        == EXP.replace(seed=0, flows=[EXP.flows[0].replace(cc="bic")]).digest()
    )
    assert swept.table["rate"].notna().sum() == 2
    assert list(swept.summary()["n"]) == [2]
    with pytest.raises(SweepError, match="panic") as error:
        sweep(EXP, *given, measure=rate, executor=pool, on_error="raise")
    pd.testing.assert_frame_equal(error.value.sweep.table, swept.table)


def test_a_measures_own_error_is_named_by_its_type(pool: Executor) -> None:
    def measure(_: Ran) -> dict[str, float]:
        return {"a": 1 / 0}

    with pytest.warns(SweepWarning, match="ZeroDivisionError: division by zero"):
        sweep(EXP, {CC: ["reno"]}, 1, measure=measure, executor=pool)


class Losing(Executor):
    """Loses the tasks of these numbers, counted as they come."""

    def __init__(self, *lost: int) -> None:
        self.lost, self.count = lost, 0

    def submit(self, call: Any, /, *args: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        number, self.count = self.count, self.count + 1
        if number in self.lost:
            future.set_exception(RuntimeError("killed"))
        else:
            future.set_result(call(*args))
        return future


def test_what_is_lost_with_a_worker_is_run_again_after_the_others(ran: list[Experiment]) -> None:
    rows = list(stream(EXP, {CC: ["reno", "bic", "cubic"]}, 1, measure=rate, executor=Losing(0)))
    assert [row["error"] for row in rows] == [""] * 3
    assert rows[-1][CC] == "reno" and len(ran) == 3


def test_what_is_lost_twice_is_a_row_that_says_so() -> None:
    with pytest.warns(SweepWarning, match="1 of 2 runs failed"):
        swept = sweep(EXP, {CC: ["reno", "bic"]}, 1, measure=rate, executor=Losing(0, 2))
    assert list(swept.table["error"]) == ["the worker failed: RuntimeError: killed", ""]


def test_a_broken_pool_loses_nothing_of_what_it_has_done(ran: list[Experiment]) -> None:
    class Breaking(Losing):
        def submit(self, call: Any, /, *args: Any, **options: Any) -> Future[Any]:
            if self.count >= 2:
                raise BrokenProcessPool("a process died")
            return super().submit(call, *args)

    with pytest.warns(SweepWarning, match="BrokenProcessPool: a process died"):
        swept = sweep(EXP, {CC: ["reno", "bic", "cubic"]}, 1, measure=rate, executor=Breaking())
    assert list(swept.table["error"] == "") == [True, True, False]


def test_an_executor_that_is_closed_is_said(ran: list[Experiment]) -> None:
    with ThreadPoolExecutor(1) as closed:
        pass
    with pytest.raises(LabkitError, match="takes no work: cannot schedule new futures after shutdown"):
        sweep(EXP, {CC: ["reno"]}, 1, measure=rate, executor=closed)


def test_a_run_with_nothing_to_measure_keeps_its_row_and_is_in_no_mean(pool: Executor) -> None:
    def causes(result: Ran) -> list[dict[str, Any]]:
        return [{"cause": "random", "packets": 3}] if result.loss else []

    swept = sweep(EXP, {LOSS: ["0%", "1%"]}, 2, measure=causes, executor=pool)
    assert swept.runs == 4 and len(swept.table) == 4
    assert list(swept.table["packets"].isna()) == [True, True, False, False]
    assert list(swept.summary()[LOSS]) == [0.01]


@pytest.mark.parametrize(
    ("measured", "rows"),
    [
        ({"a": np.float64(1.5), "b": np.int64(2), "c": True}, [{"a": 1.5, "b": 2, "c": 1}]),
        (
            [{"flow": "x", "a": 1}, {"flow": "y", "a": None}],
            [{"flow": "x", "a": 1}, {"flow": "y", "a": None}],
        ),
        (pd.DataFrame({"flow": ["x"], "a": [float("nan")]}), [{"flow": "x", "a": None}]),
        (pd.Series([1.0], pd.Index(["x"], name="flow"), name="a"), [{"flow": "x", "a": 1.0}]),
    ],
)
def test_a_measure_gives_one_row_several_or_a_table(measured: Any, rows: Any) -> None:
    assert rows_of(measured) == rows


@pytest.mark.parametrize("measured", [1.0, "a", {"a": [1]}, [1], {"seed": 1}])
def test_what_is_no_row_is_said(measured: Any) -> None:
    with pytest.raises(MeasureError, match=re.escape("measure gave")):
        rows_of(measured)


def test_rows_are_streamed_and_what_nobody_reads_is_cancelled(ran: list[Experiment]) -> None:
    """One worker, held at its second run until the reader has gone."""
    gone = threading.Event()

    def measure(result: Ran) -> dict[str, int]:
        if len(ran) > 1:
            gone.wait()
        return {"a": 1}

    with ThreadPoolExecutor(1) as one:
        rows = stream(EXP, {LOSS: [i / 100 for i in range(20)]}, 1, measure=measure, executor=one)
        assert next(rows)["a"] == 1
        gone.set()
        rows.close()
    assert len(ran) < 20


# --- means and intervals


def test_the_t_interval_is_the_one_of_the_books() -> None:
    """Student's own sleep data, drug 2 (Biometrika 6, 1908): 2.33, s = 2.002, t(9) = 2.262."""
    sleep = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    assert mean_interval(sleep) == pytest.approx((0.898, 3.762), abs=1e-3)


@pytest.mark.parametrize("n", [2, 3, 5, 30])
def test_the_t_interval_is_scipys(n: int) -> None:
    values = np.random.default_rng(n).normal(9, 2, n)
    low, high = scipy.stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert mean_interval(values) == pytest.approx((low, high), rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "n", "covered"), [("t", 5, 0.95), ("bootstrap", 5, 0.82), ("bootstrap", 10, 0.90)]
)
def test_an_interval_covers_the_mean_as_often_as_it_says(kind: Any, n: int, covered: float) -> None:
    """Of 400 samples of normally distributed values; 3.3 standard deviations of that count are allowed."""
    samples = np.random.default_rng(7).normal(0, 1, (400, n))
    hits = sum(low <= 0 <= high for low, high in (mean_interval(values, kind) for values in samples))
    assert hits / 400 == pytest.approx(covered, abs=3.3 * math.sqrt(covered * (1 - covered) / 400))


def test_the_bootstrap_interval_stays_within_the_values_and_repeats() -> None:
    values = np.array([0.0, 0.0, 0.1, 0.2, 0.1, 5.0, 0.0, 0.3, 0.1, 0.2])
    low, high = mean_interval(values, "bootstrap")
    assert 0 <= low < values.mean() < high <= 5
    assert mean_interval(values)[0] < 0
    assert (low, high) == mean_interval(values, "bootstrap")


@pytest.mark.parametrize("kind", ["t", "bootstrap"])
def test_one_value_has_no_interval_and_equal_ones_have_a_point(kind: Any) -> None:
    assert all(map(math.isnan, mean_interval(np.array([3.0]), kind)))
    assert mean_interval(np.array([3.0, 3.0, 3.0]), kind) == (3.0, 3.0)


def test_the_summary_has_a_row_per_point_flow_and_measure(pool: Executor) -> None:
    def measure(result: Ran) -> list[dict[str, Any]]:
        return [{"flow": name, "a": result.seed + i, "b": 1} for i, name in enumerate("xy")]

    swept = sweep(EXP, {CC: ["reno", "bic"]}, [1, 2, 3], measure=measure, executor=pool)
    summary = swept.summary()
    assert list(summary.columns) == [CC, "flow", "measure", "n", "mean", "std", "low", "high", "incomplete"]
    row = summary.set_index([CC, "flow", "measure"]).loc[("bic", "y", "a")]
    half = 4.3027 / math.sqrt(3)
    assert list(row) == pytest.approx([3, 3, 1, 3 - half, 3 + half, 0], abs=1e-4)
    assert summary.attrs["interval"] == "95 % confidence interval of the mean, Student's t"
    with pytest.raises(SpecError, match='write "t" or "bootstrap"'):
        swept.summary("normal")  # type: ignore[arg-type]


# --- figures


def test_the_figure_shows_the_first_axis_and_tells_the_others_apart(pool: Executor) -> None:
    swept = sweep(EXP, {LOSS: ["0%", "2%"], CC: ["reno", "bic"]}, 3, measure=rate, executor=pool)
    chart = swept.chart()
    chart.to_dict()
    assert chart.description == (
        f"rate over {LOSS}, means of 3 seeds. "
        "reno: 10.1 at 0 % to 9.1 at 2 %. bic: 10.1 at 0 % to 9.1 at 2 %."
    )
    assert {row["series"] for row in chart.datasets["swept"]} == {"reno", "bic"}
    assert "Student's t" in chart.usermeta["labkit"]["caption"]
    with pytest.raises(SpecError, match="measure='rat': was not measured"):
        swept.chart("rat")


def test_a_figure_over_names_has_no_line_between_them(pool: Executor) -> None:
    swept = sweep(EXP, {CC: ["reno", "bic"]}, 3, measure=rate, executor=pool)
    drawn = swept.chart(interval="bootstrap").to_dict()
    assert [layer["mark"]["type"] for layer in drawn["layer"]] == ["rule", "point"]


# --- refinement


def knee(result: Ran) -> dict[str, float]:
    return {"rate": 10.0 if result.loss <= 0.03 else 10 - 100 * (result.loss - 0.03)}


def test_new_points_gather_where_the_curve_bends(pool: Executor) -> None:
    grid = {LOSS: ["0%", "2%", "4%", "6%", "8%", "10%"], CC: ["reno", "bic"]}
    refine = Refine(LOSS, points=4)
    swept = sweep(EXP, grid, 2, measure=knee, executor=pool, refine=refine)
    new = swept.axes[0].labels[6:]
    assert len(new) == 4
    assert all(0.02 <= value <= 0.04 for value in new)
    assert len(swept.table) == 10 * 2 * 2
    assert swept.table[LOSS].is_monotonic_increasing
    again = sweep(EXP, grid, 2, measure=knee, executor=pool, refine=refine)
    pd.testing.assert_frame_equal(swept.table, again.table)


def test_refinement_of_whole_numbers_ends_where_there_is_none_between(pool: Executor) -> None:
    def measure(result: Ran) -> dict[str, int]:
        return {"a": result.experiment.topology.link("r1", "r2").forward.queue.packets ** 2}  # type: ignore[operator]

    queue = "links.r1-r2.forward.queue"
    swept = sweep(
        EXP, {queue: ["10p", "12p", "14p"]}, 1, measure=measure, executor=pool, refine=Refine(queue, 9)
    )
    assert sorted(swept.axes[0].labels) == [10, 11, 12, 13, 14]


# --- the package, the file, the command


SWEEP = f"""
experiment: exp.json
grid:
  {LOSS}: [0%, 2%, 4%]
  {CC}: [reno, cubic]
seeds: 3
measure: goodput
refine: {{path: {LOSS}, points: 2}}
"""


def test_a_file_names_its_experiment_from_where_it_is(tmp_path: Path) -> None:
    EXP.save(tmp_path / "exp.json")
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    found = SweepFile.load(tmp_path / "sweep.yaml")
    assert found.experiment == EXP and found.seeds == 3
    assert found.measure == ("goodput",) and found.refine == Refine(LOSS, points=2)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seeds", "seds", r"sweep.yaml: seds: SweepFile has no such field \(did you mean \"seeds\"\?\)"),
        ("goodput", "good", r"no such figure"),
        ("grid", "gird", "grid: missing"),
        ("points: 2", "points: 0", "refine.points=0: must be at least 1"),
    ],
)
def test_a_wrong_file_is_one_message(
    old: str, new: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    EXP.save(tmp_path / "exp.json")
    (tmp_path / "sweep.yaml").write_text(SWEEP.replace(old, new))
    assert cli.main(["sweep", str(tmp_path / "sweep.yaml")]) == cli.FAILED
    assert re.search(said, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("error", "status"), [(LabKernelError("panic"), cli.FAILED), (LimitReached("too long"), cli.LIMIT)]
)
def test_the_command_prints_what_there_is_and_says_what_failed(
    error: Exception,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = pd.DataFrame(
        {"start_s": [0.0], "last_byte_s": [2.0], "complete": [True]}, pd.Index(["f"], name="flow")
    )

    def run(exp: Experiment, **_: Any) -> Ran:
        if exp.flows[0].cc == "reno":
            return Ran(exp, {"flows": ended}, rates=[9.5])
        raise error

    monkeypatch.setattr(work, "run", run)
    EXP.save(tmp_path / "exp.json")
    (tmp_path / "sweep.yaml").write_text(SWEEP.split("refine")[0])
    csv = tmp_path / "rows.csv"
    assert cli.main(["sweep", str(tmp_path / "sweep.yaml"), "--workers", "1", "--csv", str(csv)]) == status
    said = capsys.readouterr()
    assert re.search(r"0.02 +reno +f +goodput +3 +9.5 +9.5 +9.5", said.out)
    assert said.err == f"labkit: 9 of 18 runs failed:\n  9 x: {error}\n"
    table = pd.read_csv(csv)
    assert len(table) == 18 and table["goodput"].notna().sum() == 9


def test_a_sweep_of_failures_only_says_so_in_its_figure(pool: Executor) -> None:
    with pytest.warns(SweepWarning):
        swept = sweep(EXP, {CC: ["reno"]}, 1, measure=lambda _: 1, executor=pool)
    assert isinstance(swept, Sweep)
    with pytest.raises(SpecError, match="none, since every run failed"):
        swept.chart()


def test_a_notebook_shows_a_row_per_point_with_units(pool: Executor) -> None:
    def measure(result: Ran) -> dict[str, Any]:
        return {"flow": "x", "goodput": 9 - 20 * result.loss + result.seed}

    shown = sweep(EXP, {LOSS: ["0%", "2.5%"], CC: ["reno", "bic"]}, 2, measure=measure, executor=pool)
    said, table = shown._repr_html_(), shown.points()
    assert list(table.columns) == [LOSS, CC, "goodput (Mbit/s)"]
    assert list(table.iloc[2]) == ["2.5 %", "reno", "9 ± 6.4"]  # 12.706 · 0.7071 / √2
    assert "8 runs; means of 2 seeds, each with half of the 95 % confidence interval" in said
    assert "<td>9 ± 6.4</td>" in said


def test_a_notebook_shows_what_failed(pool: Executor) -> None:
    with pytest.warns(SweepWarning):
        swept = sweep(EXP, {CC: ["reno", "bic"]}, 1, measure=lambda _: 1, executor=pool)
    assert "2 of 2 runs failed:<br>" in swept._repr_html_()


def test_a_bar_counts_the_runs_and_those_that_failed(
    pool: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    options: dict[str, Any] = {"executor": pool, "progress": True}
    options["on_row"] = lambda _: time.sleep(0.15)  # tqdm draws ten times a second
    with pytest.warns(SweepWarning):
        sweep(EXP, {CC: ["reno", "bic"]}, 1, measure=lambda _: 1, **options)
    assert "2 of 2 runs, 2 failed: 100%" in capsys.readouterr().err


def test_a_table_that_cannot_be_written_is_said_before_anything_runs(
    tmp_path: Path, ran: list[Experiment], capsys: pytest.CaptureFixture[str]
) -> None:
    EXP.save(tmp_path / "exp.json")
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    csv = tmp_path / "none" / "rows.csv"
    assert cli.main(["sweep", str(tmp_path / "sweep.yaml"), "--csv", str(csv)]) == cli.FAILED
    assert capsys.readouterr().err == f"labkit: {csv}: no such file or directory\n"
    assert ran == []


# --- flows that did not come to their end


def cut_at_5_percent(exp: Experiment) -> Ran:
    ran = Ran(exp)
    ran.cut = ran.loss == 0.05 and exp.seed > 0
    return ran


@pytest.fixture
def partly_cut() -> Iterator[Sweep]:
    """Without loss every run is complete, at 5 % one of three is."""
    rows = [{LOSS: 0.0, "goodput": 10.0}, {LOSS: 0.05, "goodput": 9.5}]
    with sweeping(cut_at_5_percent):
        yield sweep(EXP, {LOSS: ["0%", "5%"]}, 3, measure="goodput", published=Published("s", rows))


def test_a_mean_never_hides_that_flows_were_cut(partly_cut: Sweep) -> None:
    assert list(partly_cut.table.groupby(LOSS)["incomplete"].sum()) == [0, 2]
    assert list(partly_cut.summary()["incomplete"]) == [0, 2]
    assert [text.endswith("(2 incomplete)") for text in partly_cut.points()["goodput (Mbit/s)"]] == [
        False,
        True,
    ]
    assert list(partly_cut.compared()["measured_incomplete"]) == [0, 2]


def test_a_point_with_flows_that_were_cut_is_hollow_and_said(partly_cut: Sweep) -> None:
    figures = [partly_cut.chart(), charts.published(partly_cut.compared(), "case")]
    table = partly_cut.table.assign(what="loss")
    figures.append(charts.distribution(table, "goodput", "what"))
    for chart in figures:
        hollow = [layer for layer in chart.to_dict()["layer"] if "incomplete" in layer.get("name", "")]
        assert [layer["transform"] for layer in hollow] == [[{"filter": "datum.incomplete > 0"}]]
        assert chart.usermeta["labkit"]["caption"].endswith("Hollow: a flow did not come to its end there.")
        assert "(2 runs incomplete)" in chart.description


def test_nothing_is_said_of_flows_that_all_came_to_their_end() -> None:
    swept = sweep(EXP, {LOSS: ["0%", "5%"]}, 2, measure="goodput", progress=False)
    assert "incomplete" not in str(swept.points())
    chart = swept.chart()
    assert "ollow" not in chart.usermeta["labkit"]["caption"]
    assert not [layer for layer in chart.to_dict()["layer"] if "incomplete" in layer.get("name", "")]
