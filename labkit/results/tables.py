"""What a run measured, as tidy tables with units, each read from the raw file when first asked for."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

import pandas as pd

from labkit.decode import (
    aqm,
    classes,
    connections,
    counters,
    flows,
    queue_events,
    queues,
    tcp_info,
    tcp_probe,
    tins,
    trace,
)
from labkit.decode import retransmissions as recovery
from labkit.decode.columns import Units
from labkit.decode.raw import Raw
from labkit.decode.trace import Trace
from labkit.errors import LabkitError
from labkit.spec import Capture, Experiment

UNITS: dict[str, dict[str, str]] = {
    "flows": flows.UNITS,
    "goodput": {"flow": "name of the flow", "goodput": "Mbit/s of payload"},
    "tcp_info": tcp_info.UNITS,
    "tcp_probe": tcp_probe.UNITS,
    "retransmissions": recovery.RETRANSMIT_UNITS,
    "cong_states": recovery.CONG_STATE_UNITS,
    "backlog": queues.UNITS,
    "queue": queue_events.UNITS,
    "qdiscs": queues.QDISC_UNITS,
    "aqm": aqm.UNITS,
    "classes": classes.UNITS,
    "counters": counters.UNITS,
    "softnet": counters.SOFTNET_UNITS,
    "interfaces": counters.INTERFACE_UNITS,
    "commands": flows.COMMAND_UNITS,
    "errors": flows.ERROR_UNITS,
    "trace": trace.UNITS,
    "packet_table": connections.UNITS,
}


class ProbeMissingError(LabkitError):
    """A table of something that this run did not record; names what records it."""


class Tables:
    """The tables of a run. Whoever has them says what was run, where its records are, and how to get
    those of a probe that was not on."""

    manifest: dict[str, Any]

    @cached_property
    def experiment(self) -> Experiment:
        """What was run."""
        return Experiment.model_validate(self.manifest["experiment"])

    @cached_property
    def raw(self) -> Raw:
        """The records behind the tables. Raises RawFormatError."""
        raise NotImplementedError

    def also(self, probes: Collection[str] = (), capture: Collection[str | Capture] = ()) -> Tables:
        """The same run with these probes and captures as well. Raises ProbeMissingError."""
        raise NotImplementedError

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row per flow, by name."""
        table = flows.flows(self.raw, self.layout("flows"), self._last_info("total_retrans"))
        return with_units(table, "flows")

    def goodput(self) -> pd.Series[float]:
        """Mbit/s of payload per flow: see `labkit.decode.flows.goodput` for what is counted."""
        mss = self._last_info("snd_mss")
        by_name = {flow["name"]: mss.get(flow["id"], 0) for flow in self.layout("flows")}
        series = flows.goodput(self.flows, [by_name[name] for name in self.flows.index])
        series.attrs["units"] = Units(UNITS["goodput"])
        return series

    def retransmits(self) -> pd.Series[Any]:
        """Segments retransmitted per flow; <NA> for UDP."""
        return self.flows["retransmits"].copy()

    @cached_property
    def tcp_info(self) -> pd.DataFrame:
        """TCP_INFO at intervals and at each flow's end."""
        if "tcp_info" not in self.experiment.probes:
            return self.also(probes={"tcp_info"}).tcp_info
        names = {flow["id"]: flow["name"] for flow in self.layout("flows")}
        flow = pd.Categorical(self._info["flow"].map(names), list(names.values()))
        return with_units(self._info.assign(flow=flow), "tcp_info")

    @cached_property
    def tcp_probe(self) -> pd.DataFrame:
        """A TCP sender's state at every segment that reached it. Warns if the trace has gaps."""
        if (other := self._traced("tcp_probe", tcp_probe.EVENT)) is not self:
            return other.tcp_probe
        return with_units(tcp_probe.tcp_probe(self._trace, self._ports()), "tcp_probe")

    @cached_property
    def retransmissions(self) -> pd.DataFrame:
        """One row per segment that was sent again. Warns if the trace has gaps."""
        if (other := self._traced("recovery", recovery.RETRANSMIT)) is not self:
            return other.retransmissions
        return with_units(recovery.retransmissions(self._trace, self._ports()), "retransmissions")

    @cached_property
    def cong_states(self) -> pd.DataFrame:
        """One row per change of a socket's congestion state. Warns if the trace has gaps."""
        if (other := self._traced("recovery", recovery.CONG_STATE)) is not self:
            return other.cong_states
        return with_units(recovery.cong_states(self._trace, self._ports()), "cong_states")

    @cached_property
    def backlog(self) -> pd.DataFrame:
        """What waits in each queue, at intervals."""
        if "backlog" not in self.experiment.probes:
            return self.also(probes={"backlog"}).backlog
        names = {
            (i["ns"], i["index"]): (i.get("from", i["host"]), i["name"], i.get("to", i["peer"]))
            for i in self.layout("interfaces")
            if i["queue"]
        }
        return with_units(queues.backlog(queues.sampled(self.qdiscs), names), "backlog")

    @cached_property
    def queue(self) -> pd.DataFrame:
        """Every packet in every queue: when it came, how many were there, when it left. Warns of gaps."""
        if (other := self._traced("queue", queue_events.ENQUEUE)) is not self:
            return other.queue
        names = {i["index"]: (i["from"], i["to"]) for i in self.layout("interfaces") if i["queue"]}
        return with_units(queue_events.queue(self._trace, names), "queue")

    @cached_property
    def qdiscs(self) -> pd.DataFrame:
        """Every qdisc as the kernel dumped it: before, during and after the run."""
        return with_units(queues.qdiscs(self.raw), "qdiscs")

    @cached_property
    def aqm(self) -> pd.DataFrame:
        """What an active queue management says of itself, at intervals: probability, next drop, ..."""
        if "backlog" not in self.experiment.probes:
            return self.also(probes={"backlog"}).aqm
        names = {
            (i["ns"], i["index"]): (i.get("from", i["host"]), i.get("to", i["peer"]))
            for i in self.layout("interfaces")
            if i["queue"]
        }
        return with_units(aqm.aqm(self.raw, names), "aqm")

    @cached_property
    def classes(self) -> pd.DataFrame:
        """What waits in each class of a queue that has any (or tin of cake), at intervals."""
        if "backlog" not in self.experiment.probes:
            return self.also(probes={"backlog"}).classes
        places = {
            (i["ns"], i["index"]): classes.Place(
                i.get("from", i["host"]), i.get("to", i["peer"]), i.get("classes", {})
            )
            for i in self.layout("interfaces")
            if i["queue"]
        }
        table = classes.classes(queues.sampled(self.qdiscs), queues.sampled(tins.tins(self.raw)), places)
        return with_units(table, "classes")

    @cached_property
    def counters(self) -> pd.DataFrame:
        """Each host's SNMP counters before and after, as nstat names them."""
        hosts = {host["ns"]: name for name, host in self.manifest["layout"]["hosts"].items()}
        return with_units(counters.nstat(self.raw, hosts), "counters")

    @cached_property
    def softnet(self) -> pd.DataFrame:
        """The kernel's input queues before and after, per CPU."""
        return with_units(counters.softnet(self.raw), "softnet")

    @cached_property
    def interfaces(self) -> pd.DataFrame:
        """Each device's statistics before and after."""
        names = {
            (i["ns"], i["index"]): (i["host"], i["name"], i["peer"], i["role"])
            for i in self.layout("interfaces")
        }
        return with_units(counters.interfaces(self.raw, names), "interfaces")

    @cached_property
    def commands(self) -> pd.DataFrame:
        """One row per command, with what it printed."""
        return with_units(flows.commands(self.raw, self.layout("commands")), "commands")

    @cached_property
    def errors(self) -> pd.DataFrame:
        """What the agent or the kernel refused."""
        return with_units(flows.errors(self.raw), "errors")

    def output(self, which: str | int = 0) -> str:
        """What one command printed: its number, or the host if only one ran there. Raises KeyError."""
        table = self.commands
        found = table[table["host" if isinstance(which, str) else "id"] == which]
        if len(found) == 1:
            return str(found["stdout"].iloc[0])
        known = ", ".join(f"{i} on {host}" for i, host in zip(table["id"], table["host"], strict=True))
        what = "no command" if found.empty else "more than one command"
        raise KeyError(f"output({which!r}): {what}: there are {known or 'none'}")

    def traces(self, event: str) -> bool:
        """Was this event ("tcp/tcp_probe") recorded?"""
        return event in self._trace.formats

    def trace(self, event: str) -> pd.DataFrame:
        """All events of one name ("tcp/tcp_probe") as the kernel has them. Raises ProbeMissingError."""
        name = event.replace(":", "/")
        if not self.traces(name):
            raise ProbeMissingError(f"{name} was not traced: traced are {sorted(self._trace.formats)}")
        self._warn_of_lost()
        return with_units(self._trace.table(name), "trace")

    @property
    def lost_trace_events(self) -> int:
        """Events that the trace buffer had no room for."""
        return int(self._trace.lost)

    def units(self, table: str) -> dict[str, str]:
        """Column -> unit or meaning, of any table of a result. Raises KeyError."""
        if table not in UNITS:
            raise KeyError(f"units({table!r}): the tables are {', '.join(UNITS)}")
        return dict(UNITS[table])

    def layout(self, part: str) -> list[dict[str, Any]]:
        """Names and numbers as they were compiled: "flows", "interfaces" or "commands"."""
        return list(self.manifest["layout"].get(part, []))

    def _traced(self, probe: str, event: str) -> Tables:
        """Whoever has the events of a probe: these tables or those of the run again."""
        if probe not in self.experiment.probes:
            return self.also(probes={probe})
        if not self.traces(event):
            if self.manifest["place"] != "lab":
                reason = 'tracing is the whole machine\'s: not offered in place="host"'
            else:
                reason = (
                    "nothing to trace: no TCP flow" if probe == "tcp_probe" else "nothing to trace: no queue"
                )
            raise ProbeMissingError(f"{probe}: {reason}")
        self._warn_of_lost()
        return self

    def traced(self) -> Trace:
        """The trace as it is, for those who look for what was lost."""
        return self._trace

    @cached_property
    def _trace(self) -> Trace:
        return Trace(self.raw)

    def _ports(self) -> dict[tuple[int, int], str]:
        return {(flow["sport"], flow["dport"]): flow["name"] for flow in self.layout("flows")}

    @cached_property
    def _info(self) -> pd.DataFrame:
        return tcp_info.tcp_info(self.raw)

    def _last_info(self, column: str) -> Mapping[int, int]:
        """flow id -> a column of the sender's last TCP_INFO, which every flow that ended has."""
        table = self._info
        if column not in table or table.empty:
            return {}
        mine = table[table["side"] == "sender"]
        return dict(zip(mine["flow"].tolist(), mine[column].tolist(), strict=True))

    def _warn_of_lost(self) -> None:
        if lost := self.lost_trace_events:
            text = f"{lost} trace events were lost, the oldest of a second: the table has gaps"
            warnings.warn(f"{text}; ask for fewer flows, lower rates or fewer events", stacklevel=5)


def with_units(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table with its columns' units in attrs["units"]."""
    table.attrs["units"] = Units(UNITS[name])
    return table
