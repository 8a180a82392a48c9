"""The lab's own flows against iperf3, a program that knows nothing of labkit, run inside the same network.

Losses are counted, not drawn, so that the two transfers meet the same ones: every 300th packet of
3 MB (2072 segments) is 6 or 7 losses. iperf3's control connection shifts the count by some packets,
hence one loss more or less. Both have socket buffers of 128 KiB, which fit into the queue: it loses
nothing itself. (They also keep iperf3 quick: once it has written all, it spins until the receiver has
it, and a program that spins has to be waited for, as its clock hardly moves.)

Goodput: iperf3's receiver divides by the time since its client said "start", which holds one more round
trip than ours (from the first arrival to the last) and a control message that may queue behind data:
10 ms and some of 2.5 s. 2 % are allowed; a wrong count of headers (3 to 5 %) would be seen.
"""

from __future__ import annotations

import functools
import json
import shutil
from typing import Any

import pytest

from labkit import Command, EveryNth, Experiment, Flow, dumbbell, run
from labkit.result import Result

SIZE, SEGMENTS, N, BUFFER = 3_000_000, 2072, 300, 131_072

pytestmark = pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3: sudo apt install iperf3")


def network(lossy: bool) -> Any:
    return dumbbell(rate="10mbit", delay="5ms", queue="100p", loss=EveryNth(N) if lossy else None)


@functools.cache
def by_labkit(lossy: bool) -> Result:
    flow = Flow("left", "right", cc="reno", size=SIZE, sndbuf=BUFFER, rcvbuf=BUFFER)
    return run(Experiment(network(lossy), flows=[flow], probes=[]))


@functools.cache
def by_iperf3(lossy: bool) -> dict[str, Any]:
    """The client's report, which holds the receiver's figures."""
    commands = [
        Command("right", "iperf3 -s -1 > /dev/null"),
        Command("left", f"iperf3 -c right -n {SIZE} -w {BUFFER // 2} -l 500000 -C reno -J", at="1s"),
    ]
    result = run(Experiment(network(lossy), commands=commands, probes=[], time_limit="60s", wall_limit="60s"))
    end: dict[str, Any] = json.loads(result.output("left"))["end"]
    return end


@pytest.mark.parametrize("lossy", [False, True])
def test_goodput_agrees_with_iperf3(lossy: bool) -> None:
    theirs = by_iperf3(lossy)["sum_received"]["bits_per_second"] / 1e6
    assert by_labkit(lossy).goodput().iloc[0] == pytest.approx(theirs, rel=0.02)


def test_without_losses_neither_retransmits() -> None:
    assert by_labkit(False).retransmits().iloc[0] == 0
    assert by_iperf3(False)["sum_sent"]["retransmits"] == 0


def test_every_lost_segment_is_sent_again_once_by_both() -> None:
    ours = by_labkit(True).retransmits().iloc[0]
    assert ours in (SEGMENTS // N, SEGMENTS // N + 1)
    assert abs(by_iperf3(True)["sum_sent"]["retransmits"] - ours) <= 1
