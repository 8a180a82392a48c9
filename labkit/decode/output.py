"""What a command on a host printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labkit.decode.raw import Kind, Raw

EXEC_OUT = np.dtype([("id", "<u4"), ("stream", "<i4")])


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


def exit_status(wait_status: int) -> int:
    """A shell's view of a wait status; minus the signal's number if one ended it."""
    return -(wait_status & 0x7F) if wait_status & 0x7F else wait_status >> 8 & 0xFF


def outputs(raw: Raw) -> dict[int, Output]:
    """Command number -> its Output."""
    found: dict[int, list[bytes]] = {}
    records = raw.records(Kind.EXEC_OUT)
    heads = raw.heads(records, EXEC_OUT)
    for head, body in zip(heads, raw.bodies(records, EXEC_OUT.itemsize), strict=True):
        found.setdefault(int(head["id"]), [b"", b""])[int(head["stream"]) - 1] += bytes(body)
    ends = raw.heads(raw.records(Kind.EXEC_END), EXEC_OUT)
    status = {int(head["id"]): exit_status(int(head["stream"])) for head in ends}

    def text(number: int, stream: int) -> str:
        return found.get(number, [b"", b""])[stream].decode(errors="replace")

    numbers = found.keys() | status.keys()
    return {number: Output(text(number, 0), text(number, 1), status.get(number)) for number in numbers}
