"""The probe "backlog": what waits in each queue, and what an active queue management says, at intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.decode.plain_tables import Columns, ComputedTable
from labkit.probes.probe import Probe, Sample

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded


def _backlog_columns() -> Columns:
    from labkit.decode import queues

    return queues.UNITS


def _aqm_columns() -> Columns:
    from labkit.decode import aqm

    return aqm.UNITS


def _classes_columns() -> Columns:
    from labkit.decode import classes

    return classes.UNITS


def _backlog(run: Recorded) -> pd.DataFrame:
    """One row per queue and sample, and one at the end of the run."""
    from labkit.decode import queues

    names = {
        (i["ns"], i["index"]): (i.get("from", i["host"]), i["name"], i.get("to", i["peer"]))
        for i in run.part("interfaces")
        if i["queue"]
    }
    return queues.backlog(queues.sampled(run.qdiscs), names)


def _classes(run: Recorded) -> pd.DataFrame:
    """One row per class of a queue that has any (or tin of cake) and sample."""
    from labkit.decode import classes, queues, tins

    places = {
        (i["ns"], i["index"]): classes.Place(
            i.get("from", i["host"]), i.get("to", i["peer"]), i.get("classes", {})
        )
        for i in run.part("interfaces")
        if i["queue"]
    }
    return classes.classes(queues.sampled(run.qdiscs), queues.sampled(tins.tins(run.raw)), places)


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
    tables={
        "backlog": ComputedTable("One row per queue and sample.", _backlog_columns, _backlog),
        "aqm": ComputedTable(
            "One row per queue with an active queue management and sample.", _aqm_columns, _aqm
        ),
        "classes": ComputedTable(
            "One row per class of a queue that has any (or tin of cake) and sample.",
            _classes_columns,
            _classes,
        ),
    },
)
