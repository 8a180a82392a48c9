"""Files of the user's that commands see: where, and where not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BeforeValidator

from labkit.schema.base import FaultsError, Frozen
from labkit.traffic.kind import Fault

_TAKEN = frozenset(
    {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32"}
    | {"proc", "run", "sbin", "sys", "tmp", "usr", "var"}
)
_FOLDERS = frozenset({"/home", "/mnt", "/opt", "/root", "/srv"})
"""Of a command's root: what is the machine's or the guest's own, and what is there, empty."""


def _read(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise FaultsError([((), 'must be like {"/data": "path/to/folder"}')])
    found = {str(place): os.fspath(source) for place, source in value.items()}
    faults: list[Fault] = [
        ((place,), text) for place in found if (text := _fault(place, found[place], list(found)))
    ]
    if faults:
        raise FaultsError(faults)
    return dict(sorted(found.items()))


def _fault(place: str, source: Any, places: list[str]) -> str:
    path = PurePosixPath(place)
    if (
        not path.is_absolute()
        or str(path) != place
        or ".." in path.parts
        or place in ("/", "//")
        or "\0" in place
    ):
        return ': where commands see it must be a whole path such as "/data"'
    if path.parts[1] in _TAKEN:
        return f": would hide /{path.parts[1]} of the system: choose another place, such as /data"
    if place in _FOLDERS:
        return f": would hide {place}: choose a place in it, such as {place}/data"
    if len(os.fsencode(place)) > 1000:
        return ": longer than 1000 bytes"
    if within := [other for other in places if PurePosixPath(other) in path.parents]:
        return f": lies in {within[0]}, which is read-only: choose a place beside it"
    if not isinstance(source, str) or not source or "\0" in source:
        return f"={source!r}: must be the path of a folder or file of yours"
    return ""


CommandFiles = Annotated[dict[str, str], BeforeValidator(_read), Frozen]
