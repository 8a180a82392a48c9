"""A bridge, its ports, and the VLANs of a port.

pyroute2 has no message for the VLANs of a port without a socket that it asks first.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable

from pyroute2.netlink import NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST
from pyroute2.netlink.rtnl import RTM_DELLINK, RTM_NEWLINK, RTM_SETLINK
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from labkit.netlink.message import encode

_BRIDGE_FAMILY = int(getattr(socket, "AF_BRIDGE", 7))
_PVID, _UNTAGGED = 2, 4  # enum of BRIDGE_VLAN_INFO_* in linux/if_bridge.h


def bridge(name: str, index: int, mac: str, *, stp: bool, vlans: bool) -> bytes:
    """RTM_NEWLINK that makes a bridge, down. It snoops on no multicast groups: it would send queries and
    reports of its own."""
    data = {
        "IFLA_BR_STP_STATE": int(stp),
        "IFLA_BR_VLAN_FILTERING": int(vlans),
        "IFLA_BR_MCAST_SNOOPING": 0,
    }
    info = {
        "attrs": [["IFLA_INFO_KIND", "bridge"], ["IFLA_INFO_DATA", {"attrs": [*map(list, data.items())]}]]
    }
    msg = ifinfmsg()
    msg["index"] = index
    msg["attrs"] = [["IFLA_IFNAME", name], ["IFLA_ADDRESS", mac], ["IFLA_LINKINFO", info]]
    return encode(msg, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL)


def port_of(bridge_index: int, index: int, cost: int) -> list[bytes]:
    """A device becomes a port of a bridge; cost: of its way to the root of a spanning tree."""
    msg = ifinfmsg()
    msg["index"], msg["attrs"] = index, [["IFLA_MASTER", bridge_index]]
    costs = ifinfmsg()
    costs["index"] = index
    data = {"attrs": [["IFLA_BRPORT_COST", cost]]}
    info = {"attrs": [["IFLA_INFO_SLAVE_KIND", "bridge"], ["IFLA_INFO_SLAVE_DATA", data]]}
    costs["attrs"] = [["IFLA_LINKINFO", info]]
    return [encode(msg, RTM_NEWLINK), encode(costs, RTM_NEWLINK)]


def access(index: int, vlan: int) -> bytes:
    """The VLAN of a port's untagged frames."""
    return _vlans(RTM_SETLINK, index, [vlan], _PVID | _UNTAGGED)


def trunk(index: int, vlans: Iterable[int]) -> bytes:
    """VLANs that a port carries tagged."""
    return _vlans(RTM_SETLINK, index, vlans, 0)


def without(index: int, vlan: int) -> bytes:
    """A VLAN taken from a port."""
    return _vlans(RTM_DELLINK, index, [vlan], 0)


def _vlans(message_type: int, index: int, vlans: Iterable[int], flags: int) -> bytes:
    msg = ifinfmsg()
    msg["family"], msg["index"] = _BRIDGE_FAMILY, index
    infos = [["IFLA_BRIDGE_VLAN_INFO", {"flags": flags, "vid": vlan}] for vlan in vlans]
    msg["attrs"] = [["IFLA_AF_SPEC", {"attrs": infos}]]
    return encode(msg, message_type)
