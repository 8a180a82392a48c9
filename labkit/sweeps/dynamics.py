"""How one TCP flow went over its time: its window, its rate, its queue, what it lost and how it took it.

These are the instruments that Web100 once had in the kernel (RFC 4898), by what a kernel counts today. They
take a run with one TCP flow, and need the probes "tcp_info", "backlog" and "drops".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from labkit.errors import SpecError
from labkit.sweeps.named_measure import NamedMeasure

if TYPE_CHECKING:
    import pandas as pd

    from labkit.results.result import Result

UNITS: dict[str, str] = {
    "rate": "Mbit/s of payload acknowledged, mean over the whole seconds of the flow's time",
    "rate_std": "Mbit/s: standard deviation of the rates of these seconds",
    "rate_cv": "rate_std over rate",
    "rate_later": "rate, but of the later half of these seconds: without slow start",
    "rate_cv_later": "rate_cv, but of the later half",
    "cwnd_mean": "packets, over time",
    "cwnd_std": "packets: standard deviation over time",
    "cwnd_mean_later": "cwnd_mean, but of the later half of the flow's time",
    "cwnd_cv_later": "standard deviation over mean of cwnd, of the later half",
    "packets_per_10ms": "packets of data sent, mean over the flow's time",
    "data_packets": "packets of data sent, those sent again too",
    "acks": "packets that the receiver sent",
    "acks_per_packet": "acks over packets of data that arrived",
    "queue_over_cwnd": "packets in queues over cwnd, mean over the samples of the backlog",
    "queue_mean": "packets in queues, over time",
    "avoidance_steps": "packets by which cwnd grew at or above ssthresh",
    "slow_start_steps": "packets by which cwnd grew below ssthresh",
    "moderations": "times that cwnd was found smaller with nothing lost: still Open, ssthresh as it was",
    "recoveries": "fast recoveries entered",
    "timeouts": "retransmission timeouts",
    "congestion_signals": "recoveries and timeouts; cuts for ECN are not counted by the kernel",
    "retransmitted": "packets sent again",
    "induced_losses": "packets that a wire lost",
    "queue_losses": "packets that a full queue lost",
    "duplicate_acks": "ACKs for packets out of order, which carry SACK blocks",
    "rtt_mean": "ms: smoothed RTT, over time",
}
_WIRE = ("wire loss", "named loss", "burst loss")


class Dynamics(NamedMeasure):
    """One row for the only TCP flow of a run. Raises SpecError for several flows, or without the probes."""

    units, keys = UNITS, ("flow",)

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        exp = result.experiment
        needed = {"tcp_info", "backlog", "drops"}
        if (
            len(result.flows) != 1
            or result.flows["protocol"].iloc[0] != "tcp"
            or not needed <= set(exp.probes)
        ):
            wants = "one TCP flow and probes: [backlog, drops, tcp_info]"
            raise SpecError(f"measure={self.names[0]!r}: takes an experiment with {wants}")
        run = _Watched(result)
        return [{"flow": str(result.flows.index[0]), **{name: FIGURES[name](run) for name in self.names}}]


class _Watched:
    """The tables of a run with one flow, each made once."""

    def __init__(self, result: Result) -> None:
        info = result.tcp_info
        flow = result.flows.iloc[0]
        self.sender = info[info["side"] == "sender"].drop_duplicates("time_s")
        self.receiver = info[info["side"] == "receiver"].iloc[-1]
        self.last = self.sender.iloc[-1]
        self.given_s = float(result.given_until().iloc[0] - flow["start_s"])
        self.start_s = float(flow["start_s"])
        self.drops: pd.Series[int] = result.drops["cause"].value_counts()
        counters = result.counters
        mine = counters[counters["host"] == result.experiment.flows[0].src].set_index("name")["delta"]
        theirs = counters[counters["host"] == result.experiment.flows[0].dst].set_index("name")["delta"]
        self.count: Callable[[str], int] = lambda name: int(mine.get(name, 0))
        self.count_there: Callable[[str], int] = lambda name: int(theirs.get(name, 0))
        backlog = result.backlog
        self.queue = backlog.groupby("time_s")["backlog_packets"].sum()

    def over_time(self, column: str, since: float = 0.0) -> tuple[Any, Any]:
        """A column's values and how long (s) each was the last one seen; since: s of the flow's time."""
        time = self.sender["time_s"].to_numpy()
        lasted = np.diff(time, append=self.start_s + self.given_s)
        lasted[time < self.start_s + since] = 0
        return self.sender[column].to_numpy(float), np.clip(lasted, 0, None)

    def later(self, column: str) -> tuple[Any, Any]:
        """The same, of the later half of the flow's time."""
        return self.over_time(column, self.given_s / 2)

    def later_seconds(self) -> Any:
        """The later half of `seconds`, with the one in the middle."""
        return self.seconds()[int(self.given_s + 1e-9) // 2 :]

    def seconds(self) -> Any:
        """Mbit/s of payload acknowledged in each whole second of the flow's time."""
        time = [0.0, *(self.sender["time_s"] - self.start_s)]
        acked = [0.0, *self.sender["bytes_acked"].astype("float64")]
        return np.diff(np.interp(np.arange(int(self.given_s + 1e-9) + 1), time, acked)) * 8e-6

    def steps(self, slow_start: bool) -> float:
        """Packets by which cwnd grew from one sample to the next, below ssthresh or not."""
        cwnd = self.sender["snd_cwnd"].to_numpy(float)
        below = cwnd[:-1] < self.sender["snd_ssthresh"].to_numpy(float)[:-1]
        grown = np.clip(np.diff(cwnd), 0, None)
        return float(grown[below == slow_start].sum())

    def moderations(self) -> int:
        cwnd, ssthresh = (self.sender[name].to_numpy(float) for name in ("snd_cwnd", "snd_ssthresh"))
        is_open = self.sender["ca_state"].to_numpy() == 0
        same = (np.diff(ssthresh) == 0) & (np.diff(self.sender["total_retrans"].to_numpy(float)) == 0)
        return int(((np.diff(cwnd) < 0) & same & is_open[:-1] & is_open[1:]).sum())

    def recoveries(self) -> int:
        return sum(map(self.count, ("TcpExtTCPSackRecovery", "TcpExtTCPRenoRecovery")))

    def queued(self) -> Any:
        """Packets in all queues at each sample of the flow's time, and cwnd then."""
        cwnd = self.sender.set_index("time_s")["snd_cwnd"]
        queue = self.queue[self.queue.index >= cwnd.index[0]]
        held = np.interp(queue.index, cwnd.index, cwnd.to_numpy(float))
        return queue.to_numpy(float), held


def _mean(values: Any, weights: Any) -> float:
    return float(np.average(values, weights=weights)) if np.sum(weights) > 0 else float("nan")


def _std(values: Any, weights: Any) -> float:
    return float(np.sqrt(_mean((values - _mean(values, weights)) ** 2, weights)))


FIGURES: dict[str, Callable[[_Watched], float]] = {
    "rate": lambda run: float(run.seconds().mean()),
    "rate_std": lambda run: float(run.seconds().std(ddof=1)),
    "rate_cv": lambda run: float(run.seconds().std(ddof=1) / run.seconds().mean()),
    "rate_later": lambda run: float(run.later_seconds().mean()),
    "rate_cv_later": lambda run: float(run.later_seconds().std(ddof=1) / run.later_seconds().mean()),
    "cwnd_mean": lambda run: _mean(*run.over_time("snd_cwnd")),
    "cwnd_std": lambda run: _std(*run.over_time("snd_cwnd")),
    "cwnd_mean_later": lambda run: _mean(*run.later("snd_cwnd")),
    "cwnd_cv_later": lambda run: _std(*run.later("snd_cwnd")) / _mean(*run.later("snd_cwnd")),
    "packets_per_10ms": lambda run: float(run.last["data_segs_out"]) / run.given_s / 100,
    "data_packets": lambda run: float(run.last["data_segs_out"]),
    "acks": lambda run: float(run.receiver["segs_out"]),
    "acks_per_packet": lambda run: float(run.receiver["segs_out"] / run.receiver["data_segs_in"]),
    "queue_over_cwnd": lambda run: float(np.mean(run.queued()[0] / run.queued()[1])),
    "queue_mean": lambda run: float(np.mean(run.queued()[0])),
    "avoidance_steps": lambda run: run.steps(slow_start=False),
    "slow_start_steps": lambda run: run.steps(slow_start=True),
    "moderations": lambda run: run.moderations(),
    "recoveries": lambda run: run.recoveries(),
    "timeouts": lambda run: run.count("TcpExtTCPTimeouts"),
    "congestion_signals": lambda run: run.recoveries() + run.count("TcpExtTCPTimeouts"),
    "retransmitted": lambda run: float(run.last["total_retrans"]),
    "induced_losses": lambda run: float(sum(run.drops.get(cause, 0) for cause in _WIRE)),
    "queue_losses": lambda run: float(run.drops.get("queue full", 0)),
    "duplicate_acks": lambda run: (
        float(run.receiver["rcv_ooopack"]) - run.count_there("TcpExtTCPAckCompressed")
    ),
    "rtt_mean": lambda run: _mean(*run.over_time("rtt")) / 1000,
}
"""How each figure is made; the keys are those of UNITS."""
