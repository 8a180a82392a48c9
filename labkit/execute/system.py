"""Whether experiments can run on this machine at all: which system and processor they need."""

from __future__ import annotations

import platform

from labkit.errors import SetupError

_X86_64 = ("x86_64", "amd64")
_ELSEWHERE = (
    "what works here: describing experiments (labkit.spec), compiling them (labkit.compile), the models "
    "(labkit.models), and reading saved results and captures"
)


def require_system(place: str = "guest") -> None:
    """Raises SetupError where no experiment can run: off Linux, or, for a guest, off x86-64."""
    system, machine = platform.system(), platform.machine()
    if system == "Linux" and (place == "host" or machine.lower() in _X86_64):
        return
    needed = "Linux" if place == "host" else "Linux on an x86-64 processor"
    raise SetupError(f"experiments need {needed}; this is {system} on {machine}: {_ELSEWHERE}")
