"""The same run once more, with more probes or captures: in virtual time looking changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol, TypeVar, cast

from labkit.decode.raw import Raw
from labkit.errors import LabkitError, LimitReached
from labkit.program.structs import FLOW_OUT, Kind
from labkit.spec import Capture, Experiment
from labkit.spec.capture import as_capture


class ProbeMissingError(LabkitError):
    """A table of something that this run did not record; names what records it."""


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


class Replayable(Protocol):
    """What is looked at of a run to have it again."""

    @property
    def experiment(self) -> Experiment: ...
    @property
    def manifest(self) -> Mapping[str, Any]: ...
    @property
    def raw(self) -> Raw: ...


R = TypeVar("R", bound=Replayable)


def again(
    run: R, rerun: Callable[[Experiment], R], probes: Collection[str], capture: Collection[str | Capture]
) -> R:
    """The run itself if it has all that, or the same run again by `rerun`. Raises ProbeMissingError if it
    cannot be had again, ReplayError if what came was not the same run."""
    exp = wider(run.experiment, probes, capture)
    if exp == run.experiment:
        return run
    missing = [
        *sorted(set(probes) - run.experiment.probes),
        *(f"a capture of {_named(one)}" for one in capture),
    ]
    what = f"{', '.join(missing)}: not recorded"
    if run.manifest["open"]:
        raise ProbeMissingError(f"{what} by the open laboratory: {_cure(probes, capture, 'Lab')}")
    if not run.manifest["virtual_time"]:
        why = "a run in real time cannot be had again"
        raise ProbeMissingError(f"{what}, and {why}: {_cure(probes, capture)}")
    if run.manifest["end"]["reason"] == "stopped":
        why = "a run that its wall_limit stopped cannot be had again: its end is another one each time"
        raise ProbeMissingError(f"{what}, and {why}: {_cure(probes, capture)}")
    replayed = _cut_or_whole(run, exp, rerun)
    if difference := _difference(run, replayed):
        made, now = (_made_by(one.manifest) for one in (run, replayed))
        by = "" if made == now else f": made by {made}, this is {now}"
        anew = f"run it anew with them, {_call(probes, capture)}"
        text = f"the run again was another one{by}: {difference}: {anew}"
        raise ReplayError(f"{what}, and {text}")
    return replayed


def _cut_or_whole(run: R, exp: Experiment, rerun: Callable[[Experiment], R]) -> R:
    """What `rerun` gives of exp; if a limit cut the run, then where it cuts this one."""
    try:
        return rerun(exp)
    except LimitReached as error:
        cut = cast(R, error.result)
        if cut.manifest["end"]["reason"] != run.manifest["end"]["reason"]:
            raise
        return cut


def _made_by(manifest: Mapping[str, Any]) -> str:
    return f"labkit {manifest['versions']['labkit']} on Linux {manifest['kernel']['release']}"


def _difference(run: Replayable, replayed: Replayable) -> str:
    """Of what the flows did, to the nanosecond, the first that is another, in words; "" if there is none."""
    before, after = (one.raw.heads(one.raw.records(Kind.FLOW)) for one in (run, replayed))
    if len(before) != len(after):
        return f"{len(before)} flows had ended, now it is {len(after)}"
    for old, new in zip(before, after, strict=True):
        for field in FLOW_OUT.names:
            if old[field] != new[field]:
                name = run.experiment.flows[old["id"]].name
                return f"of flow {name} {field} was {old[field]}, now it is {new[field]}"
    return ""


def _named(capture: str | Capture) -> str:
    one = as_capture(capture)
    return ".".join(filter(None, (one.host, one.interface)))


def _cure(probes: Collection[str], capture: Collection[str | Capture], where: str = "Experiment") -> str:
    """How to have it from the start."""
    return f"write {_call(probes, capture, where)}"


def _call(probes: Collection[str], capture: Collection[str | Capture], where: str = "Experiment") -> str:
    parts = []
    if probes:
        parts.append("probes={" + ", ".join(f'"{probe}"' for probe in sorted(probes)) + "}")
    if capture:
        parts.append("capture=[" + ", ".join(f'"{_named(one)}"' for one in capture) + "]")
    return f"{where}(..., {', '.join(parts)})"
