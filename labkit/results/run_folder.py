"""What a run left behind: its manifest, its records, its frames, and how to have the same run again."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from labkit.decode import frames
from labkit.decode.frames import Frames
from labkit.decode.mapped_file import MappedFile
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
    _held: dict[str, MappedFile]

    @cached_property
    def experiment(self) -> Experiment:
        """What was run."""
        return Experiment.model_validate(self.manifest["experiment"])

    @cached_property
    def raw(self) -> Raw:
        """The records behind the tables. Raises RawFormatError."""
        return Raw(self._held["raw"])

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
    def place(self) -> str:
        """Where it was carried out: "wasm", "guest" or "host"."""
        return str(self.manifest["place"])

    @property
    def kernel(self) -> str:
        """The release of the kernel it ran in."""
        return str(self.manifest["kernel"]["release"])

    @property
    def virtual_s(self) -> float:
        """How long the run was, in the network's time (s); of one that was killed, how far it is known."""
        known = self.manifest["virtual_s"]
        return self.raw.last_ns / 1e9 if known is None else float(known)

    @property
    def until_ns(self) -> int:
        """Up to when what was recorded counts (ns): the end; of a run cut off without one, for ever."""
        return _FOR_EVER_NS if self.manifest["virtual_s"] is None else round(self.virtual_s * 1e9)

    @property
    def wall_s(self) -> float:
        """How long it took (s); NaN for an open laboratory."""
        known = self.manifest["wall_s"]
        return float("nan") if known is None else float(known)

    @property
    def end_reason(self) -> str:
        """ "complete", "duration", "limit" (time_limit), "stopped" (wall_limit), "size" (a limit of what is
        written) or "error"."""
        return str(self.manifest["end"]["reason"])
