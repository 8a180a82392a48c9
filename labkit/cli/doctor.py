"""`labkit doctor`: the table of what works here; with --calibrate, of how true the lab is."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from typing import Any

from labkit.cli import FAILED, OK
from labkit.cli.text import dump, table

_MARK = {"ok": "ok", "no": "NO", "note": "-"}


def main(arguments: argparse.Namespace) -> int:
    """Print the tables; OK when the lab works and is as true as it claims."""
    from labkit.doctor import doctor, works

    checks = doctor()
    good = works(checks)
    if not arguments.json:
        rows = [(check.what, _MARK[check.state], check.found, check.todo) for check in checks]
        print(table(("what", "", "found", "what to do"), rows))
        print(f"\n{'The lab works here.' if good else 'The lab does not work here yet: see NO above.'}")
    figures: list[dict[str, Any]] | None = None
    if arguments.calibrate and good:
        figures = _calibrate(arguments.json)
        good = all(figure["ok"] for figure in figures)
    if arguments.json:
        answer: dict[str, Any] = {"ok": good, "checks": [dataclasses.asdict(check) for check in checks]}
        print(dump(answer | ({} if figures is None else {"calibration": figures})))
    return OK if good else FAILED


def _calibrate(quiet: bool) -> list[dict[str, Any]]:
    from labkit.calibrate import calibrate

    print("\ncalibrating (half a minute) ...", file=sys.stderr)
    figures: list[dict[str, Any]] = [
        {str(name): value for name, value in row.items()} for row in calibrate().to_dict("records")
    ]
    if not quiet:
        print(_as_text(figures))
    return figures


def _as_text(figures: list[dict[str, Any]]) -> str:
    rows = [
        (
            figure["what"],
            f"{figure['configured']:.9g}",
            f"{figure['measured']:.9g}",
            f"{figure['error']:+.2g}",
            f"{figure['limit']:.2g}",
            "ok" if figure["ok"] else "NO",
        )
        for figure in figures
    ]
    head = ("what", "configured", "measured", "error", "limit", "")
    wrong = sum(not figure["ok"] for figure in figures)
    verdict = "every figure within its limit" if not wrong else f"{wrong} beyond their limits"
    return f"{table(head, rows, right=frozenset({1, 2, 3, 4}))}\n\n{len(figures)} figures: {verdict}."
