"""An experiment as a page runs it: its lab program, what the program's bytes mean, when it ends.

Of what labkit compiles with, and nothing else: this file also runs in the page.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labkit.compile.compiler import compile_experiment
from labkit.errors import UnsupportedError
from labkit.execute.machine.memory import Needs, memory_mb
from labkit.execute.wasm.unsupported import PAGE_LARGEST_MB, lacks, too_large
from labkit.spec import Capture, Experiment, custom_cc


@dataclass(frozen=True)
class Plan:
    """manifest: what a decoder needs ("experiment" and "layout"); memory_mb: of the kernel that runs it;
    until_s: the virtual time at which the run has ended, None if it ends with what is sent."""

    program: bytes
    manifest: dict[str, Any]
    memory_mb: int
    until_s: float | None


def plan(exp: Experiment, built_in: Collection[str]) -> Plan:
    """built_in: modules of the page's kernel; it also gets the congestion controls of cells that are known
    (%%cc). Raises SpecError; UnsupportedError: what a page has not."""
    if missing := [_short(lack) for lack in lacks(exp, (*built_in, *custom_cc.names()))]:
        raise UnsupportedError(f"a page cannot give: {'; '.join(missing)}")
    compiled = compile_experiment(exp)
    needs = Needs.of(exp, compiled)
    if said := too_large(needs, PAGE_LARGEST_MB):
        raise UnsupportedError(f"a page is too small: {said}")
    described = {"experiment": json.loads(exp.to_json()), "layout": compiled.layout}
    return Plan(compiled.program, described, memory_mb(needs), until_s(exp))


def _short(lack: str) -> str:
    """Without the list of what its kernel has."""
    text, more, _ = lack.partition("; it has ")
    return f"{text})" if more else lack


def until_s(exp: Experiment) -> float | None:
    """Its end, or that of its last flow if all have one."""
    if exp.duration is not None:
        return exp.duration
    ends = [(flow.start, flow.lasts()) for flow in exp.flows]
    if not ends or not all(lasts for _, lasts in ends):
        return None
    return max(start + lasts for start, lasts in ends)


def with_needs(exp: Experiment, needs: Mapping[str, Any]) -> Experiment:
    """It records what a figure needs besides: needs["probes"], needs["capture"]. That changes no result."""
    captures = {(one.host, one.interface): one for one in exp.capture}
    for given in needs.get("capture", ()):
        wanted = Capture(given) if isinstance(given, str) else Capture(**given)
        known = captures.get((wanted.host, wanted.interface))
        if known is None or (known.snap is not None and (wanted.snap is None or wanted.snap > known.snap)):
            captures[wanted.host, wanted.interface] = wanted
    probes = exp.probes | set(needs.get("probes", ()))
    if probes == exp.probes and tuple(captures.values()) == exp.capture:
        return exp
    return exp.replace(probes=probes, capture=tuple(captures.values()))


def reseeded(exps: Sequence[Experiment], seed: int) -> list[Experiment]:
    """The first has this seed, the others theirs as far from it as before."""
    first = exps[0].seed
    return [exp.replace(seed=seed + exp.seed - first) for exp in exps]
