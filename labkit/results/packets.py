"""Captured packets: as a table, as scapy packets, as a capture file. From a result or from a file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from labkit.decode import connections
from labkit.decode import frames as decoded
from labkit.decode.frames import Frames
from labkit.errors import SpecError
from labkit.results import pcapng
from labkit.results.tables import Tables, with_units
from labkit.spec import Capture

if TYPE_CHECKING:
    from scapy.plist import PacketList


def frames_of(
    result: Tables, host: str | None, interface: str | None = None
) -> tuple[Frames, dict[int, str]]:
    """The frames that passed a host's interfaces, and the interfaces' names by their index; host None:
    all that were captured. Warns of frames that were lost. Raises SpecError."""
    if host is None:
        holder, wanted = result, list(result.experiment.capture)
    else:
        result.experiment.topology.host(host)
        holder, wanted = result.also(capture=[Capture(host, interface)]), [Capture(host, interface)]
    names = {
        i["index"]: i["name"] if host else f"{i['host']}.{i['name']}"
        for i in holder.layout("interfaces")
        if i["role"] == "host"
        and any(i["host"] == c.host and c.interface in (None, i["name"]) for c in wanted)
    }
    if not names and host:
        known = [i["name"] for i in holder.layout("interfaces") if i["role"] == "host" and i["host"] == host]
        raise SpecError(f"{interface!r}: no such interface: {host} has {', '.join(known)}")
    if not names:
        raise SpecError('nothing was captured: name a host, or write Experiment(..., capture=["left"])')
    found = holder.frames
    missed = decoded.lost(holder.raw)
    if lost := sum(count for index, count in missed.items() if index in names):
        text = f"{lost} frames were lost by the capture: give less traffic, or capture with snap=96"
        warnings.warn(text, stacklevel=4)
    mine = pd.Series(found.interface).isin(list(names)).to_numpy()
    return found.at(mine), names


def packet_table(result: Tables, host: str, interface: str | None = None) -> pd.DataFrame:
    """One row per packet: see connections.UNITS."""
    found, names = frames_of(result, host, interface)
    return with_units(connections.packet_table(found, names, result.layout("flows")), "packet_table")


def packets(result: Tables, host: str, interface: str | None = None) -> PacketList:
    """The same packets as scapy has them, with `time` since the start of the run and `sniffed_on`."""
    from scapy.layers.inet import IP  # noqa: F401  so that Ether knows what it carries
    from scapy.layers.l2 import Ether
    from scapy.packet import Packet
    from scapy.plist import PacketList
    from scapy.utils import EDecimal

    found, names = frames_of(result, host, interface)
    made: list[Packet] = []
    rows = zip(found.at_ns.tolist(), found.interface.tolist(), found.length.tolist(), strict=True)
    for i, (at_ns, index, length) in enumerate(rows):
        packet = Ether(found.bytes_of(i))
        packet.time, packet.sniffed_on, packet.wirelen = EDecimal(at_ns) / 10**9, names[index], length
        made.append(packet)
    return PacketList(made, f"{host}{'.' + interface if interface else ''}")


def save_pcapng(
    result: Tables, path: str | Path, host: str | None = None, interface: str | None = None
) -> None:
    """Packets as a file that Wireshark and tshark open; without a host all that were captured."""
    pcapng.write(path, *frames_of(result, host, interface))


def read_capture(path: str | Path) -> pd.DataFrame:
    """A capture made elsewhere (tcpdump, Wireshark; pcap or pcapng of Ethernet) as the same table.

    Times count from the first packet. What is not TCP over IPv4 is there, without what TCP has.
    `direction` and `flow` are not known. Raises FileNotFoundError,
    pcapng.CaptureFileError.
    """
    table = connections.packet_table(pcapng.read(path), {0: Path(path).name}, [])
    table["direction"] = table["direction"].cat.remove_categories(["in", "out"])
    return with_units(table, "packet_table")
