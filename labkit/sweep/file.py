"""A sweep as a file: the experiment, the grid, the seeds, what is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from labkit.errors import SpecError
from labkit.spec import Experiment
from labkit.spec.base import FaultsError, read_by
from labkit.spec.files import FileSpec
from labkit.sweep.measures import DEFAULT, PerFlow, as_measure
from labkit.sweep.refine import Refine


def _as_experiment(value: Any) -> Experiment | str:
    return value if isinstance(value, str) else Experiment.model_validate(value)


def _as_names(value: Any) -> tuple[str, ...]:
    measure = as_measure(value)
    if not isinstance(measure, PerFlow):
        raise SpecError("a file names what is measured")
    return measure.names


def _as_refine(value: Any) -> Refine | None:
    return None if value is None else Refine.model_validate(value)


class SweepFile(FileSpec, init=False):
    """What `sweep` is given, but for the executor.

    experiment: an experiment, or the name of its file, seen from this one. grid: path of a field -> values.
    seeds: which, or how many from 0 on. measure: names of figures. refine: path, points, measure.
    """

    _positional: ClassVar = ("experiment", "grid")
    experiment: Annotated[Experiment | str, read_by(_as_experiment)]
    grid: dict[str, Any]
    seeds: int | tuple[int, ...] = 10
    measure: Annotated[tuple[str, ...], read_by(_as_names)] = Field(DEFAULT, validate_default=True)
    refine: Annotated[Refine | None, read_by(_as_refine)] = None

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
