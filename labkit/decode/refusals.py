"""What the agent or the kernel refused during a run."""

from __future__ import annotations

from labkit.decode import plain_tables as plain
from labkit.program.structs import Kind

ERRORS = plain.RecordTable(
    "One row per step that the agent or the kernel refused.",
    {
        "time_s": plain.instant("at_ns", "s since the start of the run; NaN: while it was set up"),
        "record": plain.whole("record", "number of the record in the lab program"),
        "message": plain.whole("message", "number of the netlink message in the record"),
        "error": plain.error("error", "errno's name"),
        "text": plain.text("what the agent or the kernel says"),
    },
    Kind.ERROR,
)
