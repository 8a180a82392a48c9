"""A veth pair, both ends complete, in one message.

pyroute2's `ip.link("add", kind="veth", peer=...)` leaves the peer's index out of the nested header, so
that the kernel picks one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyroute2.netlink import NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST
from pyroute2.netlink.rtnl import RTM_NEWLINK
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from labkit.netlink.message import encode

IFF_UP = 1
_NAME_MAX = 15


@dataclass(frozen=True)
class End:
    """One end of a pair.

    index: unique over all namespaces; mac: "02:00:00:00:00:01"; netns_fd: the file descriptor that the
    agent holds for the namespace, None for the one the message is sent in; gso_max_segs=1 makes TCP
    hand down single segments, and both gso values are kept by the device whatever ethtool says.
    """

    name: str
    index: int
    mac: str
    netns_fd: int | None = None
    mtu: int = 1500
    gso_max_segs: int | None = 1
    gso_max_size: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.name) <= _NAME_MAX:
            raise ValueError(f"interface name {self.name!r}: 1 to {_NAME_MAX} characters")

    def link(self) -> dict[str, Any]:
        """Its index and attributes, as pyroute2 has them."""
        given = {
            "IFLA_IFNAME": self.name,
            "IFLA_ADDRESS": self.mac,
            "IFLA_MTU": self.mtu,
            "IFLA_GSO_MAX_SEGS": self.gso_max_segs,
            "IFLA_GSO_MAX_SIZE": self.gso_max_size,
            "IFLA_NET_NS_FD": self.netns_fd,
        }
        attrs = [[name, value] for name, value in given.items() if value is not None]
        return {"index": self.index, "attrs": attrs}


def veth(end: End, peer: End) -> bytes:
    """RTM_NEWLINK that makes both ends, down. Raises ValueError when they share an index.

    Not up, as the kernel opens the peer before the two are joined and fails with ENOTCONN.
    """
    if end.index == peer.index:
        raise ValueError(f"{end.name} and {peer.name} share index {end.index}: give each its own")
    link = end.link()
    data = {"attrs": [["VETH_INFO_PEER", peer.link()]]}
    info = {"attrs": [["IFLA_INFO_KIND", "veth"], ["IFLA_INFO_DATA", data]]}
    msg = ifinfmsg()
    msg["index"] = link["index"]
    msg["attrs"] = [*link["attrs"], ["IFLA_LINKINFO", info]]
    return encode(msg, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL)


def set_up(index: int) -> bytes:
    """RTM_NEWLINK that takes a device up, for a socket of the namespace it is in."""
    msg = ifinfmsg()
    msg["index"], msg["flags"], msg["change"] = index, IFF_UP, IFF_UP
    return encode(msg, RTM_NEWLINK)
