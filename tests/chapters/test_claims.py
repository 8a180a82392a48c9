"""The chapters' claims under other seeds, as `make claims` found and kept them: of these cells, and clean.

A few of them are measured again: which, the cells say, so that nobody chooses. `make test` does so if they
could come out otherwise, as it replays recordings (test_recordings.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labkit.execute.artifacts import cache
from scripts.claims.assertions import Assertion, digest
from scripts.claims.outcome import ENOUGH, Lab, Measured, Outcome, kept_at
from scripts.claims.pool import measure_all
from scripts.record import load
from tests import kept as kept_by_tests
from tests.chapters.replay import ROOT

CHAPTERS = sorted((ROOT / "chapters").glob("*-*.md"))
AGAIN = 4
"""Chapters that are measured again."""


def fault(source: Path) -> str:
    """What is wrong with the outcome kept beside a chapter; "" if it is clean, whole and of its cells."""
    path, cure = kept_at(source), f"make claims CHAPTER={source.name.partition('-')[0]}"
    if not path.exists():
        return f"{path.name}: missing: {cure}"
    outcome = Outcome.load(path)
    if not outcome.fresh(source):
        return f"{path.name}: of other cells: {cure}"
    if len(outcome.shakes) < ENOUGH:
        return f"{path.name}: {len(outcome.shakes)} shakes, {ENOUGH} are needed: {cure}"
    if not outcome.clean:
        lines = ", ".join(f"{one.line}" for one in outcome.failed)
        return f"{path.name}: {len(outcome.failed)} claims failed (lines {lines}): mend them, then {cure}"
    return ""


def chosen(sources: list[Path]) -> list[tuple[Path, int]]:
    """Of these at most AGAIN, each with one of its shakes, by the digests of their cells: it changes with
    them and with nothing else."""
    kept = {source: Outcome.load(kept_at(source)) for source in sources}
    first = sorted(sources, key=lambda source: kept[source].lab.cells_sha256)[:AGAIN]
    drawn = {source: int(kept[source].lab.cells_sha256, 16) for source in first}
    return [
        (source, kept[source].shakes[drawn[source] % len(kept[source].shakes)]) for source in sorted(first)
    ]


def differences(again: Outcome, kept: Outcome) -> list[str]:
    """What one shake measured again shows, and the kept outcome does not, or the other way round. By another
    kernel values may differ, and anecdotes be others; claims hold."""
    if again.lab != kept.lab:
        return [f"{again.chapter}, shake {again.shakes[0]}: {one.text}" for one in again.failed]
    (shake,) = again.shakes
    now, then = ({one.place: one for one in outcome.failures} for outcome in (again, kept))
    saw = {
        place: [by[place].shakes.get(shake) if place in by else None for by in (then, now)]
        for place in then | now
    }
    return [
        f"{again.chapter}.md:{one.line}, shake {shake}: {one.text}: was {saw[place][0]}, is {saw[place][1]}"
        for place, one in (then | now).items()
        if saw[place][0] != saw[place][1]
    ]


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_claims_hold_in_every_shake(source: Path) -> None:
    assert fault(source) == ""


ONCE_MORE = [
    pytest.param(source.with_suffix(".ipynb"), shake, id=f"{source.stem}, shake {shake}")
    for source, shake in chosen([source for source in CHAPTERS if kept_at(source).exists()])
]


@pytest.mark.slow
@pytest.mark.parametrize(("notebook", "shake"), ONCE_MORE)
def test_a_shake_measured_again_gives_what_was_kept(
    notebook: Path, shake: int, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = notebook.with_suffix(".md")
    if wrong := fault(source):
        pytest.skip(f"there is nothing to compare with: {wrong}")
    choosing = request.config.pluginmanager.get_plugin("choosing")
    monkeypatch.setenv(cache.RUNS, str(kept_by_tests.folder() / "replays"))
    moved: list[str] = []

    def compare(one: Measured) -> None:
        moved.extend(differences(Outcome.of([one]), Outcome.load(kept_at(source))))

    measure_all([(source, shake)], 1, compare, reuse=choosing.spares(request.node))
    assert not moved, "\n".join(moved)


# These three, tried on outcomes that are made up

CHAPTER = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# {0}

Words.

```{{code-cell}} ipython3
assert x < 3, "{0}"
```
"""


def kept(
    source: Path,
    failed: dict[int, Any] | None = None,
    shakes: int = ENOUGH,
    lab: str = "6.12.1",
    labkit: str = "0.1.0",
) -> Outcome:
    """An outcome beside a chapter that is made for it; failed: shake -> what the chapter's one claim saw."""
    source.write_text(CHAPTER.format(source.stem))
    claim = Assertion("cell-001", "cell-001:1:0", 20, "assert x < 3", False)
    outcome = Outcome.of(
        Measured(
            source.stem,
            shake,
            Lab(digest(load(source)), lab, labkit),
            (claim,),
            {claim.place: failed[shake]} if failed and shake in failed else {},
        )
        for shake in range(1, shakes + 1)
    )
    kept_at(source).write_text(outcome.to_json())
    return outcome


def test_a_clean_outcome_of_these_cells_has_no_fault(tmp_path: Path) -> None:
    kept(source := tmp_path / "01-a.md")
    assert fault(source) == ""


def test_a_change_of_words_leaves_an_outcome_what_it_is(tmp_path: Path) -> None:
    before = kept(source := tmp_path / "01-a.md")
    source.write_text(source.read_text().replace("Words.", "Other words,\nand more of them."))
    assert fault(source) == "" and Outcome.load(kept_at(source)).joined(before) == before


def test_a_missing_a_stale_a_short_and_an_unclean_outcome_are_faults(tmp_path: Path) -> None:
    source = tmp_path / "01-a.md"
    assert fault(source) == "01-a.claims.json: missing: make claims CHAPTER=01"
    kept(source)
    source.write_text(source.read_text().replace("x < 3", "x < 4"))
    assert "of other cells" in fault(source)
    kept(source, shakes=9)
    assert "9 shakes, 10 are needed" in fault(source)
    kept(source, {4: {"x": 5}})
    assert "1 claims failed (lines 20)" in fault(source)


def test_what_is_measured_again_is_a_few_and_chosen_by_the_cells(tmp_path: Path) -> None:
    sources = [tmp_path / f"{number:02d}-a.md" for number in range(1, 25)]
    for source in sources:
        kept(source)
    pairs = chosen(sources)
    assert len(pairs) == AGAIN and pairs == chosen(sources)
    assert {shake for _, shake in pairs} <= set(range(1, 11)) and len({shake for _, shake in pairs}) > 1


def test_a_shake_measured_again_must_be_what_was_kept(tmp_path: Path) -> None:
    source = tmp_path / "01-a.md"
    before = kept(source)
    assert differences(kept(source, shakes=1), before) == []
    (said,) = differences(kept(source, {1: {"x": 5}}, shakes=1), before)
    assert said == "01-a.md:20, shake 1: assert x < 3: was None, is {'x': 5}"
    assert len(differences(kept(source, shakes=1), kept(source, {1: {"x": 5}}))) == 1
    assert len(differences(kept(source, shakes=1, labkit="0.2.0"), kept(source, {1: {"x": 5}}))) == 1
    assert differences(kept(source, {1: {"x": 5}}, shakes=1, lab="7.0"), before) == [
        "01-a, shake 1: assert x < 3"
    ]
