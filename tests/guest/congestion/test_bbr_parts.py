"""The module bbr_parts: the kernel's BBR while nothing is taken out, and what each part of it is for."""

from __future__ import annotations

from labkit import Experiment, Flow, pair, run
from labkit.results.result import Result

SAME = ["time_s", "direction", "seq", "ack", "payload", "flags", "window"]
BDP = 33  # packets: 10 Mbit/s, 40 ms
BEFORE_CHANCE_S = 0.5  # BBR first draws a random number when it enters PROBE_BW


def sent(cc: str, *, off: str | None = None, loss: str = "0%", seconds: float = 8) -> Result:
    """One flow; off: the part that is taken out."""
    return run(
        Experiment(
            pair(rate="10mbit", delay="20ms", queue="100p", loss=loss),
            flows=[Flow("left", "right", cc=cc, duration=seconds, start="0.1s", rcvbuf="8MB")],
            modules=["bbr_parts"] if cc == "bbr_parts" else [],
            module_parameters={f"lp_bbr_parts.{off}": 0} if off else {},
            capture=["left"],
            probes=["tcp_info"],
            seed=1,
        )
    )


def test_with_nothing_taken_out_it_starts_as_bbr_does_packet_by_packet() -> None:
    tables = [sent(cc, seconds=1).packet_table("left") for cc in ("bbr", "bbr_parts")]
    first, second = (table[table["time_s"] < BEFORE_CHANCE_S][SAME] for table in tables)
    assert len(first) > 5 * BDP
    assert first.equals(second)


def test_without_the_detection_of_policers_frequent_random_loss_costs_less() -> None:
    on, off = (sent("bbr_parts", off=part, loss="20%").goodput().iloc[0] for part in (None, "policer"))
    assert off > 1.2 * on


def test_unpaced_it_keeps_its_whole_window_in_flight() -> None:
    paced, bare = (
        sent("bbr_parts", off=part).tcp_info.query("side == 'sender' and 3 < time_s < 8").unacked.mean()
        for part in (None, "pace")
    )
    assert paced < 1.5 * BDP < 1.9 * BDP < bare
