"""The kernel's configuration and patches: what they ask for, and whether a kernel's .config has it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FRAGMENT = HERE / "lab.config"
PATCHES = HERE / "patches"

PROCEDURE = 5
"""Counts changes to the way of building that lab.config and the patches do not show."""

LOADABLE = ("cls_fw", "sch_drr", "sch_ets")
"""Of net/sched in the kernel's source: compiled as modules when an experiment needs one, so that the kernel
under all others stays as it is."""

INCLUDED = (
    "net/core/dst_cache.c",
    "net/core/gro_cells.c",
    "net/ipv4/gre_demux.c",
    "net/ipv4/ip_gre.c",
    "net/ipv4/ip_tunnel.c",
)
"""Of the kernel's source: what labkit's own module ip_gre is made of, for the same reason."""

_ASKED = re.compile(r"(CONFIG_\w+)=(.*)")
_SET = re.compile(r"(CONFIG_\w+)=(.*)|# (CONFIG_\w+) is not set")


@dataclass(frozen=True)
class Symbol:
    """One line of the fragment. optional: some kernels between 6.6 and 6.16 lack it."""

    name: str
    value: str
    optional: bool = False


def symbols(fragment: str) -> list[Symbol]:
    """What a fragment asks for. A comment "# optional ..." covers the lines to the next blank one."""
    found: list[Symbol] = []
    optional = False
    for line in fragment.splitlines():
        if not line.strip():
            optional = False
        elif line.startswith("# optional"):
            optional = True
        elif match := _ASKED.fullmatch(line):
            found.append(Symbol(match[1], match[2], optional))
    return found


def missing(fragment: str, dotconfig: str) -> list[str]:
    """The lines of the fragment that a .config does not have: "CONFIG_NET_SCH_FQ=y (not set)".

    An unknown symbol counts as not set, so that CONFIG_X=n holds in a kernel without X.
    """
    has: dict[str, str] = {}
    for line in dotconfig.splitlines():
        if match := _SET.fullmatch(line):
            has[match[1] or match[3]] = match[2] or "n"
    return [
        f"{symbol.name}={symbol.value} ({'not set' if value == 'n' else f'is {value}'})"
        for symbol in symbols(fragment)
        if (value := has.get(symbol.name, "n")) != symbol.value and not (symbol.optional and value == "n")
    ]


def merged(*fragments: str) -> str:
    """One fragment of several: a symbol has the value that the last one asks for."""
    last = {symbol.name: symbol for fragment in fragments for symbol in symbols(fragment)}
    lines = (
        f"# optional\n{symbol.name}={symbol.value}\n" if symbol.optional else f"{symbol.name}={symbol.value}"
        for symbol in last.values()
    )
    return "\n".join(lines) + "\n"


def patches() -> list[Path]:
    """Our changes to the kernel, in order. Those in a folder are for the releases of that name alone."""
    return sorted(PATCHES.rglob("*.patch"), key=lambda path: path.name)


def is_for(patch: Path, version: tuple[int, ...]) -> bool:
    """Whether a patch is for that version of Linux: (6, 12, 48)."""
    folder = patch.parent.name
    return folder == PATCHES.name or folder == ".".join(map(str, version[:2]))


def recipe(*, bare: bool = False) -> str:
    """A hash of everything that decides what is built, but for the source and the compiler. bare: without our
    patches, as the distribution has it."""
    return recipe_of([FRAGMENT, *([] if bare else patches())])


def recipe_of(files: Sequence[Path]) -> str:
    """A hash of these files and of how they are used."""
    digest = hashlib.sha256(f"{PROCEDURE}\n".encode())
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()
