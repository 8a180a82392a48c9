"""A TUN device that is there already: its MTU, the length of its queue, and up."""

from __future__ import annotations

from pyroute2.netlink.rtnl import RTM_NEWLINK
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from labkit.netlink.message import encode
from labkit.netlink.veth import IFF_UP


def tun_up(index: int, *, mtu: int, queue: int) -> bytes:
    """RTM_NEWLINK for a socket of the namespace it is in. mtu: bytes; queue: packets that wait to be read.
    With gso_max_segs=1 TCP hands it single segments, as it does veth pairs."""
    msg = ifinfmsg()
    msg["index"], msg["flags"], msg["change"] = index, IFF_UP, IFF_UP
    msg["attrs"] = [["IFLA_MTU", mtu], ["IFLA_TXQLEN", queue], ["IFLA_GSO_MAX_SEGS", 1]]
    return encode(msg, RTM_NEWLINK)
