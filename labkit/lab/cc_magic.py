"""%%cc NAME: the cell is a congestion control in C, compiled for the lab kernel and tried."""

from __future__ import annotations

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class

from labkit.errors import LabkitError
from labkit.execute.guest.custom_cc.writing import callbacks_of
from labkit.lab.compile_cc import compile_cc, source_of

_FIRST = 2  # the cell's own first line is "%%cc mine"
_SHOW = "--show"


@magics_class
class CcMagic(Magics):
    """The cell magic %%cc."""

    @cell_magic
    def cc(self, line: str, cell: str) -> None:
        """%%cc mine: compile the cell's C functions (mine_ssthresh, mine_cong_avoid, ...) to a congestion
        control that Flow(..., cc="mine") uses. %%cc --show mine prints the whole module as well."""
        words = line.split()
        names = [word for word in words if word != _SHOW]
        if len(names) != 1:
            raise UsageError('write a name, by which Flow(..., cc="mine") finds it: %%cc mine')
        name = names[0]
        try:
            compile_cc(name, cell, first_line=_FIRST)
        except LabkitError as error:
            raise UsageError(str(error)) from None
        if _SHOW in words:
            print(source_of(name))
        there = ", ".join(callbacks_of(name, cell))
        print(f'{name}: {there}. Compiled, loaded and tried: Flow(..., cc="{name}") uses it.')
