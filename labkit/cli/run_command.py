"""`labkit run`: an experiment from a file, its flows as a table or as JSON."""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from labkit.cli import FAILED, LIMIT, OK
from labkit.cli.text import dump, table
from labkit.errors import CommandWarning, LimitReached
from labkit.errors.strangers_text import escaped
from labkit.schema.files import plain
from labkit.spec import Experiment

if TYPE_CHECKING:
    from labkit.results.result import Result

_HEAD = ("flow", "cc", "goodput Mbit/s", "retransmits", "start s", "first byte s", "last byte s", "end")
_NUMBERS = frozenset({2, 3, 4, 5, 6})
_MANIFEST = ("spec_digest", "program_sha256", "place", "kernel", "agent", "modules", "seed", "versions")


def main(arguments: argparse.Namespace) -> int:
    """Run, print, save; FAILED if a command of the experiment has. Raises LabkitError, OSError."""
    from labkit.results.run import failures, run

    exp = _experiment(arguments.file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CommandWarning)  # said below
        try:
            result, message = run(exp, cache=not arguments.no_cache, place=arguments.place), None
        except LimitReached as error:
            if error.result is None:
                raise
            result, message = error.result, str(error)  # type: ignore[assignment]
    print(dump(as_json(result)) if arguments.json else as_text(result))
    if arguments.save:
        result.save(arguments.save)
    failed = failures(result)
    for text in failed:
        print(f"labkit: {text}", file=sys.stderr)
    if message is not None:
        print(f"labkit: {message}", file=sys.stderr)
        return LIMIT
    return FAILED if failed else OK


def _experiment(path: str) -> Experiment:
    """The experiment of a file; of a sweep's file the one that it varies."""
    found = plain(path)
    if not (isinstance(found, dict) and "grid" in found):
        return Experiment.load(path)
    from labkit.sweeps.file import SweepFile  # only then: it takes longer to load than a run does

    return SweepFile.load(path).template


def as_json(result: Result) -> dict[str, Any]:
    """One object: flows, how it ended, times, digest, and the manifest without spec and layout."""
    return {
        "flows": _flows(result),
        "end": result.end_reason,
        "virtual_s": result.manifest.get("virtual_s"),
        "wall_s": result.manifest.get("wall_s"),
        "digest": result.digest(),
        "manifest": {name: result.manifest[name] for name in _MANIFEST if name in result.manifest},
    }


def as_text(result: Result) -> str:
    """A table of flows and one line about the run."""
    rows = [
        (
            flow["flow"],
            flow["cc"] or flow["protocol"],
            _number(flow["goodput_mbit_s"], 3),
            "" if flow["retransmits"] is None else str(flow["retransmits"]),
            *(_number(flow[name], 6) for name in ("start_s", "first_byte_s", "last_byte_s")),
            flow["error"] or "complete",
        )
        for flow in _flows(result)
    ]
    virtual = result.manifest.get("virtual_s")
    times = "" if virtual is None else f": {virtual:.6f} s of the network's time in {result.wall_s:.2f} s"
    what = f"{result.end_reason}{times}; Linux {result.kernel}, seed {result.seed}"
    said = [
        escaped(f"{c['host']}$ {c['command']}\n{c['stdout']}{c['stderr']}".rstrip(), lines=True)
        for c in _commands(result)
    ]
    flows = [table(_HEAD, rows, right=_NUMBERS)] if rows else []
    return "\n\n".join([*said, *flows, what])


def _flows(result: Result) -> list[dict[str, Any]]:
    """The table of flows with goodput, as plain values; None for what is not known."""
    rows = result.flows.astype(object).where(result.flows.notna(), None).to_dict("index")
    rates = result.goodput().to_dict()
    return [
        {"flow": name, **_named(row), "goodput_mbit_s": None if math.isnan(rates[name]) else rates[name]}
        for name, row in rows.items()
    ]


def _commands(result: Result) -> list[dict[str, Any]]:
    if not result.manifest["layout"].get("commands"):
        return []
    return [_named(row) for row in result.commands.to_dict("records")]


def _named(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A table's row with its columns as text, which is what they are."""
    return {str(column): value for column, value in row.items()}


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
