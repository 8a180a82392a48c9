"""make bench: what it lists, writes and says. No figure of time is asserted here."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench import __main__ as command
from bench import cases, experiments, memory, report, sweeps, times
from bench.measure import Sample, machine, summary


def test_a_case_has_a_name_of_its_own_and_an_aim_beyond_what_is_asked() -> None:
    assert len({case.name for case in cases.CASES}) == len(cases.CASES)
    for case in cases.CASES:
        assert (case.asked is None) == (case.aim is None), case.name
        if case.asked is not None and case.aim is not None:
            assert report.verdict(case.aim, case.asked, case.aim, more=case.more) == "aim reached", case.name
            assert report.verdict(case.asked, case.asked, case.aim, more=case.more) == "as asked", case.name


def test_the_list_names_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [c.name for c in cases.CASES]


def test_the_network_of_62_hosts_has_62_hosts() -> None:
    assert len(experiments.many_hosts().topology.names) == 62


def test_bench_writes_json_without_a_host_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bench.json"
    assert command.main(["--only", "compile", "--repeat", "3", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    (row,) = found["rows"]
    assert row["case"] == "compile" and len(row["values"]) == 3
    assert row["min"] <= row["median"] <= row["max"]
    assert set(found["machine"]) == {"cpu", "cores", "memory_mb", "kernel", "python", "load"}
    assert "compile" in capsys.readouterr().out


def test_a_case_that_fails_is_a_row_and_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> Sample:
        raise RuntimeError("no kernel")

    monkeypatch.setattr(
        command, "CASES", (cases.Case("X", "nothing", fail), cases.Case("Y", "one", lambda: Sample(1)))
    )
    assert command.main([]) == 1
    out = capsys.readouterr().out
    assert "RuntimeError: no kernel" in out and "Y" in out


def test_an_unknown_case_is_named() -> None:
    with pytest.raises(SystemExit, match="no case 'D'"):
        command.main(["--only", "D"])


def test_the_summary_is_a_median_with_its_spread() -> None:
    found = summary([Sample(3.0, 1.0, 60.0), Sample(1.0, 1.0, 60.0), Sample(2.0, 4.0, 60.0)])
    assert (found["min"], found["median"], found["max"]) == (1.0, 2.0, 3.0)
    assert (found["cpu_s"], found["ratio"]) == (1.0, 30.0)


@pytest.mark.parametrize(("median", "said"), [(0.2, "aim reached"), (0.4, "as asked"), (0.6, "MISSED")])
def test_the_verdict_says_which_figure_was_reached(median: float, said: str) -> None:
    assert report.verdict(median, 0.5, 0.25) == said


@pytest.mark.parametrize(("median", "said"), [(2.0, "aim reached"), (1.8, "as asked"), (1.6, "MISSED")])
def test_of_some_figures_more_is_better(median: float, said: str) -> None:
    assert report.verdict(median, 1.7, 1.9, more=True) == said


def test_figure_26_is_99_runs() -> None:
    assert len(sweeps.GRID[sweeps.LOSS]) * len(sweeps.GRID[sweeps.CC]) * sweeps.SEEDS == 99


def test_the_table_says_how_long_it_would_take_in_real_time() -> None:
    row = command.as_row(cases.CASES[0], [Sample(0.5, 0.4, 43.2)], None)
    assert "43.2 s" in report.text([row], machine())


def test_the_readme_has_one_table_to_fill() -> None:
    readme = command.README.read_text()
    assert report.replaced(readme, "new") != readme
    with pytest.raises(ValueError, match="the README needs"):
        report.replaced("no markers", "new")


def test_the_readme_s_table_names_the_machine_and_only_what_was_asked_for() -> None:
    rows = [command.as_row(case, [Sample(0.5, 0.4, 43.0)], None) for case in cases.CASES]
    table = report.markdown(rows, machine(), "2026-01-01")
    assert table.startswith(report.BEGIN) and table.endswith(report.END)
    assert machine()["cpu"] in table
    assert table.count("\n| ") == 1 + sum(case.asked is not None for case in cases.CASES)


def test_the_peak_is_that_of_the_processes_below() -> None:
    size = 50_000_000
    child = f"import time; x = b'x' * {size}; time.sleep(0.5)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert size / 1e6 < memory.peak_mb([sys.executable, "-c", parent]) < size / 1e6 + 30


def test_how_long_the_tests_took_is_told_with_the_slowest_first(tmp_path: Path) -> None:
    assert "run it once" in times.text(tmp_path / "none.json")
    tests = {f"tests/unit/test_a.py::test_{i}": float(i) for i in range(25)} | {
        "tests/guest/test_b.py::x": 90.0
    }
    file = tmp_path / "times.json"
    file.write_text(json.dumps({"format": 1, "wall_s": 600.0, "workers": 2, "tests": tests}))
    first, _, *slowest = times.text(file).splitlines()
    assert first == "make test: 10.0 minutes on 2 workers, whose minutes were: unit 5.0, guest 1.5"
    assert len(slowest) == 20
    assert slowest[0] == "   90.0 s  tests/guest/test_b.py::x"
    assert slowest[-1].endswith("test_6")


def test_a_copy_of_the_command_itself_takes_no_memory_of_a_guest() -> None:
    """What starts a program is for a moment a copy of who starts it, with all that this one holds."""
    parent = (
        "import os, subprocess, sys, time\n"
        "held = bytearray(os.urandom(1)) * 200_000_000\n"
        "if not os.fork():\n    time.sleep(0.5)\n    os._exit(0)\n"
        "subprocess.run([sys.executable, '-c', 'import time; time.sleep(0.5)'], check=True)\n"
        "os.wait()\n"
    )
    assert memory.peak_mb([sys.executable, "-c", parent]) < 100
