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


def redirect(index: int, to_index: int, *, drop_every: int | None = None) -> list[bytes]:
    """Messages that send whatever device `index` receives out of device `to_index`, both in the same
    namespace. drop_every: lose packets N, 2N, 3N, ... (1 to 65535). Raises ValueError."""
    hook = tc("add", "ingress", index, parent=TC_H_INGRESS)
    actions: list[dict[str, Any]] = []
    if drop_every is not None:
        actions.append({"kind": "gact", "action": "pipe", "prob": ("determ", "drop", drop_every)})
    actions.append({"kind": "mirred", "direction": "egress", "action": "redirect", "ifindex": to_index})
    where: dict[str, Any] = {"parent": INGRESS, "protocol": ETH_P_ALL, "prio": 1}
    return [hook, tc("add-filter", "matchall", index, **where, action=actions)]


def unredirect(index: int) -> list[bytes]:
    """Messages that end it, or that change nothing where there is none."""
    where: dict[str, Any] = {"at": INGRESS, "parent": TC_H_INGRESS}
    return [tc("replace", "ingress", index, **where), tc("del", "ingress", index, **where)]
