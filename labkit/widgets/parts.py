"""What the faces in a running notebook have in common."""

from __future__ import annotations

import html
from typing import Any

from labkit.charts import vega
from labkit.widgets.overlay import Json

WIDE = {"description_width": "initial"}  # style of a widget whose description is not cut off


def note(text: str) -> str:
    """HTML of a message, which screen readers read out."""
    return f'<div role="status" style="white-space:pre-wrap">{html.escape(text)}</div>'


def output(data: dict[str, Any], metadata: dict[str, Any] | None = None) -> Json:
    """What an Output widget shows, from its MIME types."""
    return {"output_type": "display_data", "data": data, "metadata": metadata or {}}


def picture(spec: Json) -> Json:
    """A chart with its data, as an Output widget shows it."""
    return output(*vega.bundle(spec))
