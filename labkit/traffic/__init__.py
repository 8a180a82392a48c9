"""What flows over a network: one file per kind of traffic, with its spec, its record and its decoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labkit.schema.base import FaultsError
from labkit.traffic.background import Background
from labkit.traffic.call import Call
from labkit.traffic.flow import Flow
from labkit.traffic.interactive import Interactive
from labkit.traffic.kind import Traffic
from labkit.traffic.pings import Pings
from labkit.traffic.requests import Requests
from labkit.traffic.stream import Stream
from labkit.traffic.trains import Trains
from labkit.traffic.tunnel import Tunnel
from labkit.traffic.web_page import WebPage

FLOW = "flow"  # the kind of what names none, as there was no other once
KINDS: dict[str, type[Traffic]] = {
    FLOW: Flow,
    "requests": Requests,
    "background": Background,
    "pings": Pings,
    "trains": Trains,
    "web_page": WebPage,
    "interactive": Interactive,
    "stream": Stream,
    "call": Call,
    "tunnel": Tunnel,
}
"""Every kind of traffic, by the `kind` in its JSON."""


def as_traffic(value: Any) -> Traffic:
    """Some kind of traffic from a mapping, which says by `kind` which. Raises SpecError."""
    if isinstance(value, Traffic):
        return value
    if not isinstance(value, Mapping) or "kind" not in value:
        return Flow.model_validate(value)
    kind = KINDS.get(str(value["kind"]))
    if kind is None:
        raise FaultsError([(("kind",), f"={value['kind']!r}: must be one of {', '.join(KINDS)}")])
    without = {name: field for name, field in value.items() if name != "kind" or "kind" in kind.model_fields}
    return kind.model_validate(without)
