"""A C struct as bytes, by the names of its fields. Which there are: structs.py."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

_CODES = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i4": "i", "i8": "q"}


class Struct:
    """A C struct without padding, little-endian: "id:u4 dst_ns:u2 cc:16s" names each field and its type (u1,
    u2, u4, u8, i4, i8, or so many bytes: a text, or a struct within it). size: in bytes. unpack_from: a tuple
    of the fields of one that lies at an offset of a buffer, as struct.Struct has it."""

    def __init__(self, fields: str) -> None:
        pairs = [field.split(":") for field in fields.split()]
        self.names = tuple(name for name, _ in pairs)
        self.types = tuple(kind for _, kind in pairs)
        self._packed = struct.Struct("<" + "".join(_CODES.get(kind, kind) for kind in self.types))
        self.size = self._packed.size
        self.unpack_from = self._packed.unpack_from
        self._reserves = "reserved" in self.names

    def pack(self, **values: Any) -> bytes:
        """Every field by its name, `reserved` 0 unless given; numbers, or bytes that zeros fill up. Raises
        TypeError for a field that is missing or unknown, struct.error for a number that does not fit."""
        return self._packed.pack(*self._in_order({"reserved": 0, **values} if self._reserves else values))

    def pack_all(self, **columns: Iterable[Any]) -> bytes:
        """Many in a row: of every field all values, by its name. Raises as `pack`; ValueError if one field
        has more values than another."""
        rows = zip(*self._in_order(columns), strict=True)
        return b"".join(self._packed.pack(*row) for row in rows)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The same for numpy, bytes as S."""
        import numpy as np

        kinds = (f"S{kind[:-1]}" if kind.endswith("s") else f"<{kind}" for kind in self.types)
        return np.dtype(list(zip(self.names, kinds, strict=True)))

    def _in_order(self, values: dict[str, Any]) -> list[Any]:
        if wrong := values.keys() ^ set(self.names):
            raise TypeError(f"of the fields {', '.join(self.names)}: {', '.join(sorted(wrong))}")
        return [values[name] for name in self.names]
