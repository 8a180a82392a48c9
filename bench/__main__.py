"""python -m bench [--json FILE] [--only A,B] [--repeat N] [--list]: all of it also writes the book's page."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import report, times
from bench.cases import CASES, Case
from bench.measure import Sample, machine, summary
from labkit.execute.run.execution import versions

PAGE = Path(__file__).parent.parent / "book/speed.md"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; if all was measured and nothing failed, write the page. 0 unless a case failed."""
    arguments = _parser().parse_args(argv)
    if arguments.list:
        print("\n".join(f"{case.name:10} {case.what}" for case in CASES))
        return 0
    cases = _chosen(arguments.only)
    facts = machine()
    samples, errors = measure(cases, arguments.repeat)
    rows = [as_row(case, samples[case.name], errors.get(case.name)) for case in cases]
    date = datetime.date.today().isoformat()
    print(report.text(rows, facts))
    if arguments.json:
        found = {"format": 1, "date": date, "machine": facts, "versions": versions(), "rows": rows}
        text = json.dumps(found, indent=1) + "\n"
        sys.stdout.write(text) if arguments.json == "-" else Path(arguments.json).write_text(text)
    if arguments.only is None:
        print(f"\n{times.text()}")
        if errors:
            print(f"{PAGE.name} is left as it is, as {', '.join(errors)} failed.")
        else:
            tables = report.markdown(rows, facts, versions(), date, times.markdown())
            PAGE.write_text(report.replaced(PAGE.read_text(), tables))
    return 1 if errors else 0


def measure(cases: Sequence[Case], repeat: int | None) -> tuple[dict[str, list[Sample]], dict[str, str]]:
    """All cases in turn, again and again, so that a busy minute does not fall on one of them alone.

    Most are done once before that and not counted: the first run compiles the agent, and Python loads.
    """
    samples: dict[str, list[Sample]] = {case.name: [] for case in cases}
    errors: dict[str, str] = {}
    wanted = {case.name: repeat or case.repeat for case in cases}
    for case in cases:
        if case.warm and not _take(case, samples, errors):
            continue
        samples[case.name].clear()
    for turn in range(max(wanted.values(), default=0)):
        for case in cases:
            if turn < wanted[case.name] and case.name not in errors:
                _take(case, samples, errors)
    return samples, errors


def _take(case: Case, samples: dict[str, list[Sample]], errors: dict[str, str]) -> bool:
    if sys.stderr.isatty():
        print(f"\r{case.name} {len(samples[case.name]) + 1}", end="\033[K", file=sys.stderr, flush=True)
    try:
        samples[case.name].append(case.take())
    except Exception as error:
        errors[case.name] = f"{type(error).__name__}: {error}"
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return case.name not in errors


def as_row(case: Case, samples: list[Sample], error: str | None) -> dict[str, Any]:
    """One row of the table and of the JSON."""
    row: dict[str, Any] = {
        "case": case.name,
        "what": case.what,
        "unit": case.unit,
        "asked": case.asked,
        "aim": case.aim,
    }
    if error is not None or not samples:
        return row | {"error": error or "not measured"}
    figures = summary(samples)
    said = report.verdict(figures["median"], case.asked, case.aim, more=case.more)
    return row | figures | {"verdict": said}


def _chosen(only: str | None) -> list[Case]:
    if only is None:
        return [case for case in CASES if not case.when_named]
    names = [name.strip() for name in only.split(",")]
    known = {case.name: case for case in CASES}
    for name in names:
        if name not in known:
            sys.exit(f"bench: no case {name!r}: they are {', '.join(known)}")
    return [known[name] for name in names]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench", description="How fast labkit is on this machine.")
    parser.add_argument("--json", metavar="FILE", help="also write all figures there (-: to stdout)")
    parser.add_argument("--only", metavar="A,B", help="these cases only")
    parser.add_argument("--repeat", type=int, metavar="N", help="measure each case N times")
    parser.add_argument("--list", action="store_true", help="name the cases and measure nothing")
    return parser


if __name__ == "__main__":
    sys.exit(main())
