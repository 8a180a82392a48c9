"""The source of the lab kernel's TCP, to be read: the files that it was built from. Not how they are
compiled."""

from __future__ import annotations

import os
import re
from pathlib import Path

from labkit.errors import SetupError, SpecError
from labkit.execute.guest.kernel.build import kernel, tree_of

_FOLDERS = ("net/ipv4", "include/net", "include/linux", "include/uapi/linux")
_DEFINED = r"^(?![ \t#/*}}]).*\b{name}\b[^;\n]*(?:\n[^;{{}}]*)?{{"


def kernel_source(file: str, name: str | None = None) -> str:
    """The text of a file of the lab kernel's TCP, such as "tcp_bbr.c" or "tcp.h".

    file: a C file of net/ipv4 or a header of include/net or include/linux. name: only the function, struct or
    array of that name, with the comment before it. Raises SpecError for a file or a name that is not there,
    SetupError if the kernel is not built.
    """
    path = _path(file)
    text = path.read_text()
    return text if name is None else _definition(text, file, name)


def _path(file: str) -> Path:
    tree = tree_of(kernel())
    if not (tree / _FOLDERS[0]).is_dir():
        raise SetupError(f"{tree} holds no source to read: `labkit kernel build --force` makes it anew")
    for folder in _FOLDERS:
        path = tree / folder / file
        if Path(file).name == file and path.is_file():
            return path
    there = sorted(path for path in os.listdir(tree / _FOLDERS[0]) if path.endswith(".c"))
    raise SpecError(f"kernel_source({file!r}): no such file; there are {', '.join(there)} and the headers")


def _definition(text: str, file: str, name: str) -> str:
    """From the comment before a definition to the line that closes it: the kernel's style puts "}" there at
    the beginning of a line."""
    found = re.search(_DEFINED.format(name=re.escape(name)), text, re.MULTILINE)
    if not found:
        raise SpecError(f"kernel_source({file!r}, {name!r}): {file} does not define {name}")
    start = found.start()
    before = text[:start]
    if before.endswith("*/\n"):
        start = before.rindex("/*")
    end = re.compile(r"^\}.*$", re.MULTILINE).search(text, found.end())
    return text[start : end.end() if end else len(text)] + "\n"
