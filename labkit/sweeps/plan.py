"""What a sweep runs: every point of a grid with every seed, checked before anything starts. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from labkit.errors import SpecError
from labkit.schema.base import FaultsError
from labkit.spec import Experiment
from labkit.spec.parametrization import Source, check_source, variant
from labkit.spec.paths import with_field
from labkit.sweeps.axes import Axis, axis
from labkit.sweeps.rows import OWN, Row
from labkit.sweeps.work import Outcome

Place: TypeAlias = tuple[int, ...]
Key: TypeAlias = tuple[Place, int]
"""A run: the index of its value on each axis, and its seed."""


@dataclass(frozen=True)
class Plan:
    """The axes, the seeds, and the experiment at each place of the grid (with the template's seed)."""

    source: Source
    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    experiments: Mapping[Place, Experiment]

    @classmethod
    def of(cls, template: Source, grid: Mapping[str, Any], seeds: int | Iterable[int]) -> Plan:
        """Raises SpecError, which names every value that the spec refuses."""
        if not isinstance(grid, Mapping) or not grid:
            raise SpecError('grid: is empty: write {"flows.cc": ["reno", "cubic"]}')
        check_source(template, grid, "sweep")
        for path in grid:
            if path in OWN:
                raise SpecError(f"grid: {path!r}: has a column of its own: for seeds write seeds=range(10)")
        axes = tuple(axis(path, given, _takes(template, path)) for path, given in grid.items())
        chosen = _seeds(seeds)
        faults: dict[str, None] = {}
        places = list(product(*(range(len(a.values)) for a in axes)))
        found: dict[Place, Experiment] = {}
        for place in places:
            found |= _made(template, axes, place, faults)
        for seed in chosen if found else ():
            try:
                next(iter(found.values())).replace(seed=seed)
            except SpecError as error:
                faults[str(error)] = None
        if faults:
            raise FaultsError([((), text) for text in faults])
        return cls(template, axes, chosen, found)

    def keys(self) -> Iterator[Key]:
        """Every run; a whole grid with the first seed, then with the next one, so that curves fill evenly."""
        return ((place, seed) for seed in self.seeds for place in self.experiments)

    def experiment(self, key: Key) -> Experiment:
        """What is run."""
        place, seed = key
        return self.experiments[place].replace(seed=seed)

    def with_value(self, number: int, value: float | int) -> tuple[Plan, list[Key]]:
        """This plan with one more number on an axis, and what that adds to run. Raises SpecError."""
        axes = list(self.axes)
        axes[number] = axes[number].with_value(value)
        faults: dict[str, None] = {}
        ranges = [range(len(a.values)) for a in axes]
        ranges[number] = range(len(axes[number].values) - 1, len(axes[number].values))
        new: dict[Place, Experiment] = {}
        for place in product(*ranges):
            new |= _made(self.source, axes, place, faults)
        if faults:
            raise FaultsError([((), text) for text in faults])
        plan = Plan(self.source, tuple(axes), self.seeds, {**self.experiments, **new})
        return plan, [(place, seed) for seed in self.seeds for place in new]

    def rows(self, key: Key, outcome: Outcome) -> list[Row]:
        """The table's rows of one run: one at least, with its error if it failed."""
        place, seed = key
        point: Row = {a.path: a.labels[i] for a, i in zip(self.axes, place, strict=True)}
        after: Row = {
            "virtual_s": outcome.virtual_s,
            "incomplete": outcome.incomplete,
            "error": outcome.error,
            "spec_digest": outcome.spec_digest,
        }
        measured: tuple[Row, ...] = outcome.rows or ({},)
        return [{**point, "seed": seed, **row, **after} for row in measured]

    def order(self, key: Key) -> tuple[Any, ...]:
        """Where a run stands in the table: values as they were given, those of a number line by size."""
        place, seed = key
        ranks = [a.labels[i] if a.numeric else i for a, i in zip(self.axes, place, strict=True)]
        return (*ranks, self.seeds.index(seed))


def _takes(template: Source, path: str) -> Any:
    def takes(value: object) -> bool:
        if not isinstance(template, Experiment):
            return False
        try:
            with_field(template, path, value)
        except SpecError:
            return False
        return True

    return takes


def _made(
    source: Source, axes: Iterable[Axis], place: Place, faults: dict[str, None]
) -> dict[Place, Experiment]:
    """The experiment at a place, or nothing but its faults, each of its values looked at."""
    values = {a.path: a.values[i] for a, i in zip(axes, place, strict=True)}
    try:
        return {place: variant(source, values)}
    except SpecError as error:
        if not isinstance(source, Experiment):
            faults[f"{', '.join(f'{path}={value!r}' for path, value in values.items())}: {error}"] = None
            return {}
    exp = source
    for path, value in values.items():
        try:
            exp = with_field(exp, path, value)
        except SpecError as error:
            faults[str(error)] = None
    return {}


def _seeds(given: int | Iterable[int]) -> tuple[int, ...]:
    """Of a number that many, from 0 on."""
    if isinstance(given, int) and not isinstance(given, bool):
        given = range(given)
    if not isinstance(given, Iterable):
        raise SpecError(f"seeds={given!r}: write a number of seeds, or a list such as [1, 2, 3]")
    seeds = tuple(given)
    if not seeds:
        raise SpecError(f"seeds={given!r}: none: write seeds=range(10)")
    twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
    if twice:
        raise SpecError(f"seeds: {', '.join(map(str, twice))}: there twice: each seed counts once")
    return seeds
