"""A sick network: what is wrong, and one setting that cures it. The cure is tried in the lab."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit import Capture, Command, Experiment, Flow, Link, Topology, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.submitted import Answers
from labkit.spec.paths import with_field

SECONDS, COUNTED_S = 10, 9
"""COUNTED_S: what was sent until then has arrived, or is lost, before the captures end."""
FRAME = 1514
WON_BACK = 0.6
"""Of what the healthy network carries more than the sick one: a cure with full marks."""
CAUSES = (
    "random loss on the wire",
    "a queue too short",
    "a receive ring too small",
    "a receive buffer too small",
    "no window scaling",
)
SETTINGS: dict[str, str] = {
    "cc": "the sender's congestion control: reno, cubic, bbr, vegas",
    "queue": "packets that the queue in front of the line holds: 1 to 2000",
    "rx_ring": "frames that right's receive ring holds: 8 to 4096",
    "rmem": "the largest receive buffer at right, in bytes: 4096 to 16000000",
    "window_scaling": "whether right and left offer window scaling: 0 or 1",
}
REMOVES = dict(zip(CAUSES, ("cc", "queue", "rx_ring", "rmem", "window_scaling"), strict=True))
"""The setting that removes a cause; any other one works around it."""
WORKAROUND = 0.5
_ALGORITHMS = ("reno", "cubic", "bbr", "vegas")
_RANGES = {"queue": (1, 2000), "rx_ring": (8, 4096), "rmem": (4096, 16_000_000), "window_scaling": (0, 1)}
_LOOKS = (
    Command("right", "ethtool -S eth0", at="10.4s"),
    Command("right", "ethtool -g eth0; ethtool -c eth0", at="10.4s"),
    Command("right", "sysctl net.ipv4.tcp_rmem net.ipv4.tcp_window_scaling", at="10.4s"),
    Command(
        "right", "nstat -az TcpExtTCPRcvCollapsed TcpExtTCPRcvQDrop TcpExtTCPOFOQueue TcpInSegs", at="10.4s"
    ),
    Command("r1", "tc -s qdisc", at="10.4s"),
    Command("left", "ss -tin; nstat -az TcpRetransSegs TcpOutSegs", at="9s"),
)


class SickAnswers(Answers):
    """setting and value: the cure, one of SETTINGS."""

    goodput_mbit: float | None = None
    lost_share: float | None = None
    cause: str | None = None
    cure: list[str | int] | None = None


@dataclass(frozen=True)
class Patient:
    """rate: Mbit/s; delay: ms, one way."""

    cause: str
    rate: int
    delay: int
    sick: Experiment
    healthy: Experiment


class SickNetwork(Assignment):
    """One of five causes, dealt so that each comes equally often in the class."""

    answers = SickAnswers

    def case(self, draw: Draw) -> Patient:
        rate, delay = draw.whole("rate", 12, 20), draw.whole("delay", 30, 40)
        cause = draw.deal("cause", CAUSES)
        room = round(rate * 1e6 * 2 * delay / 1e3 / 8 / FRAME) + draw.whole("room", 10, 40)
        good: dict[str, Any] = {
            "queue": room,
            "loss": None,
            "ring": 512,
            "coalesced": draw.whole("coalesced", 18, 26) * 1000,
            "rmem": 6_291_456,
            "scaling": 1,
        }
        ills: dict[str, dict[str, Any]] = {
            CAUSES[0]: {"loss": draw.share("loss", 1.0, 2.0, 2)},
            CAUSES[1]: {"queue": draw.whole("short", 2, 4)},
            CAUSES[2]: {"ring": 8},
            CAUSES[3]: {"rmem": draw.whole("small", 14, 24) * 1000},
            CAUSES[4]: {"scaling": 0},
        }
        build: dict[str, Any] = {"rate": rate, "delay": delay, "seed": draw.seed}
        sick = {**good, **ills[cause]}
        return Patient(cause, rate, delay, network(**build, **sick), network(**build, **good))

    def handout(self, case: Patient, folder: Path) -> dict[str, Any]:
        result = run(case.sick.replace(commands=_LOOKS))
        for host in ("left", "right"):
            result.save_pcapng(folder / f"{host}.pcapng", host)
        words = [f"{look.host}$ {look.command}\n{result.output(i)}" for i, look in enumerate(_LOOKS)]
        (folder / "counters.txt").write_text("\n".join(words))
        told = {"rate_mbit": case.rate, "delay_ms": case.delay, "seconds": SECONDS}
        return {**told, "causes": CAUSES, "settings": SETTINGS}

    def truth(self, case: Patient) -> dict[str, Any]:
        sick = run(case.sick)
        ledger, sent = sick.ledger(), sick.packet_table("left")
        lost = ledger[(ledger["way"] == "data") & (ledger["payload"] > 0) & (ledger["sent_s"] < COUNTED_S)]
        lost = lost[lost["host"] != "right"]  # what right's TCP drops has arrived
        sent = sent[(sent["way"] == "data") & (sent["payload"] > 0) & (sent["time_s"] < COUNTED_S)]
        return {
            "goodput_mbit": float(sick.goodput().iloc[0]),
            "lost_share": len(lost) / len(sent),
            "cause": case.cause,
            "healthy_mbit": float(run(case.healthy).goodput().iloc[0]),
        }

    def share(self, name: str, case: Patient, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if name != "cure":
            return super().share(name, case, truth, value)
        cured, fault = treated(case.sick, value)
        if cured is None:
            return 0.0, fault
        sick, healthy = truth["goodput_mbit"], truth["healthy_mbit"]
        now = float(run(cured).goodput().iloc[0])
        share = min(max((now - sick) / (healthy - sick) / WON_BACK, 0.0), 1.0)
        said = f"with it your network carries {now:.2f} Mbit/s; sick {sick:.2f}, healthy {healthy:.2f}"
        if value[0] == REMOVES[case.cause]:
            return share, said
        return WORKAROUND * share, f"{said}; but the cause is still there"

    def guesses(self, name: str, cases: Sequence[Patient], truths: Sequence[dict[str, Any]]) -> list[Any]:
        if name != "cure":
            return super().guesses(name, cases, truths)
        ranges = [[setting, value] for setting, both in _RANGES.items() for value in both]
        between = [["queue", 100], ["rx_ring", 512], ["rmem", 1_000_000]]
        return [*(["cc", cc] for cc in _ALGORITHMS), *ranges, *between]

    def figures(self, case: Patient, truth: dict[str, Any]) -> Sequence[Figure]:
        return [
            Figure(f"Your network, which had {case.cause}:", run(case.sick).charts.cwnd()),
            Figure("The same network, healthy:", run(case.healthy).charts.cwnd()),
        ]


#   left ---- r1 ---- line: rate, delay ---- r2 ==== cable, ports of the teaching NIC ==== right
#                queue, loss ->                             ring, coalescing at right
def network(
    rate: int,
    delay: int,
    seed: int,
    queue: int,
    loss: float | None,
    ring: int,
    coalesced: int,
    rmem: int,
    scaling: int,
) -> Experiment:
    """rate: Mbit/s; delay: ms; queue: packets; loss: percent; coalesced: us; rmem: bytes."""
    forward: dict[str, Any] = {"queue": f"{queue}p"} | ({} if loss is None else {"loss": f"{loss}%"})
    links = [
        Link("left", "r1", rate="100mbit", queue="1000p"),
        Link("r1", "r2", rate=f"{rate}mbit", delay=f"{delay}ms", queue="1000p", forward=forward),
        Link("r2", "right", nic_a={}, nic_b={"rx_ring": ring, "rx_usecs": coalesced, "rx_frames": 0}),
    ]
    return Experiment(
        Topology(["left", "r1", "r2", "right"], links),
        flows=[Flow("left", "right", cc="cubic", duration=f"{SECONDS}s")],
        duration=SECONDS + 0.5,
        seed=seed,
        sysctls={
            "net.ipv4.tcp_rmem": f"4096 {min(rmem, 131_072)} {rmem}",
            "net.ipv4.tcp_window_scaling": scaling,
        },
        capture=[Capture("left", snap=96), Capture("right", snap=96)],
    )


def treated(sick: Experiment, cure: list[Any]) -> tuple[Experiment | None, str]:
    """The sick network with one setting changed, or what is wrong with the cure."""
    if len(cure) != 2 or cure[0] not in SETTINGS:
        return None, f"a cure is [setting, value], with one of {', '.join(SETTINGS)}"
    name, value = cure
    if name == "cc":
        if value not in _ALGORITHMS:
            return None, f"cc={value!r}: one of {', '.join(_ALGORITHMS)}"
        return with_field(sick, "flows.cc", value), ""
    low, high = _RANGES[name]
    if not isinstance(value, int) or not low <= value <= high:
        return None, f"{name}={value!r}: a whole number from {low} to {high}"
    sysctls = dict(sick.sysctls)
    if name == "queue":
        return with_field(sick, "links.r1-r2.forward.queue", f"{value}p"), ""
    if name == "rx_ring":
        return with_field(sick, "links.r2-right.nic_b.rx_ring", value), ""
    if name == "rmem":
        sysctls["net.ipv4.tcp_rmem"] = f"4096 {min(value, 131_072)} {value}"
    else:
        sysctls["net.ipv4.tcp_window_scaling"] = value
    return sick.replace(sysctls=sysctls), ""
