"""What a run left behind: its manifest, its records, its frames, and how to have the same run again."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from labkit.decode import frames
from labkit.decode.frames import Frames
from labkit.decode.raw import Raw
from labkit.decode.recorded import Recorded
from labkit.results import hooks
from labkit.results.replay import again
from labkit.spec import Capture, Experiment

_FOR_EVER_NS = 2**62


class RunFolder:
    """A run folder, read when asked for."""

    folder: Path
    manifest: dict[str, Any]

    @cached_property
    def experiment(self) -> Experiment:
        """What was run."""
        return Experiment.model_validate(self.manifest["experiment"])

    @cached_property
    def raw(self) -> Raw:
        """The records behind the tables. Raises RawFormatError."""
        return Raw.open(self.folder / "raw")

    @cached_property
    def frames(self) -> Frames:
        """Every frame that was captured. Raises RawFormatError."""
        return frames.frames(self.raw)

    def also(self, probes: Collection[str] = (), capture: Collection[str | Capture] = ()) -> Self:
        """This run with these probes and captures as well: itself, or the same run again. Raises
        ProbeMissingError where that cannot be (a run in real time, an open laboratory), ReplayError."""
        return again(self, hooks.rerun, probes, capture)

    def layout(self, part: str) -> list[dict[str, Any]]:
        """Names and numbers as they were compiled: "flows", "interfaces", "ways" or "commands"."""
        return self.recorded.part(part)

    @cached_property
    def recorded(self) -> Recorded:
        """What tables are made of."""
        return Recorded(self.raw, self.manifest["layout"])

    @property
    def seed(self) -> int:
        """Of every random number in the run."""
        return int(self.manifest["seed"])

    @property
    def kernel(self) -> str:
        """The release of the kernel it ran in."""
        return str(self.manifest["kernel"]["release"])

    @property
    def virtual_s(self) -> float:
        """How long the run was, in the network's time (s); NaN if it was cut off without an end."""
        return _number(self.manifest["virtual_s"])

    @property
    def until_ns(self) -> int:
        """Up to when what was recorded counts (ns): the end; of a run cut off without one, for ever."""
        return _FOR_EVER_NS if self.manifest["virtual_s"] is None else round(self.virtual_s * 1e9)

    @property
    def wall_s(self) -> float:
        """How long it took (s); NaN for an open laboratory."""
        return _number(self.manifest["wall_s"])

    @property
    def end_reason(self) -> str:
        """ "complete", "duration", "limit", "stopped" or "error"."""
        return str(self.manifest["end"]["reason"])


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
