"""Every packet that a host sent, accounted for: delivered, lost for a cause, or still under way at the end.

    sent = delivered + lost (by cause) + in flight

"Sent" means handed to the device by the host whose address it bears. "Delivered" means that a copy of it
came in at the host whose address it is for and was not thrown away on the way to a socket; what came when
its flow was over, and its socket gone, is delivered (flow_over.py). What neither arrived nor was freed as
lost must be in a queue, on a wire or in a port when the run ends; how many packets are there the kernel's
qdiscs and counters say.
"""

from __future__ import annotations

from functools import cached_property
from ipaddress import IPv4Address

import numpy as np
import pandas as pd

from labkit.decode import connections
from labkit.decode.columns import categorical
from labkit.decode.drop_monitor import Drops, with_frames
from labkit.decode.frames import Frames, dissected
from labkit.decode.headers import ETHERNET, dissect
from labkit.decode.port_losses import CRC, PortLosses
from labkit.decode.raw import Ints, take
from labkit.errors import LabkitError, UnsupportedError
from labkit.program.structs import PHASE_AFTER, PHASE_BEFORE
from labkit.results.ledger import listening, neighbours
from labkit.results.ledger.causes import Causes, drops_table
from labkit.results.ledger.damaged import ANY, FEW
from labkit.results.ledger.drop_places import PORT
from labkit.results.ledger.drops import PATIENCE_NS, freed
from labkit.results.ledger.flooded import flooded
from labkit.results.ledger.flow_over import over
from labkit.results.ledger.sightings import Sightings, sightings, useless
from labkit.results.tables import Tables
from labkit.spec import Capture

SNAP = 128
_HANDLED = (0x0800, 0x0806)  # IPv4, ARP
OTHER = "(other)"  # the flow of packets that are of none


class LedgerError(LabkitError):
    """A run that does not add up. balance: the table that shows it, one row per flow and way."""

    def __init__(self, message: str, balance: pd.DataFrame) -> None:
        super().__init__(message)
        self.balance = balance


class Accounts:
    """The accounts of one run. result: one that was captured at both ends of every flow, by itself or by
    running again. Raises ProbeMissingError, ReplayError; UnsupportedError where gateways have a tunnel."""

    def __init__(self, result: Tables) -> None:
        for flow in result.layout("flows"):
            if flow.get("routed"):
                text = (
                    f"tunnel {flow['name']}: what hosts send through gateways is inside other packets there"
                )
                fix = "look at tx_dropped in result.interfaces and at result.retransmit"
                raise UnsupportedError(f"{text}, and a ledger cannot follow it: {fix}")
        exp = result.experiment
        ends = [host for flow in result.layout("flows") for host in (flow["src"], flow["dst"])]
        if result.layout("commands"):  # which may talk to any host
            ends += filter(exp.topology.is_host, exp.topology.names)
        self.hosts = list(dict.fromkeys(ends))
        probes = {"drops", "recovery"}
        if any(flow["protocol"] == "tcp" for flow in result.layout("flows")):
            probes.add("tcp_probe")
        self.result = result.also(probes, [Capture(host, snap=SNAP) for host in self.hosts])
        self.causes = Causes(self.result)

    @property
    def end_ns(self) -> int:
        """Of the run, since the epoch."""
        return self.result.until_ns

    @cached_property
    def _lost(self) -> tuple[Drops, PortLosses]:
        every, ports = freed(self.result)
        unheard = listening.unheard(self.result, every)
        away = useless(every) | over(self.result, every) | flooded(self.result, every)
        mine = np.flatnonzero(~away)
        found, ports = every.at(mine), ports.at(mine)
        for more, function, reason in (
            (self._unhandled(), "__netif_receive_skb_core", "UNHANDLED_PROTO"),
            (every.frames.at(unheard.segments), "tcp_v4_rcv", listening.OVERFLOW),
            (unheard.syns, listening.REQUEST, unheard.reason),
        ):
            found, order = with_frames(found, more, function, reason)
            ports = ports.followed_by(len(more)).at(order)
        return found, ports

    @property
    def drops(self) -> Drops:
        """Everything that the kernel freed as lost and that had not reached its socket."""
        return self._lost[0]

    @property
    def ports(self) -> PortLosses:
        """Which of them were lost by ports."""
        return self._lost[1]

    def _unhandled(self) -> Frames:
        """What came in where it was captured and is of no protocol there: the kernel gives such a frame to
        the capture alone, and then does not free it as lost."""
        frames = self.result.frames
        there = (frames.captured >= ETHERNET) & ~frames.outgoing & (frames.at_ns <= self.end_ns)
        strange = np.zeros(len(frames), bool)
        for part in frames.parts():
            rows = np.flatnonzero(there[part])
            kind = take(frames.data, frames.offset[part][rows] + ETHERNET - 2, np.dtype(">u2"))
            strange[part][rows] = ~np.isin(kind, _HANDLED)
        return frames.at(strange)

    @cached_property
    def places(self) -> pd.DataFrame:
        """host, peer, place and cause of each drop."""
        frames = self.drops.frames
        headers = dissect(frames.data, frames.offset, frames.captured)
        return drops_table(self.causes, self.drops, headers, self.ports)

    @cached_property
    def seen(self) -> Sightings:
        """The packets that hosts sent and what was seen of them."""
        sent, arrived = self._ends(outgoing=True), self._ends(outgoing=False)
        return sightings(sent, arrived, self.drops, self.flips())

    @cached_property
    def packets(self) -> pd.DataFrame:
        """One row per packet sent: the columns of a packet table, arrived_s, `drop` (number of the drop
        that it fell to, -1: none) and `fate`: delivered, lost or in flight."""
        seen = self.seen
        names = {i["index"]: f"{i['host']}.{i['name']}" for i in self.result.layout("interfaces")}
        table = connections.packet_table(seen.frames, names, self.result.layout("flows"), checked=False)
        table["sent_ns"] = seen.frames.at_ns
        table["arrived_ns"] = seen.arrived_ns
        inside = np.zeros(len(seen), bool)
        fell = seen.drop >= 0
        inside[fell] = (self.places["place"] == "stack").to_numpy()[seen.drop[fell]]
        at_goal = inside & (seen.arrived_ns >= 0) & (seen.copies <= 1)  # thrown away by the receiver itself
        lost = fell & ((seen.arrived_ns < 0) | at_goal)
        table["drop"] = np.where(lost, seen.drop, -1)
        fate = np.where(lost, 1, np.where(seen.arrived_ns >= 0, 0, 2))
        table["fate"] = categorical(fate, ["delivered", "lost", "in flight"])
        causes = self.places["cause"].to_numpy(object)
        table["cause"] = pd.Series(np.where(lost, causes[seen.drop] if len(causes) else "", ""), dtype="str")
        return table

    def flips(self) -> Ints:
        """In how many bits each dropped frame may differ from the packet that it is: any, if a port found it
        damaged."""
        return np.where(self.ports.cause == CRC, ANY, FEW)

    def balance(self) -> pd.DataFrame:
        """One row per flow and way, and one for packets of no flow: sent, delivered, lost, in_flight, and a
        column for each cause. Raises LedgerError if packets are missing that nothing explains."""
        table = self.packets
        flow = table["flow"].astype("str").where(table["flow"].notna(), OTHER)
        keys = [flow.rename("flow"), table["way"].astype("str").where(table["way"].notna(), "").rename("way")]
        counts = table["fate"].groupby(keys, sort=False).value_counts().unstack(fill_value=0)
        counts = counts.reindex(columns=["delivered", "lost", "in flight"], fill_value=0)
        counts = counts.rename(columns={"in flight": "in_flight"}).rename_axis(columns=None)
        counts.insert(0, "sent", counts.sum(axis=1))
        lost = table[table["fate"] == "lost"]
        if len(lost):
            by_cause = (
                lost["cause"].groupby([key[lost.index] for key in keys]).value_counts().unstack(fill_value=0)
            )
            counts = counts.join(by_cause.rename_axis(columns=None)).fillna(0).astype("int64")
        self._check(counts)
        return counts

    def _check(self, counts: pd.DataFrame) -> None:
        table = self.packets
        parting = (table["fate"] == "in flight") & (
            table["sent_ns"] == self.end_ns
        )  # may be between two qdiscs
        missing = int(counts["in_flight"].sum()) - max(self.under_way(), int(parting.sum()))
        if missing > 0 and missing > self._held():
            text = f"{missing} packets were sent, did not arrive, were not freed and are in no queue or wire"
            raise LedgerError(
                f"the run does not add up: {text}: see this error's balance, and report it", counts
            )

    def _held(self) -> int:
        """Packets that routers hold until they know their neighbour's address."""
        frames, flying = self.result.frames, (self.packets["fate"] == "in flight").to_numpy()
        hosts = {i["index"]: i["host"] for i in self.result.layout("interfaces") if i["role"] == "host"}
        until_end = frames.at(frames.at_ns <= self.end_ns + PATIENCE_NS)
        return neighbours.held(until_end, hosts, self.seen.frames.at(flying))

    def under_way(self) -> int:
        """Packets in all queues, on all wires and in all ports when the run ended."""
        return self._in_qdiscs() + self._in_ports()

    def _in_ports(self) -> int:
        """In rings, FIFOs and on cables: handed over by the sender's host, neither lost nor taken by the
        receiver's."""
        network, table = self.causes.network, self.result.interfaces
        taken = table[table["name"] == "rx_packets"].set_index(["host", "peer"])["after"]
        lost = self.places[self.places["place"] == PORT].groupby(["host", "peer"]).size()
        found = 0
        for link in self.result.experiment.topology.links:
            for ends in ((link.a, link.b), (link.b, link.a)) if link.nic_a is not None else ():
                handed = self._handed(network.built.ways[ends].out.index)
                found += handed - int(taken[ends[::-1]]) - int(lost.get(ends, 0))
        return found

    def _handed(self, index: int) -> int:
        """Frames that a host gave to a port: by the port's qdisc, or as captured if that was replaced."""
        roots = self.result.qdiscs.query("root and index == @index")
        sent = roots.groupby("phase")["sent_packets"].last()
        same = len(roots[["handle", "kind"]].drop_duplicates()) == 1
        if same and {PHASE_BEFORE, PHASE_AFTER} <= set(sent.index):
            return int(sent[PHASE_AFTER] - sent[PHASE_BEFORE])
        frames = self.result.frames
        return int((frames.outgoing & (frames.interface == index) & (frames.at_ns <= self.end_ns)).sum())

    def _in_qdiscs(self) -> int:
        return int(self._last_roots()["backlog_packets"].sum())

    def _last_roots(self) -> pd.DataFrame:
        table = self.result.qdiscs
        last = table[(table["phase"] == PHASE_AFTER) & table["root"] & (table["kind"] != "noqueue")]
        at_the_end: pd.DataFrame = last[last["time_s"] == last["time_s"].max()]
        return at_the_end

    def _ends(self, *, outgoing: bool) -> Frames:
        """What the hosts sent themselves, or what came in for them."""
        frames = self.result.frames
        hosts = {i["index"]: i["host"] for i in self.result.layout("interfaces") if i["role"] == "host"}
        owned = self.causes.network.owner
        last_ns = self.end_ns if outgoing else self.end_ns + PATIENCE_NS  # what came then is in no queue
        part = frames.at((frames.outgoing == outgoing) & (frames.at_ns <= last_ns))
        address = np.empty(len(part), np.int64)
        for some, headers in dissected(part):
            address[some] = headers.src if outgoing else headers.dst
        mine = np.zeros(len(part), bool)
        for index in np.unique(part.interface).tolist():
            addresses = [int(IPv4Address(a)) for a, host in owned.items() if host == hosts[index]]
            here = part.interface == index
            routes = len([i for i in hosts.values() if i == hosts[index]]) > 1 or not addresses
            mine |= here & (np.isin(address, addresses) | (not outgoing and not routes))
        return part.at(mine)
