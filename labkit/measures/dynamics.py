"""How one TCP flow went over its time: its window, its rate, its queue, what it lost and how it took it.

These are the instruments that Web100 once had in the kernel (RFC 4898), by what a kernel counts today. What
is of a flow takes a run with one TCP flow; losses and timeouts are counted of the whole network.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from labkit.errors import SpecError
from labkit.measures.named_measure import NamedMeasure

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
_COUNTED = frozenset({"recoveries", "timeouts", "congestion_signals"})
_DROPPED = frozenset({"induced_losses", "queue_losses"})
_QUEUED = frozenset({"queue_over_cwnd", "queue_mean"})


def _probes(name: str) -> frozenset[str]:
    """What has to be recorded for a figure."""
    if name in _COUNTED:
        return frozenset()
    if name in _DROPPED:
        return frozenset({"drops"})
    return frozenset({"tcp_info", "backlog"} if name in _QUEUED else {"tcp_info"})


class Dynamics(NamedMeasure):
    """One row: of the only TCP flow of a run, or of the network. Raises SpecError for a figure of a flow
    where there are several, and without the probes."""

    units, keys = UNITS, ("flow",)
    heeds = frozenset({"cwnd_mean", "cwnd_std", "queue_mean", "rtt_mean"})
    probes: ClassVar[Mapping[str, frozenset[str]]] = {name: _probes(name) for name in UNITS}

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        needed = frozenset[str]().union(*(self.probes[name] for name in self.names))
        of_flows = next((name for name in self.names if name not in _COUNTED | _DROPPED), None)
        tcp = result.flows.index[result.flows["protocol"] == "tcp"]
        is_one = len(result.flows) == len(tcp) == 1
        if (of_flows and not is_one) or not needed <= result.experiment.probes:
            wants = "an experiment with one TCP flow" if of_flows else "an experiment"
            probes = f" and probes: [{', '.join(sorted(needed))}]" if needed else ""
            raise SpecError(f"measure={of_flows or self.names[0]!r}: takes {wants}{probes}")
        run = _Watched(result, self.since)
        label = str(result.flows.index[0]) if is_one else "all"
        return [{"flow": label, **{name: FIGURES[name](run) for name in self.names}}]


class _Watched:
    """The tables of a run with one flow, each made once."""

    def __init__(self, result: Result, since: float) -> None:
        self._result, self._since = result, since

    @cached_property
    def sender(self) -> pd.DataFrame:
        """Its samples of TCP_INFO."""
        info = self._result.tcp_info
        return info[info["side"] == "sender"].drop_duplicates("time_s")

    @cached_property
    def receiver(self) -> Mapping[str, Any]:
        """The last sample of the other end."""
        info = self._result.tcp_info
        return _last(info[info["side"] == "receiver"])

    @cached_property
    def last(self) -> Mapping[str, Any]:
        """The sender's last sample."""
        return _last(self.sender)

    @cached_property
    def start_s(self) -> float:
        return float(self._result.flows["start_s"].iloc[0])

    @cached_property
    def given_s(self) -> float:
        """How long the flow was given."""
        return float(self._result.given_until().iloc[0] - self.start_s)

    def dropped(self, causes: Collection[str]) -> float:
        """Packets that died of these causes."""
        return float(self._result.drops["cause"].isin(causes).sum())

    def count(self, name: str, end: Literal["src", "dst"] = "src") -> int:
        """By how much a counter of the flow's host has moved; of several flows: of all hosts."""
        counters, flows = self._result.counters, self._result.experiment.flows
        mine = counters["name"] == name
        if len(flows) == 1:
            mine &= counters["host"] == getattr(flows[0], end)
        return int(counters.loc[mine, "delta"].sum())

    def over_time(self, column: str, since: float = 0.0) -> tuple[Any, Any]:
        """A column's values and how long (s) each was the last one seen; since: s of the flow's time."""
        time = self.sender["time_s"].to_numpy()
        lasted = np.diff(time, append=self.start_s + self.given_s)
        lasted[time < max(self.start_s + since, self._since)] = 0
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
        queue = self._result.backlog.groupby("time_s")["backlog_packets"].sum()
        queue = queue[queue.index >= max(cwnd.index[0], self._since)]
        held = np.interp(queue.index, cwnd.index, cwnd.to_numpy(float))
        return queue.to_numpy(float), held


def _last(samples: pd.DataFrame) -> Mapping[str, Any]:
    """The last of them; of none what it has is missing."""
    if samples.empty:
        return defaultdict(lambda: float("nan"))
    return {str(name): value for name, value in samples.iloc[-1].items()}


def _cv(values: Any) -> float:
    """Standard deviation over mean."""
    mean = float(np.mean(values))
    return float(np.std(values, ddof=1)) / mean if mean else float("nan")


def _mean(values: Any, weights: Any) -> float:
    return float(np.average(values, weights=weights)) if np.sum(weights) > 0 else float("nan")


def _std(values: Any, weights: Any) -> float:
    return float(np.sqrt(_mean((values - _mean(values, weights)) ** 2, weights)))


FIGURES: dict[str, Callable[[_Watched], float]] = {
    "rate": lambda run: float(run.seconds().mean()),
    "rate_std": lambda run: float(run.seconds().std(ddof=1)),
    "rate_cv": lambda run: _cv(run.seconds()),
    "rate_later": lambda run: float(run.later_seconds().mean()),
    "rate_cv_later": lambda run: _cv(run.later_seconds()),
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
    "induced_losses": lambda run: run.dropped(_WIRE),
    "queue_losses": lambda run: run.dropped(("queue full",)),
    "duplicate_acks": lambda run: (
        float(run.receiver["rcv_ooopack"]) - run.count("TcpExtTCPAckCompressed", "dst")
    ),
    "rtt_mean": lambda run: _mean(*run.over_time("rtt")) / 1000,
}
"""How each figure is made; the keys are those of UNITS."""
