"""A bench for congestion controls: seven fixed networks, four figures and a score for each algorithm.

    from labkit.sweeps.trial import trial
    trial(["cubic", "bbr", "mine"])

What a network's owner wants of an algorithm, and what its neighbours want. No weights are chosen: see
`score`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from labkit.models.fairness import harm, jain
from labkit.spec import LAB_CONGESTION_CONTROLS, Experiment, Flow
from labkit.spec.topologies import pair
from labkit.sweeps.sweeping import sweep

if TYPE_CHECKING:
    from labkit.results.result import Result

RATE = 10e6
"""bit/s, of every network."""
SECONDS = 8.0
"""How long each flow sends."""
WARM_S = 2.0
"""Round trips before this do not count: slow start has its own law, and every algorithm the same."""
NETWORKS: dict[str, dict[str, Any]] = {
    "fitting": {"rtt": 0.04, "queue": 33},
    "shallow": {"rtt": 0.04, "queue": 8},
    "deep": {"rtt": 0.04, "queue": 264},
    "lossy": {"rtt": 0.04, "queue": 33, "loss": 0.01},
    "long": {"rtt": 0.2, "queue": 166},
    "itself": {"rtt": 0.04, "queue": 33},
    "CUBIC": {"rtt": 0.04, "queue": 33},
}
"""Round trip (s), queue (packets) and random loss of each. 33 packets are one bandwidth-delay product of 40
ms, 8 a quarter of it, 264 eight times as much, 166 one of 200 ms. One flow alone, but for the last two: two
flows of the algorithm, and one of it beside one of CUBIC."""
ALONE = ("fitting", "shallow", "deep", "lossy", "long")
FIGURES = ("throughput", "delay", "fairness", "friendliness")
_PAYLOAD = 1448 / 1514  # of a frame as the link counts it


def network(cc: str, name: str) -> Experiment:
    """One of the experiments of the bench. name: of NETWORKS."""
    known = NETWORKS[name]
    net = pair(rate=RATE, delay=known["rtt"] / 2, queue=f"{known['queue']}p", loss=known.get("loss", 0))
    second = {"itself": [cc], "CUBIC": ["cubic"]}.get(name, [])
    flows = [
        Flow("left", "right", cc=one, start=start, duration=SECONDS, rcvbuf="4MB")
        for start, one in zip((0.0, 0.1), [cc, *second], strict=False)
    ]
    return Experiment(net, flows=flows, probes=["tcp_info"])


def trial(
    ccs: Iterable[str] = LAB_CONGESTION_CONTROLS, *, seed: int = 1, progress: bool = False
) -> pd.DataFrame:
    """Each algorithm's four figures and its score, from 0 to 1, the best first; a row for each.

    throughput: share of the line, geometric mean of the five networks with one flow. delay: the least round
    trip over the mean one, likewise. fairness: Jain's index of two flows of it. friendliness: 1 less what a
    CUBIC flow beside it loses of what it has beside another CUBIC (`harm` of Ware et al.), 1 at most. score:
    see `score`. Seven runs of eight seconds for each algorithm."""
    wanted = list(dict.fromkeys(ccs))
    grid = {"cc": list(dict.fromkeys([*wanted, "cubic"])), "name": list(NETWORKS)}
    swept = sweep(network, grid, [seed], measure=_figures, progress=progress, on_error="raise")
    rows = swept.table.set_index(["cc", "name"])
    return table(rows).loc[wanted].sort_values("score", ascending=False)


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """The four figures and the score of each algorithm. rows: by "cc" and "name" of the network, CUBIC's
    among them: columns throughput and delay, second and fair of those with two flows."""
    beside = rows["second"].xs("CUBIC", level="name")
    loses = harm(beside["cubic"], beside)
    found = pd.DataFrame(index=beside.index)
    for figure in ("throughput", "delay"):
        alone = rows[figure].unstack("name")[list(ALONE)]
        found[figure] = np.exp(np.log(alone.clip(lower=1e-3)).mean(axis=1))
    found["fairness"] = rows["fair"].xs("itself", level="name")
    found["friendliness"] = 1 - np.clip(loses, 0, 1)
    found["score"] = [score(found.loc[cc]) for cc in found.index]
    return found


def score(figures: Mapping[str, Any] | pd.Series) -> float:
    """The geometric mean of the four figures.

    Twice as much of one figure counts as much as twice as much of another, so none needs a weight or a unit;
    and what has nothing of one of them has a score of nothing, however good it is at the rest. Throughput
    times delay's figure is the *power* of a network: Giessler, Haenle, Koenig, Pade, Free Buffer Allocation,
    Computer Networks 2 (1978); Kleinrock, ICC 1979."""
    return float(np.prod([figures[name] for name in FIGURES]) ** (1 / len(FIGURES)))


def _figures(result: Result) -> dict[str, float]:
    """Of one run: see `table`. What the line and the round trip are is what this run had."""
    link = result.experiment.topology.links[0]
    line = float(link.forward.rate or RATE) / 1e6 * _PAYLOAD
    base_us = 1e6 * (link.forward.delay + link.backward.delay)
    rates = result.goodput().to_numpy()
    info = result.tcp_info.query("side == 'sender'")
    seen = info[(info["time_s"] > WARM_S) & (info["rtt"] > 0)]
    rtt_us = seen["rtt"].mean() if len(seen) else base_us
    return {
        "throughput": min(float(rates.sum()) / line, 1.0),
        "delay": min(base_us / float(rtt_us), 1.0),
        "second": float(rates[-1]),
        "fair": float(jain(rates)),
    }
