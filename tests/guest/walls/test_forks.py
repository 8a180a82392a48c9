"""A process that has forked while a laboratory was open: the laboratory is its, not the child's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labkit import Flow, dumbbell
from labkit.errors import LabKernelError
from labkit.lab.laboratory import Lab
from tests.guest.conftest import folders_of, processes_of
from tests.guest.furnish import ROOT

pytestmark = pytest.mark.usefixtures("each_kernel")
NET = dumbbell(rate="10mbit", delay="1ms")
PATIENCE_S = 30.0
OWNER = """
import os, sys, time
from labkit import Lab, dumbbell
lab = Lab(dumbbell(rate="10mbit", delay="1ms")).open()
if os.fork() == 0:
    time.sleep(120)
    os._exit(0)
print("open", flush=True)
time.sleep(120)
"""


def status_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_what_a_child_closes_or_leaves_goes_on_in_the_parent(own_cache: Path) -> None:
    with Lab(NET) as lab:
        lab.start(Flow("left", "right", duration="5s"))
        lab.advance("100ms")
        if (child := os.fork()) == 0:
            lab.close()
            os._exit(0)
        assert status_of(child) == 0
        lab.advance("100ms")
        assert len(folders_of(own_cache)) == 1
    assert folders_of(own_cache) == []


def test_a_child_that_goes_on_with_it_is_told(own_cache: Path) -> None:
    with Lab(NET) as lab:
        if (child := os.fork()) == 0:
            try:
                lab.advance("100ms")
            except LabKernelError as error:
                os._exit(7 if "forked from" in str(error) else 1)
            os._exit(2)
        assert status_of(child) == 7
        lab.advance("100ms")


def test_a_child_that_lives_on_keeps_nothing_of_an_owner_that_was_killed(own_cache: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert owner.stdout is not None and owner.stdout.readline() == b"open\n"
        owner.kill()
        deadline = time.monotonic() + PATIENCE_S
        while (left := processes_of(own_cache) + folders_of(own_cache)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert left == []
        os.killpg(owner.pid, 0)  # the child is still there
    finally:
        os.killpg(owner.pid, signal.SIGKILL)
        owner.communicate()
