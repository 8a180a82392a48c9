"""Where tables of the kernel begin and end that it gathers from all of its files.

Elsewhere a linker script brackets them. wasm-ld has none, but puts the pieces of a section one after the
other in the order of its arguments: so a file before all others has the symbols of beginnings, one behind
them those of ends.
"""

from __future__ import annotations

from collections.abc import Iterable

_LEVELS = ("0", "0s", "1", "1s", "2", "2s", "3", "3s", "4", "4s", "5", "5s", "rootfs", "6", "6s", "7", "7s")
_INITCALLS = (
    (".initcallearly.init", "__initcall_start", ""),
    *((f".initcall{level}.init", f"__initcall{level}_start", "") for level in _LEVELS[:-1]),
    (f".initcall{_LEVELS[-1]}.init", f"__initcall{_LEVELS[-1]}_start", "__initcall_end"),
)
"""What starts, in this order."""

_CLASSES = (
    ("__stop_sched_class", "__sched_class_highest", ""),
    ("__dl_sched_class", "__sched_class_dl", ""),
    ("__rt_sched_class", "__sched_class_rt", ""),
    ("__fair_sched_class", "__sched_class_fair", ""),
    ("__idle_sched_class", "__sched_class_idle", "__sched_class_lowest"),
)
"""The scheduler compares where they lie."""

_TABLES = (
    (".init.setup", "__setup_start", "__setup_end"),
    (".con_initcall.init", "__con_initcall_start", "__con_initcall_end"),
    ("__ex_table", "__start___ex_table", "__stop___ex_table"),
    ("__param", "__start___param", "__stop___param"),
    ("__modver", "__start___modver", "__stop___modver"),
    ("__trace_printk_fmt", "__start___trace_bprintk_fmt", "__stop___trace_bprintk_fmt"),
    ("__tracepoint_str", "__start___tracepoint_str", "__stop___tracepoint_str"),
    ("__tracepoints_ptrs", "__start___tracepoints_ptrs", "__stop___tracepoints_ptrs"),
    ("_ftrace_eval_map", "__start_ftrace_eval_maps", "__stop_ftrace_eval_maps"),
    ("_ftrace_events", "__start_ftrace_events", "__stop_ftrace_events"),
    (".data..once", "__start_once", "__end_once"),
    (".notes", "__start_notes", "__stop_notes"),
)

_EDGES = (*_INITCALLS, *_TABLES, *_CLASSES)

_RANGES = (
    *("_stext", "_etext", "_sinittext", "_einittext", "__init_begin", "__init_end"),
    *("__sched_text_start", "__sched_text_end", "__cpuidle_text_start", "__cpuidle_text_end"),
    *("__irqentry_text_start", "__irqentry_text_end", "__softirqentry_text_start", "__softirqentry_text_end"),
    *("__start_rodata", "__end_rodata", "_sdata", "_edata", "__bss_start", "__bss_stop"),
)
"""Where code lies, what is constant, what is not used again. Code has no addresses, and what the kernel asks
of the others is what it may write to or give back: nothing is in any of them."""


def first() -> str:
    """In assembler: what stands before all that is linked."""
    begins = ((section, begin) for section, begin, _ in _EDGES)
    return _symbols([*begins, *((".rodata.ranges", name) for name in _RANGES)])


def last() -> str:
    """And behind it."""
    return _symbols((section, end) for section, _, end in _EDGES if end)


def _symbols(places: Iterable[tuple[str, str]]) -> str:
    return "".join(
        f'\t.section {section},"",@\n\t.globl {name}\n\t.p2align 2\n{name}:\n\t.size {name}, 0\n'
        for section, name in places
    )
