"""What is told of an agent that had to be killed."""

from __future__ import annotations

import os
import subprocess
import time

from tests.agent.harness import threads

SLEEPS = "nanosleep" if os.geteuid() == 0 else "sleep"
"""In the kernel, which tells nobody but root."""


def test_the_threads_of_a_process_and_of_its_children_are_named_with_where_they_stand() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 71 & wait"]) as shell:
        try:
            deadline = time.monotonic() + 10
            while SLEEPS not in threads(shell.pid) and time.monotonic() < deadline:
                time.sleep(0.02)
            first, second = threads(shell.pid).splitlines()
        finally:
            subprocess.run(["pkill", "-P", str(shell.pid)], check=True)
    assert first.startswith(f"killed: {shell.pid} sh: ")
    assert " sleep: " in second
    assert SLEEPS in second
    assert threads(shell.pid) == ""
