"""What is wrong with a cable: flipped bits, weak light, a connector that works loose."""

from __future__ import annotations

from dataclasses import replace

from labkit.mysteries.cause import Cause, Witness
from labkit.mysteries.patient import PORTS, Patient
from labkit.mysteries.typed import LINKS, PING, ethtool


def _seen_bit_errors(place: str) -> tuple[Witness, ...]:
    host, interface = PORTS[place][1].split(".")
    return (Witness("after", host, ethtool("-S ", interface), "rx_crc_errors"),)


BIT_ERRORS = Cause(
    "bit errors",
    "A damaged copper cable.",
    places=("left-r1", "r2-right"),
    severities=("3e-7", "1e-6", "5e-6"),
    symptom="Transfers are slow, more so over a long way; pings hardly suffer.",
    shows="ethtool -S, at the end that receives: rx_crc_errors; ip -s -s link: errors, crc",
    lies="The sender's side: its tx_packets count what never arrived, its errors stay 0.",
    cure="Replace the cable, clean or re-crimp its plugs.",
    chapter="6",
    change=lambda to, place, severity: replace(to, fibre=to.fibre and place != "r2-right").with_port(
        PORTS[place][1], ber=float(severity)
    ),
    seen=_seen_bit_errors,
)


def _seen_fading_optics(place: str) -> tuple[Witness, ...]:
    host, interface = PORTS[place][1].split(".")
    return (
        Witness(
            "before", host, ethtool("-m ", interface), "Receiver signal|rx power low (alarm|warning) thr"
        ),
        Witness("after", host, ethtool("-S ", interface), "rx_crc_errors"),
    )


FADING_OPTICS = Cause(
    "fading optics",
    "Dirt, a bend or an old laser: too little light arrives.",
    places=("r2-right",),
    severities=("-18.4dBm", "-18.8dBm", "-19.2dBm"),
    symptom="As with bit errors. It may come and go with the temperature, and get worse over weeks.",
    shows="ethtool -m, at the end that receives: receiver power under its alarm threshold",
    lies="Link detected: yes. The link stays up long after frames have begun to die.",
    cure="Clean the plugs, straighten the fibre; if the sender's power is low too: a new module.",
    chapter="11",
    change=lambda to, place, severity: replace(to, fibre=True).with_port(PORTS[place][1], rx_power=severity),
    seen=_seen_fading_optics,
)


def _flapping_port(to: Patient, place: str, severity: str) -> Patient:
    host, interface = PORTS[place][0 if place == "r2-right" else 1].split(".")
    up_s = float(severity.split()[1]) - 0.2
    down, up = (f"ip link set {interface} {state}" for state in ("down", "up"))
    loop = f"for i in $(seq 40); do sleep {up_s:g}; {down}; sleep 0.2; {up}; done"
    return to.with_command(host, f"(sleep 0.4; {loop}) &")


def _seen_flapping_port(place: str) -> tuple[Witness, ...]:
    host = PORTS[place][1].split(".")[0]
    return (
        Witness("after", host, LINKS, "transns|^ +0 +0 +0 +0 +[1-9]"),
        Witness("before", "left", PING, "packet loss"),
    )


FLAPPING_PORT = Cause(
    "flapping port",
    "A port that goes down and comes up again.",
    places=("left-r1", "r2-right"),
    severities=("every 3 s", "every 2 s", "every 1.2 s"),
    symptom="Now and then everything stands still, and goes on after seconds.",
    shows="ip -s -s link: transns counts up; pings are missing in a row",
    lies="ethtool: Link detected: yes, nearly whenever you look.",
    cure="Reseat or replace cable and module; look at power saving; try another port.",
    chapter="7",
    change=_flapping_port,
    seen=_seen_flapping_port,
)
