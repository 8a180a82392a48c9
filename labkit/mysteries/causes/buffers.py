"""What is wrong with a queue: too short, too long, full of others' packets, or none at all (a policer)."""

from __future__ import annotations

from dataclasses import replace

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.patient import CHECK_S, FRAME, TRANSFER_S, Patient
from labkit.mysteries.typed import LOADED_PING, PING, QUEUES
from labkit.spec import Flow
from labkit.traffic.flow import UDP_PAYLOAD

_FROM_S, _UNTIL_S = TRANSFER_S - 0.2, CHECK_S + 1.7


def _full_queue(to: Patient, place: str, severity: str) -> Patient:
    share = int(severity.split()[0]) / 100
    lasts = {"start": _FROM_S, "duration": _UNTIL_S - _FROM_S}
    flood = Flow("other", "right", protocol="udp", rate=share * to.line_rate * UDP_PAYLOAD / FRAME, **lasts)
    return replace(to, queue=f"{to.round_trip_packets}p").with_traffic(flood)


FULL_QUEUE = Cause(
    "full queue",
    "Others use up the line.",
    places=("r1",),
    severities=("90 % used by others", "100 % used by others", "120 % used by others"),
    symptom="Fine at night; slow and late whenever the others work.",
    shows="tc -s qdisc at the router: dropped, and far more bytes sent than yours",
    lies="Your own counters: they show loss and no reason.",
    cure="More line, fair queueing (fq_codel, cake), or ask the others.",
    chapter="8",
    change=_full_queue,
    seen=lambda place: (Witness("after", "r1", QUEUES, "pfifo .*limit|dropped [1-9]"),),
)


SHORT_QUEUE = Cause(
    "short queue",
    "A buffer of a few packets, as in some cheap switches.",
    places=("r1",),
    severities=("8 packets", "5 packets", "3 packets"),
    symptom="A single transfer does not fill the line; several together do.",
    shows="tc -s qdisc at the router: limit of a few packets, dropped; ping under load as fast as ever",
    lies="Its backlog: it is 0 nearly whenever you look.",
    cure="A buffer of about a round trip's worth for one flow, less for many.",
    chapter="8",
    change=lambda to, place, severity: replace(to, queue=f"{severity.split()[0]}p"),
    seen=lambda place: (Witness("after", "r1", QUEUES, "pfifo .*limit|dropped [1-9]"),),
)


def _bufferbloat(to: Patient, place: str, severity: str) -> Patient:
    lasts = {"start": _FROM_S, "duration": _UNTIL_S - _FROM_S}
    uploads = [Flow("other", "right", name=f"upload {i}", sndbuf="1500kB", **lasts) for i in (1, 2, 3)]
    return replace(to, queue=f"{severity.split()[0]}p").with_traffic(*uploads)


BUFFERBLOAT = Cause(
    "bufferbloat",
    "A buffer of seconds.",
    places=("r1",),
    severities=("500 packets", "1000 packets", "3000 packets"),
    symptom="Calls and games break as soon as somebody sends a file; the file is fast.",
    shows="ping under load: late; tc -s qdisc at the router: backlog of hundreds of packets",
    lies="The rate: every speed test is happy.",
    cure="fq_codel or cake in front of the slowest line.",
    chapter="8",
    change=_bufferbloat,
    seen=lambda place: (
        Witness("before", "left", PING, "rtt"),
        Witness("during", "left", LOADED_PING, "rtt"),
        Witness("during", "r1", QUEUES, "backlog .* [1-9][0-9]+p"),
    ),
)


def _policer(to: Patient, place: str, severity: str) -> Patient:
    rate = int(severity.split()[0]) / 100 * to.line_rate
    interface = "eth0"
    qdisc = f"tc qdisc add dev {interface} handle ffff: ingress"
    police = f"police rate {rate:.0f} burst 12k conform-exceed drop"
    rule = f"tc filter add dev {interface} parent ffff: matchall action {police}"
    return to.with_command(place, f"{qdisc} && {rule}")


POLICER = Cause(
    "policer",
    "What exceeds a rate is thrown away at once.",
    places=("r1", "r2"),
    severities=("75 % of the line", "50 % of the line", "25 % of the line"),
    symptom="The first moments are fast; then far below what was bought, with loss and without delay.",
    shows="tc -s qdisc at the router: dropped of the ingress qdisc",
    lies="ping under load: no queue, no delay, hardly a ping lost.",
    cure="Shape below that rate yourself, or have it raised, with a burst of a round trip's worth.",
    chapter="9",
    change=_policer,
    seen=lambda place: (Witness("after", place, QUEUES, "ingress|dropped [1-9]"),),
)
