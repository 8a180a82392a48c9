"""For every Python that has this folder in PYTHONPATH: what it opens is noted in the file FILES_READ.

So a replay can be asked what it depends on. Modules are seen as the files that they are read from.
"""

import os
import sys

_NOTES = os.open(os.environ["FILES_READ"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def _note(event: str, arguments: tuple) -> None:
    if event == "open" and isinstance(arguments[0], str | bytes):
        os.write(_NOTES, os.fsencode(os.path.abspath(arguments[0])) + b"\n")


sys.addaudithook(_note)
