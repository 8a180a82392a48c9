"""What PingER publishes, read: tables of pingtable.pl, daily files of its archive, a monitor's own lines.

Three formats; all are text, a header or none, a row per pair of hosts or per measurement:

`table`   pingtable.pl?format=tsv: tabs (or commas, or blanks) between columns. The header has a name for the
          tick, a "?", then the ticks (1998; Sep2007; 070215 for a day; 0 to 23 for hours), then names:
          Monitoring-Node, ..., Remote-Node, .... A row has a pair ("A-to-B"), something under the "?", a
          value for each tick ("." if there is none), then what the names say.
          Archive of daily files: blanks. The header has hours only; a row the two hosts, the values, and the
          hosts again.
`lines`   what a monitor writes: monitor, its address, remote, its address, bytes, seconds since 1970 (GMT),
          pings sent, received, least, mean and longest round trip (ms); since 2008 the number of each answer
          and the round trip of each behind that. No answer: it ends after the 0 received. Lines of six
          columns, of an early version that met a site out of reach, are left out.

L. Cottrell and others, "Retrieving PingER Historical Data" and "PingER Monitor node format", SLAC. What is
computed from them: `derived`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from labkit.errors import SpecError
from labkit.models import arguments
from labkit.schema import foreign_files

METRICS = {
    "throughput": "kbit/s",
    "packet_loss": "%",
    "conditional_loss_probability": "%",
    "zero_packet_loss_frequency": "%",
    "minimum_packet_loss": "%",
    "average_rtt": "ms",
    "minimum_rtt": "ms",
    "maximum_rtt": "ms",
    "ipdv": "ms",
    "iqr": "ms",
}
"""Of its metrics, by their names in a table's address (file=packet_loss)."""
MISSING = "."
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_COLUMNS = (
    *("monitor", "monitor_address", "remote", "remote_address", "size_bytes", "time_s", "sent", "received"),
    *("min_ms", "avg_ms", "max_ms", "rtts_ms"),
)
_SILENT, _LEAST = 8, 11  # columns of a measurement without an answer, and with one


def table(file: str | Path, metric: str | None = None) -> pd.DataFrame:
    """A table of one metric, long: a row per pair and tick.

    file: a path, or the text itself; metric: one of METRICS, if values in per cent are to be held to 100.
    Columns: monitor, remote, tick (a text, as in the header), value (in the metric's own unit, see METRICS;
    NaN where there is none). Raises SpecError, which names the line; a pair has each tick once.
    """
    most = (
        np.inf if metric is None or METRICS[arguments.one_of("metric", metric, list(METRICS))] != "%" else 100
    )
    rows = list(_rows(file))
    if not rows:
        raise SpecError("line 1: empty: a table begins with a header of ticks")
    number, header = rows[0]
    split = next((mark for mark in ("\t", ",") if mark in header), None)
    names = _cells(header, split)
    first, last, archive = _ticks(number, names)
    found = list[tuple[str, str, str, float]]()
    seen = dict[tuple[str, str, str], int]()
    for n, line in rows[1:]:
        for monitor, remote, tick, value in _values(n, _cells(line, split), names, first, last, archive):
            at = (monitor, remote, tick)
            if at in seen:
                raise SpecError(f"line {n}: {monitor} to {remote} has {tick} on line {seen[at]} already")
            if value > most:
                raise SpecError(f"line {n}: tick {tick} is {value:g} %: must be 100 at most")
            seen[at] = n
            found.append((*at, value))
    if not found:
        raise SpecError(f"line {number}: a header and no row below it: has the download broken off?")
    return pd.DataFrame(found, columns=["monitor", "remote", "tick", "value"])


def lines(file: str | Path) -> pd.DataFrame:
    """What a monitor measured, a row per line.

    file: a path, or the text itself. Columns: monitor, monitor_address, remote, remote_address, size_bytes
    (100 where it says less: so the monitors' ping counts), time_s (since 1970, GMT), sent, received, min_ms,
    avg_ms, max_ms (NaN if nothing came back), rtts_ms (a tuple, empty in the early format). Raises SpecError,
    which names the line, and for a file without a measurement.
    """
    found = []
    for number, line in _rows(file):
        cells = line.split()
        if len(cells) != 6:
            found.append(_measured(number, cells))
    if not found:
        raise SpecError("file: no measurement in it: each is a line of 8 columns, or 11 and more")
    head = (
        "monitor monitor_address remote remote_address size_bytes time_s sent received min_ms avg_ms max_ms"
    )
    return pd.DataFrame(found, columns=[*head.split(), "rtts_ms"])


def year(tick: str) -> float:
    """The middle of a tick on a scale of years: 2007 for "2007" is 2007.5, "Sep2007" 2007.708, "070215" a
    day. Raises SpecError for hours, which know no date, and for other texts."""
    arguments.text("tick", tick)
    if re.fullmatch(r"(19|20)\d\d", tick):
        return int(tick) + 0.5
    if (m := re.fullmatch(r"([A-Z][a-z]{2})((?:19|20)\d\d)", tick)) and m[1] in _MONTHS:
        return int(m[2]) + (_MONTHS.index(m[1]) + 0.5) / 12
    if m := re.fullmatch(r"(\d\d)(\d\d)(\d\d)", tick):
        of = 1900 + int(m[1]) + 100 * (int(m[1]) < 90)  # the project began in 1995
        try:
            day = pd.Timestamp(of, int(m[2]), int(m[3]))
        except ValueError:
            raise SpecError(f"tick {tick!r}: no such day: yymmdd, such as 070215") from None
        return float(of + (day.day_of_year - 0.5) / (366 if day.is_leap_year else 365))
    raise SpecError(f"tick {tick!r}: none with a date: write 2007, Sep2007 or 070215")


def _rows(file: str | Path) -> Iterator[tuple[int, str]]:
    """(number, line) of each line with something in it."""
    text = _text(file)
    if "<html" in text.lower() or "<h1>sorry" in text.lower():
        raise SpecError("line 1: a web page, not a table: ask pingtable.pl with format=tsv")
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, line


def _text(file: str | Path) -> str:
    if isinstance(file, str) and "\n" in file:
        return file
    if not isinstance(file, str | Path) or not str(file):
        raise SpecError(f"file={file!r}: must be a path, or the text of a table, which has line ends")
    return foreign_files.text(file, refused=lambda said: SpecError(f"file={said}"))


def _cells(line: str, split: str | None) -> list[str]:
    return [cell.strip() for cell in line.split(split)] if split else line.split()


def _ticks(number: int, names: list[str]) -> tuple[int, int, bool]:
    """Columns of the first tick and behind the last, and whether it is a file of the archive."""
    if "?" in names:
        first = names.index("?") + 1
        last = next((i for i, n in enumerate(names) if i >= first and not re.search(r"\d", n)), len(names))
        if last == first:
            raise SpecError(f'line {number}: no tick behind the "?": 1998, Sep2007, 070215 or an hour')
        return first, last, False
    if all(re.fullmatch(r"\d+", name) for name in names):
        return 2, 2 + len(names), True  # a row has the two hosts first
    raise SpecError(
        f'line {number}: no header of ticks: a table has a "?" in front of them, a daily file hours only'
    )


def _values(
    number: int, cells: list[str], names: list[str], first: int, last: int, archive: bool
) -> Iterator[tuple[str, str, str, float]]:
    ticks = names if archive else names[first:last]
    if len(cells) < last:
        raise SpecError(f"line {number}: {len(cells)} columns, the header has {last} up to its last tick")
    if archive:
        if more := [cell for cell in cells[last:] if re.fullmatch(r"\.|\d+(\.\d*)?", cell)]:
            raise SpecError(f"line {number}: {more[0]!r} behind the last tick: the header has {len(names)}")
        monitor, remote = cells[:2]
    elif len(cells) != len(names):
        raise SpecError(f"line {number}: {len(cells)} columns, the header has {len(names)}")
    elif "Monitoring-Node" in names and "Remote-Node" in names:
        monitor, remote = cells[names.index("Monitoring-Node")], cells[names.index("Remote-Node")]
    else:
        monitor, to, remote = cells[0].partition("-to-")
        if not to:
            raise SpecError(
                f'line {number}: no pair {cells[0]!r}: "A-to-B", or columns with the names of both'
            )
    for tick, cell in zip(ticks, cells[first:last], strict=True):
        yield monitor, remote, tick, _number(number, f"tick {tick}", cell)


def _number(number: int, where: str, cell: str) -> float:
    if cell == MISSING:
        return np.nan
    try:
        value = float(cell)
    except ValueError:
        value = np.nan
    if not np.isfinite(value) or value < 0:
        raise SpecError(f'line {number}: {where} is {cell!r}: a number from 0 on, or "." for none')
    return value


def _measured(number: int, cells: list[str]) -> tuple[object, ...]:
    if len(cells) < _SILENT:
        raise SpecError(f"line {number}: {len(cells)} columns: 8 without an answer, 11 and more with one")
    for place in (1, 3):
        try:
            ipaddress.ip_address(cells[place])
        except ValueError:
            raise SpecError(
                f"line {number}: column {place + 1} is {cells[place]!r}: write 192.0.2.7"
            ) from None
    size, time, sent, received = (int(_whole(number, place, cells[place - 1])) for place in (5, 6, 7, 8))
    if not sent:
        raise SpecError(f"line {number}: column 7 is '0': must be 1 or more: without a ping nothing is known")
    if not received and len(cells) != _SILENT:
        raise SpecError(f"line {number}: {len(cells)} columns: without an answer {_SILENT}")
    if received > sent:
        raise SpecError(f"line {number}: {received} received of {sent} sent")
    trips = [np.nan] * 3
    rtts: tuple[float, ...] = ()
    if received:
        if len(cells) not in (_LEAST, _LEAST + 2 * received):
            right = f"{_LEAST} columns, or {_LEAST + 2 * received} with each round trip"
            raise SpecError(f"line {number}: {len(cells)} columns: {received} answers make {right}")
        trips = [_number(number, f"column {i + 1}", cells[i]) for i in (8, 9, 10)]
        if not trips[0] <= trips[1] <= trips[2]:
            said = ", ".join(cells[8:_LEAST])
            raise SpecError(f"line {number}: {said} ms: must be the least, mean and longest round trip")
        rtts = tuple(
            _number(number, f"column {i + 1}", cells[i]) for i in range(_LEAST + received, len(cells))
        )
    return (*cells[:4], max(size, 100), time, sent, received, *trips, rtts)


def _whole(number: int, place: int, cell: str) -> int:
    if not re.fullmatch(r"\d+", cell):
        raise SpecError(f"line {number}: column {place} is {cell!r}: a whole number")
    return int(cell)
