"""A spec that is a file of its own: JSON or YAML, read and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

import yaml

from labkit.schema import foreign_files
from labkit.schema.base import FaultsError, Spec

MOST_BYTES = 16 << 20
"""Of a description: far above any that can be run."""


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FaultsError([((), f"not JSON: {error}")]) from None


def _yaml(text: str | bytes) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise FaultsError([((), f"not YAML: {' '.join(str(error).split())}")]) from None


_READERS = {".json": _json, ".yaml": _yaml, ".yml": _yaml}


def plain(path: str | Path) -> Any:
    """What a .json, .yaml or .yml file says, as mappings and lists. Raises SpecError, FileNotFoundError."""
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise FaultsError([((), f"{file}: name it .json, .yaml or .yml")])
    said = foreign_files.content(file, MOST_BYTES, refused=lambda text: FaultsError([((), text)]))
    try:
        return reader(said)
    except FaultsError as fault:
        raise fault.within(str(file)) from None


class FileSpec(Spec, init=False):
    """A spec with `load` and `save`."""

    def to_json(self, indent: int | None = None) -> str:
        """JSON that `from_json` turns into an equal one; plain SI numbers."""
        return json.dumps(self.model_dump(mode="json"), indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """From JSON, with SI numbers or units. Raises SpecError."""
        return cls.model_validate_json(text)

    @classmethod
    def from_yaml(cls, text: str | bytes) -> Self:
        """From YAML, with SI numbers or units. Raises SpecError."""
        return cls.model_validate(_yaml(text))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """From a .json, .yaml or .yml file. Raises SpecError, which names the file, or
        FileNotFoundError."""
        found = plain(path)
        try:
            return cls.model_validate(found)
        except FaultsError as fault:
            raise fault.within(str(path)) from None

    def save(self, path: str | Path) -> None:
        """Write a .json, .yaml or .yml file that `load` reads back."""
        file = Path(path)
        if file.suffix.lower() == ".json":
            file.write_text(self.to_json(indent=2) + "\n", encoding="utf-8")
        elif file.suffix.lower() in (".yaml", ".yml"):
            file.write_text(yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False), encoding="utf-8")
        else:
            raise FaultsError([((), f"{file}: name it .json, .yaml or .yml")])
