"""What a run measured, as tidy tables with units, each read from the raw file when first asked for."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from labkit import probes
from labkit.decode import (
    commands,
    connections,
    counters,
    plain_columns,
    queues,
    refusals,
    states,
    trace,
)
from labkit.decode.columns import Units
from labkit.decode.trace import Trace
from labkit.probes.probe import Probe
from labkit.results.replay import ProbeMissingError
from labkit.results.run_folder import RunFolder
from labkit.schema.base import did_you_mean
from labkit.traffic import TABLES, TrafficTables, ends, tunnel
from labkit.traffic.kind import Ended

_UNITS: dict[str, dict[str, str]] = {
    "flows": ends.UNITS,
    **{name: table.units() for name, table in TABLES.items()},
    "goodput": {"flow": "name of the flow", "goodput": "Mbit/s of payload"},
    "qdiscs": queues.QDISC_UNITS,
    "counters": counters.UNITS,
    "softnet": counters.SOFTNET_UNITS,
    "interfaces": counters.INTERFACE_UNITS,
    "loss_states": states.UNITS,
    "commands": commands.UNITS,
    "errors": refusals.ERRORS.units(),
    "trace": trace.UNITS,
    "packet_table": connections.UNITS,
}


def table_units() -> dict[str, dict[str, str]]:
    """Table -> column -> unit or meaning: of every table of a result."""
    found = dict(_UNITS)
    for probe in probes.KINDS.values():
        found |= {name: table.units() for name, table in probe.tables.items()}
    return found


class Tables(TrafficTables, RunFolder):
    """The tables of a run."""

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row per flow, by name."""
        table = ends.flows(self.raw, self.layout("flows"), self._retransmits())
        return with_units(table, "flows")

    def goodput(self) -> pd.Series[float]:
        """Mbit/s of payload per flow, over the time that it was given: see `labkit.traffic.ends.goodput`."""
        series = ends.goodput(self.flows, self.given_until())
        series.attrs["units"] = Units(_UNITS["goodput"])
        return series

    def given_until(self) -> pd.Series[float]:
        """When the time was over (s) that each flow was given: see `labkit.traffic.kind.Traffic.until`."""
        names = [field.name for field in fields(Ended)]
        rows = (Ended(*row) for row in self.flows[names].itertuples(index=False, name=None))
        pairs = zip(self.experiment.flows, rows, strict=True)
        until = [flow.until(ended, self.virtual_s) for flow, ended in pairs]
        return pd.Series(until, self.flows.index, dtype="float64", name="given_until")

    def retransmits(self) -> pd.Series[Any]:
        """Segments retransmitted per flow; <NA> for UDP."""
        return self.flows["retransmits"].copy()

    @property
    def tcp_info(self) -> pd.DataFrame:
        """TCP_INFO at intervals and at each flow's end."""
        return self.table("tcp_info")

    @property
    def tcp_probe(self) -> pd.DataFrame:
        """A TCP sender's state at every segment that reached it. Warns if the trace has gaps."""
        return self.table("tcp_probe")

    @property
    def retransmissions(self) -> pd.DataFrame:
        """One row per segment that was sent again. Warns if the trace has gaps."""
        return self.table("retransmissions")

    @property
    def cong_states(self) -> pd.DataFrame:
        """One row per change of a socket's congestion state. Warns if the trace has gaps."""
        return self.table("cong_states")

    @property
    def backlog(self) -> pd.DataFrame:
        """What waits in each queue, at intervals."""
        return self.table("backlog")

    @property
    def queue(self) -> pd.DataFrame:
        """Every packet in every queue: when it came, how many were there, when it left. Warns of gaps."""
        return self.table("queue")

    @cached_property
    def qdiscs(self) -> pd.DataFrame:
        """Every qdisc as the kernel dumped it: before, during and after the run."""
        return with_units(self.recorded.qdiscs, "qdiscs")

    @property
    def aqm(self) -> pd.DataFrame:
        """What an active queue management says of itself, at intervals: probability, next drop, ..."""
        return self.table("aqm")

    @property
    def classes(self) -> pd.DataFrame:
        """What waits in each class of a queue that has any (or tin of cake), at intervals."""
        return self.table("classes")

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
            for i in [*self.layout("interfaces"), *tunnel.devices(self.layout("flows"))]
        }
        return with_units(counters.interfaces(self.raw, names), "interfaces")

    @cached_property
    def loss_states(self) -> pd.DataFrame:
        """One row per good or bad period of each ContinuousGilbertElliott; empty without any."""
        devices = {i["index"]: i["host"] for i in self.layout("interfaces")}
        ways = [(way["leave"], (devices[way["out"]], devices[way["into"]])) for way in self.layout("ways")]
        made = states.periods(self.raw, {leave: ends for leave, ends in ways if leave})
        return with_units(made, "loss_states")

    @cached_property
    def commands(self) -> pd.DataFrame:
        """One row per command, with what it printed."""
        return with_units(commands.commands(self.raw, self.layout("commands")), "commands")

    @property
    def failed_commands(self) -> pd.DataFrame:
        """The rows of `commands` that failed, of an experiment's commands without check=False. One that ran
        until the end of the run has not failed."""
        checked = [number for number, command in enumerate(self.experiment.commands) if command.check]
        table = self.commands
        return commands.failed(table[table["id"].isin(checked)], self.virtual_s)

    @cached_property
    def errors(self) -> pd.DataFrame:
        """What the agent or the kernel refused."""
        return with_units(plain_columns.made(refusals.ERRORS, self.recorded), "errors")

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
        return event in self.traced().formats

    def trace(self, event: str) -> pd.DataFrame:
        """All events of one name ("tcp/tcp_probe") as the kernel has them. Raises ProbeMissingError."""
        name = event.replace(":", "/")
        if not self.traces(name):
            raise ProbeMissingError(f"{name} was not traced: traced are {sorted(self.traced().formats)}")
        self._warn_of_lost()
        return with_units(self.traced().table(name), "trace")

    @property
    def lost_trace_events(self) -> int:
        """Events that the trace buffer had no room for."""
        return int(self.traced().lost)

    def table(self, name: str) -> pd.DataFrame:
        """Any table by its name, those of probes among them. Raises KeyError; ProbeMissingError, ReplayError
        for what was not recorded and cannot be had by running again."""
        if probe := probes.of_table(name):
            if name not in self._made:
                self._made[name] = self._of_probe(probe, name)
            return self._made[name]
        if name in _UNITS and isinstance(getattr(type(self), name, None), cached_property):
            return cast(pd.DataFrame, getattr(self, name))
        raise KeyError(f"table({name!r}): {_no_table(name)}")

    if not TYPE_CHECKING:  # so that what is misspelt is found without running it

        def __getattr__(self, name: str) -> pd.DataFrame:
            """A probe's table."""
            if probes.of_table(name):
                return self.table(name)
            hint = did_you_mean(name, [*table_units(), *dir(type(self))])
            raise AttributeError(f"{type(self).__name__} has no {name!r}{hint}", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *probes.tables()})

    def units(self, table: str) -> dict[str, str]:
        """Column -> unit or meaning, of any table of a result. Raises KeyError."""
        if probe := probes.of_table(table):
            return probe.tables[table].units()
        if table not in _UNITS:
            raise KeyError(f"units({table!r}): {_no_table(table)}")
        return dict(_UNITS[table])

    def traced(self) -> Trace:
        """The trace as it is, for those who look for what was lost."""
        return self.recorded.trace

    @cached_property
    def _made(self) -> dict[str, pd.DataFrame]:
        """The tables of probes that were asked for."""
        return {}

    def _of_probe(self, probe: Probe, name: str) -> pd.DataFrame:
        """A table of a probe: of this run or of the run again."""
        if probe.name not in self.experiment.probes:
            return self.also(probes={probe.name}).table(name)
        table = probe.tables[name]
        if not all(self.traces(event) for event in table.events):
            reason = f"nothing to trace: {probe.nothing}"
            if not self.manifest["virtual_time"]:
                reason = 'tracing is the whole machine\'s: not offered in place="host"'
            raise ProbeMissingError(f"{probe.name}: {reason}")
        if table.events:
            self._warn_of_lost()
        made = plain_columns.made(table, self.recorded)
        made.attrs["units"] = Units(table.units())
        return made

    def _asked(self) -> list[dict[str, Any]]:
        """The flows of Requests: both of their ends send data."""
        return [flow for flow in self.layout("flows") if flow.get("both_send")]

    def _retransmits(self) -> Mapping[int, int]:
        """flow id -> segments sent again, of Requests by either end."""
        found, by_clients = self._last_info("total_retrans"), self._last_info("total_retrans", "receiver")
        asked = {flow["id"] for flow in self._asked()}
        return {id: n + by_clients.get(id, 0) if id in asked else n for id, n in found.items()}

    def _last_info(self, column: str, side: str = "sender") -> Mapping[int, int]:
        """flow id -> a column of one side's last TCP_INFO, which every flow that ended has."""
        table = self.recorded.tcp_info
        if column not in table or table.empty:
            return {}
        mine = table[table["side"] == side]
        return dict(zip(mine["flow"].tolist(), mine[column].tolist(), strict=True))

    def _warn_of_lost(self) -> None:
        if lost := self.lost_trace_events:
            text = f"{lost} trace events were lost, the oldest of a second: the table has gaps"
            warnings.warn(f"{text}; ask for fewer flows, lower rates or fewer events", stacklevel=5)


def with_units(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table, which is no probe's, with its columns' units in attrs["units"]."""
    table.attrs["units"] = Units(_UNITS[name])
    return table


def _no_table(name: str) -> str:
    return f"the tables are {', '.join(table_units())}{did_you_mean(name, list(table_units()))}"
