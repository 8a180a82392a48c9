"""What is kept of packets, as records of a lab program: captures of interfaces, and every packet lost."""

from __future__ import annotations

from labkit.compile import measuring
from labkit.compile.layout import Interface, Layout
from labkit.program import records
from labkit.program.builder import Program
from labkit.program.structs import Op
from labkit.spec import Capture, Experiment

WHOLE = 65535  # bytes: no frame is longer
DROP_SNAP = 128
_RING_KB = 4096
_BURST_KB = 8192  # a window of data: what a flow may send at one instant over a link without a rate
_LARGEST_KB = 262_144


def add_drops(program: Program, exp: Experiment) -> None:
    """Before any namespace: the kernel's drop monitor speaks in the first one only."""
    listening = next((probe for probe in measuring.asked(exp) if probe.drop_monitor), None)
    if listening is not None:
        program.add(Op.DROPS, records.drops(DROP_SNAP), f"probe {listening.name}")


def add_captures(program: Program, exp: Experiment, layout: Layout) -> int:
    """Returns the size of all rings in KiB."""
    size, total = ring_kb(exp), 0
    for capture in exp.capture:
        for interface in captured(capture, layout):
            body = records.capture(interface.index, min(capture.snap or WHOLE, WHOLE), size)
            program.add(Op.CAPTURE, body, f"capture {capture.host}.{interface.name}", ns=interface.ns)
            total += size
    return total


def captured(capture: Capture, layout: Layout) -> list[Interface]:
    """The devices that a capture names."""
    mine = layout.interfaces[capture.host]
    return [device for device in mine if capture.interface in (None, device.name)]


def ring_kb(exp: Experiment) -> int:
    """Of each capture. The agent reads it when a part is full, so it must hold what comes at once."""
    ways = [way for link in exp.topology.links for way in (link.forward, link.backward)]
    bursts = len(exp.flows) if any(way.rate is None for way in ways) else 0
    return min(_RING_KB + bursts * _BURST_KB, _LARGEST_KB)
