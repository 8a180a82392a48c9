"""TCP_CC_INFO samples: union tcp_cc_info (uapi linux/inet_diag.h), as the algorithm filled it, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from labkit.decode.raw import Raw
from labkit.program.structs import CC_NAME, INFO_OUT, Kind

_HEAD = np.dtype([*INFO_OUT.dtype.descr, ("cc", f"S{CC_NAME}")])
_BBR = np.dtype([("bw", "<u8"), ("min_rtt", "<u4"), ("pacing_gain", "<u4"), ("cwnd_gain", "<u4")])
_DCTCP = np.dtype(
    [("enabled", "<u2"), ("ce_state", "<u2"), ("alpha", "<u4"), ("ab_ecn", "<u4"), ("ab_tot", "<u4")]
)
_VEGAS = np.dtype([("enabled", "<u4"), ("rttcnt", "<u4"), ("rtt", "<u4"), ("minrtt", "<u4")])
WORDS = np.dtype([(f"word{i}", "<u4") for i in range(5)])
KNOWN = {
    "bbr": _BBR,
    "dctcp": _DCTCP,
    "dctcp-reno": _DCTCP,
    **dict.fromkeys(("vegas", "yeah", "illinois", "nv", "westwood"), _VEGAS),
}
ONE = {"pacing_gain": 256, "cwnd_gain": 256, "alpha": 1024}
"""What stands for 1 in a fixed-point number (tcp_bbr.c, tcp_dctcp.c)."""

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "flow": "name of the flow",
    "cc": "name of its congestion control at that moment",
    "bw": "bytes/s: the bandwidth that BBR takes the path to have",
    "min_rtt": "µs: the round trip that BBR takes the path to have",
    "pacing_gain": "times bw: how fast BBR sends",
    "cwnd_gain": "times bw * min_rtt: how much BBR lets be under way",
    "enabled": "1: it acts on its own signal; 0: as Reno would (Vegas, YeAH, Illinois, NV, Westwood, DCTCP)",
    "rttcnt": "RTT samples since the last decision (Vegas, YeAH, Illinois); decisions (NV)",
    "rtt": "µs: the base RTT (Vegas, YeAH), mean since the last decision (Illinois), last (NV, Westwood)",
    "minrtt": "µs: the shortest since the last decision (Vegas, YeAH; 2147483647: none yet), of all (others)",
    "ce_state": "1: the last packet that came to this end was marked (DCTCP)",
    "alpha": "share of marked bytes, smoothed (DCTCP)",
    "ab_ecn": "bytes acknowledged with a mark in this window (DCTCP)",
    "ab_tot": "bytes acknowledged in this window (DCTCP)",
    **{f"word{i}": f"word {i} of what a module of one's own puts into the union" for i in range(5)},
}


def cc_info(raw: Raw) -> pd.DataFrame:
    """One row per sample: time_s, flow (id), cc, then what that algorithm says; other columns are NaN.

    An algorithm that says nothing has no rows. What is neither BBR's nor DCTCP's nor one of Vegas's relatives
    are words, in the order of the union. Raises RawFormatError.
    """
    records = raw.records(Kind.CC_INFO)
    heads = raw.heads(records, _HEAD)
    rows = []
    for head, at_ns, body in zip(
        heads, records.at_ns.tolist(), raw.bodies(records, _HEAD.itemsize), strict=True
    ):
        if not len(body):
            continue
        name = head["cc"].decode(errors="replace")
        row = {"time_s": at_ns / 1e9, "flow": int(head["flow"]), "cc": name}
        rows.append(row | _said(KNOWN.get(name, WORDS), bytes(body)))
    return pd.DataFrame(rows, columns=list(UNITS)).astype(
        {name: float for name in UNITS if name not in _NAMES}
    )


_NAMES = ("flow", "cc")


def _said(layout: np.dtype[np.void], body: bytes) -> dict[str, float]:
    """The fields that are whole; an older kernel or a module of one's own may fill fewer."""
    padded = np.frombuffer(body[: layout.itemsize].ljust(layout.itemsize, b"\0"), layout)[0]
    assert layout.fields
    whole = [name for name, (part, at, *_) in layout.fields.items() if int(at) + part.itemsize <= len(body)]
    return {name: float(padded[name]) / ONE.get(name, 1) for name in whole}
