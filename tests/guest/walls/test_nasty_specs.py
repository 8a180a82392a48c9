"""However nasty a description is: it gives a result, meets a limit or is refused by name. Nothing hangs.

Some, always the same, in `make test`. `make fuzz` tries ten thousand from a number that is drawn and printed:
LABKIT_FUZZ_SEED says which. One of them again: .venv/bin/python -m tests.guest.walls.test_nasty_specs NUMBER
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import signal
import sys
import traceback
from collections import Counter
from types import FrameType
from typing import Any

import pytest

from labkit.errors import AgentError, LabkitError, LimitReached, SetupError, SpecError, UnsupportedError
from labkit.results.result import ProbeMissingError, Result
from labkit.results.run import run
from labkit.spec import Experiment
from tests import fuzz
from tests.nasty import nasty

PARTS = fuzz.examples(5)
EACH = 100 if fuzz.longer() else 4
PATIENCE_S = 60
HANG = "WRONG hang"
TABLES = ("counters", "interfaces", "qdiscs", "requests", "retransmits", "flows", "commands")
FIELD = re.compile(rf"({'|'.join(Experiment.model_fields)})\b")


class HangError(Exception):
    """It took longer than anything may."""


def _hang(number: int, frame: FrameType | None) -> None:
    raise HangError


def faults_of(exp: Experiment, result: Result) -> list[str]:
    """What cannot be true of a result."""
    table, found = result.flows, []
    for flow, row in zip(exp.flows, table.to_dict("records"), strict=True):
        if row["protocol"] == "tcp" and row["received_bytes"] > row["sent_bytes"]:
            found.append(f"{flow.name}: received more than was sent")
        size = getattr(flow, "size", None) if row["protocol"] == "tcp" and flow.lasts() == 0 else None
        if row["complete"] and size and row["received_bytes"] != size:
            found.append(f"{flow.name}: complete with {row['received_bytes']} of {size} bytes")
    ended = result.end_reason == "duration"
    if ended and not math.isclose(result.virtual_s, exp.duration or 0.0, abs_tol=1e-9):
        found.append(f"ended at {result.virtual_s} s, not at {exp.duration}")
    return found


def read(exp: Experiment, result: Result) -> None:
    """Every table that was recorded, without a run again."""
    for name in (*TABLES, *(exp.probes - {"drops", "recovery"})):
        with contextlib.suppress(ProbeMissingError):  # there was nothing to trace
            getattr(result, name)
    result.goodput()
    repr(result), result._repr_html_()
    for number in range(len(exp.commands)):
        result.output(number)
    if "drops" in exp.probes and result.end_reason != "stopped":  # then ports had not told of all they lost
        _ = result.drops
    for capture in exp.capture:
        result.packet_table(capture.host)


def outcome(number: int) -> tuple[str, str]:
    """How the experiment of that number ends, in a word, and what was said. "WRONG": what must not be."""
    given = nasty(number)
    try:
        exp = Experiment(**given)
    except SpecError as refusal:
        said = str(refusal)
        return ("refused" if FIELD.match(said) else "WRONG without a name"), said
    if Experiment.from_json(exp.to_json()) != exp:
        return "WRONG after a round trip", exp.to_json()
    try:
        try:
            result, end = run(exp, cache=False), "ran"
        except LimitReached as limit:
            assert isinstance(limit.result, Result)
            result, end = limit.result, "limit"
        faults = faults_of(exp, result)
        read(exp, result)
    except SpecError as late:  # what memory a run takes is known when it is compiled
        return ("refused" if str(late).startswith("memory=") else "WRONG late refusal"), str(late)
    except (AgentError, UnsupportedError) as refusal:
        return "refused by the kernel", str(refusal)
    except SetupError as missing:
        return ("refused" if "module" in str(missing) else "WRONG SetupError"), str(missing)
    except LabkitError as error:
        return f"WRONG {type(error).__name__}", str(error)
    return ("WRONG result", "; ".join(faults)) if faults else (end, "")


def within_patience(number: int) -> tuple[str, str]:
    """The same, and a hang or any other error is an end as well. Twice: virtual machines stand still for a
    minute now and then, all of them."""
    end, said = _once(number)
    return _once(number) if end == HANG else (end, said)


def _once(number: int) -> tuple[str, str]:
    before = signal.signal(signal.SIGALRM, _hang)
    signal.alarm(PATIENCE_S)
    try:
        return outcome(number)
    except HangError:
        return HANG, traceback.format_exc()
    except Exception:
        return "WRONG traceback", traceback.format_exc()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.fuzz
@pytest.mark.usefixtures("each_kernel")
@pytest.mark.parametrize("part", range(PARTS))
def test_every_nasty_spec_ends_well(part: int, record_property: Any) -> None:
    first = fuzz.seed() * 10**6 + part * EACH
    ends = {number: within_patience(number) for number in range(first, first + EACH)}
    tally = Counter(end for end, _ in ends.values())
    record_property(fuzz.ENDS, dict(tally))
    wrong = {number: end for number, end in ends.items() if end[0].startswith("WRONG")}
    assert not wrong, "\n\n".join(f"{number}: {end}: {said[-1500:]}" for number, (end, said) in wrong.items())


if __name__ == "__main__":
    for text in sys.argv[1:]:
        print(json.dumps(nasty(int(text)), default=repr))
        print(*within_patience(int(text)), sep=": ")
