"""The bench's experiments to begin with as lab programs: a page runs these without Python.

experiments  as the bench asks for them (web/bench/list_presets.mjs)
plans        of each, in the same order, see packing.py
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import labkit
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.spec import Experiment
from live import packing
from live.planned import plan

FILE = "presets.json"
SCRIPT = Path(labkit.__file__).parents[1] / "web/bench/list_presets.mjs"


def experiments() -> list[dict[str, Any]]:
    """None where there is no node: the bench then has Python compile these, too."""
    node = shutil.which("node")
    if node is None:
        return []
    done = subprocess.run([node, SCRIPT], capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def text() -> str:
    """All of the file."""
    asked = experiments()
    plans = [plan(Experiment.from_json(json.dumps(one)), BUILT_IN) for one in asked]
    held = {"experiments": asked, "plans": packing.written(plans)}
    return json.dumps(held, separators=(",", ":"), ensure_ascii=False)
