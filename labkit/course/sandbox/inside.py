"""The one program of ours inside a sandbox: executes the notebook and sends what it handed in through a pipe.

It shares the sandbox with the notebook, so nothing that it says is believed: it is data.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from pathlib import Path

from labkit.course.handing_in import FILE
from labkit.course.sandbox.bubblewrap import HANDOUT, MODULES, SUBMISSION

STARTED = b"started\n"
"""Sent before anything of the notebook's is touched: what comes without it is no notebook's fault."""
_MOST = 1 << 20
_EVER_S = 1 << 20


def main() -> None:
    """Standard output becomes the pipe; the notebook has none."""
    channel = os.dup(1)
    os.write(channel, STARTED)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    own_modules()
    problem = _execute()
    with os.fdopen(channel, "wb") as pipe:
        pipe.write(json.dumps({"answers": _answers(), "problem": problem[:2000]}).encode())
    sys.stdout = None


def own_modules() -> None:
    """Let modules be compiled here: the cache begins with those that the grader has, and ends with the
    sandbox."""
    shutil.copytree(MODULES, f"{os.environ['LABKIT_CACHE']}/modules", copy_function=shutil.copyfile)


def _execute() -> str:
    """Run the notebook in the working folder, with the handout beside it; what went wrong, or nothing."""
    try:
        import nbformat
        from nbclient import NotebookClient

        for path in sorted(Path(HANDOUT).rglob("*")):
            target = Path(path.relative_to(HANDOUT))
            if path.is_dir():
                target.mkdir(exist_ok=True)
            else:
                shutil.copyfile(path, target)
        book = nbformat.read(SUBMISSION, 4)
        client = NotebookClient(book, timeout=None, kernel_name="python3", store_widget_state=False)
        client.startup_timeout = _EVER_S  # how long it may take, is said outside
        client.execute()
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        return f"{type(error).__name__}: {lines[-1] if lines else ''}"
    return ""


def _answers() -> str | None:
    """The text of answers.json, if it is an ordinary file of ordinary length."""
    try:
        fd = os.open(FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        return file.read(_MOST).decode(errors="replace")


if __name__ == "__main__":
    main()
