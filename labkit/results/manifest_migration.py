"""Manifests of older formats, brought to the present one when they are read. Files stay as they were written.

format 1 (until November 2026): the place "guest" was called "lab"; an open laboratory had no wall time; the
layout was without ways, routes, and MAC and link addresses; those are compiled as they were then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labkit.compile.description import describe
from labkit.compile.layout import lay_out
from labkit.decode.folder import MANIFEST, MANIFEST_FORMAT, ResultFormatError
from labkit.spec import Experiment

_NEEDED = {"experiment": dict, "layout": dict, "end": dict, "kernel": dict, "seed": int, "place": str}
"""Of every manifest since the first: what tables are made of."""


def present(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest in the format of this labkit. Raises SpecError if its experiment is none,
    ResultFormatError if something else is."""
    for name, kind in _NEEDED.items():
        if not isinstance(manifest.get(name), kind):
            raise ResultFormatError(f"{MANIFEST}: {name}: missing, or of another kind: run again")
    if manifest["format"] == MANIFEST_FORMAT:
        return dict(manifest)
    return _from_1(manifest)


def _from_1(manifest: Mapping[str, Any]) -> dict[str, Any]:
    opened, in_guest = manifest["wall_s"] is None, manifest["place"] == "lab"
    known = manifest["layout"]
    layout = lay_out(Experiment.model_validate(manifest["experiment"]), all_wires=opened)
    newer = {
        "format": MANIFEST_FORMAT,
        "place": "guest" if in_guest else manifest["place"],
        "virtual_time": in_guest,
        "open": opened,
        "layout": describe(layout, known.get("flows", []), known.get("commands", [])),
    }
    return {**manifest, **newer}
