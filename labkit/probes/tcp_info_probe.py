"""The probe "tcp_info": what a TCP socket says of itself, at intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.decode.plain_tables import Columns, ComputedTable
from labkit.probes.probe import Probe, Sample

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded


def _columns() -> Columns:
    from labkit.decode import tcp_info

    return tcp_info.UNITS


def _table(run: Recorded) -> pd.DataFrame:
    """One row per flow, side and sample, and one at each flow's end."""
    import pandas as pd

    names = {flow["id"]: flow["name"] for flow in run.part("flows")}
    return run.tcp_info.assign(flow=pd.Categorical(run.tcp_info["flow"].map(names), list(names.values())))


PROBE = Probe(
    "tcp_info",
    "the state of both ends of every TCP flow, each sample_interval",
    default=True,
    samples=(Sample.TCP_INFO,),
    shared_kernel_ok=True,
    tables={"tcp_info": ComputedTable("One row per flow, side and sample.", _columns, _table)},
)
