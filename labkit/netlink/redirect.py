"""A wire made of two devices: whatever enters one leaves the other, but for every N-th packet.

    enters -> [a] tc ingress: matchall -> (gact: every N-th dropped) -> mirred -> [b] egress qdisc -> leaves

Packets redirected by mirred pass no nftables egress hook (the kernel sets skb->nf_skip_egress while
traffic control runs, include/linux/netfilter_netdev.h) and never reach the ingress hook: wires that
need nftables (N over 65535, lists of packets) are made by nft.py instead of this.
"""

from __future__ import annotations

from typing import Any

from pyroute2.netlink.rtnl import TC_H_INGRESS
from pyroute2.protocols import ETH_P_ALL

from labkit.netlink.message import tc

INGRESS = 0xFFFF0000


def redirect(index: int, to_index: int, *, drop_every: int | None = None, prio: int = 1) -> list[bytes]:
    """Messages that send whatever device `index` receives out of device `to_index`, both in the same
    namespace. drop_every: lose packets N, 2N, 3N, ... (1 to 65535). Raises ValueError."""
    hook = tc("add", "ingress", index, parent=TC_H_INGRESS)
    return [hook, add_redirect(index, to_index, drop_every=drop_every, prio=prio)]


def add_redirect(index: int, to_index: int, *, drop_every: int | None = None, prio: int = 1) -> bytes:
    """The filter of `redirect` alone. Of several, the one with the lowest prio acts.

    matchall cannot be changed: to swap without losing a packet in between, add another prio first and
    remove the old one then. The new one counts from 1. Raises ValueError.
    """
    actions: list[dict[str, Any]] = []
    if drop_every is not None:
        actions.append({"kind": "gact", "action": "pipe", "prob": ("determ", "drop", drop_every)})
    actions.append({"kind": "mirred", "direction": "egress", "action": "redirect", "ifindex": to_index})
    where: dict[str, Any] = {"parent": INGRESS, "protocol": ETH_P_ALL, "prio": prio}
    return tc("add-filter", "matchall", index, **where, action=actions)


def remove_redirect(index: int, *, prio: int = 1) -> bytes:
    """The message that takes such a filter away; an nftables chain behind it then gets the packets."""
    return tc("del-filter", "matchall", index, parent=INGRESS, protocol=ETH_P_ALL, prio=prio)
