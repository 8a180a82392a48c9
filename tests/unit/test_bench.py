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
    before = command.PAGE.read_text()
    assert command.main([]) == 1
    out = capsys.readouterr().out
    assert "RuntimeError: no kernel" in out and "Y" in out
    assert "speed.md is left as it is, as X failed" in out and command.PAGE.read_text() == before


def test_a_whole_run_writes_the_page_and_a_part_of_it_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "speed.md"
    page.write_text(f"# Words\n\n{report.BEGIN}\nof yore\n{report.END}\n\nMore.\n")
    monkeypatch.setattr(command, "PAGE", page)
    monkeypatch.setattr(
        command, "CASES", (cases.Case("Y", "one thing", lambda: Sample(0.2), asked=2, aim=1),)
    )
    assert command.main(["--only", "Y"]) == 0
    assert "of yore" in page.read_text()
    assert command.main([]) == 0
    written = page.read_text()
    assert "of yore" not in written and "| Y: one thing | 0.2\N{NO-BREAK SPACE}s |" in written
    assert written.startswith("# Words\n\n") and written.endswith("\n\nMore.\n")


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


def test_the_page_has_one_place_to_fill() -> None:
    page = command.PAGE.read_text()
    assert report.replaced(page, "new") != page
    with pytest.raises(ValueError, match="the page needs"):
        report.replaced("no markers", "new")


def test_the_page_names_the_machine_the_load_the_version_and_only_what_was_asked_for() -> None:
    rows = [command.as_row(case, [Sample(0.5, 0.4, 43.0)], None) for case in cases.CASES]
    facts = machine()
    tables = report.markdown(rows, facts, {"labkit": "7.8.9"}, "2026-01-01", "Tests.")
    assert tables.startswith(report.BEGIN) and tables.endswith(report.END)
    lab, tab = tables.split("## In a browser tab")
    for part in (lab, tab):
        about = f"labkit 7.8.9, at a load average of {facts['load'][0]}."
        assert facts["cpu"] in part and about in part and "2026-01-01" in part
    asked = [case for case in cases.CASES if case.asked is not None]
    of_tab = [case for case in asked if case.name.startswith("tab-")]
    assert lab.count("\n| ") == 1 + len(asked) - len(of_tab)
    assert tab.count("\n| ") == 1 + len(of_tab)


def test_the_peak_is_that_of_the_processes_below() -> None:
    size = 50_000_000
    child = f"import time; x = b'x' * {size}; time.sleep(0.5)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert size / 1e6 < memory.peak_mb([sys.executable, "-c", parent]) < size / 1e6 + 30


@pytest.fixture
def kept_times(tmp_path: Path) -> Path:
    """Of 25 tests of one folder, which took 0 to 24 s, and one of another."""
    tests = {f"tests/unit/test_a.py::test_{i}": float(i) for i in range(25)}
    file = tmp_path / "times.json"
    kept = {
        "format": 1,
        "wall_s": 600.0,
        "workers": 2,
        "tests": tests | {"tests/guest/nic/test_b.py::x": 90.0},
    }
    file.write_text(json.dumps(kept))
    return file


def test_how_long_the_tests_took_is_told_with_the_slowest_first(kept_times: Path) -> None:
    first, _, *slowest = times.text(kept_times).splitlines()
    whole = "The last run of the tests: 26 tests, 6.5 worker-minutes, 10.0 minutes on 2 workers"
    assert first == f"{whole}: unit 5.0, guest 1.5"
    assert len(slowest) == 20
    assert slowest[0] == "   90.0 s  tests/guest/nic/test_b.py::x"
    assert slowest[-1].endswith("test_6")


def test_the_page_has_the_worker_minutes_of_each_folder(kept_times: Path) -> None:
    head, _, *rows, _, whole = times.markdown(kept_times).splitlines()
    assert head == "| folder | tests | worker-minutes |"
    assert rows == ["| `tests/unit` | 25 | 5.0 |", "| `tests/guest` | 1 | 1.5 |"]
    assert "6.5 worker-minutes, 10.0 minutes on 2 workers" in whole


def test_where_no_times_are_kept_it_says_why(tmp_path: Path) -> None:
    for said in (times.text(tmp_path / "none.json"), times.markdown(tmp_path / "none.json")):
        assert said == times.NONE and "`make test` keeps them" in said


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
