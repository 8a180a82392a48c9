"""What a sender did about losses, as far as a run recorded it: recoveries, timeouts, segments sent again."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from labkit.charts.runs import recorded
from labkit.results.protocol import Run

EVENTS = {"Recovery": "fast recovery", "Loss": "timeout", "CWR": "window reduced (ECN or own queue)"}
LOST = "packet lost"
_STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")  # TCP_CA_... of linux/tcp.h, by number

Source = Literal["recovery", "tcp_info", "drops"]


def source_of(run: Run) -> Source:
    """The best that the run recorded; if it recorded none of them, what the same run again will record.

    recovery: every change of state; tcp_info: samples, between which a short recovery is missed;
    drops: the losses themselves, in place of what the sender did.
    """
    sources: tuple[Source, ...] = ("recovery", "tcp_info", "drops")
    return next((source for source in sources if recorded(run, source)), "recovery")


def events_of(run: Run) -> pd.DataFrame:
    """time_s, flow, event: each entry into fast recovery, timeout or window reduction; or each loss."""
    source = source_of(run)
    if source == "drops":
        table = run.drops
        lost = table[(table["way"] == "data") & ~table["arrived"].astype(bool) & table["flow"].notna()]
        return lost[["time_s", "flow"]].assign(event=LOST)
    if source == "recovery":
        table = run.cong_states
        table = table.loc[table["side"] == "sender", ["time_s", "flow", "state"]]
    else:
        table = run.tcp_info
        table = table[table["side"] == "sender"]
        names = pd.Series(_STATES).reindex(table["ca_state"]).to_numpy()
        table = table[["time_s", "flow"]].assign(state=names)
    state = table["state"].astype("str")
    entered = state != state.groupby(table["flow"].astype("str")).shift(fill_value="Open")
    return table[["time_s", "flow"]].assign(event=state.map(EVENTS))[entered & state.isin(list(EVENTS))]


def retransmissions_of(run: Run) -> pd.DataFrame:
    """time_s, flow, count: each segment sent again; by TCP_INFO's samples several in one row; or none."""
    source = source_of(run)
    if source == "recovery":
        again = run.retransmissions
        return again.loc[again["side"] == "sender", ["time_s", "flow"]].assign(count=1)
    table = run.tcp_info if source == "tcp_info" else run.drops.iloc[:0].assign(side="", total_retrans=0)
    mine = table[table["side"] == "sender"]
    total = mine["total_retrans"].astype("int64")
    grown = total - total.groupby(mine["flow"].astype("str")).shift(fill_value=0)
    return mine[["time_s", "flow"]].assign(count=grown)[grown > 0]
