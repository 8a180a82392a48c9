"""What is wrong with the line between the routers, where no counter of yours looks."""

from __future__ import annotations

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.patient import TRANSFER_S, Patient
from labkit.mysteries.typed import COUNTERS, LINKS, PING
from labkit.spec import ContinuousGilbertElliott

LINE = ("r1-r2",)
_STALLED = 1000  # bit/s: what it has saved up lets one more full packet pass
_FIRST_S, _EVERY_S = 1.3, 1.6
_SHAPE = "tc qdisc change dev eth1 root handle 1: tbf rate {}bit burst 1514 limit 1000mb"


def _both_ends() -> tuple[Witness, ...]:
    return tuple(Witness("after", host, LINKS, "^[0-9]+: eth|^ +[0-9]{5}|[RT]X: ") for host in ("r1", "r2"))


def _radio_loss(to: Patient, place: str, severity: str) -> Patient:
    bad = int(severity.split()[0]) / 1e3
    return to.with_wire("r1-r2", loss=ContinuousGilbertElliott(good=1.0 - bad, bad=bad))


RADIO_LOSS = Cause(
    "bursty loss",
    "A radio link that fades for some hundredths of a second.",
    places=LINE,
    severities=("40 ms a second", "80 ms a second", "120 ms a second"),
    symptom="Slow, with pauses; calls lose whole syllables.",
    shows="ip -s link at both ends of the line: sent and not received; missing pings come in rows",
    lies="Every counter of errors: what died on the way was seen by nobody.",
    cure="The operator's: the radio, its antennas, its coding.",
    chapter="10",
    change=_radio_loss,
    seen=lambda place: (*_both_ends(), Witness("before", "left", PING, "packet loss")),
)


RANDOM_LOSSES = Cause(
    "random loss",
    "Single packets are lost, each by chance.",
    places=LINE,
    severities=("1%", "2%", "4%"),
    symptom="Slow, more so over a long way; a ping is missing now and then.",
    shows="ip -s link at both ends of the line: sent and not received; missing pings are single",
    lies="Every counter of errors: what died on the way was seen by nobody.",
    cure="The operator's: somewhere between your routers packets die.",
    chapter="10",
    change=lambda to, place, severity: to.with_wire("r1-r2", loss=severity),
    seen=lambda place: (*_both_ends(), Witness("before", "left", PING, "packet loss")),
)


ACK_LOSS = Cause(
    "ACK loss",
    "Losses on the way back only.",
    places=LINE,
    severities=("10%", "20%", "40%"),
    symptom="Pings are lost; sending a file is hardly slower, fetching one is.",
    shows="ip -s link at both ends of the line: lost from r2 to r1, nothing from r1 to r2",
    lies="ping: it cannot tell the way there from the way back.",
    cure="The operator's, and only that direction of it.",
    chapter="13",
    change=lambda to, place, severity: to.with_wire("r2-r1", loss=severity),
    seen=lambda place: (*_both_ends(), Witness("before", "left", PING, "packet loss")),
)


DUPLICATES = Cause(
    "duplicated packets",
    "Packets come twice: two ways are joined in a loop that a bridge does not cut.",
    places=LINE,
    severities=("1%", "5%", "20%"),
    symptom="Hardly any; TCP takes some of them for signs of reordering.",
    shows="ping: DUP!; ip -s link: more received than sent; nstat: TCPDSACKOldSent",
    lies="Loss, as some tools compute it: negative.",
    cure="Look for a loop or for two boxes that both forward.",
    chapter="12",
    change=lambda to, place, severity: to.with_wire("r1-r2", duplicate=severity),
    seen=lambda place: (*_both_ends(), Witness("before", "left", PING, "duplicates")),
)


REORDERING = Cause(
    "reordering",
    "Some packets overtake others: a path of several lines that takes turns by packets.",
    places=LINE,
    severities=("1%", "5%", "20%"),
    symptom="Slow, with retransmissions, though nothing is lost.",
    shows="nstat: TCPSACKReorder at the sender, TCPOFOQueue at the receiver; ip -s link: all arrived",
    lies="Retransmissions: they look like loss.",
    cure="Have the operator spread by flows, not by packets.",
    chapter="12",
    change=lambda to, place, severity: to.with_wire("r1-r2", reorder=severity),
    seen=lambda place: (
        Witness("after", "left", COUNTERS, "SACKReorder|TSReorder|RetransSegs"),
        Witness("after", "right", COUNTERS, "TCPOFOQueue"),
    ),
)


def _delay_spikes(to: Patient, place: str, severity: str) -> Patient:
    lasts = int(severity.split()[2]) / 1e3
    stop, go = (_SHAPE.format(rate) for rate in (_STALLED, round(to.line_rate)))
    stall = f"{stop}; sleep {lasts:g}; {go}; sleep {_EVERY_S - lasts:g}"
    rest, busy = (f"for i in $(seq {count}); do {stall}; done" for count in (3, 4))
    wait_s = TRANSFER_S + 0.3 - _FIRST_S - 3 * _EVERY_S
    return to.with_command("r1", f"(sleep {_FIRST_S}; {rest}; sleep {wait_s:g}; {busy}) &")


DELAY_SPIKES = Cause(
    "delay spikes",
    "The line stands still for some tenths of a second: a handover, a power-save mode, a busy radio.",
    places=LINE,
    severities=("stalls of 400 ms", "stalls of 600 ms", "stalls of 900 ms"),
    symptom="Calls stutter; all arrives, some of it late.",
    shows="ping: max far above min, with nothing lost and nothing else on the line",
    lies="Every counter of losses and errors: all arrives.",
    cure="Look for the pattern in time: what else happens in these moments?",
    chapter="12",
    change=_delay_spikes,
    seen=lambda place: (Witness("before", "left", PING, "rtt|packet loss"),),
)
