"""`labkit doctor`: the table of what works here; with --security, of the walls around a guest; with
--calibrate, of how true the lab is."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from labkit.cli import FAILED, OK
from labkit.cli.text import dump, table

if TYPE_CHECKING:
    from labkit.doctor.checkup import Check

_MARK = {"ok": "ok", "no": "NO", "note": "-"}


def main(arguments: argparse.Namespace) -> int:
    """Print the tables; OK when the lab works, is shut, and is as true as it claims."""
    from labkit.doctor.checkup import doctor, works

    checks = doctor()
    good = works(checks)
    if not arguments.json:
        print(_table("what", checks))
        print(f"\n{'The lab works here.' if good else 'The lab does not work here yet: see NO above.'}")
    walls: list[Check] | None = None
    if arguments.security:
        walls = _security(arguments.json)
        good = good and works(walls)
    figures: list[dict[str, Any]] | None = None
    if arguments.calibrate and good:
        figures = _calibrate(arguments.json)
        good = all(figure["ok"] for figure in figures)
    if arguments.json:
        answer: dict[str, Any] = {"ok": good, "checks": [dataclasses.asdict(check) for check in checks]}
        answer |= {} if walls is None else {"walls": [dataclasses.asdict(wall) for wall in walls]}
        print(dump(answer | ({} if figures is None else {"calibration": figures})))
    return OK if good else FAILED


def _table(what: str, checks: list[Check]) -> str:
    return table((what, "", "found, and -> what to do"), [row for check in checks for row in _rows(check)])


def _security(quiet: bool) -> list[Check]:
    from labkit.doctor.checkup import works
    from labkit.doctor.security.walls_checked import security

    print("\ntrying to get out (some seconds) ...", file=sys.stderr)
    walls = security()
    if not quiet:
        print(_table("wall", walls))
        print(f"\n{_all_in_all(walls, works(walls))}\n")
    return walls


def _all_in_all(walls: list[Check], stand: bool) -> str:
    """stand: those around experiments do, without which the lab does not work."""
    if not stand:
        return "Walls are missing: see NO above."
    if any(wall.state == "no" for wall in walls):
        return "Every wall around experiments stands; around course work some are missing: see NO above."
    return "Every wall stands."


def _rows(check: Check) -> list[tuple[str, str, str]]:
    """What was found, in lines that fit a terminal, then what to do."""
    room = max(shutil.get_terminal_size().columns - 30, 40)
    lines = textwrap.wrap(check.found, room, break_on_hyphens=False) or [""]
    lines += textwrap.wrap(f"-> {check.todo}", room, break_on_hyphens=False) if check.todo else []
    return [(check.what, _MARK[check.state], lines[0]), *(("", "", line) for line in lines[1:])]


def _calibrate(quiet: bool) -> list[dict[str, Any]]:
    from labkit.doctor.calibrate import calibrate

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
