"""The workflow for a fork on GitHub calls what the Makefile has, and keys its caches by files that exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / ".github/workflows/ci.yml").read_text()
WORKFLOW = yaml.safe_load(TEXT)
STEPS: list[dict[str, Any]] = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]


def test_it_runs_on_every_push_and_pull_request() -> None:
    assert set(WORKFLOW[True]) == {"push", "pull_request"}, "YAML 1.1 reads `on` as a truth"


def test_it_checks_first_and_then_tests_everything() -> None:
    assert [step["run"] for step in STEPS if "run" in step] == ["make check", "make test"]


@pytest.mark.parametrize("command", [step["run"] for step in STEPS if "run" in step])
def test_the_makefile_has(command: str) -> None:
    make, *targets = command.split()
    done = subprocess.run([make, "-n", *targets], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_cache_is_keyed_by_files_that_there_are() -> None:
    patterns = re.findall(r"'([^']+)'", " ".join(re.findall(r"hashFiles\((.*?)\)", TEXT)))
    assert "binder/requirements.lock" in patterns
    for pattern in patterns:
        assert any(
            path.is_file() for path in ROOT.glob(f"{pattern}/*" if pattern.endswith("**") else pattern)
        ), pattern
