"""What the agent's two headers declare, read as C: structs with the place of each field, enums, constants,
and the comments beside them.

pycparser reads the C. What those headers never have is refused: a type without a fixed width, a gap in a
struct, a size or an offset that is not the one which the header asserts (IS, AT) is a HeaderError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pycparser import c_ast, c_parser

_SIZES = {f"{sign}int{8 * size}_t": size for sign in ("u", "") for size in (1, 2, 4, 8)} | {"char": 1}
_COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
_CONSTANT = re.compile(r"#define (\w+) \(?(-?\w+?)u?\)?")
_IGNORED = re.compile(r"#(?:ifndef \w+|define \w+_H|include [\"<].*|endif|define (?:IS|AT)\(.*)")
_ASSERTED = re.compile(r"\b(?:IS|AT)\((\w+), (?:(\w+), )?(\d+)\);")


class HeaderError(Exception):
    """What a header has that is not read here, or asserts that is not so; and where."""


@dataclass(frozen=True)
class Field:
    """type: "uint32_t", "char" or the name of a struct; count: of an array, else 1; at, size: in bytes, size
    that of the whole array; line: of the header. again: it lies where the field before it does (a union)."""

    name: str
    type: str
    count: int
    at: int
    size: int
    line: int
    again: bool = False


@dataclass(frozen=True)
class Struct:
    """size: in bytes; about: the comment beside its name, or right above it."""

    fields: tuple[Field, ...]
    size: int
    about: str


@dataclass(frozen=True)
class Constant:
    """A #define, or a member of an enum; about: the comment beside it; written: its value, as it stands."""

    name: str
    value: int
    about: str
    written: str = ""


@dataclass
class Header:
    """What one header declares, by name and in its order. beside: line -> the comment that begins there."""

    beside: dict[int, str]
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, tuple[Constant, ...]] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)


def read(text: str, included: Header | None = None) -> Header:
    """A header; included: the one that it includes. Raises HeaderError, and pycparser's ParseError."""
    comments = [*_COMMENT.finditer(text)]
    header = Header({_line(text, one.start()): _plain(one[1]) for one in comments})
    known = included or Header({})
    bare = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = [line.rstrip() for line in bare.split("\n")]
    for number, line in enumerate(lines, 1):
        if constant := _CONSTANT.fullmatch(line):
            name, written = constant.groups()
            about = header.beside.get(number, "")
            header.constants[name] = Constant(name, int(written, 0), about, written)
        elif line.startswith("#") and not _IGNORED.fullmatch(line):
            raise HeaderError(f"line {number}: {line}: a constant is #define NAME NUMBER")
    code = ["" if line.startswith(("#", "IS(", "AT(")) else line for line in lines]
    above = {_line(text, one.end()) + 1: _plain(one[1]) for one in comments}
    structs, constants = dict(known.structs), known.constants | header.constants
    for node in _declared(code):
        line = node.coord.line
        if isinstance(node, c_ast.Enum):
            header.enums[node.name] = tuple(_members(node, header.beside))
        elif isinstance(node, c_ast.Struct):
            fields = tuple(_fields(node.decls, 0, structs, constants))
            about = header.beside.get(line, "" if lines[line - 2] else above.get(line, ""))
            header.structs[node.name] = structs[node.name] = Struct(fields, _end(fields, line), about)
        else:
            raise HeaderError(f"line {line}: neither a struct nor an enum")
    _check(header, bare)
    return header


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _plain(comment: str) -> str:
    """In one line, without the stars that its lines begin with."""
    return " ".join(part.strip().removeprefix("*").strip() for part in comment.split("\n")).strip()


def _declared(code: Sequence[str]) -> Iterator[c_ast.Node]:
    """The structs and enums; the types that they are made of are named in front of the first line."""
    types = " ".join(f"typedef int {name};" for name in _SIZES if name != "char")
    for node in c_parser.CParser().parse(types + "\n".join(code)).ext:
        if not isinstance(node, c_ast.Typedef):
            yield node.type if isinstance(node, c_ast.Decl) else node


def _members(enum: c_ast.Node, beside: Mapping[int, str]) -> Iterator[Constant]:
    value = -1
    for member in enum.values.enumerators:
        value = value + 1 if member.value is None else int(member.value.value, 0)
        yield Constant(member.name, value, beside.get(member.coord.line, ""))


def _fields(
    declared: Sequence[c_ast.Node], at: int, structs: Mapping[str, Struct], constants: Mapping[str, Constant]
) -> Iterator[Field]:
    for node in declared:
        if isinstance(node.type, c_ast.Union):
            first, *others = (_field(one, at, structs, constants) for one in node.type.decls)
            yield first
            for other in others:
                if other.size != first.size:
                    raise HeaderError(f"line {other.line}: {other.name} is not as long as {first.name}")
                yield replace(other, again=True)
        else:
            first = _field(node, at, structs, constants)
            yield first
        at += first.size


def _field(
    node: c_ast.Node, at: int, structs: Mapping[str, Struct], constants: Mapping[str, Constant]
) -> Field:
    where, kind, count = f"line {node.coord.line}: {node.name}", node.type, 1
    if isinstance(kind, c_ast.ArrayDecl):
        length, kind = kind.dim, kind.type
        count = constants[length.name].value if isinstance(length, c_ast.ID) else int(length.value)
    if not isinstance(kind, c_ast.TypeDecl) or node.bitsize is not None:
        raise HeaderError(f"{where}: no plain field")
    name = kind.type.name if isinstance(kind.type, c_ast.Struct) else " ".join(kind.type.names)
    if name not in structs and name not in _SIZES:
        raise HeaderError(f"{where}: {name} is of no fixed width")
    one = structs[name].size if name in structs else _SIZES[name]
    if at % _aligned(one):
        raise HeaderError(f"{where} lies at {at}: in C there is a gap before it")
    return Field(node.name, name, count, at, one * count, node.coord.line)


def _aligned(size: int) -> int:
    """At a multiple of what something of so many bytes stands, so that no compiler moves it."""
    return min(size & -size, 8)


def _end(fields: Sequence[Field], line: int) -> int:
    end = max(one.at + one.size for one in fields)
    if end % max(_aligned(one.size // one.count) for one in fields):
        raise HeaderError(f"line {line}: a struct of {end} bytes: in C there is a gap behind its last field")
    return end


def _check(header: Header, bare: str) -> None:
    """What a compiler asserts is what was read here, of each struct."""
    for struct, name, number in _ASSERTED.findall(bare):
        if struct not in header.structs:
            raise HeaderError(f"struct {struct} is asserted, and there is none")
        found = header.structs[struct]
        places = {one.name: one.at for one in found.fields} | {"": found.size}
        if places.get(name) != int(number):
            what = f"struct {struct}: {name or 'its size'}"
            raise HeaderError(f"{what}: {places.get(name)}, asserted: {number}")
