"""A command that fails is told of: by a warning of `run`, in the result's text, by the status of labkit run.
The data is a recorded run whose one command wrote "hello" and "oops", and exited with 3."""

from __future__ import annotations

import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from labkit import Command, CommandWarning, Experiment, Result, cli, pair
from labkit.decode import commands
from labkit.errors import LimitReached
from labkit.results import run as running

RECORDED = Path(__file__).parent / "data/small-run.zip"
SAID = "command .* on left failed: exit status 3: oops .*check=False"


def unpacked(folder: Path, **fields: object) -> Path:
    """The recorded run, its command with these fields."""
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["experiment"]["commands"][0] |= fields
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.fixture
def outcome(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the next `run` finds has been carried out: a folder, or an error."""

    def found(what: Path | LimitReached) -> Experiment:
        def execute(*args: object, **named: object) -> Path:
            if isinstance(what, LimitReached):
                raise what
            return what

        monkeypatch.setattr(running, "execute", execute)
        return Experiment(pair(), duration=1)

    return found


def test_a_run_warns_with_command_status_and_stderr(tmp_path: Path, outcome: Any) -> None:
    with pytest.warns(CommandWarning, match=SAID) as said:
        running.run(outcome(unpacked(tmp_path)))
    assert [Path(one.filename).name for one in said] == [Path(__file__).name]


def test_so_does_one_that_met_its_limit(tmp_path: Path, outcome: Any) -> None:
    exp = outcome(LimitReached("time_limit", unpacked(tmp_path)))
    with pytest.warns(CommandWarning, match=SAID), pytest.raises(LimitReached):
        running.run(exp)


def test_a_command_without_check_may_fail(tmp_path: Path, outcome: Any) -> None:
    exp = outcome(unpacked(tmp_path, check=False))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = running.run(exp)
    assert result.commands["status"].tolist() == [3]
    assert result.failed_commands.empty
    assert "failed" not in repr(result) + result._repr_html_()


def test_a_result_shows_it() -> None:
    result = Result.load(RECORDED)
    assert result.failed_commands["stderr"].tolist() == ["oops\n"]
    assert repr(result).endswith("; command 0 on left failed (status 3)>")
    assert "command 0 on left failed (status 3)" in result._repr_html_()


@pytest.mark.parametrize(("fields", "status"), [({}, cli.FAILED), ({"check": False}, cli.OK)])
def test_labkit_run_exits_with_1(
    tmp_path: Path, outcome: Any, capsys: pytest.CaptureFixture[str], fields: dict[str, Any], status: int
) -> None:
    exp = outcome(unpacked(tmp_path / "run", **fields))
    exp.save(tmp_path / "exp.json")
    assert cli.main(["run", str(tmp_path / "exp.json")]) == status
    assert ("failed: exit status 3: oops" in capsys.readouterr().err) == (status == cli.FAILED)


@pytest.mark.parametrize(
    ("status", "end_s", "failed"),
    [
        (0, 1.0, False),
        (1, 1.0, True),
        (127, 5.0, True),
        (-9, 4.9, True),  # nobody of ours: the kernel was short of memory, say
        (-9, 5.000002, False),  # the agent ends what still runs
        (-15, 5.0, True),
        (pd.NA, float("nan"), False),
    ],
)
def test_what_is_ended_with_the_run_has_not_failed(status: Any, end_s: float, failed: bool) -> None:
    table = pd.DataFrame({"status": pd.array([status], "Int64"), "end_s": [end_s]})
    assert (len(commands.failed(table, end_s=5.0)) == 1) is failed


def test_a_command_is_written_as_before_there_was_a_check() -> None:
    assert Command("left", "true").model_dump(mode="json").keys() == {"host", "command", "at"}
    assert Command("left", "true", check=False).model_dump(mode="json")["check"] is False
