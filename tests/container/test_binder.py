"""What Binder makes of this repository, by its own program, which `make container` installs for that time."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

PROGRAM = os.environ.get("LABKIT_REPO2DOCKER", "")
ROOT = Path(__file__).parents[2]
NEW_ENOUGH = {"22.04": (2, 35), "jammy": (2, 35), "24.04": (2, 39), "noble": (2, 39)}
"""The glibc of the systems on which Binder builds. labkit-kernel wants 2.34."""


@pytest.fixture(scope="module")
def rendered() -> str:
    """The Dockerfile that it would build."""
    if not PROGRAM:
        pytest.skip("LABKIT_REPO2DOCKER names no repo2docker: make container")
    command = [PROGRAM, "--no-build", "--debug", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


def test_it_leaves_all_packages_to_the_last_step(rendered: str) -> None:
    """Which has the whole checkout before it."""
    assert rendered.index("COPY --chown=0:0 src/ ${REPO_DIR}/") < rendered.index("RUN ./binder/postBuild")
    assert not re.findall(r"pip install|env update", rendered.partition("COPY --chown=0:0 src/")[2])


def test_it_has_the_systems_packages_and_no_kernel_source(rendered: str) -> None:
    (line,) = re.findall(r"apt-get install --yes --no-install-recommends (bc .*)", rendered)
    assert {"ethtool", "gcc", "iproute2", "iputils-ping", "make"} <= set(line.split())
    assert "linux-source" not in rendered


def test_its_python_and_its_system_are_those_of_the_wheels(rendered: str) -> None:
    (suite,) = re.findall(r"^FROM \S+/(?:buildpack-deps|ubuntu):([\w.]+)", rendered, re.MULTILINE)
    assert NEW_ENOUGH[suite] >= (2, 34)
    python = (ROOT / "binder/runtime.txt").read_text().strip().removeprefix("python-")
    assert f"environment.py-{python}" in rendered.replace("-2e", ".").replace("-2d", "-")
