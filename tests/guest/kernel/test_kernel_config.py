"""How the lab kernel is configured does not depend on what else a machine has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labkit.execute.guest.kernel import config, make, source
from labkit.execute.guest.kernel.build import kernel

PROGRAMS = {"rustc": "rustc 1.95.0 (0123456789 2026-04-14)", "pahole": "v1.30"}
"""Kconfig asks each for its version."""


@pytest.mark.slow
def test_programs_that_it_is_not_made_with_leave_it_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, passed_over = source.find()
    if found is None:
        pytest.skip(f"no source of a kernel here: {passed_over}")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, version in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\necho '{version}'\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    built, log = tmp_path / "source", tmp_path / "log"
    make.unpack(found, built, 1, lambda *_: None, patches=config.patches(), log=log, hold=())
    make.configure(built, config.FRAGMENT.read_text(), arch="um", name=config.FRAGMENT.name, log=log)
    assert (built / ".config").read_text() == (kernel().tree / ".config").read_text()
