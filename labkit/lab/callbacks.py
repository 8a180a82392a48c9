"""When the kernel called which callback of a congestion control written with %%cc: the calls as a table.

A module of a cell keeps its first 12,000 calls (after.c), and a command of the experiment reads them.
"""

from __future__ import annotations

import io
from typing import Any

import pandas as pd

from labkit.decode.columns import Units
from labkit.errors import CellError
from labkit.results.run import run
from labkit.spec import Command, Experiment, custom_cc

STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
"""enum tcp_ca_state of the kernel, by number."""
EVENTS = ("TX_START", "CWND_RESTART", "COMPLETE_CWR", "LOSS", "ECN_NO_CE", "ECN_IS_CE")
"""enum tcp_ca_event, by number: CA_EVENT_... of each."""
_UNITS = {
    "time_s": "s since the start of the run",
    "side": "whose socket: sender or receiver",
    "port": "of the socket, on its own host",
    "callback": "its name in struct tcp_congestion_ops",
    "argument": "segments acknowledged, state, event or flags",
    "result": "packets, of ssthresh and undo_cwnd",
    **dict.fromkeys(("cwnd", "cwnd_after", "ssthresh", "ssthresh_after"), "packets"),
    "said": "the argument in words, of set_state and cwnd_event",
}


def callbacks(exp: Experiment, name: str, at: Any = None) -> pd.DataFrame:
    """Run an experiment and tell each call of the callbacks of `name`, a congestion control written with
    %%cc.

    One row per call, in order, the first 12,000 of all sockets that use it: time_s, side, port (the socket's
    own), callback, argument, result, cwnd and ssthresh before and after it (packets), said. Callbacks that
    the cell has not got are there as well, if calling one changes nothing: when the kernel would have called
    them. at: when to read them (s): the experiment's duration, or the end of its last flow, unless given.
    Raises CellError if there is no such congestion control, and as `run`."""
    if custom_cc.find(name) is None:
        raise CellError(f"there is no %%cc {name}: run its cell first")
    host = exp.topology.names[0]
    last = max((flow.start + flow.lasts() for flow in exp.flows), default=0.0)
    when = at if at is not None else (exp.duration or last)
    read = Command(host, f"cat /proc/cc_{name}", when)
    result = run(exp.replace(commands=[*exp.commands, read]))
    table = called(result.output(len(exp.commands)), result.experiment.commands[-1].at)
    senders = {flow["sport"] for flow in result.manifest["layout"]["flows"]}
    table.insert(1, "side", ["sender" if port in senders else "receiver" for port in table["port"]])
    table.attrs["units"] = Units(_UNITS)
    return table


def called(text: str, at: float) -> pd.DataFrame:
    """The calls as a module of a cell told them in /proc/cc_NAME at a time (s)."""
    now, _, rest = text.partition("\n")
    table = pd.read_csv(io.StringIO(rest))
    # The agent starts a run at a whole second of the guest's clock; a command comes some µs after its time.
    began_s = round(int(now.partition(",")[2]) / 1e9 - at)
    table.insert(0, "time_s", table.pop("at_ns") / 1e9 - began_s)
    words = {"set_state": STATES, "cwnd_event": EVENTS}
    table["said"] = [
        words[callback][argument] if argument < len(words.get(callback, ())) else ""
        for callback, argument in zip(table["callback"], table["argument"], strict=True)
    ]
    return table
