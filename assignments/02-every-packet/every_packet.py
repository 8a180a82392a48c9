"""Every packet's fate: which transmissions were lost, from the captures of both ends. The truth is the
lab's ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from labkit import Capture, Experiment, Flow, GilbertElliott, dumbbell, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.submitted import Answers

_MOST = 5000  # entries of a ledger that is read


class EveryPacketAnswers(Answers):
    """lost: [sequence number, which transmission of it] of each data segment that never arrived."""

    sent: int | None = None
    lost: list[Annotated[list[int], Field(min_length=2, max_length=2)]] | None = Field(None, max_length=_MOST)
    lost_twice: int | None = None
    unneeded: int | None = None
    acks_lost: int | None = None


@dataclass(frozen=True)
class Path2:
    """A path that loses in bursts, there and back."""

    experiment: Experiment


class EveryPacket(Assignment):
    """A flow over a path that loses data in bursts and ACKs one by one."""

    answers = EveryPacketAnswers

    def case(self, draw: Draw) -> Path2:
        rate, delay = draw.whole("rate", 6, 12), draw.whole("delay", 10, 30)
        burst = GilbertElliott(p=draw.share("into", 0.003, 0.006, 4), r=draw.share("out of", 0.25, 0.4, 3))
        back = draw.share("loss of ACKs", 4, 9, 1)
        exp = Experiment(
            dumbbell(
                rate=f"{rate}mbit",
                delay=f"{delay}ms",
                queue="200p",
                forward={"loss": burst, "reorder": f"{draw.share('reordered', 1, 2, 1)}%"},
                backward={"loss": f"{back}%"},
            ),
            flows=[Flow("left", "right", cc="cubic", size=f"{draw.whole('size', 3000, 5000)}kB")],
            seed=draw.seed,
            capture=[Capture("left", snap=96), Capture("right", snap=96)],
        )
        return Path2(exp)

    def handout(self, case: Path2, folder: Path) -> dict[str, Any]:
        result = run(case.experiment)
        for host in ("left", "right"):
            result.save_pcapng(folder / f"{host}.pcapng", host)
        return {}

    def truth(self, case: Path2) -> dict[str, Any]:
        result = run(case.experiment)
        ledger = result.ledger()
        data = ledger[(ledger["way"] == "data") & (ledger["payload"] > 0)]
        lost = sorted(zip(data["seq"].tolist(), data["transmission"].tolist(), strict=True))
        sent = result.packet_table("left")
        sent = sent[(sent["way"] == "data") & (sent["payload"] > 0)]
        times = Counter(sent["seq"].tolist())
        gone = set(lost)
        unneeded = sum(
            any((seq, earlier) not in gone for earlier in range(1, number))
            for seq, count in times.items()
            for number in range(2, count + 1)
        )
        acks = result.balance().xs("ack", level="way").iloc[0]
        return {
            "sent": len(sent),
            "lost": lost,
            "lost_twice": sum(times > 1 for times in Counter(seq for seq, _ in lost).values()),
            "unneeded": unneeded,
            "acks_lost": int(acks["sent"] - acks["delivered"]),
        }

    def share(self, name: str, case: Path2, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if name != "lost":
            return super().share(name, case, truth, value)
        wanted, given = {tuple(one) for one in truth["lost"]}, {tuple(one) for one in value}
        both = len(wanted & given)
        overlap = both / max(len(wanted | given), 1)
        more = len(given - wanted)
        said = f"of {len(wanted)} lost segments {both} are in your ledger, with {more} that arrived"
        return (1.0, "right") if overlap == 1 else (overlap**2 * 0.9, said)

    def figures(self, case: Path2, truth: dict[str, Any]) -> Sequence[Figure]:
        result = run(case.experiment)
        return [Figure("Where your packets were lost, in time:", result.charts.cwnd())]
