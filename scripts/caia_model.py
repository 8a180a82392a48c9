"""CAIA's model, ours beside the published: fills the tables `<!-- caia-model: NAME -->` of book/caia.md.

Runs nothing: the rows are those that `scripts/cases.py caia` keeps. Without arguments it writes the page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from labkit.models import fitting
from labkit.models.exponential import EXPONENTIAL
from labkit.models.power_law import RISING

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book/caia.md"
DATA = ROOT / "book/data"
BLOCK = re.compile(r"(<!-- caia-model: (\S+) -->\n).*?(<!-- caia-model: end -->)", re.DOTALL)
RATES = ["1.5 Mbit/s", "6 Mbit/s", "15 Mbit/s", "25 Mbit/s"]
_RATE = "links.left-right.rate"


@cache
def published() -> pd.DataFrame:
    """Both columns of the talk, by loss (%) and rate."""
    table = pd.read_csv(DATA / "caia-model.csv")
    table["rate"] = [f"{kbit / 1000:g} Mbit/s" for kbit in table["bandwidth_kbit_s"]]
    both = {"model_error_percent": "error", "measured_stddev_percent_of_mean": "deviation"}
    return table.rename(columns=both).set_index(["loss_percent", "rate"])[["error", "deviation"]]


@cache
def runs(name: str = "10-model") -> pd.DataFrame:
    """Kept rows: loss (%), rate, other axes, and s: seconds since the connection stood."""
    table = pd.read_csv(DATA / f"caia/measured/{name}.csv")
    loss = next(column for column in map(str, table.columns) if column.endswith("loss"))
    seconds = table["duration"] - table["established_s"]
    return table.assign(loss=(100 * table[loss]).round().astype(int), rate=table[_RATE], s=seconds)


def deviations(table: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation in % of the mean: losses down, rates across."""
    s = table.groupby(["loss", "rate"])["s"]
    return (100 * s.std() / s.mean()).unstack()[RATES]


def errors(table: pd.DataFrame, of_rates: bool = False) -> pd.DataFrame:
    """Measured less fitted time, in % of the measured mean; per cents count in the fit.

    of_rates: the form is fitted to the mean of the rates (1/s), and checked against the mean of the times.
    """
    found = {}
    for rate, part in table.groupby("rate"):
        s = part.groupby("loss")["s"]
        means, x = s.mean().to_numpy(), np.array(list(s.groups), float)
        y = np.array([(1 / values).mean() for _, values in s]) if of_rates else means
        curve = fitting.fit(EXPONENTIAL, x, y, sigma=y)(x)
        found[str(rate)] = pd.Series(100 * (1 - (1 / curve if of_rates else curve) / means), list(s.groups))
    return pd.DataFrame(found)[RATES]


def distance(table: pd.DataFrame) -> float:
    """By what factor ours and the published deviations differ, root mean square, where something is lost."""
    ours, theirs = deviations(table), published()["deviation"].unstack()[RATES]
    logs = np.log(ours.loc[2:].to_numpy() / theirs.loc[2:].to_numpy())
    return float(np.exp(np.sqrt((logs**2).mean())))


def settings() -> dict[str, pd.DataFrame]:
    """Every setting that was tried, with its runs."""
    stacks, delays = runs("10-model-stacks"), runs("10-model-delay")
    return {
        "as above": runs(),
        "ACKs lost, too": runs("10-model-both"),
        **{str(stack): part for stack, part in stacks.groupby("sysctls", sort=False)},
        **{f"{delay} each way": part for delay, part in delays.groupby("links.left-right.delay", sort=False)},
    }


@cache
def tables() -> dict[str, list[list[str]]]:
    """The page's tables by name, each with its heads first."""
    theirs, ours = published(), runs()
    mine = {"time": errors(ours), "rate": errors(ours, of_rates=True)}
    spread = deviations(ours)
    found = {
        "errors": [["Rate", "Loss", "Published error", "Time fitted", "Rate fitted"]],
        "deviations": [["Rate", "Loss", "Published deviation", "Ours"]],
        "settings": [["Setting", "Factor", "with the handshake"]],
        "fits": [["Rate", "a (s)", "b (s)", "c", "Power law: a (s)", "b (s)", "c"]],
    }
    for rate in RATES:
        for loss in spread.index:
            at = theirs.loc[(loss, rate)]
            found["errors"].append(
                [rate, f"{loss} %", f"{at['error']:.2f}", *(f"{mine[k].loc[loss, rate]:.1f}" for k in mine)]
            )
            found["deviations"].append(
                [rate, f"{loss} %", f"{at['deviation']:.2f}", f"{spread.loc[loss, rate]:.1f}"]
            )
        found["fits"].append([rate, *_fits(ours[ours["rate"] == rate])])
    for name, part in settings().items():
        whole = part.assign(s=part["duration"])
        found["settings"].append([name, f"{distance(part):.2f}", f"{distance(whole):.2f}"])
    return found


def _fits(part: pd.DataFrame) -> list[str]:
    """Three numbers of either form, each with its bootstrap interval."""
    s = part.groupby("loss")["s"]
    x, y = np.array(list(s.groups), float), s.mean().to_numpy()
    cells = []
    for form in (EXPONENTIAL, RISING):
        values = fitting.fit(form, x, y, sigma=y).values
        drawn = fitting.bootstrap(form, x, [v.to_numpy() for _, v in s], relative=True, resamples=300)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        cells += [f"{v:.2g} ({a:.2g} to\u00a0{b:.2g})" for v, a, b in zip(values, low, high, strict=True)]
    return cells


def filled(page: str) -> str:
    """The page with its tables as the rows have them."""
    found = tables()

    def block(match: re.Match[str]) -> str:
        heads, *rows = found[match[2]]
        return match[1] + "\n" + "\n".join(_lines(heads, rows)) + "\n\n" + match[3]

    return BLOCK.sub(block, page)


def _lines(heads: list[str], rows: Iterable[list[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(0)
