"""The places to run a lab program, by name."""

from __future__ import annotations

import warnings

from labkit.errors import SpecError
from labkit.execute.place import Place

NAMES = ("guest", "host", "wasm")
_OLD = {"lab": "guest"}  # understood until the release after next


def place_of(place: str | Place) -> Place:
    """The place of that name, or itself. Raises SpecError."""
    if not isinstance(place, str):
        return place
    if place in _OLD:
        warnings.warn(
            f'place="{place}" is called "{_OLD[place]}" now: write that', DeprecationWarning, stacklevel=3
        )
    name = _OLD.get(place, place)
    if name == "guest":
        from labkit.execute.guest.boot import GuestPlace

        return GuestPlace()
    if name == "host":
        from labkit.execute.host.host_place import HostPlace

        return HostPlace()
    if name == "wasm":
        from labkit.execute.wasm.wasm_place import WasmPlace

        return WasmPlace()
    raise SpecError(f'place={place!r}: write "wasm" or "guest" (virtual time), or "host" (real time)')
