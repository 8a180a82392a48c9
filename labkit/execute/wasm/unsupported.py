"""What the kernel in WebAssembly cannot do, here and in a page. Asks no machine, and loads nothing that
would."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from labkit.compile.compiler import needed_modules
from labkit.execute.machine.memory import Needs, memory_mb
from labkit.spec import Experiment, SysctlChange

LARGEST_MB = 2048
"""Of the memory that a program of this machine gets."""
PAGE_LARGEST_MB = 1024
"""And one in a page: what browsers of phones give, too."""

_LARGEST = 2**31 - 1
_NUMBER = re.compile(r"(?<!\S)-?(?:0x([0-9a-f]+)|(\d+))(?!\S)", re.IGNORECASE)
_MISSING = frozenset(
    {
        *("dev.tty.ldisc_autoload", "dev.tty.legacy_tiocsti", "fs.lease-break-time", "kernel.modprobe"),
        *(
            "kernel.pty.max",
            "kernel.pty.reserve",
            "kernel.randomize_va_space",
            "kernel.unprivileged_userns_clone",
        ),
        *("vm.max_map_count", "vm.memfd_noexec", "vm.mmap_min_addr", "vm.oom_dump_tasks"),
        *("vm.oom_kill_allocating_task", "vm.panic_on_oom"),
    }
)
"""Sysctls of what it has not: programs, their memory, terminals. The guest has them."""


def lacks(exp: Experiment, built_in: Collection[str]) -> Iterator[str]:
    """What an experiment needs and it has not, one after the other. built_in: see `unknown`."""
    for command in exp.commands:
        yield f"the command {command.command!r} on {command.host} (it has no programs)"
    for place in exp.files:
        yield f"files {place} (there are no programs to see them)"
    yield from _sysctls(exp)
    yield from unknown(needed_modules(exp), built_in)


def unknown(modules: Sequence[str], built_in: Collection[str]) -> Iterator[str]:
    """Modules that are not part of its kernel. built_in: those that are."""
    for name in modules:
        if name.removeprefix("lp_") not in built_in:
            yield f"module {name} (its kernel loads none; it has {', '.join(built_in)})"


def _sysctls(exp: Experiment) -> Iterator[str]:
    """Sysctls that it has not, and such as a long of 64 bits holds and one of 32 does not: it would take some
    of them for others."""
    hosts = [setting for name in exp.topology.names for setting in exp.host_sysctls(name).items()]
    changed = [(change.name, change.value) for change in exp.changes if isinstance(change, SysctlChange)]
    for name, value in dict.fromkeys([*exp.sysctls.items(), *hosts, *changed]):
        if name in _MISSING:
            yield f"sysctl {name} (its kernel has none)"
        elif any(_number(*one) > _LARGEST for one in _NUMBER.findall(str(value))):
            yield f"sysctl {name} = {value} (its numbers end at {_LARGEST})"


def _number(hexadecimal: str, decimal: str) -> int:
    return int(hexadecimal, 16) if hexadecimal else int(decimal)


def too_large(needs: Needs, largest_mb: int) -> str | None:
    """Whether it would have to be given more memory than that. Raises SpecError as `memory_mb`."""
    memory = memory_mb(needs)
    if memory <= largest_mb:
        return None
    return f"{memory} MiB of memory, of {largest_mb} at most, for {needs}"
