"""Measurements that count packets: queues, losses and the wire's other faults."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from labkit.doctor.calibrate.measurement import HEADERS, PAYLOAD, Measurement, Row, flow_of, network, share
from labkit.spec import Command, DropPackets, EveryNth, Experiment, Flow, GilbertElliott
from labkit.spec.topologies import pair

if TYPE_CHECKING:
    from labkit.results.result import Result


def queue(packets: int, path: str = "wire") -> Measurement:
    """A burst of limit + 50 datagrams within the time of one frame: limit + 1 arrive."""
    n, rate = packets + 50, 100e3
    frame_s = (PAYLOAD + HEADERS) * 8 / rate
    flow = Flow("left", "right", protocol="udp", rate=PAYLOAD * 8 * (n + 5) / frame_s, size=PAYLOAD * n)
    exp = Experiment(network(path, rate=rate, queue=f"{packets}p"), flows=[flow], probes=[])

    def read(result: Result) -> list[Row]:
        got = int(flow_of(result)["received_packets"])
        return [Row(f"queue of a {path}, packets", packets, got - 1, 0)]

    return Measurement(exp, read)


def _many(loss: Any = None, n: int = 20_000, **fields: Any) -> Experiment:
    """n small datagrams; their losses do not depend on their size. Each with a seed of its own."""
    seed = zlib.crc32(repr((loss, fields)).encode())
    flow = Flow("left", "right", protocol="udp", rate="8mbit", packet=100, size=100 * n)
    return Experiment(pair(loss=loss, **fields), flows=[flow], seed=seed, probes=[])


def _lost(result: Result) -> tuple[int, int]:
    got = flow_of(result)
    return int(got["sent_packets"]), int(got["sent_packets"] - got["received_packets"])


def random_loss(percent: float) -> Measurement:
    """The share of 20,000 datagrams that is lost."""

    def read(result: Result) -> list[Row]:
        n, lost = _lost(result)
        return [share("loss, share", n, percent / 100, lost)]

    return Measurement(_many(f"{percent}%"), read)


def gilbert_elliott(p: float, r: float) -> Measurement:
    """The share that is lost. Losses come in bursts: neighbours are correlated by c = 1 - p - r, and n
    of them tell as much as n (1 - c) / (1 + c) independent ones."""
    c = 1 - p - r

    def read(result: Result) -> list[Row]:
        n, lost = _lost(result)
        what = f"loss of Gilbert-Elliott {p}, {r}, share"
        return [share(what, n, p / (p + r), lost, (1 - c) / (1 + c))]

    return Measurement(_many(GilbertElliott(p, r)), read)


def bursts(p: float, r: float, n: int = 4000) -> Measurement:
    """Gilbert-Elliott packet by packet, by ping's sequence numbers: each change of state is a trial."""
    command = Command("left", f"ping -n -c {n} -i 0.1 right")
    exp = Experiment(pair(loss=GilbertElliott(p, r)), commands=[command], probes=[])

    def read(result: Result) -> list[Row]:
        seen = {int(text) for text in re.findall(r"icmp_seq=(\d+)", result.output())}
        steps = list(pairwise(number in seen for number in range(1, n + 1)))
        good, bad = sum(was for was, _ in steps), sum(not was for was, _ in steps)
        fell = sum(was and not now for was, now in steps)
        rose = sum(now and not was for was, now in steps)
        return [
            share("Gilbert-Elliott's p, share", good, p, fell),
            share("Gilbert-Elliott's r, share", bad, r, rose),
        ]

    return Measurement(exp, read)


def every_nth(n: int) -> Measurement:
    """Lost packets, exactly: of UDP, or for a large n of TCP, whose segments cost the host least."""
    if n < 10_000:
        flow = Flow("left", "right", protocol="udp", rate="8mbit", packet=100, size=100 * 5000)
    else:
        flow = Flow("left", "right", cc="reno", size=1460 * n * 2)
    network = pair(delay="1ms", loss=EveryNth(n))  # no queue, which might lose packets too
    exp = Experiment(network, flows=[flow], duration=20, probes=[])  # until the last FIN is there
    return Measurement(exp, _counted(f"every {n}th lost, packets", n))


def _counted(what: str, n: int) -> Callable[[Result], list[Row]]:
    """By the two hosts' interface counters."""

    def read(result: Result) -> list[Row]:
        sent, received = _interface(result, "left", "tx_packets"), _interface(result, "right", "rx_packets")
        return [Row(what, sent // n, sent - received, 0)]

    return read


def _interface(result: Result, host: str, counter: str) -> int:
    table = result.interfaces
    mine = table[(table["host"] == host) & (table["role"] == "host") & (table["name"] == counter)]
    return int(mine["delta"].iloc[0])


def drop_packets(numbers: Sequence[int]) -> Measurement:
    """Exactly these datagrams are lost."""

    def read(result: Result) -> list[Row]:
        return [Row("named packets lost", len(numbers), _lost(result)[1], 0)]

    return Measurement(_many(DropPackets(list(numbers)), n=max(numbers) + 5), read)


def corruption(percent: float, payload: int = 100) -> Measurement:
    """Datagrams that do not arrive, as a checksum is wrong. One flipped bit goes unnoticed in the
    Ethernet source address, and in the destination's group bit: 49 of a frame's bits."""
    noticed = 1 - 49 / (8 * (payload + HEADERS))

    def read(result: Result) -> list[Row]:
        n, lost = _lost(result)
        return [share("corruption, share", n, percent / 100 * noticed, lost)]

    return Measurement(_many(corrupt=f"{percent}%"), read)


def duplication(percent: float) -> Measurement:
    """Datagrams that arrive twice."""

    def read(result: Result) -> list[Row]:
        n, lost = _lost(result)
        return [share("duplication, share", n, percent / 100, -lost)]

    return Measurement(_many(duplicate=f"{percent}%"), read)
