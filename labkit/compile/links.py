"""Netlink messages that build a link and change it. Where each device is: layout.DirectedPath.

    queue device:  tbf 1: -> leaf 10:                        (on a router)
                   netem 1: -> tbf 2: -> leaf 10:            (in a wire, for a leaf host; netem detaches)
    leave device:  netem 1:                                  (the wire itself)

`rate` counts Ethernet frames as tbf does: 14 bytes of header, no preamble, no gap. The bucket holds
one frame, so that frames leave one after the other and never in a burst, and what the rate gives
while a timer is late (DirectedPath.slack_s): a full bucket forgets what it has no room for. In the lab a
timer is 0.3 us late; with room for one frame only, 1 Gbit/s came out as 0.972.
"""

from __future__ import annotations

import math
from typing import Any

from labkit import units
from labkit.compile import chains, class_tree, ports
from labkit.compile.layout import DirectedPath, Layout, has_wire
from labkit.compile.steps import ChainStep, Step, Steps, wire_seed
from labkit.netlink import labnic, nft
from labkit.netlink.message import tc
from labkit.netlink.redirect import redirect, unredirect
from labkit.netlink.veth import End, set_up, veth
from labkit.program.records import NETLINK_NETFILTER
from labkit.program.structs import LAB_NS_FD
from labkit.qdiscs import KINDS
from labkit.spec import (
    ContinuousGilbertElliott,
    Direction,
    DropPackets,
    EveryNth,
    GilbertElliott,
    Link,
    RandomLoss,
)

ETHERNET_HEADER = 14
_DETACH_NS = 1  # any delay above zero makes netem take the packet from its socket
_TBF_LIMIT = 2**31  # of the fifo that tbf makes and the leaf replaces
_FIFO_DEFAULT = 1000  # packets of a pfifo that was given no limit: a device's txqueuelen
GACT_MAX = 65535


def build(layout: Layout, link: Link, seed: int) -> Steps:
    """A link from nothing: devices first, then qdiscs and filters."""
    there, back = layout.ways[link.a, link.b], layout.ways[link.b, link.a]
    wires = layout.ns("wires")
    why = f"link {link.a}-{link.b}"
    if link.nic_a is not None and link.nic_b is not None:
        first, second = _port(there, link, seed), _port(back, link, seed)
        made = labnic.make(_end(there.out, link.mtu), _end(there.into, link.mtu), first)
        other = labnic.change(back.out.index, second)
        return [Step(wires, [made], why), Step(back.out.ns, [other], f"{why}: port of {link.b}")]
    steps: list[Step | ChainStep] = [Step(wires, _devices(there, back, link.mtu), why)]
    for way, direction in ((there, link.forward), (back, link.backward)):
        name = f"{why}, {way.out.host} to {way.into.host}"
        steps += _way(layout, way, direction, link.mtu, seed, name)
    return steps


def _port(way: DirectedPath, link: Link, seed: int) -> labnic.Attributes:
    """All settings of the port where a way begins."""
    host, peer = way.out.host, way.into.host
    nic, direction = link.port(host), link.forward if host == link.a else link.backward
    assert nic is not None
    return ports.settings(nic, delay_ns=units.ns(direction.delay), seed=wire_seed(seed, peer, host, 0))


def change_port(layout: Layout, host: str, old: Link, new: Link) -> Steps:
    """The port of `host` from one state of its link to another while traffic flows."""
    before, after = old.port(host), new.port(host)
    assert before is not None and after is not None
    peer = new.b if host == new.a else new.a
    delays = [units.ns((one.forward if host == one.a else one.backward).delay) for one in (old, new)]
    device = layout.ways[host, peer].out
    attributes = ports.changes(before, after, delay_ns=(delays[0], delays[1]))
    why = f"change of {host}'s port to {peer}"
    return [Step(device.ns, [labnic.change(device.index, attributes)], why)] if attributes else []


def _end(device: Any, mtu: int) -> End:
    return End(device.name, device.index, device.mac, LAB_NS_FD + device.ns, mtu)


def _devices(there: DirectedPath, back: DirectedPath, mtu: int) -> list[bytes]:
    if there.enter is None or back.enter is None:
        return [veth(_end(there.out, mtu), _end(there.into, mtu))]
    pairs = [(there.out, there.enter), (back.out, back.enter)]
    pairs += [way.mid for way in (there, back) if way.mid is not None]
    wires = [there.enter, back.enter, *(there.mid or ()), *(back.mid or ())]
    made = [veth(_end(one, mtu), _end(other, mtu)) for one, other in pairs]
    return made + [set_up(device.index) for device in wires]


def _way(layout: Layout, way: DirectedPath, direction: Direction, mtu: int, seed: int, why: str) -> Steps:
    steps: list[Step | ChainStep] = []
    if direction.rate is not None:
        messages = queue_messages("add", layout, way, direction, mtu)
        steps.append(Step(way.queue.ns, messages, f"{why}: {_in_words(direction)}"))
    if way.leave is None or way.enter is None:
        return steps
    if has_wire(direction):
        messages = [_netem("add", way, direction, wire_seed(seed, way.out.host, way.into.host, 0))]
        steps.append(Step(way.leave.ns, messages, f"{why}: wire"))
    if way.mid is not None:
        steps.append(
            Step(way.enter.ns, redirect(way.enter.index, way.mid[0].index), f"{why}: into the queue")
        )
    steps.append(_onward(way, direction, f"{why}: onto the wire"))
    return [*steps, *_chain(way, direction, seed=seed, number=0)]


def queue_messages(
    verb: str, layout: Layout, way: DirectedPath, direction: Direction, mtu: int, number: int = 0
) -> list[bytes]:
    """tbf and the queue inside it. verb: add, or change: of tbf, with a new leaf in place of the old one,
    whose packets are lost; number: of the change, for the new leaf's handle."""
    queue, rate = direction.queue, direction.rate
    if queue is None or rate is None:
        raise ValueError("a queue needs a rate")
    index, messages = way.queue.index, []
    root: dict[str, Any] = {"at": "1:"}
    if way.detach:
        if verb == "add":
            messages.append(tc("add", "netem", index, at="1:", delay_ns=_DETACH_NS))
        root = {"at": "2:", "parent": "1:1"}
    frame = mtu + ETHERNET_HEADER
    tbf = {"rate": rate, "burst": frame + math.ceil(rate * way.slack_s / 8), "limit": _TBF_LIMIT}
    messages.append(tc(verb, "tbf", index, **root, **tbf))
    place = {"parent": "2:1" if way.detach else "1:1", "frame": frame, "rate": rate, "slack_s": way.slack_s}
    return messages + class_tree.queue_messages(layout, way, queue, number, **place)


def retold(way: DirectedPath, direction: Direction, mtu: int, rate: int) -> bytes:
    """tbf with another rate (bit/s); what waits below it stays, and so does the limit of a fifo there."""
    queue = direction.queue
    assert queue is not None
    given = KINDS[queue.kind].keywords(queue.packets, queue.bytes, queue.options, classes=bool(queue.classes))
    limit = given.get("limit") or _FIFO_DEFAULT if queue.kind in ("pfifo", "bfifo") else _TBF_LIMIT
    burst = mtu + ETHERNET_HEADER + math.ceil(rate * way.slack_s / 8)
    place = {"at": "2:", "parent": "1:1"} if way.detach else {"at": "1:", "parent": "root"}
    return tc("change", "tbf", way.queue.index, **place, rate=rate, burst=burst, limit=limit)


def _in_words(direction: Direction) -> str:
    """A queue as whoever wrote it knows it, for the kernel that refuses it without a word."""
    queue = direction.queue
    if queue is None:
        return "queue"
    limits = {name: value for name in ("packets", "bytes") if (value := getattr(queue, name)) is not None}
    given = (f"{name}={value!r}" for name, value in (limits | queue.options).items())
    return f"queue {', '.join((queue.kind, *given))}"


def _netem(verb: str, way: DirectedPath, direction: Direction, seed: int, **other: Any) -> bytes:
    """The whole state of a wire, since a change resets what it is not told. other: instead of these."""
    d = direction
    keywords: dict[str, Any] = {
        "delay_ns": units.ns(d.delay),
        "jitter_ns": units.ns(d.jitter),
        "delay_corr": d.delay_correlation,
        "corrupt": d.corrupt,
        "duplicate": d.duplicate,
        "reorder": d.reorder,
        "reorder_corr": d.reorder_correlation,
        "limit": d.wire_limit,
        "seed": seed,
    }
    if d.distribution != "uniform" or verb == "change":  # a table stays until another one is sent
        keywords["distribution"] = d.distribution
    if isinstance(d.loss, RandomLoss):
        keywords |= {"loss": d.loss.p, "loss_corr": d.loss_correlation}
    if isinstance(d.loss, GilbertElliott):
        keywords["gemodel"] = (d.loss.p, d.loss.r, 1 - d.loss.loss_bad, d.loss.loss_good)
    if isinstance(d.loss, ContinuousGilbertElliott):
        keywords["loss"] = d.loss.loss_good
    assert way.leave is not None
    return tc(verb, "netem", way.leave.index, at="1:", **(keywords | other))


def _chain(way: DirectedPath, now: Direction, *others: Direction, seed: int, number: int) -> list[ChainStep]:
    """See chains.of."""

    def state_message(share: float, seed: int) -> bytes:
        return _netem("change", way, now, seed, loss=share, distribution=None)  # its table stays

    return chains.of(way, now, state_message, seed=seed, number=number, others=others)


def _onward(way: DirectedPath, direction: Direction, why: str) -> Step:
    """What moves packets to the wire's exit; losses that are counted, not drawn, happen here."""
    assert way.enter is not None and way.leave is not None
    device = way.mid[1] if way.mid is not None else way.enter
    loss, to = direction.loss, way.leave.index
    if isinstance(loss, EveryNth) and loss.n <= GACT_MAX:
        return Step(device.ns, redirect(device.index, to, drop_every=loss.n), why)
    if isinstance(loss, EveryNth):
        batch = nft.drop_every_nth(device.name, loss.n, forward_to=to)
        return Step(device.ns, [batch], why, NETLINK_NETFILTER)
    if isinstance(loss, DropPackets):
        batch = nft.drop_packets(device.name, loss.numbers, forward_to=to)
        return Step(device.ns, [batch], why, NETLINK_NETFILTER)
    return Step(device.ns, redirect(device.index, to), why)


def _stop_onward(way: DirectedPath, direction: Direction, why: str) -> Step:
    assert way.enter is not None
    device = way.mid[1] if way.mid is not None else way.enter
    loss = direction.loss
    if isinstance(loss, DropPackets) or (isinstance(loss, EveryNth) and loss.n > GACT_MAX):
        return Step(device.ns, [nft.delete(device.name)], why, NETLINK_NETFILTER)
    return Step(device.ns, [tc("del", "ingress", device.index, at=0xFFFF0000, parent=0xFFFFFFF1)], why)


def wireless(layout: Layout, link: Link) -> str:
    """What a link was built without and would need in this state, in words; "" if nothing."""
    for src, dst, way in ((link.a, link.b, link.forward), (link.b, link.a, link.backward)):
        if link.nic_a is None and has_wire(way) and layout.ways[src, dst].leave is None:
            return f"link {link.a}-{link.b} was built without a wire, which delay and faults need"
    return ""


def change(
    layout: Layout, ends: tuple[str, str], old: Direction, new: Direction, mtu: int, *, seed: int, number: int
) -> Steps:
    """From one state of a direction to another while traffic flows. ends: from, to; seed: the
    experiment's; number: of the change in its run, from 1."""
    src, dst = ends
    way, why = layout.ways[src, dst], f"change of {src} to {dst}"
    steps: list[Step | ChainStep] = []
    if (old.rate, old.queue) != (new.rate, new.queue):
        if new.rate is None:
            messages = [tc("del", "netem" if way.detach else "tbf", way.queue.index, at="1:", parent="root")]
        else:
            messages = queue_messages("add" if old.rate is None else "change", layout, way, new, mtu, number)
        steps.append(Step(way.queue.ns, messages, f"{why}: {_in_words(new)}"))
    if way.leave is None:
        return steps
    if has_wire(old) or has_wire(new):
        verb = "change" if has_wire(old) else "add"
        steps.append(
            Step(way.leave.ns, [_netem(verb, way, new, wire_seed(seed, src, dst, number))], f"{why}: wire")
        )
    if old.loss != new.loss and _counted(old, new):
        steps += [_stop_onward(way, old, why), _onward(way, new, why)]
    return [*steps, *_chain(way, new, old, seed=seed, number=number)]


def _counted(*states: Direction) -> bool:
    """Is there one whose losses are counted, not drawn?"""
    return any(isinstance(state.loss, EveryNth | DropPackets) for state in states)


def restore(
    layout: Layout,
    ends: tuple[str, str],
    state: Direction,
    refused: Direction,
    mtu: int,
    *,
    seed: int,
    number: int,
) -> Steps:
    """A direction laid anew in the state in which it was, whatever the kernel has taken of the change to
    `refused`. What was under way is lost. ends, seed, number: as of the change that led to this state."""
    src, dst = ends
    way, why = layout.ways[src, dst], f"{src} to {dst} as it was"
    places = {way.queue.index: way.queue.ns} | ({way.leave.index: way.leave.ns} if way.leave else {})
    steps: list[Step | ChainStep] = [Step(ns, _bare(index), why) for index, ns in places.items()]
    if state.rate is not None:
        steps.append(Step(way.queue.ns, queue_messages("add", layout, way, state, mtu, number), why))
    if way.leave is None or way.enter is None:
        return steps
    if has_wire(state):
        steps.append(Step(way.leave.ns, [_netem("add", way, state, wire_seed(seed, src, dst, number))], why))
    if _counted(state, refused):
        device = way.mid[1] if way.mid is not None else way.enter
        steps.append(Step(device.ns, unredirect(device.index), why))
        steps.append(Step(device.ns, [nft.clear(device.name)], why, NETLINK_NETFILTER))
        steps.append(_onward(way, state, why))
    return [*steps, *_chain(way, state, refused, seed=seed, number=number)]


def _bare(index: int) -> list[bytes]:
    """A device without a qdisc of ours, whether it has one or not: only what is there can be deleted."""
    return [tc("replace", "pfifo", index, parent="root"), tc("del", "pfifo", index, parent="root")]
