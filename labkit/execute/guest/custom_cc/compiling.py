"""From a cell to a compiled module, with the compiler's errors at the cell's lines."""

from __future__ import annotations

import re
from pathlib import Path

from labkit.errors import CellError
from labkit.execute.guest.custom_cc.writing import KBUILD, module_source
from labkit.execute.guest.kernel.build import KernelBuild, kernel
from labkit.execute.guest.kernel.modules import ModuleBuildError, build_files
from labkit.spec.custom_cc import CustomCC

_SAID = re.compile(
    r"^(?P<file>[^:\s]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<kind>\w+(?: error)?): (?P<what>.*)$"
)
_SLEEPS = re.compile(r"call to '(\w+)' declared with attribute error: ")
_UNDEFINED = re.compile(r'modpost: "(\w+)" \[.*\] undefined')
_MOST = 5  # errors: the first is the cause, as a rule


def compiled(name: str, cell: str, first: int = 1) -> tuple[CustomCC, Path]:
    """A cell's congestion control and its module; a second, or nothing if it was compiled before.

    first: number of the cell's first line. Raises CellError with the lines that are wrong, SetupError.
    """
    own = CustomCC(name, cell, first, module_source(name, cell, first))
    try:
        return own, module_of(own, kernel())
    except ModuleBuildError as error:
        raise _at_lines(own, str(error)) from None


def module_of(own: CustomCC, build: KernelBuild) -> Path:
    """Its .ko. Raises ModuleBuildError, SetupError."""
    files = {f"own_{own.name}.c": own.source, "Kbuild": KBUILD.format(name=own.name)}
    return build_files({name: text.encode() for name, text in files.items()}, build, Path(f"%%cc {own.name}"))


def _at_lines(own: CustomCC, said: str) -> CellError:
    """What the compiler said of the cell; all of it, if it is not about the cell."""
    found: list[tuple[int, str]] = []
    elsewhere = ""  # an error in a header, whose macro the cell uses: a note that follows says where
    for line in said.splitlines():
        if symbol := _UNDEFINED.search(line):
            found.append(_of_symbol(own, symbol[1]))
        if not (told := _SAID.match(line)):
            continue
        error, mine = told["kind"] in ("error", "fatal error"), told["file"] == own.name
        if mine and (error or elsewhere):
            number = int(told["line"])
            column = f", column {told['column']}" if told["column"] else ""
            what = _SLEEPS.sub(r"\1: ", told["what"] if error else elsewhere)
            what = what.replace("lp_gfp_kernel", "GFP_KERNEL")
            found.append((number, f"line {number}{column}: {what}\n{own.shown(number)}"))
        if error:
            elsewhere = "" if mine else told["what"]
        elif mine:
            elsewhere = ""
    if not found:
        return CellError(f"%%cc {own.name} does not compile:\n{said}")
    told_of = list(dict.fromkeys(text for _, text in found))
    more = [f"and {len(told_of) - _MOST} more"] if len(told_of) > _MOST else []
    text = "\n".join([f"%%cc {own.name} does not compile:", *told_of[:_MOST], *more])
    return CellError(text, line=found[0][0])


def _of_symbol(own: CustomCC, symbol: str) -> tuple[int, str]:
    """A function that the compiler has heard of and the kernel does not hand out to modules."""
    lines = own.cell.splitlines()
    index = next((i for i, line in enumerate(lines) if re.search(rf"\b{symbol}\b", line)), 0)
    number = own.first + index
    return number, f"line {number}: the kernel has no {symbol} for modules\n{own.shown(number)}"
