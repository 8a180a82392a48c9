"""Which C file calls into which: what one defines for others and another one uses.

By the linker's symbols where a file can be compiled here: exact. By its text, in kernel style (a definition
begins in the first column), for modules of the lab kernel: that misses no call, and takes a local variable
with the name of another file's function for one.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

Graph = dict[str, set[str]]

_ASIDE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
_DEFINED = re.compile(
    r"^(?!static\b|typedef\b|extern\b|struct\s+\w+\s*[;{]|union\b|enum\b)[A-Za-z_][\w\s*]*?\b(\w+)\s*"
    r"(?:\([^;{}]*\)\s*\{|(?:\[[^\]]*\]\s*)*[=;])",
    re.MULTILINE,
)
_USED = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
_SYMBOL = re.compile(r"^(?:[0-9a-f]+)? +([A-Z]) (\w+)$", re.MULTILINE)


def by_text(folder: Path) -> Graph:
    """File names of a folder's C, and the files that each calls into."""
    texts = {path.name: _ASIDE.sub(" ", path.read_text()) for path in sorted(folder.glob("*.c"))}
    defined = {name: set(_DEFINED.findall(text)) for name, text in texts.items()}
    used = {name: set(_USED.findall(text)) for name, text in texts.items()}
    return _between(defined, used)


def by_symbols(folder: Path, scratch: Path) -> Graph:
    """The same, of what the compiler made: compiles into the folder `scratch`."""
    sources = sorted(path.resolve() for path in folder.glob("*.c"))
    subprocess.run(["cc", "-c", "-O0", "-std=gnu11", *map(str, sources)], cwd=scratch, check=True)
    defined: dict[str, set[str]] = {}
    used: dict[str, set[str]] = {}
    for path in sources:
        command = ["nm", "--extern-only", path.with_suffix(".o").name]
        listed = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=True).stdout
        symbols = _SYMBOL.findall(listed)
        defined[path.name] = {name for kind, name in symbols if kind != "U"}
        used[path.name] = {name for kind, name in symbols if kind == "U"}
    return _between(defined, used)


def _between(defined: Graph, used: Graph) -> Graph:
    return {
        file: {other for other, names in defined.items() if other != file and names & words}
        for file, words in used.items()
    }
