"""Packet pairs and trains: what the distances between packets, sent back to back, say of a path. Rates in
bit/s, times in s, sizes in bytes as they stand on the wire of the link that is asked for.

C. Dovrolis, P. Ramanathan, D. Moore, "Packet-Dispersion Techniques and a Capacity-Estimation Methodology",
IEEE/ACM Trans. Networking 12(6), 2004 (INFOCOM 2001): pathrate. Before it V. Jacobson, SIGCOMM 1988; S.
Keshav, SIGCOMM 1991; R. Carter and M. Crovella, Performance Evaluation 27-28, 1996: Bprobe.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from labkit.models import arguments


class Mode(NamedTuple):
    """Values that lie close together: their median, how many they are, and of how many."""

    value: float
    many: int
    of: int


def pair_rate(gap: Any, size: Any) -> Any:
    """8 size / gap: the rate of the link that made the gap, if nothing came between. gap: from the first
    packet's last bit to the second's. Raises SpecError."""
    arguments.together(gap=gap, size=size)
    return 8 * arguments.positive("size", size) / arguments.positive("gap", gap)


def rates(trains: pd.DataFrame, size: float) -> pd.Series[Any]:
    """The dispersion rate of each train: 8 size (packets - 1) / (last arrival - first).

    trains: with the columns train, packet and received_s (s), as the table `trains` of a result (with several
    in its column flow, rates are by flow and train); size: of a packet on the wire. A train that lost a
    packet, or has one alone, is NaN: pathrate throws it away, too. Arrivals out of order are put in order.
    Raises SpecError.
    """
    size = arguments.scalar(arguments.positive, "size", size)
    arguments.frame("trains", trains, ("train", "packet", "received_s"))
    several = "flow" in trains and trains["flow"].nunique() > 1
    by = trains.groupby(["flow", "train"] if several else "train", observed=True)["received_s"]
    count, whole = by.size(), by.count() == by.size()
    took = (by.max() - by.min()).where(whole & (count > 1))
    return (8 * size * (count - 1) / took.where(took > 0)).rename("bit_s")


def modes(values: Any, width: float = 0.05, least: int = 2) -> list[Mode]:
    """Where values gather, the strongest first. A mode is the window of `width` (a share of its lower end)
    that holds most of them; those are taken away, and the next is looked for, while a window holds `least`.

    NaN values are left out. Pathrate takes bins of a fixed width in bit/s; a share suits gaps, whose errors
    are a share of them. Raises SpecError.
    """
    x = np.sort(arguments.row("values", values))
    x = arguments.positive("values", x[~np.isnan(x)])
    width, least = arguments.scalar(arguments.positive, "width", width), arguments.count("least", least, 1)
    of, found = len(x), list[Mode]()
    while len(x) >= least:
        upper = np.searchsorted(x, x * (1 + width), side="right")
        at = int(np.argmax(upper - np.arange(len(x))))
        count = int(upper[at]) - at
        if count < least:
            break
        found.append(Mode(float(np.median(x[at : at + count])), count, of))
        x = np.delete(x, slice(at, at + count))
    return found


def capacity(pairs: Any, trains: Any = None, width: float = 0.05) -> float:
    """Pathrate's idea: the strongest mode of the rates of pairs above what long trains have on average; cross
    traffic between the packets makes modes below, and trains lie below the capacity always.

    pairs, trains: dispersion rates (bit/s); NaN values are left out. Without trains the strongest mode of
    all. NaN if there is none. Raises SpecError.
    """
    least = 0.0
    if trains is not None:
        rows = arguments.row("trains", trains)
        rows = arguments.positive("trains", rows[~np.isnan(rows)])
        least = float(np.mean(rows)) if len(rows) else 0.0
    width = arguments.scalar(arguments.positive, "width", width)
    pairs = arguments.row("pairs", pairs)
    arguments.positive("pairs", pairs[~np.isnan(pairs)])
    return next((mode.value for mode in modes(pairs, width) if mode.value > least), float("nan"))


def asymptotic(link: Any, cross: Any, arriving: Any = None) -> Any:
    """The rate at which a long train leaves a link (first in, first out) that it shares with cross traffic of
    so many bit/s: link arriving / (arriving + cross), while the two are too much for it; else `arriving`.

    arriving: the train's rate in front of it, the link's own if None: then C / (1 + u) for the utilisation u.
    That lies between the available bandwidth, C (1 - u), and C. Dovrolis and others, INFOCOM 2001, section V,
    of a path of two links. Any shapes that fit each other. Raises SpecError.
    """
    arriving = link if arriving is None else arriving
    arguments.together(link=link, cross=cross, arriving=arriving)
    c, x, r = (
        arguments.positive("link", link),
        arguments.from_zero("cross", cross),
        arguments.positive("arriving", arriving),
    )
    return np.where(r + x > c, c * r / (r + x), r)[()]


def available(link: Any, cross: Any) -> Any:
    """What a link has left, C - cross traffic; 0 if it is overloaded. Raises SpecError."""
    arguments.together(link=link, cross=cross)
    return np.maximum(arguments.positive("link", link) - arguments.from_zero("cross", cross), 0.0)
