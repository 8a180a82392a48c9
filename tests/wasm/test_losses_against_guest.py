"""Whatever a packet is lost for, both kernels say so: when, where and why, in every table."""

from __future__ import annotations

import pytest

from labkit import run
from labkit.execute.wasm.linked import Linked
from tests.wasm.cells import compared
from tests.wasm.losses import LOSSES


@pytest.mark.parametrize("name", LOSSES)
def test_each_loss_has_the_guests_place_and_cause(wasm: Linked, name: str) -> None:
    cause, exp = LOSSES[name]
    guest, own = (run(exp, place=place, cache=False) for place in ("guest", "wasm"))
    found = compared(guest, own)
    assert {"flows", "drops", "packets of left"} <= set(found)
    assert {table: differing for table, differing in found.items() if differing} == {}
    assert cause in set(own.ledger()["cause"])
    assert own.ledger().equals(guest.ledger()) and own.balance().equals(guest.balance())
