"""labkit shell: a terminal in the network, in real time."""

from __future__ import annotations

import os
import pty
import re
import select
import sys
import time
from pathlib import Path


def _until(terminal: int, pattern: str, seconds: float = 60) -> str:
    """What the terminal shows until the pattern stands in it."""
    shown, end = "", time.monotonic() + seconds
    while not re.search(pattern, shown):
        ready, _, _ = select.select([terminal], [], [], max(end - time.monotonic(), 0))
        assert ready, f"{pattern!r} did not appear in {shown!r}"
        try:
            shown += os.read(terminal, 4096).decode(errors="replace")
        except OSError:  # Linux says EIO when the other side has gone
            break
    return shown


def test_a_shell_reaches_the_other_host_by_name_and_leaves_with_its_exit(tmp_path: Path) -> None:
    spec = tmp_path / "network.yaml"
    spec.write_text(
        "topology: {hosts: [left, right], links: [{a: left, b: right, delay: 10ms}]}\nduration: 1s\n"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", "labkit.cli", "shell", str(spec), "left"])
    _until(terminal, "left# ")
    os.write(terminal, b"ping -c 1 right\n")
    answer = _until(terminal, r"(?s)rtt .*left# |unknown|not found")
    assert re.search(r"time=2\d(\.\d+)? ms", answer), answer
    os.write(terminal, b"exit\n")
    _until(terminal, "never shown")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
