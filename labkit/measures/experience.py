"""What a user feels of an application: figures of pages, sessions, streams, calls and pings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.measures.named_measure import NamedMeasure

if TYPE_CHECKING:
    import pandas as pd

    from labkit.results.result import Result

UNITS: dict[str, str] = {
    "load_s": "s from a WebPage's start until all its objects were there; missing: not before the end",
    "first_object_s": "s until the first of them was",
    "echo_median_s": "s: median latency of an Interactive session's keys; missing: half were not echoed",
    "echo_p95_s": "s: the latency that 95 % of them stay below",
    "echo_above_100ms": "share of them that took longer, or were never echoed",
    "echo_above_300ms": "share of them that took longer, or were never echoed",
    "startup_s": "s until a Stream's playback began; missing: never",
    "stalls": "how often it then stood still",
    "stalled_s": "s for which it did",
    "mean_rate": "Mbit/s: mean rate of the segments that came",
    "switches": "changes of rate from one segment to the next",
    "call_lost": "share of a Call's packets that could never be used",
    "call_late": "share that could not be used within 150 ms (ITU-T G.114), the lost ones among them",
    "call_delay_p95_s": "s: the delay that 95 % of the usable ones stay below",
    "call_jitter_s": "s: mean difference between the delays of two usable packets in a row",
    "ping_median_ms": "ms: median round trip of Pings; missing: none was answered",
    "ping_mean_ms": "ms: their mean",
    "ping_loss": "share of them that nobody answered",
}
LATE_S = 0.150


class Experience(NamedMeasure):
    """One row per WebPage, Interactive, Stream, Call and Pings; what a kind does not have is missing. Since a
    time: of what was sent from then on."""

    units, keys = UNITS, ("flow",)
    heeds = frozenset({"call_lost", "call_late", "ping_median_ms", "ping_mean_ms", "ping_loss"})

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for row in result.pages.to_dict("records"):
            found[row["flow"]] = {name: row[name] for name in ("load_s", "first_object_s")}
        for row in result.playback.to_dict("records"):
            names = ("startup_s", "stalls", "stalled_s", "switches")
            found[row["flow"]] = {name: row[name] for name in names} | {"mean_rate": row["mean_rate"] / 1e6}
        for flow, table in result.keystrokes.groupby("flow", observed=True):
            found[str(flow)] = _echoes(table)
        for flow, table in result.calls.groupby("flow", observed=True):
            found[str(flow)] = _call(table[table["sent_s"] >= self.since])
        for flow, table in result.pings.groupby("flow", observed=True):
            found[str(flow)] = _pings(table[table["sent_s"] >= self.since])
        order = [str(flow.name) for flow in result.experiment.flows if flow.name in found]
        return [{"flow": name} | {figure: found[name].get(figure) for figure in self.names} for name in order]


def _echoes(table: pd.DataFrame) -> dict[str, float | None]:
    latency = table["latency_s"].fillna(float("inf"))
    ranks = latency.quantile([0.5, 0.95], interpolation="higher")
    median, high = (None if value == float("inf") else float(value) for value in ranks)
    shares = {name: float(table[name].mean()) for name in ("above_100ms", "above_300ms")}
    return {"echo_median_s": median, "echo_p95_s": high} | {f"echo_{n}": v for n, v in shares.items()}


def _call(table: pd.DataFrame) -> dict[str, float | None]:
    delay = table["delay_s"]
    came = delay.dropna()
    return {
        "call_lost": float(delay.isna().mean()),
        "call_late": float((~(delay <= LATE_S)).mean()),
        "call_delay_p95_s": float(came.quantile(0.95)) if len(came) else None,
        "call_jitter_s": float(came.diff().abs().mean()) if len(came) > 1 else None,
    }


def _pings(table: pd.DataFrame) -> dict[str, float | None]:
    answered = 1000 * table["rtt_s"].dropna()
    return {
        "ping_median_ms": float(answered.median()) if len(answered) else None,
        "ping_mean_ms": float(answered.mean()) if len(answered) else None,
        "ping_loss": float(table["rtt_s"].isna().mean()) if len(table) else None,
    }
