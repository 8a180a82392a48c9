"""Tunnels as records of a lab program: their devices, and the addresses that flows through them have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from labkit.compile.layout import Layout, subnet
from labkit.netlink.address import address_message, device_route
from labkit.netlink.tun import tun_up
from labkit.program import records
from labkit.program.builder import Program
from labkit.program.structs import Op
from labkit.spec import ways
from labkit.traffic.kind import Context, Traffic
from labkit.traffic.tunnel import Tunnel, device, device_name, inner_address

Numbered = tuple[int, Tunnel]
"""A tunnel behind its number among the flows."""


def by_name(flows: Iterable[tuple[int, Traffic]]) -> dict[str, Numbered]:
    """The tunnels among numbered flows."""
    return {flow.name: (i, flow) for i, flow in flows if isinstance(flow, Tunnel) and flow.name is not None}


def add_devices(program: Program, tunnel: Tunnel, context: Context) -> None:
    """A TUN device in each of its hosts, with its address, before anything is sent."""
    name = device_name(context.number)
    for end, (host, ns) in enumerate(((tunnel.src, context.src_ns), (tunnel.dst, context.dst_ns))):
        index = device(context.number, end)
        program.add(Op.TUN, records.tun(index, name), f"device {name} of {host}", ns=ns)
        up = tun_up(index, mtu=tunnel.inner_mtu(context.mtu), queue=tunnel.queue)
        messages = [up, address_message(index, inner_address(context.number, end))]
        program.netlink(messages, f"address of {host}'s {name}", ns=ns)


def add_routes(program: Program, layout: Layout, tunnel: Tunnel, context: Context) -> None:
    """Of gateways: what lies behind the other one is reached through the tunnel."""
    ends = ((tunnel.src, tunnel.dst, context.src_ns), (tunnel.dst, tunnel.src, context.dst_ns))
    for end, (here, there, ns) in enumerate(ends):
        links = ways.behind(layout.topology, here, there)
        messages = [device_route(subnet(number), device(context.number, end)) for number in links]
        program.netlink(messages, f"routes of {here} through {tunnel.name}", ns=ns)


def outside(context: Context, layout: Layout, tunnel: Tunnel) -> Context:
    """Where the tunnel's own packets go: its ends have the addresses of the links between them."""
    way = ways.way(layout.topology, tunnel.src, tunnel.dst)
    return replace(
        context,
        saddr=layout.link_addresses[way[0], way[1]],
        daddr=layout.link_addresses[way[-1], way[-2]],
    )


def inside(context: Context, flow: Traffic, number: int, tunnel: Tunnel) -> Context:
    """Where a flow is that goes through this tunnel."""
    src = 0 if flow.src == tunnel.src else 1
    return replace(
        context,
        saddr=inner_address(number, src),
        daddr=inner_address(number, 1 - src),
        mtu=tunnel.inner_mtu(context.mtu),
    )
