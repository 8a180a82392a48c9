"""The loss ledger: nothing unaccounted for, whatever the experiment. `make fuzz` tries more of them."""

from __future__ import annotations

import pandas as pd
from hypothesis import assume, given, note

from labkit.errors import LabkitError
from labkit.results.ledger import Accounts
from labkit.results.ledger.accounts import SNAP
from labkit.results.run import run
from labkit.spec import Capture, Experiment
from tests import fuzz
from tests.strategies import experiments


def covered(packets: pd.DataFrame) -> int:
    """Bytes from the first on without a gap that arrived."""
    reach = 1
    some = packets[(packets["payload"] > 0) & (packets["fate"] == "delivered")].sort_values("seq")
    for seq, payload in zip(some["seq"], some["payload"], strict=True):
        if seq <= reach:
            reach = max(reach, seq + payload)
    return reach - 1


@fuzz.of(30)
@given(experiment=experiments())
def test_every_run_adds_up(experiment: Experiment) -> None:
    assume(experiment.flows)
    note(experiment.to_json())
    probes = experiment.probes | {"drops", "recovery", "tcp_probe", "queue"}
    try:
        ends = [Capture(host, snap=SNAP) for host in experiment.topology.names]
        result = run(experiment.replace(probes=probes, capture=ends), cache=False)
    except LabkitError:
        assume(False)
    accounts = Accounts(result)
    balance = accounts.balance()
    assert (balance["sent"] == balance[["delivered", "lost", "in_flight"]].sum(axis=1)).all()
    named = balance.drop(columns=["sent", "delivered", "lost", "in_flight"])
    assert (named.sum(axis=1) == balance["lost"]).all()
    ledger = result.ledger()
    assert len(ledger) == balance["lost"].sum()
    assert not ledger["cause"].isin(["unknown", "not specified"]).any()
    packets = accounts.packets
    for name, flow in result.flows[result.flows["protocol"] == "tcp"].iterrows():
        way = "ack" if name in set(result.requests["flow"]) else "data"  # responses go back
        mine = packets[(packets["flow"] == name) & (packets["way"] == way)]
        assert covered(mine) >= flow["received_bytes"]
