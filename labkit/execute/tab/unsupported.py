"""What the machine of a browser tab cannot do. Asks no machine, and loads nothing that would."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from labkit.compile.compiler import needed_modules
from labkit.execute.machine.memory import Needs
from labkit.spec import Experiment

MEMORY_MB = 144
"""Of the machine: machine/boot.mjs."""


def lacks(exp: Experiment, built_in: Collection[str]) -> Iterator[str]:
    """What an experiment needs and a tab has not, one after the other. built_in: see `unknown`."""
    for command in exp.commands:
        yield f"the command {command.command!r} on {command.host} (it has no programs)"
    for place in exp.files:
        yield f"files {place} (there are no programs to see them)"
    if exp.memory is not None:
        yield f"memory={exp.memory} (it has {MEMORY_MB} MiB)"
    yield from unknown(needed_modules(exp), built_in)


def unknown(modules: Sequence[str], built_in: Collection[str]) -> Iterator[str]:
    """Modules that are not part of its kernel. built_in: those that are."""
    for name in modules:
        if name.removeprefix("lp_") not in built_in:
            yield f"module {name} (its kernel loads none; it has {', '.join(built_in)})"


def too_large(needs: Needs) -> str | None:
    """What its memory does not hold: the network, or the buffers of traces and captures."""
    if needs.least_mb <= MEMORY_MB:
        return None
    return f"{MEMORY_MB} MiB of memory are too little for {needs}"
