"""A cell's text in, the source of a kernel module out: what labkit puts around it, and what is missing is
said.

The cell is C: functions named after the callbacks of struct tcp_congestion_ops, "mine_ssthresh" for
`ssthresh`. The table is made of those that are there, unless the cell has one of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from labkit.errors import CellError
from labkit.schema.base import did_you_mean
from labkit.spec import LAB_CONGESTION_CONTROLS

CALLBACKS = (
    *("init", "release", "ssthresh", "cong_avoid", "cong_control", "undo_cwnd", "set_state", "cwnd_event"),
    *("in_ack_event", "pkts_acked", "min_tso_segs", "sndbuf_expand"),
)
"""Of struct tcp_congestion_ops, those that labkit wraps; get_info is taken as it is."""
_ALL = (*CALLBACKS, "get_info")
_HERE = Path(__file__).parent
_NAME = re.compile(r"[a-z][a-z0-9_]{0,14}")
_FUNCTION = re.compile(r"^[A-Za-z_][\w \t*]*?\b(\w+)\s*\([^;{}]*\)\s*\{", re.MULTILINE)
_TABLE = re.compile(r"\bstruct\s+tcp_congestion_ops\s+(\w+)[^;={]*=\s*\{(.*?)\n?\}\s*;", re.DOTALL)
_ENTRY = re.compile(r"\.(\w+)\s*=\s*([^,}]+)")
_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
KBUILD = """obj-m := own_{name}.o
ccflags-y := -g1 -fdebug-prefix-map=$(src)=. -fdebug-prefix-map=$(abspath $(src))=.
ccflags-y += -fdebug-prefix-map=$(abspath $(srctree))=linux
ccflags-y += -fsanitize=integer-divide-by-zero,null,shift,bounds -fsanitize-coverage=trace-pc
"""
"""Debug information, so that an address has a line; without the folder's name, so that it is the same
anywhere."""


def check_name(name: str) -> None:
    """Raises CellError for a name that no congestion control can have here."""
    if not _NAME.fullmatch(name):
        fix = "a small letter, then letters, digits and _, 15 at most: %%cc mine"
        raise CellError(f"%%cc {name}: no name for a congestion control: {fix}")
    if name in LAB_CONGESTION_CONTROLS:
        raise CellError(f"%%cc {name}: the kernel has one of this name: take another, such as my{name}")


def module_source(name: str, cell: str, first: int) -> str:
    """The module's whole source. first: the number of the cell's first line, to which messages refer.

    Raises CellError if a callback that the kernel requires is missing, or a function's name looks like a
    slip."""
    check_name(name)
    bare = _COMMENT.sub(_blank, cell)
    functions = {m[1]: first + bare.count("\n", 0, m.start(1)) for m in _FUNCTION.finditer(bare)}
    table = _TABLE.search(bare)
    if table:
        wanted = _entries(name, bare, cell, table, first)
        made, ops = "", table[1]
    else:
        wanted = {what: f"{name}_{what}" for what in _ALL if f"{name}_{what}" in functions}
        _check_slips(name, functions, bare)
        _check_required(name, wanted, functions)
        made, ops = _made_table(name, wanted, functions), "lp_made"
    at = first + bare.count("\n", 0, table.start()) if table else first
    lines = {what: functions.get(wanted.get(what, ""), at) for what in CALLBACKS}
    size = ""
    if state := re.search(rf"\bstruct\s+{name}\s*\{{", bare):
        line = first + bare.count("\n", 0, state.start())
        said = "a socket has 104 bytes for the private state of its congestion control"
        fits = f"sizeof(struct {name}) <= ICSK_CA_PRIV_SIZE"
        size = f'#line {line} "{name}"\n_Static_assert({fits}, "{said}");\n'
    put = {
        "NAME": name,
        "OPS": ops,
        "ENUM": ", ".join(f"LP_{what}" for what in CALLBACKS),
        "NAMES": ", ".join(f'"{what}"' for what in CALLBACKS),
        "LINES": ", ".join(str(lines[what]) for what in CALLBACKS),
    }
    before, after = (_filled((_HERE / f"{part}.c").read_text(), put) for part in ("before", "after"))
    return f'{before}#line {first} "{name}"\n{cell.rstrip()}\n{made}{size}{after}'


def callbacks_of(name: str, cell: str) -> list[str]:
    """The callbacks that a cell has, in the order of the kernel's struct as labkit lists them."""
    bare = _COMMENT.sub(_blank, cell)
    if table := _TABLE.search(bare):
        have = {entry[1] for entry in _ENTRY.finditer(table[2])}
        return [what for what in _ALL if what in have]
    functions = {m[1] for m in _FUNCTION.finditer(bare)}
    return [what for what in _ALL if f"{name}_{what}" in functions]


def _blank(match: re.Match[str]) -> str:
    """A comment or a string as spaces, so that places stay where they are."""
    return re.sub(r"[^\n]", " ", match[0])


def _filled(text: str, put: Mapping[str, str]) -> str:
    for key, value in put.items():
        text = text.replace(f"@{key}@", value)
    return text


def _made_table(name: str, wanted: Mapping[str, str], functions: Mapping[str, int]) -> str:
    """Each entry as if it stood where its function does: a wrong signature is that line's fault."""
    lines = [
        f'#line {functions[function]} "{name}"\n\t.{what} = {function},' for what, function in wanted.items()
    ]
    if "undo_cwnd" not in wanted:
        lines.append("\t.undo_cwnd = tcp_reno_undo_cwnd,")
    body = "\n".join([f'\t.name = "{name}",', "\t.owner = THIS_MODULE,", *lines])
    return f'\n#line 1 "labkit"\nstatic struct tcp_congestion_ops lp_made = {{\n{body}\n}};\n'


def _entries(name: str, bare: str, cell: str, table: re.Match[str], first: int) -> dict[str, str]:
    """Of the cell's own table: callback -> function. Raises CellError for another name in it."""
    found = {entry[1]: entry[2].strip() for entry in _ENTRY.finditer(table[2])}
    if said := re.search(r'\.name\s*=\s*"([^"]*)"', cell[table.start() : table.end()]):
        at = first + bare.count("\n", 0, table.start() + said.start())
        if said[1] != name:
            text = f'line {at}: .name = "{said[1]}", but the cell is %%cc {name}: write the same name'
            raise CellError(f"%%cc {name}: {text}", line=at)
    at = first + bare.count("\n", 0, table.start())
    for needed in ("ssthresh", "undo_cwnd", "cong_avoid"):
        if needed not in found and not (needed == "cong_avoid" and "cong_control" in found):
            text = f"line {at}: {table[1]} has no .{needed}, and the kernel takes no table without"
            raise CellError(f"%%cc {name}: {text}", line=at)
    return found


def _check_slips(name: str, functions: Mapping[str, int], bare: str) -> None:
    """A function that nothing calls and whose name is nearly a callback's."""
    for function, line in functions.items():
        short = function.removeprefix(f"{name}_")
        if short in _ALL and function != short:
            continue
        if len(re.findall(rf"\b{function}\b", bare)) > 1:
            continue
        near = next(_near(short), None)
        if near:
            text = f"line {line}: {function}() is called by nobody: write {name}_{near} to make it a callback"
            raise CellError(f"%%cc {name}: {text}", line=line)


def _near(short: str) -> Iterator[str]:
    for what in sorted(_ALL, key=len, reverse=True):
        if short == what or short.endswith(f"_{what}") or did_you_mean(short, [what]):
            yield what


def _check_required(name: str, wanted: Mapping[str, str], functions: Mapping[str, int]) -> None:
    there = ", ".join(functions) or "none"
    if "ssthresh" not in wanted:
        text = f"no function {name}_ssthresh (there are: {there}), which the kernel asks after each loss"
        raise CellError(f"%%cc {name}: {text}:\nstatic u32 {name}_ssthresh(struct sock *sk)")
    if not {"cong_avoid", "cong_control"} & set(wanted):
        text = f"no function {name}_cong_avoid (there are: {there}), which raises the window with each ACK"
        fix = f"static void {name}_cong_avoid(struct sock *sk, u32 ack, u32 acked)"
        raise CellError(f"%%cc {name}: {text}:\n{fix}\n(or {name}_cong_control)")
