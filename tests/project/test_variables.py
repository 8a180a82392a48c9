"""The page of environment variables lists every LABKIT_ variable that is read, and who reads it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.test_tree import ROOT, tracked

PAGE = ROOT / "book/variables.md"
NAME = re.compile(r"LABKIT_[A-Z0-9_]+")
ROW = re.compile(r"^\| `(LABKIT_\w+)` \|.*\| ([^|]+) \|$", re.MULTILINE)
IN_SHELL = re.compile(r"\$\{?(LABKIT_[A-Z0-9_]+)")
IN_JAVASCRIPT = re.compile(r"process\.env(?:\.|\[\")(LABKIT_[A-Z0-9_]+)")
FOR_TESTS_ALONE = {"bench", "tests"}


def in_python(source: str) -> Iterator[str]:
    """What is taken out of the environment by its name, and what a constant names for that purpose."""
    for node in ast.walk(ast.parse(source)):
        named: list[ast.expr] = []
        match node:
            case ast.Call(func=ast.Attribute(attr="get" | "getenv" | "pop"), args=[first, *_]):
                named = [first]
            case ast.Subscript(value=ast.Attribute(attr="environ") | ast.Name(id="environ"), ctx=ast.Load()):
                named = [node.slice]
            case ast.Assign(value=ast.Tuple(elts=elements)):
                named = elements
            case ast.Assign(value=ast.Constant() as only):
                named = [only]
        for one in named:
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and NAME.fullmatch(one.value):
                yield one.value


def read_in(path: Path) -> set[str]:
    """The variables that a file reads."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if "LABKIT_" not in text:
        return set()
    if path.suffix == ".py":
        return set(in_python(text))
    if path.suffix in (".js", ".mjs"):
        return set(IN_JAVASCRIPT.findall(text))
    shell = path.suffix == ".sh" or text.startswith(("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash"))
    return set(IN_SHELL.findall(text)) if shell else set()


def read() -> dict[str, set[str]]:
    """Variable -> the folders at the top whose files read it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in tracked():
        for name in read_in(path):
            found[name].add(path.relative_to(ROOT).parts[0])
    return dict(found)


def listed() -> dict[str, set[str]]:
    """Variable -> the folders that the page names."""
    return {name: set(re.findall(r"`(\w+)`", by)) for name, by in ROW.findall(PAGE.read_text())}


def test_the_page_lists_what_is_read_and_nothing_else() -> None:
    here, there = set(read()), set(listed())
    assert here - there == set(), "read, and not in book/variables.md"
    assert there - here == set(), "in book/variables.md, and read by nothing"


def test_the_page_says_who_reads_it() -> None:
    """A test that looks where the laboratory keeps something is not named beside it."""
    for name, folders in read().items():
        assert listed()[name] == (folders - FOR_TESTS_ALONE or {"tests"}), name


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.py", 'import os\nX = os.environ.get("LABKIT_X")'),
        ("a.py", 'import os\nX = os.environ["LABKIT_X"]'),
        ("a.py", 'A, X = "LABKIT_X", "other"'),
        ("a.py", 'VARIABLE = "LABKIT_X"'),
        ("a.py", "import os\nprint(f\"{os.environ['LABKIT_X']}/x\")"),
        ("a.sh", '[ -z "${LABKIT_X:-}" ]'),
        ("run", "#!/bin/sh\necho $LABKIT_X"),
        ("a.mjs", "const x = process.env.LABKIT_X;"),
    ],
)
def test_a_variable_that_is_read_is_found(tmp_path: Path, name: str, source: str) -> None:
    (tmp_path / name).write_text(source)
    assert read_in(tmp_path / name) == {"LABKIT_X"}


@pytest.mark.parametrize(
    "source", ['monkeypatch.setenv("LABKIT_X", "1")', 'x = {"LABKIT_X": "1"}', '"LABKIT_X=1"']
)
def test_a_variable_that_is_only_set_is_not(tmp_path: Path, source: str) -> None:
    (tmp_path / "a.py").write_text(source)
    assert read_in(tmp_path / "a.py") == set()
