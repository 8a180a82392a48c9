"""The probe "cc_info": what a sender's congestion control says of itself, at intervals.

It is read by getsockopt(TCP_CC_INFO), and is what `ss -ti` shows behind the algorithm's name. Not what TCP
says for all of them: that is tcp_info.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.decode.plain_tables import Columns, ComputedTable
from labkit.probes.probe import Probe, Sample

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded


def _columns() -> Columns:
    from labkit.decode import cc_info

    return cc_info.UNITS


def _table(run: Recorded) -> pd.DataFrame:
    """One row per flow and sample. Raises RawFormatError."""
    import pandas as pd

    from labkit.decode.cc_info import cc_info

    names = {flow["id"]: flow["name"] for flow in run.part("flows")}
    table = cc_info(run.raw)
    return table.assign(flow=pd.Categorical(table["flow"].map(names), list(names.values())))


PROBE = Probe(
    "cc_info",
    "what the congestion control of every TCP sender says of itself, each sample_interval",
    samples=(Sample.CC_INFO,),
    shared_kernel_ok=True,
    tables={"cc_info": ComputedTable("One row per flow and sample.", _columns, _table)},
)
