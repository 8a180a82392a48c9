"""What each TCP flow got done over time, and its share of it: the bytes that its sender saw acknowledged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from labkit.errors import SpecError
from labkit.results.protocol import Run
from labkit.units import seconds


def connections(run: Run) -> list[str]:
    """The names of the flows that are one TCP connection each."""
    return [str(flow.name) for flow in run.experiment.flows if flow.connected()]


def acked_of(run: Run, *, sacked: bool = False) -> pd.DataFrame:
    """time_s, flow, bytes: what each TCP sender saw acknowledged so far, from 0 at the flow's start until the
    time was over that it was given, be it that it was never there or died before. sacked: what is selectively
    acknowledged, too."""
    table = run.tcp_info
    mine = table[table["side"] == "sender"]
    acked = (mine["bytes_acked"].astype("int64") - 1).clip(lower=0)
    behind_gaps = mine["sacked"].astype("int64") * mine["snd_mss"].astype("int64") if sacked else 0
    found = mine[["time_s", "flow"]].assign(bytes=acked + behind_gaps)
    found = found.astype({"flow": "str"})
    tcp = run.flows.loc[connections(run)]
    names = tcp.index.astype("str")
    begun = pd.DataFrame({"time_s": tcp["start_s"], "flow": names, "bytes": 0})
    last = found.groupby("flow").max().reindex(names)
    until = run.given_until()[tcp.index].to_numpy()
    ended = {"time_s": np.fmax(until, last["time_s"]), "bytes": last["bytes"].fillna(0)}
    over = pd.DataFrame(ended).rename_axis("flow").reset_index()
    both = pd.concat([begun, found, over.dropna()], ignore_index=True)
    return both.sort_values("time_s", kind="stable", ignore_index=True)


def acked_in(acked: pd.DataFrame, edges: np.ndarray[Any, Any]) -> pd.DataFrame:
    """Bytes that each flow saw acknowledged between two edges (s), one column per flow; 0 where it was not
    there. Between samples the bytes grow evenly.

    acked: of `acked_of`. The index is where each interval begins.
    """
    grown = {
        str(flow): np.diff(np.interp(edges, mine["time_s"], mine["bytes"]))
        for flow, mine in acked.groupby("flow", sort=False)
    }
    return pd.DataFrame(grown, pd.Index(edges[:-1], name="time_s"))


def shares(run: Run, every: float | str) -> pd.DataFrame:
    """The share of each TCP flow of the goodput of all, by intervals: one row each, one column per flow, the
    index says when it begins (s). 0 for a flow that was not there; NaN where nobody got anything.

    every: s, or a text such as "10s"; from 0 on, what is left over at the end is left out. Raises SpecError.
    """
    width = seconds(every)
    acked = acked_of(run)
    last = float(acked["time_s"].max()) if len(acked) else 0.0
    count = int(last / width + 1e-9) if width > 0 else 0
    if not count:
        raise SpecError(f"shares: every={every!r}: must be above 0, and at most {last:g} s, the run's length")
    got = acked_in(acked, width * np.arange(count + 1)).reindex(columns=connections(run))
    return got.div(got.sum(axis=1).replace(0.0, np.nan), axis=0)
