"""`labkit doctor --security` ends with one line, which agrees with the lines above it."""

from __future__ import annotations

import pytest

from labkit.cli import doctor_command
from labkit.doctor.checkup import Check
from labkit.doctor.security import walls_checked

STANDS, COURSE = Check("Landlock", "ok", "version 2", needed=True), "course work: limit of memory"


@pytest.mark.parametrize(
    ("walls", "last"),
    [
        ([STANDS, Check(COURSE, "ok", "killed")], "Every wall stands."),
        ([STANDS, Check("course work", "note", "not tried: no bubblewrap")], "Every wall stands."),
        ([STANDS, Check(COURSE, "no", "files: all of it")], "around course work some are missing: see NO"),
        ([Check("writing", "no", "1 of 20", needed=True)], "Walls are missing: see NO above."),
    ],
)
def test_the_last_line_says_which_walls_are_missing(
    walls: list[Check], last: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(walls_checked, "security", lambda: walls)
    doctor_command._security(quiet=False)
    assert last in capsys.readouterr().out.strip().splitlines()[-1]
