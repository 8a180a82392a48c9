"""Runs inside a sandbox: compiles a congestion control of a student's and drives it over given networks.

The code itself runs in the lab kernel, behind the guest's own walls. What it says of itself is not asked
for: only what arrived at the far end, as its capture has it, goes out.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from labkit.course.sandbox.bubblewrap import HANDOUT
from labkit.course.sandbox.inside import STARTED, own_modules

SOURCE, TASK = "mine.c", "task.json"
"""task.json: experiments, and the names that the module may take from the kernel (imports.py)."""


def main() -> None:
    """Sends STARTED, then one JSON object: error, and a run per experiment."""
    channel = os.dup(1)
    os.write(channel, STARTED)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    own_modules()
    task = json.loads(Path(HANDOUT, TASK).read_text())
    found = driven(Path(HANDOUT, SOURCE).read_text(), task["experiments"], frozenset(task["may_take"]))
    with os.fdopen(channel, "w") as pipe:
        json.dump(found, pipe)


def driven(source: str, experiments: list[dict[str, Any]], may_take: frozenset[str]) -> dict[str, Any]:
    """error: of the compiler, of what the module may not take, or of a run; runs: what arrived, as far as
    it came."""
    from labkit.course.imports import NAME, not_allowed
    from labkit.errors import LabkitError
    from labkit.lab.compile_cc import compile_cc
    from labkit.results.run import run
    from labkit.spec import Experiment

    runs: list[dict[str, list[int]]] = []
    try:
        if said := not_allowed(source, may_take):
            return {"error": said, "runs": []}
        compile_cc(NAME, source)
        for described in experiments:
            exp = Experiment.model_validate(described)
            runs.append(arrived(run(exp.replace(flows=[flow.replace(cc=NAME) for flow in exp.flows]))))
    except LabkitError as error:
        return {"error": str(error)[:2000], "runs": runs}
    return {"error": "", "runs": runs}


def arrived(result: Any) -> dict[str, list[int]]:
    """Data at "right", by its capture: time in us, first sequence number, bytes. Where "left" was captured
    as well: late_us, how long each was under way, by IP identification and number."""
    came = result.packet_table("right")
    came = came[(came["way"] == "data") & (came["payload"] > 0)]
    found = {
        "at_us": [round(t * 1e6) for t in came["time_s"]],
        "seq": came["seq"].tolist(),
        "payload": came["payload"].tolist(),
    }
    if any(capture.host == "left" for capture in result.experiment.capture):
        sent = result.packet_table("left")  # of two alike the first: a module that reuses IDs looks slower
        sent = sent[sent["way"] == "data"].drop_duplicates(["ip_id", "seq"], keep="first")
        both = came.merge(sent[["ip_id", "seq", "time_s"]], on=["ip_id", "seq"], suffixes=("", "_sent"))
        found["late_us"] = [round(t * 1e6) for t in both["time_s"] - both["time_s_sent"]]
    return found


if __name__ == "__main__":
    main()
