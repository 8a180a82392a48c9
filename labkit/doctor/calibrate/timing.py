"""Measurements of time: rates, delays, instants, timers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labkit.doctor.calibrate.measurement import HEADERS, PAYLOAD, Measurement, Row, flow_of, network
from labkit.spec import Change, Command, DropPackets, Experiment, Flow
from labkit.spec.topologies import pair

if TYPE_CHECKING:
    from labkit.results.result import Result

RATE_LIMIT = 0.005  # of the rate
DELAY_LIMIT_S = 20e-6
START_LIMIT_S = 1e-6


def rate(mbit: float, path: str = "wire", frames: int = 1000) -> Measurement:
    """Frames between the first arrival and the last of a UDP flow of twice the rate."""
    seconds = frames * (PAYLOAD + HEADERS) * 8 / (mbit * 1e6)
    flow = Flow("left", "right", protocol="udp", rate=f"{2 * mbit}mbit", duration=seconds)
    exp = Experiment(network(path, rate=f"{mbit}mbit"), flows=[flow], probes=[])

    def read(result: Result) -> list[Row]:
        got = flow_of(result)
        bits = (got["received_packets"] - 1) * (PAYLOAD + HEADERS) * 8
        measured = bits / (got["last_byte_s"] - got["first_byte_s"]) / 1e6
        return [Row(f"rate of a {path}'s queue, Mbit/s", mbit, measured, RATE_LIMIT * mbit)]

    return Measurement(exp, read)


def _single(start: float, **fields: Any) -> Flow:
    """One datagram."""
    return Flow("left", "right", protocol="udp", rate="1mbit", size=PAYLOAD, start=start, **fields)


def _worst(values: Sequence[float], wanted: float) -> float:
    return max(values, key=lambda value: abs(value - wanted))


def _took(result: Result) -> list[float]:
    """Of each flow the time (s) from its configured start to its first arrival."""
    return list(result.flows["first_byte_s"] - result.flows["start_s"])


def delay(ms: float, mbit: float | None = None) -> Measurement:
    """The worst of five lone datagrams, one way."""
    fields = {"delay": f"{ms}ms"} | ({} if mbit is None else {"rate": f"{mbit}mbit"})
    exp = Experiment(pair(**fields), flows=[_single(0.1 + 0.700_013 * i) for i in range(5)], probes=[])
    at = "" if mbit is None else f" at {mbit} Mbit/s"

    def read(result: Result) -> list[Row]:
        return [Row(f"delay{at}, s", ms / 1e3, _worst(_took(result), ms / 1e3), DELAY_LIMIT_S)]

    return Measurement(exp, read)


def ping(ms: float) -> Measurement:
    """The worst of five round trips, by the machine's own ping."""
    exp = Experiment(pair(delay=f"{ms}ms"), commands=[Command("left", "ping -n -q -c 5 right")], probes=[])

    def read(result: Result) -> list[Row]:
        found = re.search(r"= ([\d.]+)/[\d.]+/([\d.]+)/", result.output())
        times = [float(text) / 1e3 for text in found.groups()] if found else [float("nan")]
        return [Row("round trip by ping, s", 2 * ms / 1e3, _worst(times, 2 * ms / 1e3), DELAY_LIMIT_S)]

    return Measurement(exp, read)


def start_times() -> Measurement:
    """The worst of twenty flows that start at odd microseconds, on a link without delay."""
    starts = [0.5 + 0.010_007 * i for i in range(20)]
    exp = Experiment(pair(), flows=[_single(start) for start in starts], probes=[])

    def read(result: Result) -> list[Row]:
        return [Row("start of a flow, late by s", 0.0, _worst(_took(result), 0.0), START_LIMIT_S)]

    return Measurement(exp, read)


def change_instant() -> Measurement:
    """A delay that changes at 10 s: datagrams a microsecond apart show when."""
    old, new, at = 0.010, 0.050, 10.0
    flows = [_single(at + offset * 1e-6) for offset in range(-10, 11)]
    exp = Experiment(
        pair(delay=old), flows=flows, changes=[Change(at, ("left", "right"), delay=new)], probes=[]
    )

    def read(result: Result) -> list[Row]:
        took = _took(result)
        after = [flow.start for flow, s in zip(flows, took, strict=True) if abs(s - new) < DELAY_LIMIT_S]
        before = [flow.start for flow, s in zip(flows, took, strict=True) if abs(s - old) < DELAY_LIMIT_S]
        clean = len(after) + len(before) == len(flows) and max(before) < min(after)
        return [Row("instant of a change, s", at, min(after) if clean else float("nan"), START_LIMIT_S)]

    return Measurement(exp, read)


def rate_change() -> Measurement:
    """A rate that doubles at 1 s under a full queue: when the last of the frames arrives, to one frame."""
    slow, fast, at = 10e6, 20e6, 1.0
    frame = (PAYLOAD + HEADERS) * 8
    flow = Flow("left", "right", protocol="udp", rate="30mbit", duration=2)
    change = Change(at, ("left", "right"), rate=fast)
    exp = Experiment(pair(rate=slow, queue="100p"), flows=[flow], changes=[change], probes=[])

    def read(result: Result) -> list[Row]:
        got = flow_of(result)
        bits = (got["received_packets"] - 1) * frame - slow * (at - got["first_byte_s"])
        due = at + bits / fast
        return [Row("last arrival after a change of rate, s", due, got["last_byte_s"], frame / slow)]

    return Measurement(exp, read)


def kernel_timer() -> Measurement:
    """TCP sends its SYN again after 1 s. The kernel's timer wheel may round this up by 64 ticks of 1 ms."""
    late, rtt = 0.064, 0.02
    network = pair(delay=rtt / 2, loss=DropPackets([1]))
    exp = Experiment(network, flows=[Flow("left", "right", size=1000, start=1)], probes=[])

    def read(result: Result) -> list[Row]:
        took = float(flow_of(result)["established_s"]) - 1.0
        return [Row("connection whose first SYN is lost, s", 1 + rtt, took, late + DELAY_LIMIT_S)]

    return Measurement(exp, read)
