"""The probe "drops": every packet lost anywhere, from the kernel's drop monitor.

Its table is the ledger's (labkit.results.ledger.drops), which names the causes.
"""

from __future__ import annotations

from collections.abc import Sequence

from labkit.probes.probe import Event, Probe, Scene

FRAME_LOST = "labnic/frame_lost"  # of the teaching NIC: what its ports lose, and why


def _events(scene: Scene) -> Sequence[Event]:
    return [Event(FRAME_LOST, bytes=48, everywhere=True)] if scene.ports else []


PROBE = Probe("drops", "every packet lost anywhere", events=_events, drop_monitor=True)
