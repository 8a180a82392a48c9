"""The decoder in JavaScript by itself: its own tests, and that what it takes over from Python is fresh."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import decode_facts

ROOT = Path(__file__).parents[2]
TESTS = sorted((ROOT / "tests/web/decode").glob("*.test.mjs"))


def test_its_own_tests_hold() -> None:
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    done = subprocess.run(
        ["node", "--test", *TESTS], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert TESTS
    assert done.returncode == 0, done.stdout


def test_what_it_takes_over_from_python_is_as_it_is_there() -> None:
    assert decode_facts.FILE.read_text() == decode_facts.text(), "run: python -m scripts.decode_facts"
    assert decode_facts.MEASURES.read_text() == decode_facts.measures(), "run: python -m scripts.decode_facts"


def test_the_lock_of_npm_names_no_host() -> None:
    lock = json.loads((ROOT / "web/package-lock.json").read_text())
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
    assert all("integrity" in package for name, package in lock["packages"].items() if name)
