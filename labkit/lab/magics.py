"""%%on HOST: the cell's shell lines run on that host of the open laboratory."""

from __future__ import annotations

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class

from labkit.errors import LabkitError
from labkit.lab.laboratory import current


@magics_class
class OnMagic(Magics):
    """The cell magic %%on."""

    @cell_magic
    def on(self, line: str, cell: str) -> None:
        """%%on left: run the cell's lines with sh on host "left", print what they print."""
        host = line.strip()
        try:
            done = current().run(host, cell)
        except LabkitError as error:
            raise UsageError(f"%%on {host}: {error}") from None
        print(str(done), end="")
        if done.status:
            print(f"[exit status {done.status}]")
