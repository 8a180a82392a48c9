"""One file per chapter with the lab programs of its widgets, for web/programs/.

format     2
widgets    {name: {kind, refused, own, knobs, recipe, chart, packed}}
  kind     "explore" or "predict"
  refused  what a page cannot do of it, in words, or null
  own      {name: text of its cell}: congestion controls of the chapter's that its kernel has (own_modules.py)
  knobs    as in the recording, each with `typed`: see labkit/widgets/typed_numbers.py; or null
  recipe   {words, figures}: what is measured of a result, as [{name, flow, since}], and how it is drawn, as
           [{name, options}] of labkit's figures; figures is "own" where web/chapters/ draws it, null of none
  chart    Vega-Lite of the default point, or of a prediction's result, without data; or null
  packed   {plans, points, python, tables, columns, seeds, seeded}, deflated (packing.py)
    plans    lab programs, with what their bytes mean
    points   {"0,2": [numbers of plans] or {refused}}, by the knobs' indices; "" of a prediction; without
             those that are in a table (filling.py; seeds.py has what seeds are)
    python   {source, needs} of a widget that Python in the page can make, or null
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import labkit
from labkit import spec, widgets
from labkit.charts import vega
from labkit.errors import LabkitError, SpecError, UnsupportedError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.measures.word import Word, needs
from labkit.spec import Experiment, custom_cc, topologies
from labkit.widgets import Explorer, Prediction
from labkit.widgets.drawing import named
from labkit.widgets.space import Point, Space, Values
from live import packing, slices
from live.filling import Steps, is_whole, tables_of, written_tables
from live.maker import explore, made, predict
from live.planned import Plan, plan, with_needs
from live.seeds import seed_sets
from live.tables import Table

FORMAT = 2
OWN_FIGURES = Path(labkit.__file__).parents[1] / "web/chapters"
FIGURES = frozenset({"cwnd", "delay", "goodput", "queue", "rtt", "time_sequence"})
"""What a page draws: those of labkit's figures that are in web/widgets/recipes.mjs."""

_SEEDED = 8  # of a table's programs, in which it must be known where the seed stands
_IN_PAGE = (spec, topologies, widgets)

ELSEWHERE = "To run it yourself, open this chapter by the rocket at the top of the page"
ANSWERED = (
    f"its answer takes a calculation in Python. What you will see was recorded in twenty runs. {ELSEWHERE}"
)
SUMMED_UP = f"its figures take a calculation in Python. What you see was recorded. {ELSEWHERE}"
DRAWN = f"its chart is drawn in Python. What you see was recorded. {ELSEWHERE}"
NOT_IN_A_TAB = (
    "it takes more than a browser tab has: programs, kernel modules, or memory. What you see was recorded. "
    f"{ELSEWHERE}"
)
"""What a reader is told behind "It is not run here", instead of what exactly is missing."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """A widget's experiments: at each point of its grid, by the knobs' indices. needs: what its words take to
    be recorded; recipe: see above; lacks: what of it only Python can do, or ""."""

    name: str
    kind: str
    knobs: Sequence[Json]
    experiments: Mapping[str, Callable[[], list[Experiment]]]
    needs: Json
    recipe: Json
    lacks: str


def chapter(stem: str, chapters: Path = slices.CHAPTERS) -> Json:
    """The file of one chapter."""
    recorded = slices.recorded(stem, chapters)
    with slices.forgetting():
        widgets = {name: widget(stem, one, chapters) for name, one in recorded.items()}
    return {"format": FORMAT, "widgets": widgets}


def widget(stem: str, recorded: slices.Recorded, chapters: Path = slices.CHAPTERS) -> Json:
    """One of its widgets."""
    found = source(stem, recorded, chapters)
    if found.lacks:
        return _written(recorded, found, found.lacks, {}, {}, None)
    wanted = found.needs
    made_at: dict[str, list[Plan]] = {}
    refused: dict[str, Json] = {}
    for key, make in found.experiments.items():
        try:
            made_at[key] = [plan(with_needs(exp, wanted), BUILT_IN) for exp in make()]
        except UnsupportedError:
            refused[key] = {"refused": NOT_IN_A_TAB}
        except SpecError as error:
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
        space = slices.run_slice(text, {"explore": explore, "predict": predict}, chapters)
        ranges = space.ranges(partial(_accepted, space))
        steps = Steps(space, ranges)
        tables = tables_of(space, steps, wanted, f"{stem} {recorded.name}")
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
        "recipe": found.recipe,
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
    """Whether a slice takes of labkit what describes experiments, and nothing else: then it makes what was
    recorded where all knobs start."""
    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    names = [line.removeprefix("from labkit import ") for line in imports]
    if not all(any(hasattr(room, name) for room in _IN_PAGE) for name in names):
        return False
    try:
        start = plan(with_needs(made(source).between({}), needs), BUILT_IN)
    except (LabkitError, AttributeError, LookupError, TypeError, ValueError):
        return False
    return start.program in [one.program for one in plans]


def _accepted(space: Space, values: Values) -> bool:
    """Chapters' functions raise what they like for what they do not know."""
    try:
        plan(space.between(values), BUILT_IN)
    except (LabkitError, ArithmeticError, LookupError, TypeError, ValueError):
        return False
    return True


def source(stem: str, recorded: slices.Recorded, chapters: Path = slices.CHAPTERS) -> Source:
    """What it runs. Congestion controls of its own are known by name alone: none is compiled."""
    text = slices.needed(stem, recorded.name, chapters)
    shown = slices.run_slice(text, {"compile_cc": _by_name}, chapters)
    made, lacks = recipe(stem, recorded.name, shown)
    grid: dict[str, Callable[[], list[Experiment]]]
    if isinstance(shown, Explorer):
        space = shown.space
        first, knobs = space.experiment(space.default), shown.knobs()
        grid = {",".join(map(str, at)): partial(_one, space, at) for at in space.grid()}
    else:
        first, knobs = shown.experiments[0], []
        grid = {"": lambda: shown.experiments}
    probes, capture = needs(words_of(shown), first)
    wanted = {"probes": sorted(probes), "capture": [{"host": one.host, "snap": one.snap} for one in capture]}
    return Source(recorded.name, recorded.kind, knobs, grid, wanted, made, lacks)


def _one(space: Space, at: Point) -> list[Experiment]:
    """What an explorer runs at a point."""
    return [space.experiment(at)]


def words_of(shown: Explorer | Prediction) -> list[Word]:
    """What it measures in words."""
    if isinstance(shown, Explorer):
        return shown.words or []
    return [shown.word] if shown.word else []


def recipe(stem: str, name: str, shown: Explorer | Prediction) -> tuple[Json, str]:
    """What is measured and drawn of a result, and what of it only Python can do ("": nothing)."""
    words, figures = words_of(shown), _figures(stem, name, shown)
    lacks = ""
    if not words:
        lacks = SUMMED_UP if isinstance(shown, Explorer) else ANSWERED
    elif shown.given_chart is not None and figures is None:
        lacks = DRAWN
    elif figures is not None and isinstance(shown, Prediction) and len(shown.experiments) > 1:
        lacks = DRAWN  # of several runs
    return {"words": [vars(word) for word in words], "figures": figures}, lacks


def _figures(stem: str, name: str, shown: Explorer | Prediction) -> list[Json] | str | None:
    """How a page draws it: by labkit's figures, or by the chapter's own script; None: it does not."""
    if shown.given_chart is None:
        return None
    figures = named(shown.given_chart)
    if figures is not None and all(one["name"] in FIGURES for one in figures):
        return figures
    script = OWN_FIGURES / f"{stem.partition('-')[0]}.mjs"
    has_it = script.is_file() and re.search(rf"\b{re.escape(name)}\b\"?: draw", script.read_text())
    return "own" if has_it else None


def _by_name(name: str, text: str) -> None:
    custom_cc.know(custom_cc.CustomCC(name, text, 1, ""))


def chart(recorded: slices.Recorded) -> Json | None:
    """The recorded figure without its data."""
    spec = recorded.still if recorded.kind == "explore" else recorded.stored["result"]
    return vega.split(spec)[0] if spec else None
