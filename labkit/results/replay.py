"""The same run once more, with more probes or captures: in virtual time looking changes nothing."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from labkit.decode.raw import Kind, Raw
from labkit.errors import LabkitError
from labkit.results.tables import ProbeMissingError
from labkit.spec import Capture, Experiment
from labkit.spec.capture import as_capture

if TYPE_CHECKING:
    from labkit.results.result import Result


class ReplayError(LabkitError):
    """The run again was not the same run."""


def wider(exp: Experiment, probes: Collection[str], capture: Collection[str | Capture]) -> Experiment:
    """exp with these probes and captures as well; what is captured already stays as it is."""
    wanted = [as_capture(one) for one in capture]
    have = {(one.host, one.interface) for one in exp.capture}
    new = [one for one in wanted if not have & {(one.host, one.interface), (one.host, None)}]
    whole = {one.host for one in new if one.interface is None}  # takes the place of single interfaces
    kept = [one for one in exp.capture if one.host not in whole]
    return exp.replace(probes=exp.probes | set(probes), capture=[*kept, *new])


def again(result: Result, probes: Collection[str], capture: Collection[str | Capture]) -> Result:
    """The result itself if it has all that, or that of running it again. Raises ProbeMissingError if it
    cannot be run again, ReplayError if that is not the same run."""
    exp = wider(result.experiment, probes, capture)
    if exp == result.experiment:
        return result
    missing = [
        *sorted(set(probes) - result.experiment.probes),
        *(f"a capture of {_named(one)}" for one in capture),
    ]
    what = f"{', '.join(missing)}: not recorded"
    if result.manifest["place"] != "lab":
        raise ProbeMissingError(
            f"{what}, and a run in real time cannot be had again: {_cure(probes, capture)}"
        )
    if result.manifest["wall_s"] is None:
        raise ProbeMissingError(f"{what} by the open laboratory: {_cure(probes, capture, 'Lab')}")
    from labkit.execute.run import run

    replayed = run(exp)
    if _course(replayed.raw) != _course(result.raw):
        made, now = (
            f"labkit {r.manifest['versions']['labkit']} on Linux {r.kernel}" for r in (result, replayed)
        )
        raise ReplayError(
            f"{what}, and the run again was another one: made by {made}, this is {now}: run it anew"
        )
    return replayed


def _course(raw: Raw) -> list[bytes]:
    """What the flows did, to the nanosecond."""
    return [bytes(body) for body in raw.bodies(raw.records(Kind.FLOW))]


def _named(capture: str | Capture) -> str:
    one = as_capture(capture)
    return ".".join(filter(None, (one.host, one.interface)))


def _cure(probes: Collection[str], capture: Collection[str | Capture], where: str = "Experiment") -> str:
    """How to have it from the start."""
    parts = []
    if probes:
        parts.append("probes={" + ", ".join(f'"{probe}"' for probe in sorted(probes)) + "}")
    if capture:
        parts.append("capture=[" + ", ".join(f'"{_named(one)}"' for one in capture) + "]")
    return f"write {where}(..., {', '.join(parts)})"
