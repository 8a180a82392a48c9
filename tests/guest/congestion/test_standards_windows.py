"""Windows of Reno, CUBIC and H-TCP between two losses, against RFC 5681, RFC 9438 and the H-TCP draft.

One placed loss on a fast line, then none; cwnd by tcp_probe from the moment at which recovery ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from labkit import DropPackets, Experiment, Flow, Result, pair, run
from labkit.models import cubic, htcp

MSS = 1448
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Epoch:
    """t: s since recovery ended; w: cwnd; windows: of data acknowledged since; before: cwnd at the loss."""

    t: Floats
    w: Floats
    windows: Floats
    before: float


def lose(cc: str, rtt: float, lost: int | list[int], seconds: float, **parameters: int) -> Epoch:
    """A flow of so many seconds, rtt in s, that loses these packets only. parameters: tcp_cubic's."""
    numbers = [lost] if isinstance(lost, int) else lost
    net = pair(rate="1gbit", delay=rtt / 2, queue="5000p", loss=DropPackets(numbers))
    flow = Flow("left", "right", cc=cc, duration=seconds, rcvbuf="8MB")
    probes = frozenset({"tcp_probe", "recovery"})
    given = {f"tcp_cubic.{name}": value for name, value in parameters.items()}
    return last_epoch(run(Experiment(net, flows=[flow], probes=probes, module_parameters=given)))


def last_epoch(result: Result) -> Epoch:
    states = result.cong_states
    when = states[states["side"] == "sender"].groupby("state", observed=True)["time_s"].last()
    probe = result.tcp_probe
    probe = probe[probe["side"] == "sender"]
    before = probe.loc[probe["time_s"] < when["Recovery"], "snd_cwnd"].iloc[-1]
    probe = probe[probe["time_s"] >= when["Open"]]
    w = probe["snd_cwnd"].to_numpy(np.float64)
    acked = np.diff(probe["snd_una"].to_numpy(np.float64), prepend=float(probe["snd_una"].iloc[0])) / MSS
    return Epoch(probe["time_s"].to_numpy() - when["Open"], w, np.cumsum(acked / w), float(before))


def off(measured: Floats, law: Floats) -> float:
    return float(np.abs(measured / law - 1).max())


@pytest.mark.parametrize("rtt", [0.02, 0.1])
def test_reno_halves_and_grows_by_one_mss_per_round_trip(rtt: float) -> None:
    epoch = lose("reno", rtt, 150, 40 * rtt)
    assert epoch.w[0] == epoch.before // 2
    slope = np.polyfit(epoch.t / rtt, epoch.w, 1)[0]
    assert slope == pytest.approx(1, rel=0.05)  # a staircase of 20 steps or more


# 5 %: whole packets, and what W(t) climbs in a round trip, which the window lags behind.
@pytest.mark.parametrize(("rtt", "lost"), [(0.1, 300), (0.05, 300), (0.2, 600)])
def test_cubic_follows_w_cubic_between_losses(rtt: float, lost: int) -> None:
    epoch = lose("cubic", rtt, lost, 12)
    assert epoch.w[0] == pytest.approx(epoch.before * cubic.BETA, abs=1)
    law = cubic.window(epoch.t, epoch.before, epoch.w[0], rtt)
    assert off(epoch.w, law) < 0.05


def test_cubic_follows_w_est_in_its_reno_friendly_region() -> None:
    epoch = lose("cubic", 0.02, 100, 5)
    late = epoch.t > 1
    est = cubic.w_est(epoch.t, epoch.w[0], 0.02)
    assert (est[late] > cubic.w_cubic(epoch.t[late], epoch.before, epoch.w[0])).all()
    assert off(epoch.w[late], est[late]) < 0.05


def test_without_friendliness_cubic_follows_w_cubic_there_too() -> None:
    epoch = lose("cubic", 0.02, 100, 5, tcp_friendliness=0)
    assert off(epoch.w, cubic.w_cubic(epoch.t, epoch.before, epoch.w[0])) < 0.05


def test_linux_never_raises_alpha_to_one_as_rfc_9438_does() -> None:
    epoch = lose("cubic", 0.02, 100, 6)
    beyond = cubic.w_est(epoch.t, epoch.w[0], 0.02) > epoch.before + 20
    rfc = cubic.w_est(epoch.t, epoch.w[0], 0.02, w_prior=epoch.before)
    assert (rfc[beyond] > 1.05 * epoch.w[beyond]).all()


def test_cubic_aims_lower_after_a_loss_below_the_last_w_max() -> None:
    epoch = lose("cubic", 0.1, [300, 1400], 9)
    aim = cubic.next_w_max(epoch.before, 307)
    assert aim < epoch.before < 307
    assert off(epoch.w, cubic.window(epoch.t, aim, epoch.w[0], 0.1)) < 0.05


def test_cubic_looks_at_its_clock_every_thirty_second_of_a_second() -> None:
    epoch = lose("cubic", 0.002, 16, 0.2)
    changed = epoch.t[np.flatnonzero(np.diff(epoch.w)) + 1]
    # 31 ticks of 1 ms have to be over, and the next ACK comes at most a round trip and a tick later
    assert 0.031 <= np.diff(changed[changed < 0.1]).max() < 0.0355


def test_htcp_halves_and_is_reno_for_a_second() -> None:
    epoch = lose("htcp", 0.1, 300, 3)
    assert epoch.w[0] == epoch.before // 2
    assert 9 <= np.interp(1, epoch.t, epoch.w) - epoch.w[0] <= 10  # ten round trips


@pytest.mark.parametrize("delta", [1.75, 2.25, 3.25, 4.25])
def test_htcp_grows_by_alpha_of_delta(delta: float) -> None:
    epoch = lose("htcp", 0.1, 1000, 6.5)
    x = np.linspace(delta - 0.25, delta + 0.25)
    first, last = np.searchsorted(epoch.t, x[[0, -1]])
    grown = (epoch.w[last] - epoch.w[first]) / (epoch.windows[last] - epoch.windows[first])
    # 5 %: steps of one packet at both ends
    assert grown == pytest.approx(htcp.linux_alpha(x, np.interp(x, epoch.t, epoch.w), 0.1).mean(), rel=0.05)
    # the law itself: f in whole numbers and one ACK more per step cost up to 12 % of it
    assert 0.88 < grown / htcp.alpha(x, rtt=0.1).mean() <= 1


@pytest.mark.parametrize("queue", [10, 20, 60])
def test_htcps_beta_is_the_share_of_the_round_trip_that_is_not_queue(queue: int) -> None:
    net = pair(rate="10mbit", delay="25ms", queue=f"{queue}p")
    flow = Flow("left", "right", cc="htcp", duration="25s", rcvbuf="8MB")
    result = run(Experiment(net, flows=[flow], probes={"tcp_probe", "recovery"}))
    probe = result.tcp_probe[result.tcp_probe["side"] == "sender"]
    states = result.cong_states
    states = states[(states["side"] == "sender") & (states["time_s"] > 12)]
    lost = states.loc[states["state"] == "Recovery", "time_s"].iloc[0]
    mended = states.loc[(states["state"] == "Open") & (states["time_s"] > lost), "time_s"].iloc[0]
    before = probe.loc[probe["time_s"] < lost, "snd_cwnd"].iloc[-1]
    after = probe.loc[probe["time_s"] >= mended, "snd_cwnd"].iloc[0]
    most = probe.loc[probe["time_s"] > 12, "srtt_us"].max() / 1e6
    # 5 %: beta counts in 128ths, round trips in ms, windows in whole packets
    assert after / before == pytest.approx(htcp.beta(0.05, most), rel=0.05)
