"""A lab program in the making: its records in order, and in words what each one is for."""

from __future__ import annotations

from dataclasses import dataclass, field

from labkit.program import records
from labkit.program.records import NETLINK_ROUTE, Record, texts
from labkit.program.structs import LAB_AT_SETUP, LAB_NO_NS, Op


@dataclass
class Program:
    """Collects records; `why` remembers in words what each one is for, so that errors can say so."""

    flags: int = 0
    records: list[bytes] = field(default_factory=list)
    why: list[str] = field(default_factory=list)

    def add(self, op: Op, body: bytes, why: str, *, ns: int = LAB_NO_NS, at_ns: int = LAB_AT_SETUP) -> None:
        """One record; at_ns is relative to the program's start, LAB_AT_SETUP is before it."""
        self.put(Record(op, body, ns, at_ns), why)

    def put(self, record: Record, why: str) -> None:
        """One record as it is."""
        self.records.append(records.packed(record))
        self.why.append(why)

    def netns(self, index: int, name: str) -> None:
        self.add(Op.NETNS, texts(name), f"namespace {name}", ns=index)

    def netlink(
        self,
        messages: list[bytes],
        why: str,
        *,
        ns: int,
        at_ns: int = LAB_AT_SETUP,
        protocol: int = NETLINK_ROUTE,
    ) -> None:
        """Messages sent in one namespace; for netfilter as one batch."""
        if messages:
            self.add(Op.NETLINK, records.netlink(protocol, messages), why, ns=ns, at_ns=at_ns)

    def sysctl(
        self, name: str, value: object, why: str, *, ns: int = LAB_NO_NS, at_ns: int = LAB_AT_SETUP
    ) -> None:
        """name with dots or slashes; value as written into the file."""
        path = name if "/" in name else name.replace(".", "/")
        self.add(Op.SYSCTL, texts(path, str(value)), why, ns=ns, at_ns=at_ns)

    def end(self, *, duration_ns: int, limit_ns: int) -> bytes:
        """Close the program. duration_ns=0: it ends when its flows and commands have."""
        self.add(Op.END, records.end(duration_ns, limit_ns), "end")
        return records.program(self.records, self.flags)
