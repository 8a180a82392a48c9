"""Every word means the same in Python and in JavaScript: of the same runs the same numbers and texts."""

from __future__ import annotations

import json
import math
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from labkit.errors import LabkitError, LimitReached
from labkit.measures.per_flow import PerSecond
from labkit.measures.vocabulary import ALL_UNITS, SHOWN
from labkit.measures.word import Word, as_words, needs, summary
from labkit.results.replay import wider
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Call, Experiment, Flow, Interactive, Nic, Pings, Stream
from labkit.spec.topologies import pair
from tests.web.decode.decoded import needs_node
from tests.web.decode.experiments import experiments

SCRIPT = Path(__file__).with_name("words.mjs")
SINCE_S = 0.4
RELATIVE = 1e-9
CROWDS = experiments()


def one(duration: str = "4s", **link: Any) -> Experiment:
    flow = Flow("left", "right", cc="reno", duration=duration)
    return Experiment(pair(rate="10mbit", delay="10ms", **link), flows=[flow], seed=5)


ONES = {
    "random loss": one(loss="2%", queue="50p"),
    "a short queue": one(queue="12p"),
    "reordered": one(queue="100p", forward={"jitter": "8ms"}),
    "marked": one(queue={"kind": "codel", "options": {"ecn": True}}).replace(
        sysctls={"net.ipv4.tcp_ecn": 1}, probes={"queue", "backlog", "tcp_info", "drops"}
    ),
    "nothing comes": one(duration="3s", loss="100%"),
    "what users feel": Experiment(
        pair(rate="300kbit", delay="30ms", queue="60p", loss="3%"),
        flows=[
            Flow("left", "right", size="200kB"),
            Interactive("left", "right", duration="4s"),
            Stream("left", "right", length="8s", segment="1s", ladder=["400kbit", "1mbit"], buffer="3s"),
            Call("left", "right", duration="4s"),
        ],
        duration="20s",
    ),
    "bit errors": Experiment(
        pair(nic=Nic(speed="100mbit"), nic_b={"ber": 2e-6, "memory_ber": 1e-6}, delay="5us"),
        flows=[Flow("left", "right", duration="1s"), Pings("left", "right", count=9, every="100ms")],
    ),
}
EXPERIMENTS: dict[str, Experiment] = CROWDS | ONES


@cache
def measured(name: str) -> Result:
    """A run with everything that words take, however it ended."""
    exp = EXPERIMENTS[name]
    try:
        return run(wider(exp, *needs(as_words(SHOWN), exp)))
    except LimitReached as limit:
        assert isinstance(limit.result, Result)
        return limit.result


def asked() -> list[Word]:
    """Every word, of the whole run, and if it may be, since a time."""
    words = as_words(SHOWN)
    return words + [word for word in as_words(SHOWN, SINCE_S) if word.since]


def by_python(result: Result, word: Word) -> Any:
    try:
        found = {"values": list(map(list, word.values(result).items()))}
        return found | {"lines": list(map(list, summary(result, [word]).items()))}
    except (LabkitError, LookupError) as error:
        return {"error": str(error)}


def by_javascript(result: Result, words: list[Word]) -> list[Any]:
    question = {"raw": str(result.folder / "raw"), "manifest": str(result.folder / "manifest.json")}
    question["words"] = [vars(word) for word in words]  # type: ignore[assignment]
    done = subprocess.run(
        ["node", SCRIPT],
        input=json.dumps([question]),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)[0]
    return found


def is_same(ours: Any, theirs: Any) -> bool:
    """Of an error only that it is one; numbers to a billionth of themselves, all else exactly."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if "error" in ours or "error" in theirs:
            return "error" in ours and "error" in theirs
        return all(is_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(is_same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float | int):
        return math.isclose(ours, theirs, rel_tol=RELATIVE)
    return bool(ours == theirs)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_word_says_the_same_in_both_languages(name: str) -> None:
    needs_node()
    result, words = measured(name), asked()
    theirs = by_javascript(result, words)
    found = {}
    for word, other in zip(words, theirs, strict=True):
        ours = by_python(result, word)
        if not is_same(ours, other):
            found[str(word)] = (ours, other)
    assert not found


def test_every_word_had_a_number_somewhere() -> None:
    """Else the two agree on nothing."""
    missing = set(SHOWN)
    for name in EXPERIMENTS:
        for word in as_words(sorted(missing)):
            found = by_python(measured(name), word).get("values", [])
            if any(value not in (None, 0, "none") for _, value in found):
                missing.discard(word.name)
    assert not missing


def test_words_are_all_that_has_a_name_but_rows_of_seconds() -> None:
    assert set(SHOWN) == set(ALL_UNITS) - set(PerSecond.units)
