"""What boxes in the middle do: swallow ICMP, bleach ECN, drop or edit SYNs. They are routers' nftables."""

from __future__ import annotations

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.patient import Patient
from labkit.mysteries.typed import AROUND, COUNTERS, LARGE_PING, PING, TRACE, capture

ROUTERS = ("r1", "r2")
_SYN = r"Flags \[S\S*|options \[.*\]"


def rule(to: Patient, host: str, hook: str, text: str) -> Patient:
    """The network with a rule of nftables on a host."""
    chain = f"chain box {{ type filter hook {hook} priority 0; {text}; }};"
    return to.with_command(host, f"nft 'table ip box {{ {chain} }}'")


def _around(place: str, pattern: str) -> tuple[Witness, ...]:
    """What was captured in front of a box and behind it."""
    return tuple(
        Witness("handshake", host, capture(interface), pattern, only=True)
        for host, interface in AROUND[place]
    )


def _mtu_black_hole(to: Patient, place: str, severity: str) -> Patient:
    device = {"r1": "eth1", "r2": "eth2"}[place]
    sick = to.with_command(place, f"ip link set {device} mtu {severity.split()[0]}")
    return rule(sick, place, "output", "icmp type destination-unreachable drop")


MTU_BLACK_HOLE = Cause(
    "MTU black hole",
    "A narrower link, and no ICMP says so.",
    places=ROUTERS,
    severities=("1450 bytes", "1400 bytes", "1280 bytes"),
    symptom="Logging in works, files never come: short packets pass, full ones do not.",
    shows="ping -M do -s 1472: no answer; tracepath: no reply beyond the router",
    lies="ping without -s, and every counter of errors.",
    cure="Let ICMP type 3, code 4 pass; else clamp the MSS or set net.ipv4.tcp_mtu_probing.",
    chapter="5",
    change=_mtu_black_hole,
    seen=lambda place: (
        Witness("before", "left", PING, "packet loss"),
        Witness("before", "left", LARGE_PING, "packet loss"),
        Witness("before", "left", TRACE, "."),
    ),
)


ECN_BLEACHING = Cause(
    "ECN bleaching",
    "A box that still believes that these two bits are its own, and clears them.",
    places=ROUTERS,
    severities=("all packets",),
    symptom="Loss where marks would do, behind the box; in front of it marks are lost, and queues can grow.",
    shows="tcpdump -v on both sides of the box: ECT(0), then tos 0x0; nstat: IpExtInECT0Pkts 0",
    lies="ss -ti: ecn. Both ends have agreed on it.",
    cure="Have the box repaired (it should clear six bits, not eight).",
    chapter="9",
    change=lambda to, place, severity: rule(to, place, "forward", "ip ecn set not-ect"),
    seen=lambda place: (
        *_around(place, r"tos \S+ ttl \d+|length 1500\)"),
        Witness("after", "right", COUNTERS, "IpExtIn(ECT0|CE|NoECT)"),
    ),
)


SYN_DROPPED = Cause(
    "ECN SYNs dropped",
    "A firewall that takes the two ECN flags in a SYN for an attack.",
    places=ROUTERS,
    severities=("all such SYNs",),
    symptom="Every connection takes a second longer to begin, and is fast then.",
    shows="tcpdump: each SYN once with [SEW] and no answer, a second later with [S]; "
    "nstat: TcpExtTCPSynRetrans",
    lies="The transfer's rate, and every counter of losses.",
    cure="Repair the firewall; until then net.ipv4.tcp_ecn = 2 at the clients.",
    chapter="9",
    change=lambda to, place, severity: rule(
        to, place, "forward", "tcp flags & (syn|ecn|cwr) == syn|ecn|cwr drop"
    ),
    seen=lambda place: (
        *_around(place, _SYN),
        Witness("after", "left", COUNTERS, "TCPSynRetrans"),
    ),
)


OPTION_STRIPPED = Cause(
    "window scale stripped",
    "A firewall that takes an option out of SYNs that it does not know.",
    places=ROUTERS,
    severities=("all SYNs",),
    symptom="As with window scaling off, though both ends have it on.",
    shows="tcpdump on both sides of the box: the SYN has wscale, then it has none",
    lies="sysctl at both ends: tcp_window_scaling = 1.",
    cure="Repair or remove the box.",
    chapter="14",
    change=lambda to, place, severity: rule(to, place, "forward", "tcp flags syn reset tcp option window"),
    seen=lambda place: _around(place, _SYN),
)
