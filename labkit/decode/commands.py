"""What commands on hosts printed, and how each one ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from labkit.decode.raw import Raw, damage
from labkit.program.structs import Kind

UNITS: dict[str, str] = {
    "id": "number of the command",
    "host": "where it ran",
    "command": "shell line",
    "status": "exit status; negative: ended by that signal; <NA>: did not end",
    "stdout": "text",
    "stderr": "text",
    "start_s": "s since the start of the run",
    "end_s": "s since the start of the run",
}
_STDOUT, _STDERR = 1, 2
_Texts = dict[tuple[int, int], bytes]
_Ends = dict[int, tuple[int, float]]
_STOPPED = 0x7F  # of a wait status: it has not ended
_KILLED = -9  # by SIGKILL, as the agent ends what still runs at the end


@dataclass(frozen=True)
class Output:
    """stdout and stderr of a command, and its exit status (None: it was cut; negative: a signal)."""

    stdout: str
    stderr: str
    status: int | None

    def __str__(self) -> str:
        return self.stdout + self.stderr

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(str(self).rstrip("\n"))  # type: ignore[attr-defined]


def outputs(raw: Raw) -> dict[int, Output]:
    """Command number -> its Output. Raises RawFormatError."""
    texts, ends = _texts(raw), _ends(raw)
    return {number: _output(number, texts, ends) for number in {number for number, _ in texts} | ends.keys()}


def commands(raw: Raw, layout: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per command of the layout, with what it printed. Raises RawFormatError."""
    texts, ends = _texts(raw), _ends(raw)
    rows = []
    for command in layout:
        output = _output(command["id"], texts, ends)
        rows.append(
            {
                "id": command["id"],
                "host": command["host"],
                "command": command["command"],
                "status": pd.NA if output.status is None else output.status,
                "stdout": output.stdout,
                "stderr": output.stderr,
                "start_s": float(command["at_s"]),
                "end_s": ends.get(command["id"], (None, float("nan")))[1],
            }
        )
    return pd.DataFrame(rows, columns=list(UNITS)).astype({"status": "Int64", "end_s": "float64"})


def failed(table: pd.DataFrame, end_s: float) -> pd.DataFrame:
    """The rows of `commands` that failed, those left out that the agent ended with the run. end_s: its end
    (s)."""
    cut = (table["status"] == _KILLED) & (table["end_s"] >= end_s)
    return table[(table["status"].fillna(0) != 0) & ~cut.fillna(False)]


def _texts(raw: Raw) -> _Texts:
    """(command, stream) -> all that was written there."""
    found: dict[tuple[int, int], list[memoryview]] = {}
    records = raw.records(Kind.EXEC_OUT)
    heads = raw.heads(records)
    for head, body in zip(heads, raw.behind(records), strict=True):
        key = (int(head["id"]), int(head["stream"]))
        found.setdefault(key, []).append(body)
    return {key: b"".join(bodies) for key, bodies in found.items()}


def _ends(raw: Raw) -> _Ends:
    """Command -> its exit status, and when it ended (s)."""
    found: _Ends = {}
    records = raw.records(Kind.EXEC_END)
    heads = raw.heads(records)
    for head, at_ns, offset in zip(heads, records.at_ns.tolist(), records.offset.tolist(), strict=True):
        with damage("a command's status is none", offset):
            found[int(head["id"])] = (_exit_status(int(head["stream"])), at_ns / 1e9)
    return found


def _output(number: int, texts: _Texts, ends: _Ends) -> Output:
    out, err = (texts.get((number, stream), b"").decode(errors="replace") for stream in (_STDOUT, _STDERR))
    return Output(out, err, ends[number][0] if number in ends else None)


def _exit_status(wait_status: int) -> int:
    """A shell's view of Linux's wait status; minus the signal's number if one ended it."""
    by = wait_status & 0x7F
    if by == _STOPPED:
        raise ValueError(f"{wait_status:#x}")
    return -by if by else wait_status >> 8 & 0xFF
