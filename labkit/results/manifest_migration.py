"""Manifests of older formats, brought to the present one when they are read. Files stay as they were written.

format 1 (until November 2026): the place "guest" was called "lab"; an open laboratory had no wall time; the
layout was without ways, routes, and MAC and link addresses; those are compiled as they were then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labkit.compile.description import describe
from labkit.compile.layout import lay_out
from labkit.decode.folder import MANIFEST_FORMAT
from labkit.spec import Experiment


def present(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest in the format of this labkit. Raises SpecError if its experiment is none."""
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
