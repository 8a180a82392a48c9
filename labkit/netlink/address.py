"""Addresses, permanent neighbours and routes, one message each."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from pyroute2.netlink import NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST
from pyroute2.netlink.rtnl import RTM_NEWADDR, RTM_NEWNEIGH, RTM_NEWROUTE
from pyroute2.netlink.rtnl.ifaddrmsg import ifaddrmsg
from pyroute2.netlink.rtnl.ndmsg import ndmsg
from pyroute2.netlink.rtnl.rtmsg import rtmsg

from labkit.netlink.message import encode

_NEW = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL
_NUD_PERMANENT = 0x80
_RTAX_RTO_MIN = 13
_INET = int(socket.AF_INET)
_MAIN, _PROTO_STATIC, _UNICAST, _LINK_SCOPE = 254, 4, 1, 253


def address_message(index: int, address: str, prefix: int = 24) -> bytes:
    """An IPv4 address on the device of that index."""
    msg = ifaddrmsg()
    msg["family"], msg["prefixlen"], msg["index"] = _INET, prefix, index
    msg["attrs"] = [["IFA_LOCAL", address], ["IFA_ADDRESS", address]]
    return encode(msg, RTM_NEWADDR, _NEW)


def neighbour_message(index: int, address: str, mac: str) -> bytes:
    """A neighbour that never expires: no ARP disturbs a run."""
    msg = ndmsg()
    msg["family"], msg["ifindex"], msg["state"] = _INET, index, _NUD_PERMANENT
    msg["attrs"] = [["NDA_DST", address], ["NDA_LLADDR", mac]]
    return encode(msg, RTM_NEWNEIGH, _NEW)


def device_route(to: str, index: int, metrics: Mapping[str, int] | None = None) -> bytes:
    """A route to "10.0.1.0/24" into a device that needs no gateway; in place of another one to there.
    metrics: as of `route_message`."""
    msg = rtmsg()
    network, _, prefix = to.partition("/")
    msg["family"], msg["dst_len"], msg["table"] = _INET, int(prefix), _MAIN
    msg["proto"], msg["type"], msg["scope"] = _PROTO_STATIC, _UNICAST, _LINK_SCOPE
    msg["attrs"] = [["RTA_DST", network], ["RTA_OIF", index], *_metrics(metrics or {})]
    return encode(msg, RTM_NEWROUTE, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE)


def route_message(to: str, gateway: str, metrics: Mapping[str, int] | None = None) -> bytes:
    """A route to "10.0.1.0/24" or "default" by a gateway. metrics: of connections over it, by their names in
    ip-route(8), in the kernel's units."""
    msg = rtmsg()
    network, _, prefix = ("", "", "0") if to == "default" else to.partition("/")
    msg["family"], msg["dst_len"], msg["table"] = _INET, int(prefix), _MAIN
    msg["proto"], msg["type"], msg["scope"] = _PROTO_STATIC, _UNICAST, 0
    to_there = [["RTA_DST", network]] if network else []
    msg["attrs"] = [*to_there, ["RTA_GATEWAY", gateway], *_metrics(metrics or {})]
    return encode(msg, RTM_NEWROUTE, _NEW)


def _metrics(given: Mapping[str, int]) -> list[list[object]]:
    """The least timer counts only where it is locked, which iproute2 does unasked, too."""
    if not given:
        return []
    locked = [["RTAX_LOCK", 1 << _RTAX_RTO_MIN]] if "rto_min" in given else []
    attributes = [[f"RTAX_{name.upper()}", value] for name, value in given.items()]
    return [["RTA_METRICS", {"attrs": [*locked, *attributes]}]]
