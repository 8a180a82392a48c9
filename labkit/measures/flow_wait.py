"""How long each flow's packets waited in the queue that held most: whose packet it was, its capture tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from labkit.charts.figure import EmptyFigureError
from labkit.charts.queue_length import fullest
from labkit.measures.named_measure import NamedMeasure

if TYPE_CHECKING:
    from labkit.results.result import Result

UNITS: dict[str, str] = {"flow_wait_mean_ms": "ms that a flow's packets waited in the queue that held most"}


class FlowWait(NamedMeasure):
    """One row per flow that sent through that queue. Needs the probe "queue" and a capture where it stands;
    missing if the two do not tell of the same packets. Since a time: of packets that came then."""

    units, keys = UNITS, ("flow",)
    heeds = frozenset(UNITS)
    probes: ClassVar[Mapping[str, frozenset[str]]] = dict.fromkeys(UNITS, frozenset({"queue", "captures"}))

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        try:
            host, peer = fullest(result)
        except EmptyFigureError:
            return []
        table = result.queue.dropna(subset=["dequeued_s"])
        line = table[(table["host"] == host) & (table["peer"] == peer)]
        line = line.sort_values("dequeued_s", kind="stable")
        ports = result.interfaces
        port = ports.loc[(ports["host"] == host) & (ports["peer"] == peer), "interface"]
        packets = result.packet_table(host, str(port.iloc[0]))
        sent = packets[packets["direction"] == "out"]
        if len(sent) != len(line):
            return []
        line = line.assign(flow=sent["flow"].astype("object").to_numpy())
        line = line[line["enqueued_s"] >= self.since]
        waits = 1000 * line.groupby("flow")["wait_s"].mean()
        order = [str(name) for name in result.flows.index if name in waits.index]
        return [{"flow": name, self.names[0]: float(waits[name])} for name in order]
