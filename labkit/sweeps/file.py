"""A sweep as a file: the experiment, the grid, the seeds, what is measured, what a source has for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from labkit.errors import SpecError
from labkit.measures.named_measure import NamedMeasure
from labkit.measures.vocabulary import DEFAULT, as_measure
from labkit.schema.base import FaultsError, read_by
from labkit.schema.files import FileSpec
from labkit.spec import Experiment
from labkit.spec.parametrization import variant
from labkit.sweeps.axes import axis
from labkit.sweeps.published import Published
from labkit.sweeps.refine import Refine
from labkit.sweeps.sweeping import sweep
from labkit.sweeps.swept import Sweep


def _as_experiment(value: Any) -> Experiment | str:
    return value if isinstance(value, str) else Experiment.model_validate(value)


def _as_names(value: Any) -> tuple[str, ...]:
    measure = as_measure(value)
    if not isinstance(measure, NamedMeasure):
        raise SpecError("a file names what is measured")
    return measure.names


def _as_refine(value: Any) -> Refine | None:
    return None if value is None else Refine.model_validate(value)


def _as_published(value: Any) -> Published | None:
    return None if value is None else Published.model_validate(value)


class SweepFile(FileSpec, init=False):
    """What `sweep` is given, but for the executor.

    experiment: an experiment, or the name of its file, seen from this one. grid: path of a field -> values.
    seeds: which, or how many from 0 on. measure: names of figures. refine: path, points, measure.
    published: source and rows; see `labkit.sweeps.Published`.
    """

    _positional: ClassVar = ("experiment", "grid")
    experiment: Annotated[Experiment | str, read_by(_as_experiment)]
    grid: dict[str, Any]
    seeds: int | tuple[int, ...] = 10
    measure: Annotated[tuple[str, ...], read_by(_as_names)] = Field(DEFAULT, validate_default=True)
    refine: Annotated[Refine | None, read_by(_as_refine)] = None
    published: Annotated[Published | None, read_by(_as_published)] = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.published is not None:
            axes = [axis(path, given, lambda _: False) for path, given in self.grid.items()]
            self.published.bound(axes, as_measure(self.measure))
        return self

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """From a .json, .yaml or .yml file, and the experiment's. Raises SpecError, OSError."""
        found = super().load(path)
        if not isinstance(found.experiment, str):
            return found
        try:
            return found.replace(experiment=Experiment.load(Path(path).parent / found.experiment))
        except FaultsError as fault:
            raise fault.within(str(path)) from None

    def at(self, values: Mapping[str, Any]) -> Self:
        """With these fields of the experiment, by path: {"flows.duration": "10s"}. Raises SpecError."""
        return self.replace(experiment=variant(self.template, values))

    def run(self, **options: Any) -> Sweep:
        """`sweep` of it; options: executor, progress, on_row, on_error, cache, as there. Raises SpecError."""
        return sweep(
            self.template,
            self.grid,
            self.seeds,
            measure=self.measure,
            refine=self.refine,
            published=self.published,
            **options,
        )

    @property
    def template(self) -> Experiment:
        """The experiment that the grid varies. Raises SpecError if its file has not been read."""
        if isinstance(self.experiment, str):
            raise SpecError(f"experiment={self.experiment!r}: not read yet: use SweepFile.load")
        return self.experiment
