"""A switch as netlink messages: a bridge whose ports are the devices of its links.

eth0 --.        .-- eth1
        |  br0  |            br0 has no address; commands of the switch find it and its ports
eth2 --'        '-- eth3
"""

from __future__ import annotations

from labkit.compile.layout import Layout
from labkit.netlink import bridge
from labkit.netlink.veth import set_up
from labkit.spec.switch import NATIVE_VLAN, Switch

_COST = 2  # of every port, whatever its speed, as of 10 Gbit/s in IEEE 802.1D: see labkit.spec.segments


def messages(layout: Layout, switch: Switch) -> list[bytes]:
    """The bridge with its ports, all of them up."""
    device = layout.bridges[switch.name]
    made = [
        bridge.bridge(device.name, device.index, device.mac, stp=switch.stp, vlans=bool(switch.vlan)),
        set_up(device.index),
    ]
    for port in layout.interfaces[switch.name]:
        made += [*bridge.port_of(device.index, port.index, _COST), *_vlans(switch, port.peer, port.index)]
        made.append(set_up(port.index))
    return made


def _vlans(switch: Switch, peer: str, index: int) -> list[bytes]:
    """A new port is in VLAN 1."""
    vlan = switch.vlan.get(peer, NATIVE_VLAN)
    if not switch.vlan or vlan == NATIVE_VLAN:
        return []
    only = bridge.trunk(index, vlan) if isinstance(vlan, tuple) else bridge.access(index, vlan)
    return [bridge.without(index, NATIVE_VLAN), only]
