"""Commands where system calls are refused, as in a container, or by an older kernel. It takes no rights."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path


def forbidding(error: int, calls: str) -> list[str]:
    """What starts a command of which these calls ("101,317": by number) fail with that errno."""
    return [_program(), str(error), calls]


@functools.cache
def _program() -> str:
    folder = tempfile.mkdtemp(prefix="labkit-forbid-")
    atexit.register(shutil.rmtree, folder)
    made, source = Path(folder) / "forbid", Path(__file__).with_name("forbid.c")
    command = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(made), str(source)]
    subprocess.run(command, check=True)
    return str(made)
