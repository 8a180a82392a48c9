"""What an open laboratory has measured until now, kept as a result while it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labkit.decode.folder import sha256
from labkit.execute.artifacts import store
from labkit.execute.machine.run_files import copy_written, folder_beside
from labkit.execute.run.execution import write_manifest
from labkit.results.result import Result


def keep_partial_result(own: Path, facts: Mapping[str, Any], until_s: float) -> Result:
    """own: its run folder; facts: of its manifest, but for what is measured; until_s: its virtual time."""
    folder = folder_beside(own)
    copy_written(own, "raw", folder / "raw")
    measured = {"virtual_s": until_s, "wall_s": None, "end": {"reason": "duration"}}
    write_manifest(folder, {**facts, **measured})
    return Result(store.keep(folder, f"open-{sha256(folder / 'raw')[:24]}"))
