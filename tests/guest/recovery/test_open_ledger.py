"""The ledger of an open laboratory: what was changed by hand counts from then on."""

from __future__ import annotations

import pytest

from labkit import Flow, Lab, dumbbell
from labkit.results.tables import ProbeMissingError

PROBES = {"drops", "recovery", "tcp_probe"}


def test_a_loss_set_by_hand_is_a_wire_loss_in_both_directions() -> None:
    hosts = ["left", "right"]
    with Lab(dumbbell(rate="10mbit", delay="5ms"), probes=PROBES, capture=hosts) as lab:
        lab.start(Flow("left", "right", size="300kB"))
        lab.advance("2s")
        changed = lab.time_s
        lab.link("r1", "r2").set(loss="10%")
        lab.start(Flow("left", "right", size="300kB"))
        lab.advance("20s")
        result = lab.result()
    ledger = result.ledger()
    assert set(ledger["cause"]) == {"wire loss"}
    assert set(ledger["way"]) == {"data", "ack"}
    assert ledger["lost_s"].min() > changed
    balance = result.balance()
    assert (balance["sent"] == balance[["delivered", "lost", "in_flight"]].sum(axis=1)).all()


def test_what_an_open_laboratory_did_not_record_is_named_with_its_cure() -> None:
    with Lab(dumbbell(rate="10mbit")) as lab:
        lab.start(Flow("left", "right", size="10kB"))
        lab.advance("1s")
        result = lab.result()
    with pytest.raises(ProbeMissingError, match=r'write Lab\(..., probes=\{"drops", "recovery"'):
        result.ledger()


def test_results_may_be_taken_again_and_again_in_the_same_laboratory_opened_twice() -> None:
    digests = []
    for _ in range(2):  # the second time the cache has them
        with Lab(dumbbell(rate="10mbit")) as lab:
            digests.append([lab.result().digest(), lab.result().digest()])
    assert digests[0] == digests[1]
    assert digests[0][0] != digests[0][1]
