"""Filters that put packets into the classes of a qdisc: flower looks at headers, fw at the mark.

    packet -> [qdisc 10:] filters in order of prio: the first that matches names the class -> 10:1, 10:2, ...

pyroute2 0.9.7 has no flower. flower reads ports of TCP, UDP and SCTP only, and wants to be told of which.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from socket import htons
from types import SimpleNamespace
from typing import Any

from pyroute2.netlink import nla
from pyroute2.netlink.rtnl.tcmsg import plugins
from pyroute2.protocols import ETH_P_ALL, ETH_P_IP

from labkit.netlink.message import handle, tc

PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17}
FW_MODULE = "cls_fw"
"""The kernel's module that has fw, where it is not built in."""
_KEYS = {"src": "TCA_FLOWER_KEY_IPV4_SRC", "dst": "TCA_FLOWER_KEY_IPV4_DST"}
_PORTS = {"sport": "SRC", "dport": "DST"}


class _Flower(nla):
    """TCA_FLOWER_* (include/uapi/linux/pkt_cls.h), as far as it is used here. Without a mask all bits
    count."""

    nla_map = (
        ("TCA_FLOWER_UNSPEC", "none"),
        ("TCA_FLOWER_CLASSID", "uint32"),
        ("TCA_FLOWER_INDEV", "asciiz"),
        ("TCA_FLOWER_ACT", "hex"),
        ("TCA_FLOWER_KEY_ETH_DST", "l2addr"),
        ("TCA_FLOWER_KEY_ETH_DST_MASK", "l2addr"),
        ("TCA_FLOWER_KEY_ETH_SRC", "l2addr"),
        ("TCA_FLOWER_KEY_ETH_SRC_MASK", "l2addr"),
        ("TCA_FLOWER_KEY_ETH_TYPE", "be16"),
        ("TCA_FLOWER_KEY_IP_PROTO", "uint8"),
        ("TCA_FLOWER_KEY_IPV4_SRC", "ip4addr"),
        ("TCA_FLOWER_KEY_IPV4_SRC_MASK", "ip4addr"),
        ("TCA_FLOWER_KEY_IPV4_DST", "ip4addr"),
        ("TCA_FLOWER_KEY_IPV4_DST_MASK", "ip4addr"),
        ("TCA_FLOWER_KEY_IPV6_SRC", "ip6addr"),
        ("TCA_FLOWER_KEY_IPV6_SRC_MASK", "ip6addr"),
        ("TCA_FLOWER_KEY_IPV6_DST", "ip6addr"),
        ("TCA_FLOWER_KEY_IPV6_DST_MASK", "ip6addr"),
        ("TCA_FLOWER_KEY_TCP_SRC", "be16"),
        ("TCA_FLOWER_KEY_TCP_DST", "be16"),
        ("TCA_FLOWER_KEY_UDP_SRC", "be16"),
        ("TCA_FLOWER_KEY_UDP_DST", "be16"),
    )


def _fix_request(request: dict[str, Any]) -> None:
    """Protocol and order of a filter are in the message's head."""
    request["info"] = htons(request["protocol"]) | request["prio"] << 16


def _parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    attrs: list[list[Any]] = [["TCA_FLOWER_CLASSID", kwarg["classid"]]]
    if kwarg["protocol"] == ETH_P_IP:
        attrs.append(["TCA_FLOWER_KEY_ETH_TYPE", ETH_P_IP])
    ip = kwarg.get("ip_protocol")
    if ip is not None:
        attrs.append(["TCA_FLOWER_KEY_IP_PROTO", PROTOCOLS[ip]])
    attrs += [[key, kwarg[name]] for name, key in _KEYS.items() if kwarg.get(name) is not None]
    for name, end in _PORTS.items():
        if kwarg.get(name) is not None:
            attrs.append([f"TCA_FLOWER_KEY_{str(ip).upper()}_{end}", kwarg[name]])
    return {"attrs": attrs}


plugins["flower"] = SimpleNamespace(options=_Flower, get_parameters=_parameters, fix_request=_fix_request)


def flower(index: int, parent: str, prio: int, to: str, **keys: str | int | None) -> bytes:
    """What these headers have goes to class `to`; of no keys, everything.

    keys: src, dst (IPv4 addresses), ip_protocol ("tcp", "udp", "icmp"), sport, dport (of tcp or udp).
    """
    if (keys.get("sport") or keys.get("dport")) and keys.get("ip_protocol") not in ("tcp", "udp"):
        raise ValueError("flower: ports are of tcp or udp: name which")
    protocol = ETH_P_IP if any(value is not None for value in keys.values()) else ETH_P_ALL
    where: dict[str, Any] = {"parent": parent, "prio": prio, "protocol": protocol, "classid": handle(to)}
    return tc("add-filter", "flower", index, **(where | keys))


def fw(index: int, parent: str, prio: int, to: str, mark: int) -> bytes:
    """What bears this mark (skb->mark: SO_MARK, nftables' `meta mark set`) goes to class `to`."""
    where: dict[str, Any] = {"parent": parent, "prio": prio, "protocol": ETH_P_ALL, "classid": handle(to)}
    return tc("add-filter", "fw", index, at=mark, **where)
