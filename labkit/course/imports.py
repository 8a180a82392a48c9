"""What a compiled congestion control takes from the kernel, by its symbol table: whatever the source looks
like, the name of each function that it calls is there, or the module does not load."""

from __future__ import annotations

import functools
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from labkit.execute.guest.custom_cc.compiling import compiled

NAME = "mine"
_BARE = f"""
static u32 {NAME}_ssthresh(struct sock *sk) {{ return 2; }}
static void {NAME}_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{{
	tcp_snd_cwnd_set(tcp_sk(sk), tcp_snd_cwnd(tcp_sk(sk)) + 1);
}}
"""
"""Takes what labkit's own part of every module takes, and the headers' window functions, nothing else."""
ARITHMETIC = frozenset(
    {
        *("int_pow", "int_sqrt", "memcpy", "memmove", "memset", "minmax_running_max", "minmax_running_min"),
        *("jiffies", "jiffies_64", "jiffies_to_msecs", "jiffies_to_usecs", "__msecs_to_jiffies"),
        *("__usecs_to_jiffies", "ktime_get_mono_fast_ns", "sched_clock", "get_random_u32"),
    }
)
"""Numbers, time and memory: there is no rule of congestion control in them."""
PARTS_OF_RENO = frozenset({"tcp_cong_avoid_ai", "tcp_reno_cong_avoid", "tcp_reno_ssthresh", "tcp_slow_start"})
"""What most of the kernel's algorithms are built of."""


def imports(module: Path) -> frozenset[str]:
    """The names that a module leaves to the kernel to fill in. Raises OSError, elftools' ELFError."""
    with module.open("rb") as file:
        return frozenset(
            symbol.name
            for table in ELFFile(file).iter_sections(type="SHT_SYMTAB")
            if isinstance(table, SymbolTableSection)
            for symbol in table.iter_symbols()
            if symbol["st_shndx"] == "SHN_UNDEF" and symbol.name
        )


@functools.cache
def _ours() -> frozenset[str]:
    return imports(compiled(NAME, _BARE)[1])


def allowed(more: frozenset[str] = frozenset()) -> frozenset[str]:
    """What a module may take: what every module does, arithmetic, and `more`. Raises SetupError."""
    return _ours() | ARITHMETIC | more


def not_allowed(source: str, names: frozenset[str]) -> str:
    """Why a source is not driven, or nothing: it takes from the kernel what is not among the names. Compiles
    it. Raises CellError when it does not compile, SetupError."""
    strange = sorted(imports(compiled(NAME, source)[1]) - names)
    return f"it may not take from the kernel: {', '.join(strange)}" if strange else ""


def refusal(source: str, more: frozenset[str] = frozenset()) -> str:
    """The same, of what is neither arithmetic nor one of `more`."""
    return not_allowed(source, allowed(more))
