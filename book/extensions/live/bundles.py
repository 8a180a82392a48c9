"""One file per chapter with the lab programs of its widgets, for book/live/programs/.

format     2
widgets    {name: {kind, refused, own, knobs, chart, packed}}
  kind     "explore" or "predict"
  refused  what a page cannot do of it, in words, or null
  own      {name: text of its cell}: congestion controls of the chapter's that its kernel has (own_modules.py)
  knobs    as in the recording, each with `typed`: the numbers that may be typed, see typed.py, or null
  chart    Vega-Lite of the default point, or of a prediction's result, without data; or null
  packed   {plans, points, python, tables, columns, seeds, seeded}, deflated (packing.py)
    plans    lab programs, with what their bytes mean
    points   {"0,2": [numbers of plans] or {refused}}, by the knobs' indices; "" of a prediction; without
             those that are in a table (filling.py; seeds.py has what seeds are)
    python   {source, needs} of a widget that Python in the page can make, or null
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from labkit import spec, widgets
from labkit.charts import vega
from labkit.errors import LabkitError, SpecError, UnsupportedError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.spec import Experiment, custom_cc, topologies
from labkit.widgets import Explorer
from live import packing, slices
from live.filling import Steps, is_whole, tables_of, written_tables
from live.maker import Maker, explore, made, predict
from live.planned import Plan, plan, with_needs
from live.seeds import seed_sets
from live.tables import Table

FORMAT = 2
NEEDS = Path(__file__).parents[2] / "live/chapters/needs.json"

_SEEDED = 8  # of a table's programs, in which it must be known where the seed stands
_IN_PAGE = (spec, topologies, widgets)

Json = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """A widget's experiments: at each point of its grid, by the knobs' indices."""

    name: str
    kind: str
    knobs: Sequence[Json]
    experiments: Mapping[str, Callable[[], list[Experiment]]]


def chapter(stem: str, chapters: Path = slices.CHAPTERS) -> Json:
    """The file of one chapter."""
    recorded = slices.recorded(stem, chapters)
    with slices.forgetting():
        widgets = {name: widget(stem, one, chapters) for name, one in recorded.items()}
    return {"format": FORMAT, "widgets": widgets}


def widget(stem: str, recorded: slices.Recorded, chapters: Path = slices.CHAPTERS) -> Json:
    """One of its widgets."""
    found = source(stem, recorded, chapters)
    wanted = needs(stem, recorded.name)
    made_at: dict[str, list[Plan]] = {}
    refused: dict[str, Json] = {}
    for key, make in found.experiments.items():
        try:
            made_at[key] = [plan(with_needs(exp, wanted), BUILT_IN) for exp in make()]
        except (UnsupportedError, SpecError) as error:
            refused[key] = {"refused": str(error)}
    if not made_at:
        said = next(iter(refused.values()))["refused"]
        return _written(recorded, found, said, {}, {}, None)
    every = [one for plans_here in made_at.values() for one in plans_here]
    text = slices.making(stem, recorded.name, chapters)
    python = {"source": text, "needs": wanted} if found.knobs and runs_in_page(text, every, wanted) else None
    tables: list[Table] = []
    packed: Json = {"tables": [], "columns": []}
    ranges: Json = {}
    if found.knobs:
        maker = slices.run_slice(text, {"explore": explore, "predict": predict}, chapters)
        ranges = typed(maker)
        steps = Steps(maker, ranges)
        tables = tables_of(maker, steps, wanted, f"{stem} {recorded.name}")
        packed = written_tables(tables, steps)
        made_at = {key: plans for key, plans in made_at.items() if not _is_in(tables, steps, key)}
        if python is None:
            ranges = {name: one for name, one in ranges.items() if "steps" in one and is_whole(tables, steps)}
    chance = random.Random(recorded.name)
    alike = [table.drawn(chance, _SEEDED) for table in tables]
    points: Json = refused
    for key, here in made_at.items():
        points[key] = list(range(len(alike), len(alike) + len(here)))
        alike += [[one] for one in here]
    plans = packing.written([one for one, *_ in alike])
    packed |= {"plans": plans, "points": points, "python": python, **seed_sets(alike)}
    return _written(recorded, found, None, own_ccs(every), ranges, packing.packed(packed))


def _is_in(tables: Sequence[Table], steps: Steps, key: str) -> bool:
    """A recorded point in a table."""
    at = steps.at(map(int, key.split(",")))
    return any(table.has(at) for table in tables)


def _written(
    recorded: slices.Recorded, found: Source, refused: str | None, own: Json, ranges: Json, packed: str | None
) -> Json:
    return {
        "kind": recorded.kind,
        "refused": refused,
        "own": own,
        "knobs": [{**knob, "typed": _packed(ranges.get(knob["name"]))} for knob in found.knobs],
        "chart": chart(recorded),
        "packed": packed,
    }


def _packed(typed: Json | None) -> Json | None:
    return {**typed, "steps": packing.column(typed["steps"])} if typed and "steps" in typed else typed


def own_ccs(plans: Sequence[Plan]) -> dict[str, str]:
    """The cells of the congestion controls that they load, by name."""
    loaded = {name for one in plans for name in one.manifest["experiment"].get("modules", ())}
    return {name: known.cell for name in sorted(loaded) if (known := custom_cc.find(name))}


def runs_in_page(source: str, plans: Sequence[Plan], needs: Json) -> bool:
    """Whether a slice takes of labkit what describes experiments, of numpy what a page has of it, and nothing
    else: then it makes what was recorded where all knobs start."""
    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    names = [line.removeprefix("from labkit import ") for line in imports if line != "import numpy as np"]
    if not all(any(hasattr(room, name) for room in _IN_PAGE) for name in names):
        return False
    try:
        start = plan(with_needs(made(source).experiment({}), needs), BUILT_IN)
    except (LabkitError, AttributeError, LookupError, TypeError, ValueError):
        return False
    return start.program in [one.program for one in plans]


def typed(maker: Maker) -> Json:
    """By knob: the widest sensible range of numbers of which labkit accepts both ends and the middle; of a
    slider the steps at which it stops."""
    found: Json = {}
    for name, numbers in maker.numbers.items():
        if numbers is None:
            continue
        for low, high in numbers.ends(seed=name == "seed"):
            middle = (low + high) // 2 if numbers.whole else (low + high) / 2
            if all(_accepted(maker, name, number) for number in (low, high, middle)):
                found[name] = {
                    "unit": numbers.unit,
                    "low": _number(low),
                    "high": _number(high),
                    "numbers": [_number(number) for number in numbers.numbers],
                    "whole": numbers.whole,
                }
                if maker.space.knobs[name].kind == "slider":
                    found[name]["steps"] = [_number(number) for number in numbers.steps(low)]
                break
    return found


def _accepted(maker: Maker, name: str, number: Decimal) -> bool:
    """Chapters' functions raise what they like for what they do not know."""
    try:
        plan(maker.experiment({name: number}), BUILT_IN)
    except (LabkitError, ArithmeticError, LookupError, TypeError, ValueError):
        return False
    return True


def _number(number: Decimal) -> int | float:
    return int(number) if number == int(number) else float(number)


def source(stem: str, recorded: slices.Recorded, chapters: Path = slices.CHAPTERS) -> Source:
    """What it runs. Congestion controls of its own are known by name alone: none is compiled."""
    text = slices.needed(stem, recorded.name, chapters)
    shown = slices.run_slice(text, {"compile_cc": _by_name}, chapters)
    if isinstance(shown, Explorer):
        space = shown.space
        grid = {",".join(map(str, at)): (lambda at=at: [space.experiment(at)]) for at in space.grid()}
        return Source(recorded.name, recorded.kind, shown._knobs(), grid)
    return Source(recorded.name, recorded.kind, [], {"": lambda: shown.experiments})


def _by_name(name: str, text: str) -> None:
    custom_cc.know(custom_cc.CustomCC(name, text, 1, ""))


def chart(recorded: slices.Recorded) -> Json | None:
    """The recorded figure without its data."""
    spec = recorded.still if recorded.kind == "explore" else recorded.stored["result"]
    return vega.split(spec)[0] if spec else None


def needs(stem: str, name: str) -> Json:
    """What the widget's script needs to be recorded besides."""
    listed = json.loads(NEEDS.read_text()) if NEEDS.is_file() else {}
    found: Json = listed.get(stem.partition("-")[0], {}).get(name, {})
    return found
