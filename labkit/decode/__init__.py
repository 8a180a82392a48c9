"""Raw files to tables: the only part that knows the agent's and the kernel's bytes.

raw.py finds the records; the others each read one kind of them. Each documents its columns in UNITS.
"""

from labkit.decode.raw import Kind, Raw, RawFormatError
from labkit.decode.trace import Trace

__all__ = ["Kind", "Raw", "RawFormatError", "Trace"]
