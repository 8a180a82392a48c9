"""What a link is, in a few words: "10 Mbit/s", "20 ms", "1 % loss", "queue 100 packets"."""

from __future__ import annotations

from labkit.spec import (
    ContinuousGilbertElliott,
    Direction,
    EveryNth,
    GilbertElliott,
    Link,
    LossKind,
    Nic,
    Queue,
    RandomLoss,
)

_SCALE = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def both_ways(link: Link) -> tuple[list[str], list[str]]:
    """What a link does to packets, forward and backward."""
    there, back = parts(link.forward), parts(link.backward)
    if link.nic_a is None or link.nic_b is None:
        return there, back
    return ports(link.nic_a, link.nic_b) + there, ports(link.nic_b, link.nic_a) + back


def ports(sends: Nic, receives: Nic) -> list[str]:
    """What two ports do to frames from the first to the second: the slower one's speed, flipped bits."""
    found = [scaled(min(sends.speed, receives.speed), "bit/s")]
    if receives.rx_power is not None:
        found.append(f"{receives.rx_power:g} dBm")
    if receives.ber:
        found.append(f"bit errors {receives.ber:g}")
    if receives.memory_ber:
        found.append(f"in memory {receives.memory_ber:g}")
    return found


def parts(way: Direction) -> list[str]:
    """Everything that one direction of a link does to packets, each in its own text."""
    found = []
    if way.rate is not None:
        by = "a trace, mean " if way.trace is not None else ""
        found.append(by + scaled(way.rate, "bit/s"))
    if way.delay:
        spread = f" ± {duration(way.jitter)}" if way.jitter else ""
        found.append(duration(way.delay) + spread)
    if way.loss is not None:
        found.append(loss(way.loss))
    for name in ("corrupt", "duplicate", "reorder"):
        if share := getattr(way, name):
            found.append(f"{percent(share)} {name}")
    if way.queue is not None:
        found.append(queue_text(way.queue))
    if way.wire_limit is not None:
        found.append(f"wire holds {way.wire_limit}")
    return found


def queue_text(what: Queue) -> str:
    """ "queue 100 packets", "fq_codel", "htb (gold, rest)"."""
    if what.classes:
        return f"{what.kind} ({', '.join(one.name for one in what.classes)})"
    kind = "queue" if what.kind in ("pfifo", "bfifo") else what.kind
    if what.packets is not None:
        return f"{kind} {what.packets} packets"
    return f"{kind} {scaled(what.bytes, 'B')}" if what.bytes is not None else kind


def loss(what: LossKind) -> str:
    """ "1 % loss", "bursty loss", "every 100th lost", "packet 300 lost"."""
    if isinstance(what, RandomLoss):
        return f"{percent(what.p)} loss"
    if isinstance(what, EveryNth):
        return f"1 in {what.n} lost"
    if isinstance(what, GilbertElliott | ContinuousGilbertElliott):
        return "bursty loss"
    several = len(what.numbers) > 1
    return f"{len(what.numbers)} packets lost" if several else f"packet {what.numbers[0]} lost"


def scaled(value: float, unit: str) -> str:
    """ "10 Mbit/s", "64 kB"."""
    factor, prefix = next((step for step in _SCALE if value >= step[0]), _SCALE[-1])
    return f"{value / factor:g} {prefix}{unit}"


def duration(time_s: float) -> str:
    """ "10 ms", "1.5 s", "50 µs"."""
    if time_s >= 1:
        return f"{time_s:g} s"
    return f"{1e3 * time_s:g} ms" if time_s >= 1e-4 else f"{1e6 * time_s:g} µs"


def percent(share: float) -> str:
    """ "1 %"."""
    return f"{100 * share:g} %"
