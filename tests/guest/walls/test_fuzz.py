"""Any experiment that can be described either runs to its end or is refused by name.

A few, always the same, in CI; `make fuzz` tries others, and more (tests/fuzz.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, note

from labkit.errors import LabKernelError, LabkitError, LimitReached
from labkit.results.run import run
from labkit.spec import Experiment
from tests import fuzz
from tests.strategies import experiments


@pytest.fixture(scope="module")
def tally() -> Iterator[Counter[str]]:
    """What became of them all, printed at the end (pytest -s)."""
    counts: Counter[str] = Counter()
    yield counts
    print(f"\nseed {fuzz.seed()}:")
    for what, count in counts.most_common():
        print(f"{count:6} {what}")


@pytest.mark.usefixtures("each_kernel")
@fuzz.of(60)
@given(experiment=experiments())
def test_every_experiment_runs_or_is_refused_by_name(experiment: Experiment, tally: Counter[str]) -> None:
    note(experiment.to_json())
    try:
        result = run(experiment, cache=False)
    except (LabKernelError, LimitReached):
        raise  # these are no refusals
    except LabkitError as refusal:
        assert len(str(refusal)) > 20
        tally["refused: " + re.sub(r"\d+", "0", str(refusal))[:100]] += 1
        return
    tally["ran"] += 1
    assert result.end_reason == "duration"
    assert result.virtual_s == 2.0
    assert len(result.flows) == len(experiment.flows)
    assert (result.flows["received_bytes"] >= 0).all()
    answered = result.requests[result.requests["complete"]]
    assert (answered["done_s"] >= answered["first_byte_s"]).all()
    assert (answered["first_byte_s"] > answered["sent_s"]).all()
    result.goodput()
    for probe in experiment.probes & {"tcp_info", "backlog"}:
        getattr(result, probe)
