"""What the agent or the kernel refused during a run, and names of errors."""

from __future__ import annotations

import errno

import numpy as np
import pandas as pd

from labkit.decode.raw import Raw
from labkit.program.structs import Kind

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run; NaN: while it was set up",
    "record": "number of the record in the lab program",
    "message": "number of the netlink message in the record",
    "error": "errno's name",
    "text": "what the agent or the kernel says",
}


def refusals(raw: Raw) -> pd.DataFrame:
    """time_s, record, message, error, text. Raises RawFormatError."""
    records = raw.records(Kind.ERROR)
    heads = raw.heads(records)
    return pd.DataFrame(
        {
            "time_s": np.where(records.at_ns < 0, np.nan, records.at_ns / 1e9),
            "record": heads["record"].astype(np.int64),
            "message": heads["message"].astype(np.int64),
            "error": pd.array([errno_name(int(e)) for e in heads["error"]], "str"),
            "text": pd.array(raw.texts(records), "str"),
        }
    )


def errno_name(number: int) -> str:
    """ "ECONNREFUSED" for 111, "" for 0."""
    return errno.errorcode.get(number, f"errno {number}") if number else ""
