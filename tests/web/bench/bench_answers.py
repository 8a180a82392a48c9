"""Asks the bench's modules, in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
ANSWER = ROOT / "tests/web/bench/answer.mjs"


def ask(*questions: tuple[str, Any]) -> list[Any]:
    """The answers of tests/web/bench/answer.mjs."""
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    done = subprocess.run(
        ["node", ANSWER],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers
