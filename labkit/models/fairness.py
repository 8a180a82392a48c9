"""How fair a sharing of links is: Jain's index, harm, and the rates that max-min, proportional and alpha-fair
sharing give. Any unit of rate, the same for rates and capacities; flows and links by name. Bad input raises
SpecError.

What a flow's round trip does to its share is in `rtt_bias`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments

Routes = Mapping[str, Sequence[str]]


def jain(rates: Any, fair: Any = 1.0, axis: int = -1) -> Any:
    """Jain's index of rates x, each over what would be fair to it: (sum x)^2 / (n sum x^2).

    1 if all have the same share of their due, 1/n if one of n has everything, NaN if nobody has anything. An
    array with a row per run gives a value per row. fair: above 0. Source: Jain, Chiu, Hawe, DEC-TR-301
    (1984).
    """
    arguments.together(rates=rates, fair=fair)
    x = arguments.from_zero("rates", rates) / arguments.positive("fair", fair)
    axis = arguments.axis(axis, "rates", x)
    squares = (x**2).sum(axis=axis)
    with np.errstate(invalid="ignore", divide="ignore"):
        return x.sum(axis=axis) ** 2 / (x.shape[axis] * squares)


def harm(solo: Any, shared: Any, *, more_is_better: bool = True) -> Any:
    """What share of its performance alone a flow loses to others: 0 none, 1 all, below 0 if it gains.

    (solo - shared) / solo of a rate, (shared - solo) / shared of a delay or a loss rate, for which
    more_is_better is False. What is divided by is above 0, the other 0 or more. Source: Ware, Mukerjee,
    Seshan, Sherry, Beyond Jain's Fairness Index, HotNets 2019.
    """
    arguments.together(solo=solo, shared=shared)
    if arguments.flag("more_is_better", more_is_better):
        x, y = arguments.positive("solo", solo), arguments.from_zero("shared", shared)
    else:
        x, y = arguments.from_zero("solo", solo), arguments.positive("shared", shared)
    return (x - y) / x if more_is_better else (y - x) / y


def max_min(
    capacity: Mapping[str, float],
    routes: Routes,
    weights: Mapping[str, float] | None = None,
    demands: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Max-min fair rates by progressive filling: all rates grow alike, until a link is full; its flows stay
    as they are, the others grow on.

    capacity: of each link. routes: the links that each flow crosses. weights: how fast it grows (1).
    demands: what it wants at most. Refused are a flow that nothing limits, and names that are not known.
    Source: Bertsekas and Gallager, Data Networks, second edition, section 6.5.2.
    """
    demands = {} if demands is None else demands
    _check(capacity, routes, demands)
    w, room = _weights(routes, weights), dict(capacity)
    rates = dict.fromkeys(routes, 0.0)
    growing = set(routes)
    while growing:
        crowd = {link: sum(w[f] for f in growing if link in routes[f]) for link in room}
        steps = [room[link] / many for link, many in crowd.items() if many]
        steps += [(demands[f] - rates[f]) / w[f] for f in growing if f in demands]
        step = max(min(steps), 0.0)
        for flow in growing:
            rates[flow] += step * w[flow]
        room = {link: room[link] - step * many for link, many in crowd.items()}
        full = {link for link, many in crowd.items() if many and room[link] <= 1e-12 * capacity[link]}
        sated = {f for f in growing if f in demands and rates[f] >= demands[f] * (1 - 1e-12)}
        growing -= sated | {f for f in growing if full & set(routes[f])}
    return rates


def proportional(
    capacity: Mapping[str, float], routes: Routes, weights: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Proportionally fair rates: the sum of weight times log(rate) is largest. Who crosses more full links
    has less.

    Source: Kelly, Maulloo, Tan: Rate control for communication networks, J. Oper. Res. Soc. 49 (1998).
    """
    return alpha_fair(capacity, routes, 1.0, weights)


def alpha_fair(
    capacity: Mapping[str, float],
    routes: Routes,
    alpha: float,
    weights: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Rates x for which the sum of weight times x^(1-alpha)/(1-alpha) is largest, in what the links carry.

    alpha 1: proportional fairness; 2: the least potential delay, a first model of Reno with equal round
    trips; towards infinity: max-min. alpha > 0, and finite. Refuses what `max_min` refuses, and raises
    SpecError if no optimum is found. Source: Mo and Walrand, IEEE/ACM Trans. Networking 8 (2000),
    definition 2.
    """
    alpha = arguments.scalar(arguments.positive, "alpha", alpha)
    rates = np.array(list(max_min(capacity, routes).values()))
    w = np.array(list(_weights(routes, weights).values()))
    used = [link for link in capacity if any(link in route for route in routes.values())]
    crosses = np.array([[link in route for route in routes.values()] for link in used], float)
    part = crosses / np.array([capacity[link] for link in used])[:, None]
    for step in [2.0**k for k in range(int(np.ceil(np.log2(alpha))))] + [alpha]:  # a large one steals up
        rates = _optimum(part, step, w, rates)
    return dict(zip(routes, rates.tolist(), strict=True))


def _optimum(part: Any, alpha: float, w: Any, start: Any) -> Any:
    """The rates for one alpha; part: of each link, what a unit of each flow takes up."""
    from scipy.optimize import LinearConstraint, minimize  # not at the top: a run needs none of it

    w = w * (start / start.max()) ** (1 - alpha)  # z = rate / start
    w = w / w.max()

    def lost(z: Any) -> float:
        gain = np.log(z) if alpha == 1 else (z ** (1 - alpha) - 1) / (1 - alpha)
        return -float(w @ gain)

    found = minimize(
        lost,
        np.full(len(w), 0.95),
        jac=lambda z: -w * z**-alpha,
        bounds=[(1e-3, None)] * len(w),
        constraints=LinearConstraint(part * start, -np.inf, 1.0),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    if not found.success:
        raise SpecError(
            f"alpha={alpha:g}: no optimum found ({found.message}): see max_min() for a large alpha"
        )
    return start * found.x


def _weights(routes: Routes, weights: Mapping[str, float] | None) -> dict[str, float]:
    weights = {} if weights is None else weights
    _amounts("weights", weights, arguments.positive, routes)
    return {flow: float(weights.get(flow, 1.0)) for flow in routes}


def _check(capacity: Mapping[str, float], routes: Routes, demands: Mapping[str, float]) -> None:
    _amounts("capacity", capacity, arguments.positive, capacity)
    if not arguments.mapping("routes", routes, '{"f": ["link"]}'):
        raise SpecError("routes: no flow is among them: must name one or more")
    _amounts("demands", demands, arguments.from_zero, routes)
    for flow, route in routes.items():
        if isinstance(route, str) or not isinstance(route, Sequence):
            raise SpecError(f"routes: {flow} has {route!r}: must be a list of links")
        if unknown := [link for link in route if link not in capacity]:
            raise SpecError(f"routes: {flow} crosses {unknown[0]!r}, which has no capacity: {list(capacity)}")
        if not route and flow not in demands:
            raise SpecError(f"routes: {flow} crosses no link: nothing limits it: give it a link or a demand")


def _amounts(name: str, values: Mapping[str, float], check: Callable[..., Any], known: Any) -> None:
    for who, value in arguments.mapping(name, values, '{"a": 10}').items():
        if who not in known:
            raise SpecError(f"{name}: {who!r} is not among {list(known)}")
        arguments.scalar(check, f"{name}: {who}", value)
