"""What a Result offers to the rooms on its right, as protocols: made-up results of tests offer it, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from labkit.spec import Experiment


class Run(Protocol):
    """The tables of a Result that figures read."""

    @property
    def experiment(self) -> Experiment: ...
    @property
    def flows(self) -> pd.DataFrame: ...
    @property
    def tcp_info(self) -> pd.DataFrame: ...
    @property
    def tcp_probe(self) -> pd.DataFrame: ...
    @property
    def backlog(self) -> pd.DataFrame: ...
    @property
    def queue(self) -> pd.DataFrame: ...
    @property
    def drops(self) -> pd.DataFrame: ...
    @property
    def retransmissions(self) -> pd.DataFrame: ...
    @property
    def cong_states(self) -> pd.DataFrame: ...
    def table(self, name: str) -> pd.DataFrame: ...
    def given_until(self) -> pd.Series[float]: ...
    def packet_table(self, host: str, interface: str | None = None) -> pd.DataFrame: ...
    def ledger(self) -> pd.DataFrame: ...


class Charts(Protocol):
    """The figures of one result; each takes what its namesake in labkit.charts takes after that.

    labkit.charts draws them; a Result gets them by `hooks.charts`.
    """

    def cwnd(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Congestion window, ssthresh, losses."""

    def time_sequence(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Time-sequence diagram at the sender."""

    def goodput(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Goodput over time."""

    def share(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Shares of the goodput over time."""

    def queue(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Queue length over time."""

    def delay(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Queueing delay over time."""

    def rtt(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Smoothed round-trip time."""

    def ledger(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Every lost packet."""

    def ladder(self, *args: Any, **options: Any) -> alt.LayerChart:
        """Packet by packet."""

    def topology(self, **options: Any) -> alt.LayerChart:
        """The network."""

    def of_probe(self, name: str, *args: Any, **options: Any) -> alt.LayerChart:
        """A figure that a probe declares; each is here by its own name, too."""
