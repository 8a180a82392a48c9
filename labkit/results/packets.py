"""Captured packets: as a table, as scapy packets, as a capture file. From a result or from a file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from labkit.decode import connections
from labkit.decode import frames as decoded
from labkit.decode.columns import Units
from labkit.decode.foreign_table import UNITS, foreign_table
from labkit.decode.frames import Frames
from labkit.errors import SpecError
from labkit.results import capture_files, pcapng
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
        result.experiment.topology.node(host)
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
    """A capture made elsewhere (tcpdump, Wireshark) as the same table: pcap or pcapng, as it is or in gzip.

    Row i is the file's frame i + 1, its time counts from the first one's. Read are Ethernet with the tags of
    802.1Q and 802.1ad, Linux cooked captures (`-i any`) of both versions, raw IP and BSD's loopback; IPv4 and
    IPv6. What is not TCP is there, without what TCP has: an ICMP error too, whatever packet it quotes.
    `direction`, `flow` and `way` are not known.

    - In a tunnel (IP in IP, GRE, VXLAN) a row is of the innermost packet, as far as it was captured: its
      addresses, its ports. `length` is that of the whole frame.
    - A capture with a short snaplen: what was cut off is missing. `flags` are missing and `seq`, `ack`,
      `window`, `payload` are -1 where TCP's header ends before its window; `sacks` is -1 where its options
      end before any; without the options of its SYN a window is as it was on the wire.
    - A capture beside offloads: a frame may be larger than 65,535 bytes (BIG TCP), its `payload` is that of
      all the segments that the network card makes of it, or has joined. A checksum that was left to the
      network card is "unknown", not "bad".
    - Ports that are used again: numbers count anew from each new SYN. A connection that began before the
      capture counts from its first packet: from 1, or from what the other end acknowledges there. Then a
      packet sent before that is below 1.
    - Retransmissions, and what came out of order, are the rows with a `payload` whose `seq` is below the
      highest `seq + payload` before them in their direction.

    A damaged or cut file gives all rows before the damage, and a warning. Frames of a kind that is not
    understood are rows with a time and a length, counted in one warning. Raises OSError; CaptureFileError: a
    file that is no capture, or of which no frame is of a link named above.
    """
    table, strange = foreign_table(capture_files.read(path), Path(path).name)
    if strange:
        kinds = ", ".join(f"{count} {what}" for what, count in sorted(strange.items()))
        text = f"{path}: not understood: {kinds}, of {len(table)} frames: their rows have a time and a length"
        warnings.warn(text, stacklevel=2)
    table.attrs["units"] = Units(UNITS)
    return table
