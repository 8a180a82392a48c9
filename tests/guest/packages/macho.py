"""What a program for macOS says of itself, read from its file: its load commands, and whether its signature
is that of its bytes. Of 64 bits, for one processor (<mach-o/loader.h>, <kern/cs_blobs.h> of XNU)."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

X86_64, ARM64 = 0x01000007, 0x0100000C
EXECUTE, PIE = 2, 0x200000
AD_HOC = 0x2
_MAGIC, _HEADER = 0xFEEDFACF, struct.Struct("<8I")
_SEGMENT, _SYMBOLS, _DYLIB, _SIGNATURE, _BUILD, _MAIN = 0x19, 0x2, 0xC, 0x1D, 0x32, 0x80000028
_MACOS = 1
_SUPER_BLOB, _DIRECTORY = 0xFADE0CC0, 0xFADE0C02
_UNDEFINED_MASK, _EXTERNAL = 0x0E, 0x01


@dataclass(frozen=True)
class Segment:
    """address, size in memory, place and size in the file, rights (1 to be read, 2 written, 4 executed)."""

    name: str
    address: int
    size: int
    offset: int
    length: int
    rights: int


@dataclass
class Program:
    """least: the oldest macOS, (13, 0); undefined: symbols that libraries have; flags: of its signature."""

    processor: int
    flags: int
    segments: list[Segment] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    undefined: list[str] = field(default_factory=list)
    least: tuple[int, int] = (0, 0)
    entry: bool = False
    signature: int | None = None


def read(path: Path) -> Program:
    """Raises AssertionError for what is no program, or has a signature of other bytes."""
    data = path.read_bytes()
    magic, processor, _, kind, count, _, flags, _ = _HEADER.unpack_from(data)
    assert (magic, kind) == (_MAGIC, EXECUTE)
    program = Program(processor, flags)
    for command, at in _commands(data, count):
        _take(program, data, command, at)
    return program


def _commands(data: bytes, count: int) -> Iterator[tuple[int, int]]:
    at = _HEADER.size
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, at)
        yield command, at
        at += size


def _take(program: Program, data: bytes, command: int, at: int) -> None:
    if command == _SEGMENT:
        name, address, size, offset, length, _, rights = struct.unpack_from("<16s4Q2I", data, at + 8)
        program.segments.append(Segment(_text(name), address, size, offset, length, rights))
    elif command == _DYLIB:
        (name_at,) = struct.unpack_from("<I", data, at + 8)
        program.libraries.append(_text(data[at + name_at :]))
    elif command == _SYMBOLS:
        program.undefined = _undefined(data, *struct.unpack_from("<4I", data, at + 8))
    elif command == _BUILD:
        platform, least = struct.unpack_from("<2I", data, at + 8)
        assert platform == _MACOS
        program.least = least >> 16, least >> 8 & 0xFF
    elif command == _MAIN:
        program.entry = True
    elif command == _SIGNATURE:
        program.signature = _signed(data, *struct.unpack_from("<2I", data, at + 8))


def _undefined(data: bytes, symbols: int, number: int, strings: int, _: int) -> list[str]:
    names = []
    for i in range(number):
        name_at, kind, section, _, _ = struct.unpack_from("<IBBHQ", data, symbols + 16 * i)
        if kind & _EXTERNAL and not kind & _UNDEFINED_MASK and not section:
            names.append(_text(data[strings + name_at :]))
    return names


def _signed(data: bytes, start: int, size: int) -> int:
    """The flags of its code directory, each of whose hashes is that of a page of what stands before it."""
    magic, length, count = struct.unpack_from(">3I", data, start)
    assert magic == _SUPER_BLOB and length <= size and start + size == len(data)
    places = [struct.unpack_from(">2I", data, start + 12 + 8 * i)[1] for i in range(count)]
    (at,) = [
        start + place for place in places if struct.unpack_from(">I", data, start + place) == (_DIRECTORY,)
    ]
    _, _, _, flags, hashes, _, _, slots, limit = struct.unpack_from(">9I", data, at)
    hash_size, hash_kind, _, page = struct.unpack_from(">4B", data, at + 36)
    assert (hash_size, hash_kind, limit) == (32, 2, start), "SHA-256 of all that is before the signature"
    for i in range(slots):
        content = data[i << page : min((i + 1) << page, limit)]
        found = data[at + hashes + 32 * i : at + hashes + 32 * (i + 1)]
        assert found == hashlib.sha256(content).digest(), f"page {i} was changed after it was signed"
    assert slots << page >= limit
    return int(flags)


def _text(data: bytes) -> str:
    return data.partition(b"\0")[0].decode()
