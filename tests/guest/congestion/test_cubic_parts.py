"""The module cubic_parts: Linux's CUBIC while its switches are off, and nearer to RFC 9438 with them."""

from __future__ import annotations

import pytest

from labkit import Experiment, Flow, pair, run
from labkit.results.result import Result

SAME = ["time_s", "direction", "seq", "ack", "payload", "flags", "window"]


def lossy(cc: str, *, every_ack: int = 0, round_up: int = 0, loss: str = "5%") -> Result:
    """3 MB at 2 ms. CUBIC without HyStart, which cubic_parts does not have."""
    parts = cc == "cubic_parts"
    switches = {"lp_cubic_parts.every_ack": every_ack, "lp_cubic_parts.round_up": round_up}
    return run(
        Experiment(
            pair(rate="20mbit", delay="1ms", queue="1000p", loss=loss),
            flows=[Flow("left", "right", cc=cc, size="3MB", start="0.1s")],
            modules=["cubic_parts"] if parts else [],
            module_parameters=switches if parts else {"tcp_cubic.hystart": 0},
            capture=["left"],
            probes=[],
            seed=1,
        )
    )


@pytest.mark.parametrize("loss", ["0%", "0.5%", "5%"])
def test_with_both_switches_off_it_sends_what_cubic_sends_and_when(loss: str) -> None:
    packets = [lossy(cc, loss=loss).packet_table("left") for cc in ("cubic", "cubic_parts")]
    assert packets[0][SAME].equals(packets[1][SAME])


def test_each_switch_makes_it_faster_under_frequent_loss_and_both_the_most() -> None:
    off, awake, up, both = (
        lossy("cubic_parts", every_ack=every_ack, round_up=round_up).goodput().iloc[0]
        for every_ack, round_up in ((0, 0), (1, 0), (0, 1), (1, 1))
    )
    assert 1.1 * off < min(awake, up) and max(awake, up) < both
