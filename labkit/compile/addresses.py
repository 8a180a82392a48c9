"""What a host is told of the network, as netlink messages: addresses, neighbours, routes."""

from __future__ import annotations

from labkit.compile.layout import Layout, subnet_of
from labkit.netlink.address import address_message, device_route, neighbour_message, route_message
from labkit.netlink.veth import set_up
from labkit.spec import Host

LOOPBACK = 1  # the index of lo in every namespace


def messages(layout: Layout, host: Host, ways: list[tuple[str, str]]) -> list[bytes]:
    """Its devices up, with their addresses, the neighbours that it has without asking, and its routes."""
    made = [set_up(LOOPBACK)]
    for interface in layout.interfaces[host.name]:
        made.append(set_up(interface.index))
        made.append(address_message(interface.index, layout.link_addresses[host.name, interface.peer]))
        if (
            address := layout.link_addresses.get((interface.peer, host.name))
        ) is not None:  # none of a switch
            peer = next(i for i in layout.interfaces[interface.peer] if i.peer == host.name)
            made.append(neighbour_message(interface.index, address, peer.mac))
    metrics = host.routes.attributes() if host.routes else {}
    if metrics:  # those that came with the addresses
        made += [
            device_route(
                subnet_of(layout.link_addresses[host.name, interface.peer]), interface.index, metrics
            )
            for interface in layout.interfaces[host.name]
        ]
    return made + [route_message(to, via, metrics) for to, via in ways]
