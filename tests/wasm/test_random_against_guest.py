"""Whatever can be described: both kernels give the same tables, or the same refusal. `make fuzz` tries more
of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, note

from labkit import Capture, Experiment, Result, run
from labkit.errors import LabkitError, LimitReached, SpecError
from labkit.execute.wasm.linked import Linked
from labkit.results.ledger.accounts import SNAP
from tests import fuzz
from tests.nasty import nasty
from tests.strategies import experiments, stressed
from tests.wasm.cells import compared

EACH = 50 if fuzz.longer() else 8
_NAMED = re.compile('place="[a-z]+": ')


def ended(exp: Experiment, place: str) -> Result | str:
    """Its result; what was measured until a limit; or what was said."""
    try:
        return run(exp, place=place, cache=False)
    except LimitReached as limit:
        assert isinstance(limit.result, Result)
        return limit.result
    except LabkitError as refusal:
        return f"{type(refusal).__name__}: {_NAMED.sub('', str(refusal))}"


def differing(exp: Experiment) -> object:
    """What a run in one kernel has otherwise than one in the other; nothing where the machine was too slow
    for one of them."""
    guest, own = (ended(exp, place) for place in ("guest", "wasm"))
    if isinstance(own, str) and "its numbers end at" in own:
        return None
    if isinstance(guest, str) or isinstance(own, str):
        return None if guest == own else (guest, own)
    if "stopped" in (guest.end_reason, own.end_reason):
        return None
    return {table: found for table, found in compared(guest, own).items() if found}


def looked_at(exp: Experiment) -> Experiment:
    """Without programs, and with all that says where packets are lost."""
    ends = [Capture(host, snap=SNAP) for host in exp.topology.names]
    looking = exp.replace(commands=[], probes=exp.probes | {"drops", "recovery", "tcp_probe"}, capture=ends)
    note(looking.to_json())
    return looking


@fuzz.of(25)
@given(exp=experiments())
def test_any_experiment_is_the_same(wasm: Linked, exp: Experiment) -> None:
    assert not differing(looked_at(exp))


@fuzz.of(15)
@given(exp=stressed())
def test_any_experiment_under_stress_is_the_same(wasm: Linked, exp: Experiment) -> None:
    assert not differing(looked_at(exp))


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(fuzz.examples(3)))
def test_any_nasty_spec_ends_alike(wasm: Linked, part: int) -> None:
    """One of them again: nasty(NUMBER)."""
    first = fuzz.seed() * 10**6 + part * EACH
    found = {}
    for number in range(first, first + EACH):
        given = nasty(number) | {"wall_limit": "10s"}
        for programs in ("commands", "modules"):
            given.pop(programs, None)
        try:
            exp = Experiment(**given)
        except SpecError:
            continue
        if other := differing(exp):
            found[number] = other
    assert found == {}
