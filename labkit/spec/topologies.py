"""Ready-made networks: functions that return a Topology. Keywords not listed are fields of Link."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from labkit.errors import SpecError
from labkit.spec import Direction, Link, Switch, Topology
from labkit.spec.topology import MAX_HOSTS
from labkit.units import bit_rate

ACCESS_QUEUE = "1000p"
_DEEPEST = 8  # levels of a tree; more would not fit into a host's name


#   left ---------- right
#        rate, delay
#        queue, loss ->
def pair(*, rate: Any = None, delay: Any = 0, queue: Any = None, loss: Any = None, **fields: Any) -> Topology:
    """Hosts "left" and "right" on one link.

    Rate (bit/s), delay (s, one-way) and queue ("100p" if there is a rate) hold both ways, loss from
    left to right; so do other fields of Direction hold both ways. `forward` and `backward` override.

    The queues are in the wire, not on the hosts, which TCP would keep nearly empty there: `tc` on left shows
    none, `result.backlog` and `result.queue` do. In a `dumbbell` they are on r1 and r2.

    Without a rate a whole window arrives at one instant, and Linux's receiver soon stops widening it: it
    counts what was read in a round trip less what still waits to be read, which is nearly all
    (net/ipv4/tcp_input.c, tcp_rcv_space_adjust; kernels from 6.16 and the long-term ones since). On a direct
    link it keeps its first 80 kB: `pair(delay="10ms")` carries 32 Mbit/s. A rate, some jitter or the flow's
    own rcvbuf help.
    """
    bottleneck = _link("left", "right", rate=rate, delay=delay, queue=queue, loss=loss, **fields)
    return Topology(["left", "right"], [bottleneck])


#   left1 --.                                  .-- right1
#            \         rate, delay            /
#   left2 --- r1 --------------------------- r2 --- right2
#            /         queue, loss ->         \
#   leftn --'                                  '-- rightn
#    access_rate, access_delay           access_rate, access_delay
def dumbbell(
    n: int = 1,
    *,
    rate: Any = None,
    delay: Any = 0,
    queue: Any = None,
    loss: Any = None,
    access_rate: Any = None,
    access_delay: Any = 0,
    access_nic: Any = None,
    **fields: Any,
) -> Topology:
    """Hosts "left" and "right" (left1..n and right1..n if n > 1) behind routers "r1" and "r2".

    The bottleneck r1-r2 is described as in `pair`; mtu holds for all links. Access links have ten
    times its rate and no delay unless given, and room for 1000 packets; with access_nic (a Nic) they are
    cables between two ports, whose speed is the rate.
    """
    _count("n", n, hosts=2 * n + 2)
    bottleneck = _link("r1", "r2", rate=rate, delay=delay, queue=queue, loss=loss, **fields)
    access = _access(rate, access_rate, access_delay, fields, access_nic)
    lefts, rights = _numbered("left", n), _numbered("right", n)
    links = [
        *(Link(left, "r1", **access) for left in lefts),
        bottleneck,
        *(Link("r2", right, **access) for right in rights),
    ]
    return Topology([*lefts, "r1", "r2", *rights], links)


#            top
#             |
#   left -- center -- right      every link the same
#             |
#           bottom
def star(*leaves: str, center: str | Switch = "center", **fields: Any) -> Topology:
    """A link from the center to each leaf; forward is away from the center. Fields hold both ways. The center
    is a router, or a switch: star("h1", "h2", center=Switch("s1"))."""
    if not leaves:
        raise SpecError('star: has no leaves: write star("left", "right")')
    if not all(isinstance(leaf, str) for leaf in leaves):
        raise SpecError(f"star: leaves are names, one after the other: write {_named_call(leaves)}")
    name = center.name if isinstance(center, Switch) else center
    return Topology([center, *leaves], [Link(name, leaf, **fields) for leaf in leaves])


#   left --- r1 ======== r2 ======== r3 --- right      === rate, delay, queue, loss ->
#            |          /  \          |
#          left1   right1  left2    right2             left1 to right1 crosses the first hop only
def parking_lot(
    hops: int = 2,
    *,
    rate: Any = None,
    delay: Any = 0,
    queue: Any = None,
    loss: Any = None,
    access_rate: Any = None,
    access_delay: Any = 0,
    **fields: Any,
) -> Topology:
    """Bottlenecks in a row: "left" to "right" crosses all, "left<i>" to "right<i>" only the i-th.

    Each hop r<i>-r<i+1> is described as in `pair`, the access links as in `dumbbell`.
    """
    _count("hops", hops, hosts=3 * hops + 3)
    hop = _link("r1", "r2", rate=rate, delay=delay, queue=queue, loss=loss, **fields)
    access = _access(rate, access_rate, access_delay, fields)
    routers = [f"r{i}" for i in range(1, hops + 2)]
    hosts = ["left", *routers, "right"]
    links = [Link("left", "r1", **access)]
    for i, (here, there) in enumerate(pairwise(routers), start=1):
        hosts += [f"left{i}", f"right{i}"]
        links += [
            Link(f"left{i}", here, **access),
            hop.replace(a=here, b=there),
            Link(there, f"right{i}", **access),
        ]
    return Topology(hosts, [*links, Link(routers[-1], "right", **access)])


#              r
#           /     \
#         r1       r2          depth 2, fanout 2; every link the same
#        /  \     /  \
#   h1-1  h1-2  h2-1  h2-2
def tree(depth: int = 2, fanout: int = 2, **fields: Any) -> Topology:
    """A tree of routers below "r" with hosts as leaves, named by their path: "r1", "h1-2".

    Forward is away from the root. Fields of Link hold both ways.
    """
    _count("depth", depth, hosts=2)
    if depth > _DEEPEST:
        raise SpecError(f"depth={depth}: at most {_DEEPEST} are possible")
    _count("fanout", fanout, hosts=sum(fanout**level for level in range(depth + 1)))
    hosts, links = ["r"], []
    level = [("r", "")]
    for below in range(depth - 1, -1, -1):
        children = []
        for parent, path in level:
            for i in range(1, fanout + 1):
                place = f"{path}-{i}" if path else str(i)
                child = ("r" if below else "h") + place
                children.append((child, place))
                links.append(Link(parent, child, **fields))
        hosts += [name for name, _ in children]
        level = children
    return Topology(hosts, links)


def _named_call(leaves: tuple[Any, ...]) -> str:
    """What was meant by leaves in a list, or by their number: star(["a", "b"]) is star("a", "b")."""
    each = [name for leaf in leaves for name in (leaf if isinstance(leaf, list | tuple | set) else [leaf])]
    if len(each) == 1 and isinstance(each[0], int):
        return f'star(*(f"h{{i}}" for i in range({each[0]})))'
    return f"star({', '.join(json.dumps(str(name)) for name in each)})"


def _link(a: str, b: str, **fields: Any) -> Link:
    """A link that loses packets from a to b only, unless `backward` says otherwise."""
    back = fields.pop("backward", None) or {}
    if isinstance(back, Direction):
        back = {name: getattr(back, name) for name in back.model_fields_set}
    return Link(a, b, backward={"loss": None, **back}, **fields)


def _access(
    rate: Any, access_rate: Any, access_delay: Any, fields: dict[str, Any], nic: Any = None
) -> dict[str, Any]:
    """An access link's fields: ten times the bottleneck's rate unless given, or its ports."""
    if access_rate is None and rate is not None and nic is None:
        access_rate = f"{10 * bit_rate(rate)}bit"
    access: dict[str, Any] = {"rate": access_rate, "delay": access_delay, "nic": nic}
    if access_rate is not None:
        access["queue"] = ACCESS_QUEUE
    return access | {name: fields[name] for name in ("mtu",) if name in fields}


def _numbered(name: str, n: int) -> list[str]:
    return [name] if n == 1 else [f"{name}{i}" for i in range(1, n + 1)]


def _count(name: str, value: int, hosts: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SpecError(f"{name}={value!r}: must be a whole number, 1 or more")
    if hosts > MAX_HOSTS:
        raise SpecError(f"{name}={value}: makes {hosts} hosts: at most {MAX_HOSTS} are possible")
