"""The bytes between labkit and its agent, as the agent's two headers declare them, for Python and JavaScript.

format.h and raw_format.h say each struct, type of record and constant once, in C. From them this makes
labkit/program/structs.py (all of it) and web/program/structs.mjs (what a raw file has), and prints the
tables of FORMAT.md between its comments, with what the headers' own comments say.

    python -m scripts.formats
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from scripts import c_header
from scripts.c_header import Constant, Field, Header, Struct

ROOT = Path(__file__).resolve().parents[1]
LABKIT = ROOT / "labkit"
SOURCES = LABKIT / "execute/agent/src"
PYTHON, JAVASCRIPT = LABKIT / "program/structs.py", ROOT / "web/program/structs.mjs"
REFERENCE = LABKIT / "execute/agent/FORMAT.md"
PROGRAM, RAW = "program_type", "raw_type"
_NAMES = {"RULES": "RULE_", "END_REASONS": "END_", "STATES": "STATE_"}
"""Constants that number names, from 0 on: what a list of these is called."""
_IN_RAW_TOO = ("LAB_AT_SETUP", "CC_NAME")
"""Constants of format.h that who reads a raw file needs."""
_WIDTH = 110
_MADE = "Made by scripts/formats.py from format.h and raw_format.h of labkit/execute/agent/src: change those."
_PYTHON_HEAD = f'''"""The agent's structs, types of records and constants.

{_MADE}
"""

from __future__ import annotations

import enum

from labkit.program.c_struct import Struct
'''
_JAVASCRIPT_HEAD = f"""// What the agent's raw files are made of: structs, types of records, constants.
// {_MADE}
"""


def headers() -> tuple[Header, Header]:
    """What format.h and raw_format.h declare. Raises HeaderError."""
    program = c_header.read((SOURCES / "format.h").read_text())
    return program, c_header.read((SOURCES / "raw_format.h").read_text(), program)


def python(program: Header, raw: Header) -> str:
    """structs.py."""
    constants, structs = program.constants | raw.constants, program.structs | raw.structs
    parts = [
        _PYTHON_HEAD,
        *(f"{one.name} = {one.value}" for one in constants.values()),
        *(f"{name} = {_python(names)}" for name, names in _named(constants).items()),
        *_python_enum("Op", "a program", PROGRAM, program.enums[PROGRAM]),
        *_python_enum("Kind", "a raw file", RAW, raw.enums[RAW]),
        *("", ""),
        *(_python_struct(name.upper(), one) for name, one in structs.items()),
        "",
        "HEADS: dict[Kind, Struct] = {",
        *(f"    Kind.{kind}: {struct}," for kind, struct in _heads(raw).items()),
        "}",
        '"""What the payload of such a record begins with; those of other types begin with no struct."""',
    ]
    return "\n".join(parts) + "\n"


def javascript(program: Header, raw: Header) -> str:
    """structs.mjs."""
    structs = {"record": program.structs["record"]} | raw.structs
    constants = {name: program.constants[name] for name in _IN_RAW_TOO} | raw.constants
    parts = [
        _JAVASCRIPT_HEAD,
        *(f"export const {one.name} = {one.value};" for one in constants.values()),
        *(f"export const {name} = {json.dumps(names)};" for name, names in _named(constants).items()),
        f"export const KIND = {_const(_numbers(raw.enums[RAW]))};",
        *(f"export const {name.upper()} = {_const(_javascript(one))};" for name, one in structs.items()),
        "/** What the payload of such a record begins with; those of other types begin with no struct. */",
        "export const HEADS = {",
        *(f"  {kind}: {struct}," for kind, struct in _heads(raw).items()),
        "};",
    ]
    return "\n".join(parts) + "\n"


def reference(page: str, program: Header, raw: Header) -> str:
    """FORMAT.md with its tables printed anew. Raises HeaderError if it has no place for one."""
    for of, header, types in (("program", program, PROGRAM), ("raw file", raw, RAW)):
        tables = {
            "types": _types(header.enums[types]),
            "structs": _structs(header),
            "numbers": _constants(header),
        }
        for what, table in tables.items():
            begin, end = f"<!-- formats: {what} of a {of} -->\n", "<!-- formats: end -->"
            before, found, rest = page.partition(begin)
            if not found or end not in rest:
                raise c_header.HeaderError(f"{REFERENCE.name}: no {begin.strip()} ... {end}")
            page = before + found + "\n" + table + "\n\n" + end + rest.partition(end)[2]
    return page


def made() -> dict[Path, str]:
    """Each file that is made, and what it is to hold. Raises HeaderError."""
    program, raw = headers()
    return {
        PYTHON: python(program, raw),
        JAVASCRIPT: javascript(program, raw),
        REFERENCE: reference(REFERENCE.read_text(), program, raw),
    }


def _named(constants: Mapping[str, Constant]) -> dict[str, list[str]]:
    """Name of a list -> the names that it numbers, where there are any."""
    found = {}
    for name, prefix in _NAMES.items():
        mine = [one for key, one in constants.items() if key.startswith(prefix)]
        if [one.value for one in mine] != list(range(len(mine))):
            raise c_header.HeaderError(f"{prefix}*: they count from 0, in order")
        if mine:
            found[name] = [one.name.removeprefix(prefix).lower() for one in mine]
    return found


def _numbers(members: tuple[Constant, ...]) -> dict[str, int]:
    return {one.name[2:]: one.value for one in members}


def _heads(raw: Header) -> dict[str, str]:
    """Type of record -> the struct that its comment names first."""
    found = ((one.name[2:], re.match(r"struct (\w+)", one.about)) for one in raw.enums[RAW])
    return {name: struct[1].upper() for name, struct in found if struct}


def _python(names: list[str]) -> str:
    return "({})".format(", ".join(f'"{name}"' for name in names))


def _python_enum(name: str, of: str, c_name: str, members: tuple[Constant, ...]) -> Iterator[str]:
    yield from ("", "", f"class {name}(enum.IntEnum):")
    yield from (f'    """Types of record of {of} (enum {c_name})."""', "")
    yield from (f"    {one} = {number}" for one, number in _numbers(members).items())


def _python_struct(name: str, struct: Struct) -> str:
    """As ruff has it: on one line if there is room, else on as few as will do."""
    text = " ".join(f"{field}:{kind}" for one in struct.fields for field, kind in _kinds(one))
    if len(line := f'{name} = Struct("{text}")') <= _WIDTH:
        return line
    room = _WIDTH - len('    ""')
    *lines, last = [text] if len(text) <= room else textwrap.wrap(text, room - 1)
    return "\n".join([f"{name} = Struct(", *(f'    "{one} "' for one in lines), f'    "{last}"', ")"])


def _kinds(one: Field) -> Iterator[tuple[str, str]]:
    """The names and types of a field: of an array of numbers each, of a union the first."""
    integer = re.fullmatch(r"(u?)int(\d+)_t", one.type)
    if one.again:
        return
    if integer is None:
        yield one.name, f"{one.size}s"
        return
    kind = f"{integer[1] or 'i'}{int(integer[2]) // 8}"
    yield from ((one.name if one.count == 1 else f"{one.name}{i}", kind) for i in range(one.count))


def _javascript(struct: Struct) -> dict[str, Any]:
    """Numbers only: a raw file's structs have no others."""
    kinds = {name: kind for one in struct.fields for name, kind in _kinds(one)}
    return {"size": struct.size, "at": {one.name: one.at for one in struct.fields}, "type": kinds}


def _const(value: Mapping[str, Any]) -> str:
    """An object whose numbers and texts are known to who checks types."""
    lines = [f"  {name}: {_object(one)}," for name, one in value.items()]
    return "\n".join(["/** @type {const} */ ({", *lines, "})"])


def _object(value: Any) -> str:
    if not isinstance(value, Mapping):
        return json.dumps(value)
    return "{ " + ", ".join(f"{name}: {json.dumps(one)}" for name, one in value.items()) + " }"


def _types(members: Iterable[Constant]) -> str:
    return _table(("type", "name", "payload"), ((one.value, f"`{one.name}`", one.about) for one in members))


def _constants(header: Header) -> str:
    found = header.constants.values()
    return _table(("number", "name", "meaning"), ((one.written, f"`{one.name}`", one.about) for one in found))


def _structs(header: Header) -> str:
    """A row for each line of a struct, which its comment is of."""
    rows: list[tuple[object, ...]] = []
    for name, struct in header.structs.items():
        rows.append((f"**`{name}`**", "", f"{struct.size} bytes", struct.about))
        for line, fields in groupby(struct.fields, lambda one: one.line):
            first, *others = fields
            kind = f"{first.type}[{first.count}]" if first.count > 1 else first.type
            names = ", ".join(f"`{one.name}`" for one in (first, *others))
            rows.append((names, first.at, kind, header.beside.get(line, "")))
    return _table(("field", "at", "type", "meaning"), rows)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = (
        "| " + " | ".join(re.sub(r"struct (\w+)", r"`\1`", str(cell)) for cell in row) + " |" for row in rows
    )
    return "\n".join([f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *lines])


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text)
