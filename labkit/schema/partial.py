"""Some fields of a spec, for those who set only some of them: each validated by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from pydantic import TypeAdapter, ValidationError

from labkit.schema.base import FaultsError, Loc, Spec, faults_of, no_field


class Partial:
    """The fields of `cls` one by one, but for those named in `without`."""

    def __init__(self, cls: type[Spec], without: tuple[str, ...] = ()) -> None:
        self.cls = cls
        self.fields: dict[str, TypeAdapter[Any]] = {
            name: TypeAdapter(cast("Any", Annotated[field.annotation, name, *field.metadata]))
            for name, field in cls.model_fields.items()
            if name not in without
        }

    def read(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The values of these fields. Raises SpecError."""
        found: dict[str, Any] = {}
        faults: list[tuple[Loc, str]] = []
        for name, value in settings.items():
            if name not in self.fields:
                faults.append(((name,), no_field(self.cls, name)))
                continue
            try:
                found[name] = self.fields[name].validate_python(value)
            except ValidationError as error:
                faults += faults_of(self.cls, error, (name,))
        if faults:
            raise FaultsError(faults)
        return found

    def plain(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The same as plain SI values for JSON."""
        return {name: self.fields[name].dump_python(value, mode="json") for name, value in settings.items()}
