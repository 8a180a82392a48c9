"""The probe "backlog": what waits in each queue, and what an active queue management says, at intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.probes.probe import Columns, Probe, Sample, Table

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded


def _backlog_columns() -> Columns:
    from labkit.decode import queues

    return queues.UNITS


def _aqm_columns() -> Columns:
    from labkit.decode import aqm

    return aqm.UNITS


def _backlog(run: Recorded) -> pd.DataFrame:
    """One row per queue and sample, and one at the end of the run."""
    import pandas as pd

    from labkit.decode import queues
    from labkit.decode.raw import PHASE_AFTER, PHASE_SAMPLE

    table = run.qdiscs
    ends = table[table["phase"] != PHASE_SAMPLE]
    sampled = table[table["phase"] == PHASE_SAMPLE]
    places = pd.MultiIndex.from_frame(sampled[["ns", "index"]])
    last = ends[pd.MultiIndex.from_frame(ends[["ns", "index"]]).isin(places)]
    last = last[(last["phase"] == PHASE_AFTER) & (last["time_s"] > sampled["time_s"].max())]
    names = {
        (i["ns"], i["index"]): (i.get("from", i["host"]), i["name"], i.get("to", i["peer"]))
        for i in run.part("interfaces")
        if i["queue"]
    }
    return queues.backlog(pd.concat([sampled, last]), names)


def _aqm(run: Recorded) -> pd.DataFrame:
    """One row per queue with an active queue management and sample."""
    from labkit.decode import aqm

    names = {
        (i["ns"], i["index"]): (i.get("from", i["host"]), i.get("to", i["peer"]))
        for i in run.part("interfaces")
        if i["queue"]
    }
    return aqm.aqm(run.raw, names)


PROBE = Probe(
    "backlog",
    "what waits in every queue and what it has dropped, each sample_interval",
    default=True,
    samples=(Sample.QDISCS,),
    shared_kernel_ok=True,
    tables={"backlog": Table(_backlog, _backlog_columns), "aqm": Table(_aqm, _aqm_columns)},
)
