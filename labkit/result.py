"""What a run gave: a view over its folder, read when asked for, as tidy tables with units."""

from __future__ import annotations

import html
import tempfile
import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from labkit.decode import counters, flows, folder, queues, tcp_info, tcp_probe, trace
from labkit.decode.raw import PHASE_AFTER, PHASE_SAMPLE, Raw
from labkit.decode.table import Units
from labkit.decode.trace import Trace
from labkit.errors import LabkitError
from labkit.spec import Experiment

UNITS: dict[str, dict[str, str]] = {
    "flows": flows.UNITS,
    "goodput": {"flow": "name of the flow", "goodput": "Mbit/s of payload"},
    "tcp_info": tcp_info.UNITS,
    "tcp_probe": tcp_probe.UNITS,
    "queue": queues.UNITS,
    "qdiscs": queues.QDISC_UNITS,
    "counters": counters.UNITS,
    "softnet": counters.SOFTNET_UNITS,
    "interfaces": counters.INTERFACE_UNITS,
    "commands": flows.COMMAND_UNITS,
    "errors": flows.ERROR_UNITS,
    "trace": trace.UNITS,
}


class ProbeMissingError(LabkitError):
    """A table of something that this run did not record; names what records it."""


class Result:
    """The result of a run. Tables are read from the raw file when first asked for, then kept.

    Two runs agree if and only if their digests do. Every table's units: `units(name)`.
    """

    def __init__(self, run_folder: str | Path) -> None:
        """run_folder: with manifest.json and raw. Raises folder.ResultFormatError."""
        self.folder = Path(run_folder)
        self.manifest: dict[str, Any] = folder.read_manifest(self.folder)
        self._origin = self.folder
        self._keep: object = None  # a temporary folder, which lives as long as this object

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """From a folder or a .zip file, checked to be whole. Raises OSError, folder.ResultFormatError."""
        source, keep = Path(path), None
        if not source.is_dir():
            keep = tempfile.TemporaryDirectory(prefix="labkit-result-")
            folder.unpack(source, Path(keep.name))
        result = cls(source if keep is None else keep.name)
        folder.check(result.folder, result.manifest)
        result._origin, result._keep = source, keep
        return result

    def save(self, path: str | Path) -> None:
        """Write a .zip file or, under any other name, a folder; `load` gives an equal result back.

        The same result gives the same bytes. A .zip file is replaced. Raises OSError; FileExistsError
        for a folder that has something in it.
        """
        target, names = Path(path), folder.files(self.manifest)
        if target.suffix.lower() == ".zip":
            folder.pack(self.folder, names, target)
        else:
            folder.copy(self.folder, names, target)

    def digest(self) -> str:
        """SHA-256 of the raw file, in hex: two runs agree if and only if it is equal."""
        return folder.sha256(self.folder / "raw")

    def __reduce__(self) -> tuple[Any, ...]:
        return Result.load, (self._origin.absolute(),)

    @cached_property
    def experiment(self) -> Experiment:
        """What was run."""
        return Experiment.model_validate(self.manifest["experiment"])

    @property
    def seed(self) -> int:
        """Of every random number in the run."""
        return int(self.manifest["seed"])

    @property
    def kernel(self) -> str:
        """The release of the kernel it ran in."""
        return str(self.manifest["kernel"]["release"])

    @property
    def virtual_s(self) -> float:
        """How long the run was, in the network's time (s); NaN if it was cut off without an end."""
        return _number(self.manifest["virtual_s"])

    @property
    def wall_s(self) -> float:
        """How long it took (s); NaN for an open laboratory."""
        return _number(self.manifest["wall_s"])

    @property
    def end_reason(self) -> str:
        """ "complete", "duration", "limit", "stopped" or "error"."""
        return str(self.manifest["end"]["reason"])

    @cached_property
    def raw(self) -> Raw:
        """The records behind the tables. Raises RawFormatError."""
        return Raw.open(self.folder / "raw")

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row per flow, by name."""
        table = flows.flows(self.raw, self._layout("flows"), self._last_info("total_retrans"))
        return _with_units(table, "flows")

    def goodput(self) -> pd.Series[float]:
        """Mbit/s of payload per flow: see `labkit.decode.flows.goodput` for what is counted."""
        mss = self._last_info("snd_mss")
        by_name = {flow["name"]: mss.get(flow["id"], 0) for flow in self._layout("flows")}
        series = flows.goodput(self.flows, [by_name[name] for name in self.flows.index])
        series.attrs["units"] = Units(UNITS["goodput"])
        return series

    def retransmits(self) -> pd.Series[Any]:
        """Segments retransmitted per flow; <NA> for UDP."""
        return self.flows["retransmits"].copy()

    @cached_property
    def tcp_info(self) -> pd.DataFrame:
        """TCP_INFO at intervals and at each flow's end. Raises ProbeMissingError."""
        if "tcp_info" not in self.experiment.probes:
            raise _missing("tcp_info")
        names = {flow["id"]: flow["name"] for flow in self._layout("flows")}
        flow = pd.Categorical(self._info["flow"].map(names), list(names.values()))
        return _with_units(self._info.assign(flow=flow), "tcp_info")

    @cached_property
    def _probe(self) -> pd.DataFrame:
        ports = {(flow["sport"], flow["dport"]): flow["name"] for flow in self._layout("flows")}
        return _with_units(tcp_probe.tcp_probe(self._trace, ports), "tcp_probe")

    @property
    def tcp_probe(self) -> pd.DataFrame:
        """A TCP socket's state at every segment that reached it. Raises ProbeMissingError.

        Warns if the trace buffer overflowed.
        """
        if tcp_probe.EVENT not in self._trace.formats:
            raise _missing("tcp_probe")
        self._warn_of_lost()
        return self._probe

    @cached_property
    def queue(self) -> pd.DataFrame:
        """What waits in each queue, at intervals. Raises ProbeMissingError."""
        if "queue" not in self.experiment.probes:
            raise _missing("queue")
        table = self.qdiscs
        ends = table[table["phase"] != PHASE_SAMPLE]
        sampled = table[table["phase"] == PHASE_SAMPLE]
        places = pd.MultiIndex.from_frame(sampled[["ns", "index"]])
        last = ends[pd.MultiIndex.from_frame(ends[["ns", "index"]]).isin(places)]
        last = last[(last["phase"] == PHASE_AFTER) & (last["time_s"] > sampled["time_s"].max())]
        names = {
            (i["ns"], i["index"]): (i.get("from", i["host"]), i["name"], i.get("to", i["peer"]))
            for i in self._layout("interfaces")
            if i["queue"]
        }
        return _with_units(queues.queue(pd.concat([sampled, last]), names), "queue")

    @cached_property
    def qdiscs(self) -> pd.DataFrame:
        """Every qdisc as the kernel dumped it: before, during and after the run."""
        return _with_units(queues.qdiscs(self.raw), "qdiscs")

    @cached_property
    def counters(self) -> pd.DataFrame:
        """Each host's SNMP counters before and after, as nstat names them."""
        hosts = {host["ns"]: name for name, host in self.manifest["layout"]["hosts"].items()}
        return _with_units(counters.nstat(self.raw, hosts), "counters")

    @cached_property
    def softnet(self) -> pd.DataFrame:
        """The kernel's input queues before and after, per CPU."""
        return _with_units(counters.softnet(self.raw), "softnet")

    @cached_property
    def interfaces(self) -> pd.DataFrame:
        """Each device's statistics before and after."""
        names = {
            (i["ns"], i["index"]): (i["host"], i["name"], i["peer"], i["role"])
            for i in self._layout("interfaces")
        }
        return _with_units(counters.interfaces(self.raw, names), "interfaces")

    @cached_property
    def commands(self) -> pd.DataFrame:
        """One row per command, with what it printed."""
        return _with_units(flows.commands(self.raw, self._layout("commands")), "commands")

    @cached_property
    def errors(self) -> pd.DataFrame:
        """What the agent or the kernel refused."""
        return _with_units(flows.errors(self.raw), "errors")

    def output(self, which: str | int = 0) -> str:
        """What one command printed: its number, or the host if only one ran there. Raises KeyError."""
        table = self.commands
        found = table[table["host" if isinstance(which, str) else "id"] == which]
        if len(found) == 1:
            return str(found["stdout"].iloc[0])
        known = ", ".join(f"{i} on {host}" for i, host in zip(table["id"], table["host"], strict=True))
        what = "no command" if found.empty else "more than one command"
        raise KeyError(f"output({which!r}): {what}: there are {known or 'none'}")

    def trace(self, event: str) -> pd.DataFrame:
        """All events of one name ("tcp/tcp_probe") as the kernel has them. Raises ProbeMissingError."""
        name = event.replace(":", "/")
        if name not in self._trace.formats:
            raise ProbeMissingError(f"{name} was not traced: traced are {sorted(self._trace.formats)}")
        self._warn_of_lost()
        return _with_units(self._trace.table(name), "trace")

    @property
    def lost_trace_events(self) -> int:
        """Events that the trace buffer had no room for."""
        return int(self._trace.lost)

    def units(self, table: str) -> dict[str, str]:
        """Column -> unit or meaning, of any table of a result. Raises KeyError."""
        if table not in UNITS:
            raise KeyError(f"units({table!r}): the tables are {', '.join(UNITS)}")
        return dict(UNITS[table])

    def _layout(self, part: str) -> list[dict[str, Any]]:
        return list(self.manifest["layout"].get(part, []))

    @cached_property
    def _trace(self) -> Trace:
        return Trace(self.raw)

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
            warnings.warn(f"{text}; ask for fewer flows, lower rates or fewer events", stacklevel=3)

    def __repr__(self) -> str:
        rates = ", ".join(f"{name} {rate:.3g} Mbit/s" for name, rate in self.goodput().items())
        return f"<Result: {self.virtual_s:.6g} s, {self.end_reason}; {rates or 'no flows'}>"

    def _repr_html_(self) -> str:
        run = f"{self.virtual_s:.6g} s of virtual time in {self.wall_s:.2g} s, ended: {self.end_reason}"
        where = f"Linux {self.kernel}, seed {self.seed}"
        flow = self.flows
        shown = pd.DataFrame(
            {
                "cc": flow["cc"].where(flow["cc"] != "", flow["protocol"]),
                "goodput, Mbit/s": self.goodput().round(3),
                "end": flow["error"].where(~flow["complete"], "complete"),
            }
        )
        table = "" if shown.empty else shown.to_html(border=0)
        return f"<div><p>{html.escape(run)}<br>{html.escape(where)}</p>{table}</div>"


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _missing(probe: str) -> ProbeMissingError:
    return ProbeMissingError(f'{probe} was not recorded: add probes={{"{probe}"}}')


def _with_units(table: pd.DataFrame, name: str) -> pd.DataFrame:
    table.attrs["units"] = Units(UNITS[name])
    return table
