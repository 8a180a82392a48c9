"""What is wrong with a host's settings (sysctls) and with its server's backlog."""

from __future__ import annotations

from dataclasses import replace

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.patient import Patient
from labkit.mysteries.typed import COUNTERS, LISTENERS, SOCKETS, capture

ENDS = ("left", "right")
_WINDOW = r"delivery_rate \d+bps|rwnd_limited:\S+|snd_wnd:\d+"
_MEMORY = r"skmem:\S+|delivery_rate \d+bps|sndbuf_limited:\S+"
_SYN = r"Flags \[S\S*|options \[.*\]"


NO_WINDOW_SCALING = Cause(
    "window scaling off",
    "Advice of the year 2000, still followed.",
    places=ENDS,
    severities=("net.ipv4.tcp_window_scaling = 0",),
    symptom="Never more than 64 kB a round trip, over a long way slower than over a short one.",
    shows="ss -ti: no wscale, snd_wnd under 65536; tcpdump: whose SYN has no wscale",
    lies="The buffers: tcp_rmem is as large as ever.",
    cure="net.ipv4.tcp_window_scaling = 1",
    chapter="14",
    change=lambda to, place, severity: to.with_sysctl(place, "net.ipv4.tcp_window_scaling", 0),
    seen=lambda place: (Witness("handshake", "r2", capture("eth2"), _SYN, only=True),),
)


NO_SACK = Cause(
    "SACK off",
    "SACK was switched off, perhaps in the week of a security advisory.",
    places=ENDS,
    severities=("net.ipv4.tcp_sack = 0",),
    symptom="None, until several packets of a window are lost: then pauses.",
    shows="ss -ti: no sack; tcpdump: whose SYN has no sackOK",
    lies="A test on a line without loss.",
    cure="net.ipv4.tcp_sack = 1",
    chapter="14",
    change=lambda to, place, severity: to.with_sysctl(place, "net.ipv4.tcp_sack", 0),
    seen=lambda place: (Witness("handshake", "r2", capture("eth2"), _SYN, only=True),),
)


def _small_window(to: Patient, place: str, severity: str) -> Patient:
    size = 1024 * int(severity.split()[0])
    return to.with_sysctl(place, "net.ipv4.tcp_rmem", f"4096 {size} {size}")


SMALL_WINDOW = Cause(
    "small receive window",
    "The receiver's host gives connections little memory.",
    places=("right",),
    severities=("64 KiB", "32 KiB", "16 KiB"),
    symptom="A steady rate below the line's, which falls with distance; every program has it.",
    shows="ss -ti at the sender: rwnd_limited, small snd_wnd; the same for a second program",
    lies="cwnd: TCP would send far more.",
    cure="net.ipv4.tcp_rmem: its last number: twice a round trip's worth or more.",
    chapter="14",
    change=_small_window,
    seen=lambda place: (
        Witness("during", "left", SOCKETS, _WINDOW, only=True),
        Witness("check", "left", SOCKETS, _WINDOW, only=True),
    ),
)


def _small_send_memory(to: Patient, place: str, severity: str) -> Patient:
    size = 1024 * int(severity.split()[0])
    return to.with_sysctl(place, "net.ipv4.tcp_wmem", f"4096 {min(size, 16384)} {size}")


SMALL_SEND_MEMORY = Cause(
    "small send memory",
    "The sender's host gives connections little memory.",
    places=("left",),
    severities=("64 KiB", "32 KiB", "16 KiB"),
    symptom="A steady rate below the line's, which falls with distance; every program has it.",
    shows="ss -ti at the sender: sndbuf_limited; the same for a second program",
    lies="snd_wnd: the receiver would take far more.",
    cure="net.ipv4.tcp_wmem: its last number: twice a round trip's worth or more.",
    chapter="14",
    change=_small_send_memory,
    seen=lambda place: (
        Witness("during", "left", SOCKETS, _MEMORY, only=True),
        Witness("check", "left", SOCKETS, _MEMORY, only=True),
    ),
)


SMALL_BACKLOG = Cause(
    "small listen backlog",
    "A server's queue of connections that nobody has accepted yet is short.",
    places=("right",),
    severities=("backlog 12", "backlog 5", "backlog 1"),
    symptom="Many clients at once: some wait for whole seconds for their first byte.",
    shows="nstat at the server: TcpExtListenOverflows, TcpExtListenDrops; ss -ltn: Send-Q small",
    lies="ping, and a single client at a quiet moment.",
    cure="listen() with a longer backlog, and net.core.somaxconn; or a server that accepts sooner.",
    chapter="5",
    change=lambda to, place, severity: replace(to, backlog=int(severity.split()[1])),
    seen=lambda place: (
        Witness("after", "right", COUNTERS, "TcpExtListen"),
        Witness("during", "right", LISTENERS, "LISTEN.*:80"),
    ),
)
