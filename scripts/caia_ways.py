"""CAIA's table of errors: could some way of fitting our runs have its 24 signs? Tries all that we thought of.

`python -m scripts.caia_ways` prints how many ways there are, and how many of the published signs (four rates,
six losses) they have. It runs no experiment: the rows are those that `scripts/cases.py caia` keeps. A way is
one of each of these:

- setting: the stacks and paths of `caia_model.settings`;
- clock: from the connection, or from the SYN;
- fitted: to the mean times, the median times, or the mean rates (1/s);
- weights: seconds count alike, per cents do, or logarithms are fitted;
- checked: against the mean or the median of the times;
- sign: measured less fitted, or the other way round.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from labkit.errors import SpecError
from labkit.models.exponential import EXPONENTIAL, exponential
from labkit.models.fitting import Curve, Floats, Form, fit
from scripts.caia_model import RATES, published, settings

CLOCKS = {"from the connection": "s", "from the SYN": "duration"}
FITTED = ("mean times", "median times", "mean rates")
WEIGHTS = ("seconds", "per cents", "logarithms")
CHECKED = ("mean", "median")
SIGNS = {"measured less fitted": 1, "fitted less measured": -1}

_LOGS = Form(
    "log(a + b exp(c x))",
    EXPONENTIAL.parameters,
    lambda x, a, b, c: np.log(np.maximum(exponential(x, a, b, c), 1e-9)),
    lambda x, y, sigma: EXPONENTIAL.start(x, np.exp(y), np.exp(y)),
)


@cache
def ways() -> pd.DataFrame:
    """A row for each way, and agree: how many of the 24 signs it has, NaN where a fit finds no minimum."""
    theirs = np.sign(published()["error"].unstack()[RATES].to_numpy()).T
    rows = []
    for (setting, table), clock in product(settings().items(), CLOCKS):
        parts = [_times(table[table["rate"] == rate], CLOCKS[clock]) for rate in RATES]
        for fitted, weights, checked in product(FITTED, WEIGHTS, CHECKED):
            ours = np.array([_errors(*part, fitted, weights, checked) for part in parts])
            for said, sign in SIGNS.items():
                agree = (np.sign(sign * ours) == theirs).sum() if np.isfinite(ours).all() else np.nan
                rows.append([setting, clock, fitted, weights, checked, said, agree])
    return pd.DataFrame(rows, columns=["setting", "clock", "fitted", "weights", "checked", "sign", "agree"])


def _times(part: pd.DataFrame, column: str) -> tuple[Floats, list[Floats]]:
    """The losses (%), and at each of them the seconds of every run."""
    groups = part.groupby("loss")[column]
    return np.array(list(groups.groups), float), [s.to_numpy(float) for _, s in groups]


def _errors(x: Floats, runs: list[Floats], fitted: str, weights: str, checked: str) -> Floats:
    """Measured less fitted, in s, at each loss; NaN where no minimum is found."""
    y = np.array([_middle(s, fitted) for s in runs])
    measured = np.array([np.mean(s) if checked == "mean" else np.median(s) for s in runs])
    try:
        curve = _curve(x, y, weights)
    except SpecError:
        return np.full(len(x), np.nan)
    return measured - (1 / curve(x) if fitted == "mean rates" else curve(x))


def _middle(s: Floats, fitted: str) -> float:
    if fitted == "mean rates":
        return float(np.mean(1 / s))
    return float(np.mean(s) if fitted == "mean times" else np.median(s))


def _curve(x: Floats, y: Floats, weights: str) -> Curve:
    """The form, fitted with these weights. Raises SpecError."""
    if weights == "logarithms":
        found = fit(_LOGS, x, np.log(y))
        return lambda at: np.exp(found(at))
    return fit(EXPONENTIAL, x, y, sigma=y if weights == "per cents" else None)


def _lines(found: pd.DataFrame) -> Iterator[str]:
    yield f"{len(found)} ways; {found['agree'].isna().sum()} of them without a minimum"
    for agree, count in found["agree"].value_counts().sort_index(ascending=False).items():
        yield f"{agree:.0f} of 24 signs: {count}"
    yield found[found["agree"] == found["agree"].max()].to_string(index=False)


if __name__ == "__main__":
    print("\n".join(_lines(ways())))
    sys.exit(0)
