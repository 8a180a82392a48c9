"""The figures as a table for people, and as the tables of the book's page "How fast it is"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
_TAB = "tab-"
_HEAD = ("case", "what", "asked", "aim", "median", "min..max", "cpu", "real time", "× real time", "verdict")

NOTE = """Real time: what the network itself would take. cpu: user + system time of all processes.
For comparison, as given with the figures asked for and measured on the same kind of machine, not here:
ns-3.37 (with its own TCP) 0.41 s, 17.9 s and about 400 s for A, B and C; 62 hosts set up by Mininet in
1.4 s, by NeST in 3.6 s; in real time A took 33 s, B and C 60 s."""


def verdict(median: float, asked: float | None, aim: float | None, *, more: bool = False) -> str:
    """Which figure was reached. more: the more the better."""
    if asked is None or aim is None:
        return ""
    if more:
        median, asked, aim = -median, -asked, -aim
    return "aim reached" if median <= aim else "as asked" if median <= asked else "MISSED"


def text(rows: Sequence[Row], machine: Row) -> str:
    """Table, machine and note."""
    lines = [_HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_HEAD))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    about = (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_mb']} MB; {machine['kernel']}; "
        f"Python {machine['python']}; load {machine['load'][0]}"
    )
    return "\n".join([*table, "", about, NOTE])


def _cells(row: Row) -> tuple[str, ...]:
    unit = row["unit"]
    if row.get("error"):
        return (row["case"], row["what"], "", "", "failed", "", "", "", "", row["error"].splitlines()[0])
    return (
        row["case"],
        row["what"],
        _number(row["asked"], unit),
        _number(row["aim"], unit),
        _number(row["median"], unit),
        f"{_plain(row['min'])}..{_plain(row['max'])}",
        _number(row["cpu_s"], "s"),
        "" if row["ratio"] is None else f"{_plain(row['virtual_s'])} s",
        "" if row["ratio"] is None else _plain(row["ratio"]),
        row["verdict"],
    )


def _plain(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "s" and value < 0.1:
        return f"{_plain(value * 1000)} ms"
    return f"{_plain(value)} {unit}"


def markdown(rows: Sequence[Row], machine: Row, versions: Row, date: str, tests: str) -> str:
    """What stands between the page's markers, these included. tests: the section on the tests' times."""
    about = _about(machine, versions, date)
    there = [row for row in rows if row["asked"] is not None]
    tab = [row for row in there if row["case"].startswith(_TAB)]
    lab = [row for row in there if row not in tab]
    parts = ["## The laboratory", _lab_table(lab), about, "## In a browser tab", _tab_table(tab), about]
    return "\n\n".join([BEGIN, *parts, "## The tests", tests, END])


def _lab_table(rows: Sequence[Row]) -> str:
    lines = ["| what | takes | the network's time | ratio |", "|---|---|---|---|"]
    for row in rows:
        virtual = f"{_plain(row['virtual_s'])} s" if row["ratio"] and row["ratio"] >= 1 else ""
        ratio = f"{row['ratio']:.2g} ×" if row["ratio"] and row["ratio"] >= 1 else ""
        if row["ratio"] and row["ratio"] >= 100:
            ratio = f"{round(row['ratio'], -1):.0f} ×"
        name = f"{row['case']}: {row['what']}" if len(row["case"]) == 1 else row["what"]
        lines.append(f"| {name} | {_figures(_number(row['median'], row['unit']), virtual, ratio)} |")
    return "\n".join(lines)


def _tab_table(rows: Sequence[Row]) -> str:
    lines = ["| what | takes | asked for | aim |", "|---|---|---|---|"]
    for row in rows:
        figures = (_number(row[figure], row["unit"]) for figure in ("median", "asked", "aim"))
        lines.append(f"| {row['what']} | {_figures(*figures)} |")
    return "\n".join(lines)


def _figures(*figures: str) -> str:
    """Cells of a row; no line breaks between a number and its unit."""
    return " | ".join(figure.replace(" ", "\N{NO-BREAK SPACE}") for figure in figures)


def _about(machine: Row, versions: Row, date: str) -> str:
    kernel = re.sub(r"(\d+\.\d+)\S*", r"\1", machine["kernel"])  # no build of a certain machine
    return (
        f"`make bench`, {date}: medians on {machine['cpu']}, {machine['cores']} cores, {kernel}, Python "
        f"{machine['python']}, labkit {versions['labkit']}, at a load average of {machine['load'][0]}."
    )


def replaced(page: str, tables: str) -> str:
    """The page with new tables between its markers. Raises ValueError if it has none."""
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise ValueError(f"the page needs one {BEGIN} and one {END}")
    before, _, rest = page.partition(BEGIN)
    return before + tables + rest.partition(END)[2]
