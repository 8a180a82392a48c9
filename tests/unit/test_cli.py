"""The command line: arguments, output, exit status. Nothing here needs a lab kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

from labkit import cli
from labkit.cli.text import dump, size, table
from labkit.doctor import checkup
from labkit.doctor.checkup import Check, doctor, works
from labkit.errors import LabKernelError, SetupError
from labkit.execute.artifacts.ready import install
from labkit.execute.wasm import engine, makeable
from labkit.models.binomial import interval
from labkit.results import run as running

PAIR = {
    "topology": {"hosts": ["left", "right"], "links": [{"a": "left", "b": "right"}]},
    "flows": [{"src": "left", "dst": "right", "size": "1MB"}],
}


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "pair.json"
    path.write_text(json.dumps(PAIR))
    return str(path)


def test_usage_errors_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["run"])
    assert stop.value.code == cli.USAGE
    assert "FILE" in capsys.readouterr().err


def test_a_wrong_spec_is_one_message_that_names_file_and_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(PAIR | {"flows": [{"src": "left", "dst": "nobody", "size": "1MB"}]}))
    assert cli.main(["run", str(path)]) == cli.FAILED
    said = capsys.readouterr().err
    assert "wrong.json" in said and "nobody" in said and "Traceback" not in said


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "nowhere.json"]) == cli.FAILED
    assert "nowhere.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("raised", "status"), [(LabKernelError("panic"), cli.FAILED), (KeyboardInterrupt(), cli.INTERRUPTED)]
)
def test_what_a_run_raises_decides_the_exit_status(
    spec: str, monkeypatch: pytest.MonkeyPatch, raised: BaseException, status: int
) -> None:
    def run(*args: Any, **kwargs: Any) -> None:
        raise raised

    monkeypatch.setattr(running, "run", run)
    assert cli.main(["run", spec]) == status


def test_help_loads_nothing_heavy() -> None:
    heavy = "{'pandas', 'numpy', 'pydantic'}"
    code = f"import sys, labkit.cli; labkit.cli._parser(); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_clearing_all_of_the_cache_leaves_running_guests_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))
    for name in ("kernel", "modules", "native", "results", "runs", "wasm"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    assert cli.main(["cache", "clear"]) == cli.OK
    assert {path.name for path in tmp_path.iterdir()} == {"kernel", "modules", "native", "runs", "wasm"}
    assert cli.main(["cache", "clear", "--all"]) == cli.OK
    assert {path.name for path in tmp_path.iterdir()} == {"runs"}
    assert "modules" in capsys.readouterr().out


@pytest.mark.parametrize("option", [[], ["--wasm"], ["--native"]])
def test_of_a_kernel_that_is_not_built_it_is_said_what_builds_it(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("LABKIT_CACHE", "LABKIT_KERNEL"):
        monkeypatch.setenv(name, str(tmp_path))
    assert cli.main(["kernel", "status", *option]) == cli.FAILED
    assert "labkit kernel build" in capsys.readouterr().out


def test_off_linux_the_doctor_says_what_can_run_and_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    found = doctor()
    assert (found[0].what, found[0].state) == ("system", "ok")
    assert found[0].found.startswith("Darwin on arm64: every experiment without programs")
    last = found[-1]
    assert (last.what, last.state, last.needed) == ("kernel in WebAssembly", "no", True)
    assert "pip install" in last.todo
    assert not works(found)


def test_one_of_the_two_kernels_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Check("", "ok", "", needed=True)
    gone = Check("", "no", "", "pip install", needed=True)
    monkeypatch.setattr(checkup, "_boots", lambda: there)
    for wasm, guest in ((there, gone), (gone, there), (there, there)):
        monkeypatch.setattr(checkup, "_wasm", lambda wasm=wasm: wasm)
        monkeypatch.setattr(checkup, "_guest", lambda guest=guest: guest)
        assert works(list(checkup._kernels()))
    monkeypatch.setattr(checkup, "_wasm", lambda: gone)
    monkeypatch.setattr(checkup, "_guest", lambda: gone)
    assert [check.state for check in checkup._kernels()] == ["no", "no"]


def test_the_lab_works_without_what_it_does_not_need() -> None:
    assert works([Check("kernel", "ok", "", needed=True), Check("iperf3", "no", "not here")])
    assert not works([Check("kernel", "no", "not built", needed=True)])


def test_json_has_null_for_what_is_not_a_number() -> None:
    assert json.loads(dump({"a": float("nan"), "b": [1, "x", None]})) == {"a": None, "b": [1, "x", None]}


def test_tables_align_numbers_right() -> None:
    assert table(("a", "n"), [("x", "1"), ("y", "10")], right=frozenset({1})) == "a   n\nx   1\ny  10"


def test_sizes_are_for_people() -> None:
    assert [size(n) for n in (0, 999, 9_100_000)] == ["0 bytes", "999 bytes", "9.1 MB"]


@pytest.mark.parametrize(("n", "p"), [(20, 0.5), (1000, 0.01), (20_000, 0.2)])
def test_the_binomial_interval_is_exact(n: int, p: float) -> None:
    low, high = interval(n, p)
    exact = Fraction(p)

    def below(k: int) -> float:
        return float(sum(comb(n, i) * exact**i * (1 - exact) ** (n - i) for i in range(k)))

    if n <= 1000:
        assert below(low) <= 0.0005 < below(low + 1)
        assert 1 - below(high + 1) <= 0.0005 < 1 - below(high)
    assert low < n * p < high


PIP = install("kernel")


@pytest.mark.parametrize(
    ("lacking", "todo"),
    [
        ("", f"for faster runs: `labkit kernel build`, or {PIP}"),
        (
            "no clang-19: sudo apt install it",
            f"for faster runs: sudo apt install it, then `labkit kernel build`, or {PIP}",
        ),
        ("it is made of Linux 6.12, not of 6.8", f"for faster runs: {PIP}"),
    ],
)
def test_with_the_guest_alone_the_doctor_says_what_makes_runs_faster(
    monkeypatch: pytest.MonkeyPatch, lacking: str, todo: str
) -> None:
    def no_engine() -> engine.Engine:
        raise SetupError("it is not built")

    ok = Check("", "ok", "", needed=True)
    monkeypatch.setattr(engine, "engine", no_engine)
    monkeypatch.setattr(makeable, "obstacle", lambda: lacking)
    monkeypatch.setattr(checkup, "_guest", lambda: ok)
    monkeypatch.setattr(checkup, "_boots", lambda: ok)
    wasm, *_ = checkup._kernels()
    assert (wasm.what, wasm.state) == ("kernel in WebAssembly", "note")
    assert wasm.todo == todo


@pytest.mark.parametrize(
    ("command", "slower"), [(("/lab",), False), (("/usr/bin/node", "wasm_node.mjs", "lab.wasm"), True)]
)
def test_the_doctor_says_whether_it_is_a_program(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], slower: bool
) -> None:
    found = engine.Engine(command, {"kernel": {"release": "6.12.1", "key": "01"}}, True)
    monkeypatch.setattr(engine, "engine", lambda: found)
    monkeypatch.setattr(makeable, "obstacle", lambda: "")
    check = checkup._wasm()
    assert check.state == "ok"
    assert command[0] in check.found
    assert ("slower" in check.found, "labkit kernel build" in check.todo) == (slower, slower)
