"""What is wrong with a route."""

from __future__ import annotations

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.patient import Patient
from labkit.mysteries.typed import TRACE

CLIENTS, SERVERS = "10.0.1.0/24", "10.0.5.0/24"
"""The networks of left and of right: labkit numbers links in their order."""
R3_SEEN_FROM_R1, R3_SEEN_FROM_R2 = "10.0.3.2", "10.0.4.1"


ASYMMETRIC_ROUTE = Cause(
    "asymmetric route",
    "The way back is another one, and longer.",
    places=("r2",),
    severities=("60 ms back", "100 ms back", "200 ms back"),
    symptom="Everything answers later than the map says.",
    shows="tracepath: asymm; ip -s link: ACKs come by an interface that no data left by",
    lies="traceroute from one end: it shows the way there only, with the time of both.",
    cure="Look at the routes on the way back; stateful firewalls need both ways.",
    chapter="13",
    change=lambda to, place, severity: _way_back(_slow_backup(to, severity)),
    seen=lambda place: (Witness("before", "left", TRACE, "."),),
)


def _detour(to: Patient, place: str, severity: str) -> Patient:
    sick = _way_back(_slow_backup(to, severity))
    return sick.with_command("r1", f"ip route replace {SERVERS} via {R3_SEEN_FROM_R1}")


DETOUR = Cause(
    "detour",
    "Both ways lead over the backup: a link failed long ago, and nobody looked since.",
    places=("r1",),
    severities=("60 ms each way", "100 ms each way", "200 ms each way"),
    symptom="Everything answers later than the map says.",
    shows="tracepath: a hop more than on the map",
    lies="Loss, queues, errors: there is none.",
    cure="Look why the routing left the direct line.",
    chapter="5",
    change=_detour,
    seen=lambda place: (Witness("before", "left", TRACE, "."),),
)


def _way_back(to: Patient) -> Patient:
    return to.with_command("r2", f"ip route replace {CLIENTS} via {R3_SEEN_FROM_R2}")


def _slow_backup(to: Patient, severity: str) -> Patient:
    """r1-r3 and back takes so long (one way)."""
    delay = f"{severity.split()[0]}ms"
    return to.with_wire("r1-r3", delay=delay).with_wire("r3-r1", delay=delay)
