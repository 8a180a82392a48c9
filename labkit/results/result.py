"""What a run gave: a view over its folder, read when asked for, as tidy tables with units."""

from __future__ import annotations

import html
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from labkit.decode import folder
from labkit.results import hooks, manifest_migration
from labkit.results.replay import ProbeMissingError
from labkit.results.tables import Tables, table_units

if TYPE_CHECKING:
    from scapy.plist import PacketList

    from labkit.results.protocol import Charts

__all__ = ["ProbeMissingError", "Result", "table_units"]


class Result(Tables):
    """The result of a run. Tables are read from the raw file when first asked for, then kept.

    It stays what it is: its files are opened here, and running the experiment again or clearing the cache
    changes nothing about it. (A copy made by pickle is read from the folder anew.)

    Two runs agree if and only if their digests do. Every table's units: `units(name)`.
    """

    def __init__(self, source: str | Path) -> None:
        """source: a folder with manifest.json and raw, or a .zip file of them. Raises
        folder.ResultFormatError."""
        self.folder = Path(source)
        held = (folder.hold if self.folder.is_dir() else folder.hold_packed)(self.folder)
        self.manifest: dict[str, Any] = manifest_migration.present(held[0])
        self._held = held[1]

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """From a folder or a .zip file, checked to be whole. Raises folder.ResultFormatError."""
        result = cls(path)
        folder.check(result.folder, result.manifest, result._held)
        return result

    def save(self, path: str | Path) -> None:
        """Write a .zip file or, under any other name, a folder; `load` gives an equal result back.

        The same result gives the same bytes. A .zip file is replaced. Raises OSError; FileExistsError
        for a folder that has something in it.
        """
        target = Path(path)
        if target.suffix.lower() == ".zip":
            folder.pack(self._held, target)
        else:
            folder.copy(self._held, target)

    def digest(self) -> str:
        """SHA-256 of the raw file, in hex: two runs agree if and only if it is equal."""
        return self._held["raw"].sha256()

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self.folder.absolute(), self.digest())

    def packet_table(self, host: str, interface: str | None = None) -> pd.DataFrame:
        """The packets that passed a host, one row each. See labkit.results.packets."""
        from labkit.results import packets

        return packets.packet_table(self, host, interface)

    def packets(self, host: str, interface: str | None = None) -> PacketList:
        """The packets that passed a host, as scapy has them. See labkit.results.packets."""
        from labkit.results import packets

        return packets.packets(self, host, interface)

    def save_pcapng(self, path: str | Path, host: str | None = None, interface: str | None = None) -> None:
        """Write captured packets into a file for Wireshark; without a host all that were captured."""
        from labkit.results import packets

        packets.save_pcapng(self, path, host, interface)

    @property
    def charts(self) -> Charts:
        """The figures of this run: result.charts.cwnd(). See labkit.charts."""
        return hooks.charts(self)

    def player(self, **options: Any) -> Any:
        """Some seconds of this run in motion. See labkit.player.player."""
        return hooks.player(self, **options)

    def shares(self, every: float | str) -> pd.DataFrame:
        """Each TCP flow's share of the goodput, by intervals. See labkit.results.acknowledged.shares."""
        from labkit.results.acknowledged import shares

        return shares(self, every)

    @cached_property
    def drops(self) -> pd.DataFrame:
        """One row per packet that the kernel freed as lost. See labkit.results.ledger.drops."""
        from labkit.results.ledger.drops import drops

        return drops(self.also(probes={"drops"}))

    def ledger(self) -> pd.DataFrame:
        """One row per packet that left a host and did not arrive. See labkit.results.ledger."""
        from labkit.results.ledger import ledger

        return ledger(self)

    def balance(self) -> pd.DataFrame:
        """Packets sent, delivered, lost by cause and in flight, per flow and way: see results.ledger."""
        from labkit.results.ledger import Accounts

        return Accounts(self).balance()

    def __repr__(self) -> str:
        cut = self.flows["complete"].map({True: "", False: " (incomplete)"})
        shown = zip(self.goodput().items(), cut, strict=True)
        rates = ", ".join(f"{name} {rate:.3g} Mbit/s{note}" for (name, rate), note in shown)
        said = "; ".join([rates or "no flows", *self._failures()])
        return f"<Result: {self.virtual_s:.6g} s, {self.end_reason}; {said}>"

    def _failures(self) -> list[str]:
        """Of each command that failed: "command 0 on r1 failed (status 2)"."""
        rows = self.failed_commands[["id", "host", "status"]].itertuples(index=False)
        return [f"command {number} on {host} failed (status {status})" for number, host, status in rows]

    def _repr_html_(self) -> str:
        run = f"{self.virtual_s:.6g} s of virtual time in {self.wall_s:.2g} s, ended: {self.end_reason}"
        where = f"Linux {self.kernel}, seed {self.seed}"
        flow = self.flows
        shown = pd.DataFrame(
            {
                "cc": flow["cc"].where(flow["cc"] != "", flow["protocol"]),
                "goodput, Mbit/s": self.goodput().round(3),
                "end": ("incomplete: " + flow["error"]).where(~flow["complete"], "complete"),
            }
        )
        table = "" if shown.empty else shown.to_html(border=0)
        said = "<br>".join(html.escape(line) for line in (run, where, *self._failures()))
        return f"<div><p>{said}</p>{table}</div>"


def _same(origin: Path, digest: str) -> Result:
    """A pickled result, from where it lay. Raises ResultFormatError if another one lies there now."""
    result = Result.load(origin)
    if result.digest() != digest:
        text = "another run's result has taken its place since it was pickled"
        raise folder.ResultFormatError(f"{origin}: {text}: save() a result before you pass it on")
    return result
