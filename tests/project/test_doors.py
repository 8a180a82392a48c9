"""The doors of the tests (make test-lab, test-book, ...): each folder of tests is behind one of them."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.rooms import ROOT

MADE_ELSEWHERE = {"tests/container", "tests/vm"}  # by make container and make vm, which make what they test
DOOR = re.compile(r"^DOOR_(\w+) := ((?:.*\\\n)*.*)$", re.MULTILINE)


def doors() -> dict[str, list[str]]:
    """Each door and its folders, as the makefile has them."""
    text = (ROOT / "scripts/more.mk").read_text()
    return {door: folders.replace("\\\n", " ").split() for door, folders in DOOR.findall(text)}


def test_each_folder_of_tests_is_behind_one_door() -> None:
    behind = [folder for folders in doors().values() for folder in folders]
    files = {*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("tests/**/*.test.mjs")}
    there = {Path(*file.relative_to(ROOT).parts[:2]).as_posix() for file in files}
    assert sorted(behind) == sorted(set(behind))
    assert there - MADE_ELSEWHERE <= set(behind)
    assert all((ROOT / folder).is_dir() for folder in behind)


def test_every_target_that_is_typed_is_told_by_make_help() -> None:
    makefiles = [(ROOT / name).read_text() for name in ("Makefile", "scripts/more.mk")]
    phony = {
        target
        for text in makefiles
        for line in re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)$", text, re.MULTILINE)
        for target in line.replace("\\\n", " ").split()
    }
    told = {target for text in makefiles for target in re.findall(r"^([a-z-]+):.*## \S", text, re.MULTILINE)}
    assert {"lab", "check", "test", "test-lab", "test-all"} <= told
    assert phony - told == {"setup", "lint", "types", "quick"}, "what others call, and nobody types"
    assert told <= phony
