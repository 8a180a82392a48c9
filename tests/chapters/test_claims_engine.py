"""`make claims`, tried on a tiny chapter whose claims are known to hold or to fail: each can do either."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.caches import fresh_cache
from scripts.claims import __main__ as claims
from scripts.claims.assertions import Assertion, assertions, first_lines
from scripts.claims.outcome import LONG, Failure, Lab, Measured, Outcome, keep, kept_at
from scripts.claims.pool import Job, measure_all, shares
from scripts.claims.table import report
from scripts.record import load
from tests.chapters.replay import ROOT

HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# Claims that are known
"""
CELLS = {
    "holds": "import os\nSHAKE = int(os.environ.get('LABKIT_SHAKE') or 0)\nassert SHAKE >= 0, 'never'",
    "fails in some": "goodput = 9.5 + SHAKE\nassert goodput < 11.4 - 0.2\nassert 9 < goodput, 'goes on'",
    "anecdote": "assert SHAKE != 1",
    "loop": "for i in range(5):\n    assert i != SHAKE + 2",
    "function": "def check(x):\n    assert x < 2, f'{x} is too much'\n\ndef never():\n    assert True",
    "called": "check(SHAKE)",
    "raises": "unknown = {}\nassert unknown['x'] == 1\nunknown['y']\nassert True",
    "after": "assert not any(i > 2 for i in range(SHAKE + 2))",
    "own random numbers": "import numpy as np\ndrawn = np.random.default_rng(1).integers(10**9)\n"
    "import random\nrandom.seed(1)\nassert (drawn, random.random()) == (511821624, 0.13436424411240122)",
    "magic": "%load_ext labkit",
    "lab": "from labkit import Experiment, Flow, pair, run\n"
    "exp = Experiment(pair(rate='10mbit', delay='10ms'), flows=[Flow('left', 'right', size='10kB')])\n"
    "result = run(exp)\nassert result.experiment.shaken == SHAKE\n"
    "assert result.also(probes={'drops'}).digest() and (result.seed == 1) == (SHAKE == 0)",
    "series": "import pandas as pd\nx = pd.Series([1.0, 2.0, SHAKE])\nassert x.between(0, 2).all()",
}


def chapter(folder: Path, cells: Mapping[str, str] = CELLS, name: str = "01-known") -> Path:
    """A chapter of these cells; one of the name "anecdote" is marked as one."""
    parts = [HEADER]
    for title, code in cells.items():
        tags = ":tags: [in-this-run]\n\n" if title == "anecdote" else ""
        parts.append(f"## {title}\n\n```{{code-cell}} ipython3\n{tags}{code}\n```\n")
    source = folder / f"{name}.md"
    source.write_text("\n".join(parts))
    return source


def measured(source: Path, *shakes: int) -> list[Measured]:
    found: list[Measured] = []
    measure_all([(source, shake) for shake in shakes], 2, found.append)
    return found


@pytest.fixture(scope="module", autouse=True)
def no_running_loop() -> Iterator[None]:
    """The engine starts an event loop; a browser of these tests leaves its own running in this thread."""
    running = asyncio.events._get_running_loop()
    asyncio.events._set_running_loop(None)
    yield
    asyncio.events._set_running_loop(running)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Shakes 0 (none) to 3 of the tiny chapter."""
    return Outcome.of(measured(chapter(tmp_path_factory.mktemp("chapters")), 0, 1, 2, 3))


def failure(outcome: Outcome, part: str) -> Failure:
    (found,) = [one for one in outcome.failures if part in one.text]
    return found


def test_claims_and_anecdotes_are_counted_apart(known: Outcome) -> None:
    assert (known.assertions, known.anecdotes, known.shakes) == (13, 1, (0, 1, 2, 3))
    assert [one.text for one in known.failures if one.anecdote] == ["assert SHAKE != 1"]
    assert failure(known, "SHAKE != 1").shakes == {1: {"SHAKE": 1}}


def test_a_claim_that_holds_is_no_failure(known: Outcome) -> None:
    assert not [one for one in known.failures if "SHAKE >= 0" in one.text or "goes on" in one.text]


def test_a_claim_that_fails_in_some_shakes_says_in_which_and_with_what(known: Outcome) -> None:
    shakes = failure(known, "11.4").shakes
    assert shakes == {2: {"goodput": 11.5, "11.4 - 0.2": 11.2}, 3: {"goodput": 12.5, "11.4 - 0.2": 11.2}}


def test_an_assertion_in_a_loop_holds_if_it_holds_each_time(known: Outcome) -> None:
    shakes = failure(known, "i != SHAKE + 2").shakes
    assert {shake: values["i"] for shake, values in shakes.items()} == {0: 2, 1: 3, 2: 4}


def test_an_assertion_in_a_function_is_known_by_where_it_is_written(known: Outcome) -> None:
    shakes = failure(known, "x < 2").shakes
    assert shakes[2] == {"x": 2, "error": "AssertionError: 2 is too much"} and set(shakes) == {2, 3}


def test_what_is_never_reached_fails(known: Outcome) -> None:
    in_function, after_error = [one for one in known.failures if one.text == "assert True"]
    assert in_function.shakes[0] == {"error": "not reached: no run came to it"}
    assert after_error.shakes[0] == {"error": "not reached: KeyError: 'y'"}


def test_an_assertion_that_raises_fails_and_its_cell_goes_on(known: Outcome) -> None:
    assert failure(known, "unknown['x']").shakes[0] == {"error": "KeyError: 'x'"}


def test_what_stopped_an_any_is_told(known: Outcome) -> None:
    assert failure(known, "not any").shakes == {2: {"i": 3}, 3: {"i": 3}}


def test_the_chapters_own_random_numbers_are_shifted(known: Outcome) -> None:
    assert set(failure(known, "random.random()").shakes) == {1, 2, 3}


def test_runs_are_shaken_once_and_say_so(known: Outcome) -> None:
    assert not [one for one in known.failures if "result" in one.text]


def test_many_numbers_are_told_in_short(known: Outcome) -> None:
    assert failure(known, "between").shakes == {3: {"x": "[1, 2, 3]"}}


def test_a_line_is_that_of_the_chapters_file(tmp_path: Path) -> None:
    source = chapter(tmp_path)
    lines = source.read_text().splitlines()
    for one in assertions(load(source), source):
        assert lines[one.line - 1].strip().startswith(one.text.split("==")[0].split(",")[0].rstrip(" )")[:12])


def test_cells_with_options_start_behind_them() -> None:
    text = "```{code-cell} ipython3\n:tags: [a]\n\nx\n```\n```{code-cell}\n---\ntags: [a]\n---\ny\n```\n"
    assert first_lines(text) == [4, 10]


def made(failed: Mapping[int, Any], shakes: int = 10, cells: str = "c", first: int = 1) -> Outcome:
    claim = Assertion("cell-001", "cell-001:1:0", 20, "assert x < 3", False)
    return Outcome.of(
        Measured(
            "01-known",
            shake,
            Lab(cells, "6.12.1", "0.1.0"),
            (claim,),
            {claim.place: failed[shake]} if shake in failed else {},
        )
        for shake in range(first, first + shakes)
    )


def test_the_table_counts_and_tells_from_where_to_where() -> None:
    lines = report([made({2: {"x": 3.5}, 7: {"x": 4}})]).splitlines()
    assert lines[1].split() == ["01-known", "10", "1", "0", "1", "0", "0"]
    assert lines[-1] == ("01-known.md:20 cell-001:1:0: 2 of 10 shakes (2, 7): x = 3.5 to 4: assert x < 3")


def test_ten_shakes_are_kept_and_fewer_are_not(tmp_path: Path) -> None:
    source = chapter(tmp_path)
    assert keep(made({}), source)
    assert not keep(made({1: {"x": 5}}, shakes=9), source)
    assert Outcome.load(kept_at(source)) == made({})


def test_the_long_shakes_join_ten_others_and_are_not_kept_alone(tmp_path: Path) -> None:
    source = chapter(tmp_path)
    assert not keep(made({}, shakes=4, first=21), source)
    keep(made({}), source)
    assert keep(made({23: {"x": 5}}, shakes=4, first=21), source)
    both = Outcome.load(kept_at(source))
    assert both.shakes == (*range(1, 11), *LONG) and set(both.failures[0].shakes) == {23}
    assert keep(made({}, shakes=4, first=21), source)
    assert Outcome.load(kept_at(source)).clean


def test_a_second_set_joins_the_first_of_the_same_cells(tmp_path: Path) -> None:
    source = chapter(tmp_path)
    keep(made({2: {"x": 3.5}}), source)
    keep(made({12: {"x": 4}}, first=11), source)
    both = Outcome.load(kept_at(source))
    assert both.shakes == tuple(range(1, 21)) and set(both.failures[0].shakes) == {2, 12}
    keep(made({}), source)  # measured again: shake 2 holds now
    assert set(Outcome.load(kept_at(source)).failures[0].shakes) == {12}
    keep(made({}, cells="others"), source)
    assert Outcome.load(kept_at(source)) == made({}, cells="others")


def test_the_same_outcome_is_the_same_file(tmp_path: Path) -> None:
    source = chapter(tmp_path)
    keep(made({2: {"x": 3.5}}), source)
    first = kept_at(source).read_bytes()
    keep(made({2: {"x": 3.5}}), source)
    assert kept_at(source).read_bytes() == first
    assert not {"time", "duration", str(Path.home())} & set(json.loads(first))


def test_cells_that_changed_meanwhile_are_no_outcome() -> None:
    parts = [Measured("01-known", 1, Lab(cells, "", ""), (), {}) for cells in "ab"]
    with pytest.raises(ValueError, match="changed meanwhile"):
        Outcome.of(parts)


def test_processors_are_shared_out() -> None:
    assert shares([0, 1, 2, 3, 4], 2) == [[0, 2, 4], [1, 3]]
    assert shares([3], 2) == [[3], [3]]


def test_the_exit_code_and_the_file_say_whether_claims_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = chapter(tmp_path, {"holds": "assert True"}, "01-good")
    bad = chapter(tmp_path, {"holds": "assert True", "fails": "assert 1 > 2"}, "02-bad")
    monkeypatch.setattr(claims, "chosen", lambda _: [good, bad])
    monkeypatch.setattr("scripts.claims.outcome.ENOUGH", 1)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        assert claims.main(["--shakes", "1"]) == 1
        monkeypatch.setattr(claims, "chosen", lambda _: [good])
        assert claims.main(["--shakes", "1", "--no-keep"]) == 0
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
    (said,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("02-bad.md:")]
    assert said.endswith("cell-003:1:0: 1 of 1 shakes (1): nothing to be seen: assert 1 > 2")
    assert Outcome.load(kept_at(good)).clean and not Outcome.load(kept_at(bad)).clean


def test_a_chapter_changed_meanwhile_costs_the_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    same, other = (chapter(tmp_path, {"holds": "assert True"}, name) for name in ("01-same", "02-other"))
    seen: list[Measured] = []

    def changing(jobs: Iterable[Job], width: int, done: Callable[[Measured], object], reuse: bool) -> None:
        for job in jobs:
            measure_all([job], width, lambda one: (seen.append(one), done(one)), reuse)
            if job == (other, 1):
                other.write_text(other.read_text().replace("assert True", "assert 1"))

    monkeypatch.setattr(claims, "chosen", lambda _: [same, other])
    monkeypatch.setattr(claims, "measure_all", changing)
    monkeypatch.setattr("scripts.claims.outcome.ENOUGH", 2)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        assert claims.main(["--shakes", "2"]) == 1
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
    assert len(seen) == 4
    assert "02-other: the cells or the lab changed meanwhile" in capsys.readouterr().err
    assert Outcome.load(kept_at(same)).shakes == (1, 2) and not kept_at(other).exists()


def children(of: str) -> list[int]:
    """Processes whose environment has this in it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if of.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_nothing_is_left_when_it_is_ended(how: signal.Signals, tmp_path: Path) -> None:
    cells = {"quick": "assert True", "slow": "import time\ntime.sleep(600)"}
    (tmp_path / "chapters").mkdir()
    (tmp_path / "temporary").mkdir()
    chapter(tmp_path / "chapters", cells, "01-slow")
    mark = f"CLAIMS_TEST={tmp_path}"
    own = {"CLAIMS_TEST": str(tmp_path), "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary")}
    command = [sys.executable, "-m", "scripts.claims", "--shakes", "2", "--jobs", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, env=os.environ | own, stdout=subprocess.DEVNULL)
    reports = tmp_path / "temporary"
    _wait(lambda: len(list(reports.glob("labkit-claims-*/report.json"))) == 2)
    process.send_signal(how)
    process.wait(60)
    _wait(lambda: not children(mark))
    assert not list(reports.glob("labkit-claims-*"))


def _wait(until: Any) -> None:
    end = time.monotonic() + 120
    while not until():
        assert time.monotonic() < end, "nothing came of it within two minutes"
        time.sleep(0.1)


@pytest.mark.parametrize("reuse", [False, True])
def test_results_at_hand_are_used_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reuse: bool
) -> None:
    source = chapter(tmp_path, {name: CELLS[name] for name in ("holds", "magic", "lab")})
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("LABKIT_CACHE", str(fresh_cache(tmp_path / "cache")))
    found: list[Measured] = []
    measure_all([(source, 1)], 1, found.append, reuse)
    assert not found[0].failed
    assert (tmp_path / "cache" / "results").exists() == reuse
