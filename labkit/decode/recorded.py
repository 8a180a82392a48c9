"""What a run recorded, for those who make tables of it: its records, and the names that were compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from labkit.decode import queues, tcp_info
from labkit.decode.raw import Raw
from labkit.decode.trace import Trace


@dataclass(frozen=True)
class Recorded:
    """raw: the records. layout: names and numbers as in the manifest. What several tables are made of is
    read once, when first asked for. All raise RawFormatError."""

    raw: Raw
    layout: Mapping[str, Any]

    def part(self, name: str) -> list[dict[str, Any]]:
        """ "flows", "interfaces" or "commands" of the layout."""
        return list(self.layout.get(name, []))

    @cached_property
    def trace(self) -> Trace:
        """The trace; of a run that was not traced an empty one."""
        return Trace(self.raw)

    @cached_property
    def ports(self) -> dict[tuple[int, int], str]:
        """(source port, destination port) as a sender sees them -> its flow's name. Of a flow whose two ends
        both send data, either is one."""
        found = {}
        for flow in self.part("flows"):
            found[flow["sport"], flow["dport"]] = flow["name"]
            if flow.get("both_send"):
                found[flow["dport"], flow["sport"]] = flow["name"]
        return found

    @cached_property
    def qdiscs(self) -> pd.DataFrame:
        """Every qdisc in every dump: see labkit.decode.queues."""
        return queues.qdiscs(self.raw)

    @cached_property
    def tcp_info(self) -> pd.DataFrame:
        """Every TCP_INFO, with flows by number: see labkit.decode.tcp_info."""
        return tcp_info.tcp_info(self.raw)
