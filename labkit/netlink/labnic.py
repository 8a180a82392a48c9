"""The teaching NIC over netlink: `ip.link("add", kind="labnic", ...)` of pyroute2, and one message at a time.

Mirrors execute/guest/modules/labnic/attributes.h. A pair is made with both ends named; what is set then is of
the first port, the second gets its settings by a message of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyroute2.netlink import NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST, nla
from pyroute2.netlink.rtnl import RTM_NEWLINK
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg, ifinfveth

from labkit.netlink.message import encode
from labkit.netlink.veth import End

KIND = "labnic"


class LabnicData(nla):  # type: ignore[misc]  # pyroute2 has no types
    """IFLA_INFO_DATA of the kind "labnic"."""

    prefix = "IFLA_"
    nla_map = (
        ("IFLA_LABNIC_UNSPEC", "none"),
        ("IFLA_LABNIC_PEER", "info_peer"),
        ("IFLA_LABNIC_SPEED", "uint32"),
        ("IFLA_LABNIC_DUPLEX", "uint8"),
        ("IFLA_LABNIC_AUTONEG", "uint8"),
        ("IFLA_LABNIC_DELAY", "uint64"),
        ("IFLA_LABNIC_BER", "uint64"),
        ("IFLA_LABNIC_BURST", "uint32"),
        ("IFLA_LABNIC_RX_POWER", "int32"),
        ("IFLA_LABNIC_MEMORY_BER", "uint64"),
        ("IFLA_LABNIC_SEED", "uint64"),
        ("IFLA_LABNIC_RX_RING", "uint32"),
        ("IFLA_LABNIC_TX_RING", "uint32"),
        ("IFLA_LABNIC_FIFO", "uint32"),
        ("IFLA_LABNIC_BUS", "uint64"),
        ("IFLA_LABNIC_WEIGHT", "uint32"),
        ("IFLA_LABNIC_RX_USECS", "uint32"),
        ("IFLA_LABNIC_RX_FRAMES", "uint32"),
        ("IFLA_LABNIC_PACKET_COST", "uint32"),
        ("IFLA_LABNIC_INTERRUPT_COST", "uint32"),
        ("IFLA_LABNIC_PAUSE", "uint8"),
        ("IFLA_LABNIC_BQL", "uint8"),
    )

    @staticmethod
    def info_peer(self: Any, *args: object, **options: object) -> Any:
        """The other end as a message of its own: struct ifinfomsg and IFLA_* attributes."""
        return ifinfveth


ifinfmsg.ifinfo.register_link_kind(module={KIND: LabnicData})

Attributes = list[list[object]]


def attributes(values: Mapping[str, int]) -> Attributes:
    """Settings by the end of their names ("SPEED"), in the order of their numbers."""
    order = [name for name, _ in LabnicData.nla_map]
    return sorted(
        ([f"IFLA_LABNIC_{name}", value] for name, value in values.items()),
        key=lambda attribute: order.index(str(attribute[0])),
    )


def make(end: End, peer: End, port: Attributes) -> bytes:
    """RTM_NEWLINK that makes both ends, down. port: the settings of `end`. Raises ValueError when the two
    share an index."""
    if end.index == peer.index:
        raise ValueError(f"{end.name} and {peer.name} share index {end.index}: give each its own")
    link = end.link()
    msg = _message(end.index, [["IFLA_LABNIC_PEER", peer.link()], *port])
    msg["attrs"] = [*link["attrs"], *msg["attrs"]]
    return encode(msg, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL)


def change(index: int, port: Attributes) -> bytes:
    """RTM_NEWLINK that sets some things of a port, for a socket of the namespace it is in."""
    return encode(_message(index, port), RTM_NEWLINK)


def _message(index: int, data: Attributes) -> ifinfmsg:
    msg = ifinfmsg()
    msg["index"] = index
    info = [["IFLA_INFO_KIND", KIND], ["IFLA_INFO_DATA", {"attrs": data}]]
    msg["attrs"] = [["IFLA_LINKINFO", {"attrs": info}]]
    return msg
