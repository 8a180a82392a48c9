"""Cottrell's page, its formula with timeouts (PFTK) beside ours: fills the table of book/cottrell.md.

Runs nothing: the rows are those that `scripts/cases.py cottrell` keeps. Without arguments it writes the page.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pandas as pd

from labkit.models import cottrell, padhye

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book/cottrell.md"
DATA = ROOT / "book/data"
BLOCK = re.compile(r"(<!-- cottrell-pftk -->\n).*?(<!-- cottrell-pftk: end -->)", re.DOTALL)
FILES = ("4-rarest-loss", "3-rarer-loss", "2-rare-loss", "1-chart")
MSS, WMAX = 1460, 131_072
"""Bytes: of a packet, and of the window, "Linux default then 128 KB"."""
LINUX_MSS, LINUX_FLOOR_S = 1448, 0.2
"""Linux: bytes beside timestamps; by how much its first timeout is longer than a round trip (s)."""
T0_S = float(json.loads((DATA / "cottrell.json").read_text())["pftk"]["T0_s"])
_LOST, _DELAY = "links.r-right.forward.loss", "links.left-r.delay"


def rates() -> pd.DataFrame:
    """Mbit/s by loss rate and distance (as the files have it): by the paper and as printed, both with the
    page's numbers; by the paper with Linux's; measured."""
    kept = pd.concat(pd.read_csv(DATA / f"cottrell/measured/{name}.csv") for name in FILES)
    found = kept.groupby([_LOST, _DELAY], sort=False)["goodput"].mean().to_frame("Measured")
    found.index.names = ["Lost", "Distance (RTT)"]
    p = found.index.get_level_values("Lost").to_numpy(float)
    rtt = cottrell.rtt([km(label) for label in found.index.get_level_values("Distance (RTT)")])
    mbit = 8e-6 * MSS
    found.insert(0, "By the paper", mbit * padhye.send_rate(p, rtt, T0_S, WMAX / MSS))
    found.insert(1, "As printed", mbit * padhye.as_printed(p, rtt, T0_S, WMAX / MSS))
    ours = padhye.send_rate(p, rtt, rtt + LINUX_FLOOR_S, b=1)
    found.insert(2, "With Linux's numbers", 8e-6 * LINUX_MSS * ours)
    return found


def km(label: str) -> float:
    """The kilometres of a label, such as "10 000 km (250 ms)"."""
    return float(label.split(" km")[0].replace(" ", ""))


def filled(page: str) -> str:
    """The page with its table as the rows have it."""
    found = rates()
    heads = [*found.index.names, *found.columns]
    lines = [f"| {' | '.join(map(str, heads))} |", "|" + "---|" * len(heads)]
    for (lost, distance), row in zip(found.index, found.to_numpy(), strict=True):
        cells = [f"{100 * lost:g}%", distance, *(f"{x:.0f}" if x >= 100 else f"{x:.3g}" for x in row)]
        lines.append(f"| {' | '.join(cells)} |")
    return BLOCK.sub(lambda match: match[1] + "\n" + "\n".join(lines) + "\n\n" + match[2], page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(0)
