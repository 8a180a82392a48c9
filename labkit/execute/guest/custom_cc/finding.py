"""What a lab kernel that died says of a congestion control written in a cell: which line, and what it was.

The module's own part (after.c) writes it on the console: "labkit-cc", the name, a line of the cell or an
address in the module, which is looked up here in the debug information that the module was compiled with.
"""

from __future__ import annotations

import re
import subprocess

from labkit.errors import LabkitError
from labkit.execute.guest.custom_cc.compiling import module_of
from labkit.execute.guest.kernel.build import kernel
from labkit.spec.custom_cc import CustomCC, find

_AT_LINE = re.compile(r"labkit-cc (\w+):(\d+): (.*)")
_AT_ADDRESS = re.compile(r"labkit-cc (\w+) at ([\w.]+)\+0x([0-9a-f]+)/\S+(?: \[\w+\])?: (.*)")
_SYMBOL = re.compile(r"^([0-9a-f]{16}) .{7} (\S+)\t[0-9a-f]{16} (\S+)$", re.MULTILINE)


def finding(console: str) -> str:
    """What to tell whoever wrote the cell; "" if the console says nothing of one."""
    name, number, what = found_in(console)
    if not name:
        return ""
    own = find(name)
    if own is None or number is None:
        return f"{name}, the congestion control: {what}"
    return f"{name}, line {number}: {what}\n{own.shown(number)}"


def found_in(console: str) -> tuple[str, int | None, str]:
    """The name of the congestion control, the line of its cell (None: not known), and what was wrong."""
    if known := _AT_LINE.search(console):
        return known[1], int(known[2]), known[3].strip()
    if known := _AT_ADDRESS.search(console):
        own = find(known[1])
        line = _line_of(own, known[2], int(known[3], 16)) if own else None
        return known[1], line, known[4].strip()
    return "", None, ""


def _line_of(own: CustomCC, symbol: str, offset: int) -> int | None:
    """The cell's line of an address, by its symbol in the module and the offset from there."""
    try:
        module = module_of(own, kernel())
        table = subprocess.run(["objdump", "-t", module], capture_output=True, text=True, check=True).stdout
        places = {name: (int(value, 16), section) for value, section, name in _SYMBOL.findall(table)}
        start, section = places[symbol]
        # One byte back: what is known is where a call returns to.
        asked = ["addr2line", "-e", module, "-j", section, "-i", hex(start + max(offset - 1, 0))]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    except (LabkitError, OSError, subprocess.CalledProcessError, KeyError):
        return None
    lines = [line.rpartition(":") for line in said.splitlines()]
    mine = [number for file, _, number in lines if file.rpartition("/")[2] == own.name]
    return int(mine[0].split()[0]) if mine else None
