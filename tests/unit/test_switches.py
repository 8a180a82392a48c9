"""Switches in a topology: its subnets, ways and routes, what is refused, and JSON."""

from __future__ import annotations

import pytest

from labkit.compile import description
from labkit.compile.compiler import compile_experiment
from labkit.compile.layout import Layout, lay_out, routes
from labkit.errors import SpecError
from labkit.results.ledger.drop_places import QUEUE, SWITCH, DropPlace, Network
from labkit.spec import Command, Experiment, Flow, Link, Server, Switch, SysctlChange, Topology, ways
from labkit.spec.paths import with_field
from labkit.spec.topologies import star, tree

SACK = "net.ipv4.tcp_sack"
LINKS = [
    Link("h1", "s1"),
    Link("h2", "s1"),
    Link("s1", "s2"),
    Link("s2", "h3"),
    Link("r", "s2"),
    Link("r", "far"),
]


def floors(**s1: object) -> Topology:
    return Topology(["h1", "h2", "h3", "r", "far", Switch("s1", **s1), Switch("s2")], LINKS)


def laid(topology: Topology) -> Layout:
    return lay_out(Experiment(topology, duration=1))


def ring(**last: object) -> Topology:
    switches = [Switch("s1", stp=True), Switch("s2", stp=True), Switch("s3", **last)]
    pairs = [("s3", "s2"), ("s2", "s1"), ("s1", "s3"), ("h2", "s2"), ("h3", "s3")]
    return Topology(["h2", "h3", *switches], [Link(*pair) for pair in pairs])


def test_hosts_on_switches_share_a_subnet_numbered_by_its_first_link() -> None:
    layout = laid(floors())
    assert layout.addresses == {
        "h1": "10.0.1.1",
        "h2": "10.0.1.2",
        "h3": "10.0.1.3",
        "r": "10.0.1.4",
        "far": "10.0.6.2",
    }
    assert routes(layout, "h1") == [("default", "10.0.1.4")]
    assert routes(layout, "far") == [("default", "10.0.6.1")]
    assert routes(layout, "r") == routes(layout, "s1") == []


def test_hosts_of_one_subnet_alone_have_no_route() -> None:
    layout = laid(star("a", "b", "c", center=Switch("s1")))
    assert [routes(layout, host) for host in "abc"] == [[], [], []]


def test_two_routers_on_a_switch_lead_each_to_its_own_side() -> None:
    links = [Link("h", "s"), Link("r1", "s"), Link("r2", "s"), Link("r1", "left"), Link("r2", "right")]
    layout = laid(Topology(["h", "r1", "r2", "left", "right", Switch("s")], links))
    assert routes(layout, "h") == [("10.0.4.0/24", "10.0.1.2"), ("10.0.5.0/24", "10.0.1.3")]
    assert routes(layout, "r1") == [("10.0.5.0/24", "10.0.1.3")]
    assert ways.way(layout.topology, "left", "right") == ("left", "r1", "s", "r2", "right")


def test_each_vlan_is_a_subnet() -> None:
    net = floors(vlan={"h1": 10, "h2": 20, "s2": 10})
    assert [segment.hosts for segment in net.segments] == [["h1", "h3", "r"], ["h2"], ["r", "far"]]
    assert laid(net).addresses["h2"] == "10.0.2.1"
    trunk = net.replace(
        hosts=[*net.hosts[:-2], Switch("s1", vlan={"h1": 10, "h2": 20, "s2": (10, 20)}), net.hosts[-1]]
    )
    assert [segment.hosts for segment in trunk.segments] == [["h1"], ["h2"], ["h3", "r"], ["r", "far"]], (
        "tagged frames pass a switch without VLANs and mean nothing to a host"
    )


def test_a_way_names_the_switches_on_it() -> None:
    assert ways.way(floors(), "h1", "far") == ("h1", "s1", "s2", "r", "far")
    assert ways.behind(floors(), "h1", "r") == [5]
    slow = floors().replace(links=[*LINKS[:2], Link("s1", "s2", rate="1mbit", mtu=1400), *LINKS[3:]])
    assert ways.slowest(slow, "h1", "h3") == 1_000_000 and ways.smallest_mtu(slow, "h1", "h3") == 1400
    assert ways.slowest(slow, "h1", "h2") is None


def test_a_ring_is_crossed_by_its_spanning_tree() -> None:
    assert ways.way(ring(stp=True), "h2", "h3") == ("h2", "s2", "s1", "s3", "h3")


def test_a_network_of_several_hundred_hosts_on_a_switch() -> None:
    names = [f"h{i}" for i in range(254)]
    layout = laid(star(*names, center=Switch("s")))
    assert layout.addresses["h253"] == "10.0.1.254"
    with pytest.raises(SpecError, match="hosts: 255 hosts in one network of switches: at most 254"):
        star(*names, "more", center=Switch("s"))


REFUSED = {
    "vlan 0": (lambda: Switch("s", vlan={"a": 0}), r"vlan\['a'\]=0: a VLAN's number is from 1 to 4094"),
    "vlan 4095": (lambda: Switch("s", vlan={"a": (10, 4095)}), r"vlan\['a'\]=\(10, 4095\): a VLAN's number"),
    "text": (lambda: Switch("s", vlan={"a": "ten"}), r"vlan\['a'\]='ten': must be an integer"),
    "empty": (lambda: Switch("s", vlan={"a": ()}), "a trunk carries one VLAN at least"),
    "list": (lambda: Switch("s", vlan=[10]), "must say the VLAN of each neighbour"),
    "sysctls": (lambda: Switch("s", sysctls={}), "sysctls: Switch has no such field: it has name, stp, vlan"),
    "name": (lambda: Switch("wires"), "is where the lab keeps the links"),
    "twice": (lambda: Topology(["s", Switch("s")]), r"hosts\[1\]: second host named 's'"),
    "stranger": (lambda: floors(vlan={"h3": 10}),
                 r"hosts\[5\].vlan\['h3'\]: no link to there: s1 is linked to h1, h2"),
    "trunk": (lambda: floors(vlan={"h1": (10, 20)}), "a trunk leads to another switch, and h1 is a host"),
    "ring": (ring, r'hosts: switches s1, s2, s3 make a ring.*write Switch\("s3", stp=True\)'),
    "two links": (lambda: floors().replace(links=[*LINKS, Link("h1", "s2")]),
                  "h1 has two links into one network of switches"),
    "flow": (lambda: Experiment(floors(), flows=[Flow("s1", "h1", size=1)]),
             r"flows\[0\].src='s1': is a switch"),
    "vlans": (lambda: Experiment(floors(vlan={"h2": 20}), flows=[Flow("h1", "h2", duration=1)]),
              "no path from 'h1' to 'h2': add a link, or a router between their VLANs"),
    "server": (lambda: Experiment(floors(), servers=[Server("s1", 80)], duration=1), "'s1': is a switch"),
    "sysctl": (lambda: Experiment(floors(), duration=2, changes=[SysctlChange(1, "s1", SACK, 0)]),
               r"changes\[0\].host='s1': is a switch"),
    "with_sysctls": (lambda: floors().with_sysctls("s1", {SACK: 0}), "host 's1': is a switch"),
    "with_routes": (lambda: floors().with_routes("s1", quickack=1), "host 's1': is a switch"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_said_in_one_line(name: str) -> None:
    made, message = REFUSED[name]
    with pytest.raises(SpecError, match=message) as error:
        made()
    assert "\n" not in str(error.value)


def test_json_there_and_back() -> None:
    net = floors(vlan={"h1": 10, "s2": (20, 10)}, stp=True)
    again = Topology.model_validate_json(net.canonical())
    assert again == net and again.digest() == net.digest()
    assert again.switches["s1"].vlan == {"h1": 10, "s2": (10, 20)}
    assert repr(net.hosts[5]) == "Switch(name='s1', stp=True, vlan={'h1': 10, 's2': (10, 20)})"
    assert net.segments and repr(again) == repr(net), "what was asked for is not shown"


def test_a_path_names_a_switch() -> None:
    exp = Experiment(floors(), duration=1)
    assert with_field(exp, "hosts.s1.stp", True).topology.switches["s1"].stp


def test_a_switch_has_commands_and_captures() -> None:
    exp = Experiment(floors(), commands=[Command("s1", "bridge fdb")], capture=["s1.eth2"])
    assert exp.capture[0].host == "s1"
    with pytest.raises(SpecError, match="s2 has eth0, eth1, eth2"):
        Experiment(floors(), capture=["s2.eth3"], duration=1)


def test_a_drop_in_a_switch_is_on_the_way_of_its_packet() -> None:
    compiled = compile_experiment(Experiment(floors(), duration=1))
    network = Network(description.read(compiled.layout))
    port = next(i.index for i in laid(floors()).interfaces["s1"] if i.peer == "h1")
    assert network.where(port, "__dev_queue_xmit", "10.0.1.1", "10.0.6.2") == DropPlace("s1", "s2", QUEUE)
    assert network.where(port, "br_handle_frame", "10.0.1.1", "10.0.6.2") == DropPlace("s1", "", SWITCH)
    assert network.path("10.0.1.1", "10.0.6.2") == [("h1", "s1"), ("s1", "s2"), ("s2", "r"), ("r", "far")]
    assert network.path("10.0.1.1", "10.0.1.2") == [("h1", "s1"), ("s1", "h2")]


def test_without_switches_a_subnet_is_a_link() -> None:
    net = tree(2, 3)
    ends = [((link.a, link.b), (link.b, link.a)) for link in net.links]
    assert [segment.ends for segment in net.segments] == ends
