"""One chapter, one shake: a fresh kernel, a cache of its own, and what became of every assertion, as JSON.

`python -m scripts.claims.one chapters/06-name.md 3 0,1`: chapter, shake, processors; with `--reuse` at the
end in the user's cache. Nothing else is left behind, even if whoever waits for this is killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from labkit.execute.guest.kernel.build import kernel
from labkit.execute.run import execution
from labkit.execute.session.shaking import LONGER
from labkit.execute.session.shaking import VARIABLE as SHAKE
from scripts.caches import fresh_cache, settings, users_settings
from scripts.claims.assertions import assertions, digest
from scripts.claims.outcome import LONG
from scripts.claims.value_text import words
from scripts.claims.witness import VARIABLE as CLAIMS
from scripts.record import TIMEOUT_S, load

_PR_SET_PDEATHSIG = 1
ROOT = Path(__file__).parents[2]


def measure(source: Path, shake: int, reuse: bool = False) -> dict[str, Any]:
    """What became of each assertion of a chapter in a shake: see `Measured`.

    reuse: results that the user's cache has are taken, and new ones are left there.
    """
    nb = load(source)
    listed = assertions(nb, source)
    versions = {"kernel": kernel().release, "labkit": execution.versions()["labkit"]}
    with tempfile.TemporaryDirectory(prefix="labkit-claims-") as folder:
        told, ended = _execute(nb, source.parent, shake, Path(folder), reuse)
    failed = []
    for one in listed:
        known = told["failed"].get(one.place)
        if known is None and one.place not in told["held"]:
            known = {"times": 0, "values": {}, "error": f"not reached: {_why(told, one.cell, ended)}"}
        if known is not None:
            failed.append({"place": one.place, **known})
    return {
        "chapter": source.stem,
        "shake": shake,
        "cells_sha256": digest(nb),
        **versions,
        "assertions": [vars(one) for one in listed],
        "failed": failed,
    }


def _execute(
    nb: NotebookNode, chapters: Path, shake: int, folder: Path, reuse: bool
) -> tuple[dict[str, Any], str]:
    """What the witness told, and why the chapter ended before its end; "": it did not."""
    report = folder / "report.json"
    cells = [(cell["id"], cell.source) for cell in nb.cells if cell.cell_type == "code"]
    (folder / "given.json").write_text(json.dumps({"cells": cells, "report": str(report), "shake": shake}))
    for name in ("cache", "ipython"):
        (folder / name).mkdir()
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    own = {
        **(users_settings() if reuse else settings(fresh_cache(folder / "cache"))),
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONHASHSEED": "0",
        "TZ": "UTC",
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYTHONPATH": path,
        CLAIMS: str(folder / "given.json"),
        SHAKE: str(shake or ""),
        LONGER: str(LONG.get(shake, "")),
    }
    client = NotebookClient(
        nb,
        timeout=TIMEOUT_S,
        startup_timeout=TIMEOUT_S,
        kernel_name="python3",
        allow_errors=True,
        store_widget_state=False,
        extra_arguments=["--log-level=ERROR", f"--IPKernelApp.extra_extensions={CLAIMS_EXTENSION}"],
        resources={"metadata": {"path": str(chapters)}},
    )
    inherited = {name: value for name, value in os.environ.items() if name != "LABKIT_RECORD"}
    ended = ""
    try:
        client.execute(env=inherited | own)
    except (CellTimeoutError, DeadKernelError) as error:
        ended = words(str(error))
    told = json.loads(report.read_text()) if report.exists() else {"held": {}, "failed": {}, "broken": {}}
    return told, ended


CLAIMS_EXTENSION = "scripts.claims.witness"


def _why(told: dict[str, Any], cell: str, ended: str) -> str:
    if error := told["broken"].get(cell):
        return str(error)
    if ended:
        return ended
    return "no run came to it"


def main() -> None:
    """Prints the outcome as one line of JSON."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    source, shake, cpus, *reuse = sys.argv[1:]
    os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
    print(json.dumps(measure(Path(source), int(shake), bool(reuse))))


if __name__ == "__main__":
    main()
