"""A film made in JavaScript is the one that labkit makes of the same bytes, to the last number."""

from __future__ import annotations

import json
import subprocess
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, note

from labkit.errors import LabkitError, LimitReached
from labkit.player import FilmTooLargeError
from labkit.player.film import LIMIT_BYTES, size
from labkit.player.player import player
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Capture, Experiment
from tests import fuzz
from tests.strategies import experiments as any_experiments
from tests.web.decode.decoded import needs_node
from tests.web.player.experiments import experiments

DUMP = Path(__file__).parents[2] / "web/player/dump.mjs"
EXPERIMENTS = {name: exp for name, exp in experiments().items() if name != "no traffic"}
PROBES = {"drops", "recovery", "tcp_probe", "queue", "backlog"}
CUT = "too long"
NEAR_LIMIT = 0.9
Told = dict[str, Any]


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


@cache
def result_of(name: str) -> Result:
    """Of an experiment, captured at every host, however it ended."""
    exp = experiments()[name]
    ends = [Capture(host, snap=128) for host in exp.topology.names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run(exp.replace(probes=exp.probes | PROBES, capture=ends))
        except LimitReached as limit:
            assert isinstance(limit.result, Result)
            return limit.result


def by_javascript(*asked: tuple[str, Told]) -> list[Told]:
    """Films of experiments, by name and options."""
    return films_of(*((result_of(name), options) for name, options in asked))


def films_of(*asked: tuple[Result, Told]) -> list[Told]:
    """Films of runs, with options, by one process for all."""
    questions = []
    for result, options in asked:
        told = {"kernel": result.kernel, "seed": result.seed, **options}
        files = {"raw": str(result.folder / "raw"), "manifest": str(result.folder / "manifest.json")}
        questions.append({**files, "options": told})
    done = subprocess.run(
        ["node", DUMP], input=json.dumps(questions), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found: list[Told] = json.loads(done.stdout)
    return found


@cache
def all_told() -> dict[str, Told]:
    return dict(zip(EXPERIMENTS, by_javascript(*((name, {}) for name in EXPERIMENTS)), strict=True))


def differences(ours: Any, theirs: Any, at: str = "film") -> list[str]:
    """Where two films part, and how."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and list(ours) == list(theirs):
        pairs = [(f"{at}.{key}", ours[key], theirs[key]) for key in ours]
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = [(f"{at}[{i}]", a, b) for i, (a, b) in enumerate(zip(ours, theirs, strict=True))]
    else:
        return [] if ours == theirs else [f"{at}: {ours!r:.200}, in JavaScript {theirs!r:.200}"]
    return [text for name, a, b in pairs for text in differences(a, b, name)]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_film_is_the_same(name: str) -> None:
    told = all_told()[name]
    assert "error" not in told, told["error"]
    assert not differences(player(result_of(name)).film, told["film"])


@fuzz.of(8)
@given(experiment=any_experiments())
def test_so_it_is_of_any_experiment(experiment: Experiment) -> None:
    """Of a seed that a number of JavaScript holds."""
    assume(experiment.flows)
    ends = [Capture(host, snap=128) for host in experiment.topology.names]
    seen = {"probes": experiment.probes | PROBES, "capture": ends}
    experiment = experiment.replace(seed=experiment.seed % 2**53, **seen)
    note(experiment.to_json())
    try:
        result = run(experiment, cache=False)
        film = player(result).film
    except LabkitError:
        assume(False)
    (told,) = films_of((result, {}))
    assert "error" not in told, told["error"]
    assert not differences(film, told["film"])


def test_what_does_not_fit_is_left_out_at_the_same_place() -> None:
    film = player(result_of(CUT)).film
    assert NEAR_LIMIT * LIMIT_BYTES < size(film) <= LIMIT_BYTES
    assert all_told()[CUT]["film"]["span"] == film["span"]


def test_seconds_that_are_asked_for_are_shown() -> None:
    between, options = (0.31, 0.52), {"name": "shown", "caption": "What is shown."}
    film = player(result_of("a full queue"), between=between, **options).film
    (told,) = by_javascript(("a full queue", {"between": between, **options}))
    assert film["span"] == [310_000, 520_000]
    assert not differences(film, told["film"])


def test_too_many_seconds_are_refused_in_the_same_words() -> None:
    with pytest.raises(FilmTooLargeError) as said:
        player(result_of(CUT), between=(0, 2))
    (told,) = by_javascript((CUT, {"between": [0, 2]}))
    assert told["error"]["name"] == "FilmTooLargeError"
    assert told["error"]["message"] == str(said.value)


@pytest.mark.parametrize(
    ("name", "between", "said"),
    [
        ("mid window", [1, 0.5], "two times in s, the earlier one first"),
        ("mid window", [100, 200], "no packet was under way then: there are some from 0 to "),
        ("no traffic", None, "nothing to show: no packet was captured"),
    ],
)
def test_what_cannot_be_shown_is_said(name: str, between: Any, said: str) -> None:
    (told,) = by_javascript((name, {"between": between}))
    assert told["error"]["name"] == "SpanError"
    assert said in told["error"]["message"]
