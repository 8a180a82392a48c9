"""A mystery: a network with one hidden cause, and what a reader may do with it."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cached_property
from textwrap import fill
from typing import Any

from labkit.decode.commands import Output
from labkit.errors import SpecError
from labkit.mysteries.cause import Sickness
from labkit.mysteries.causes import CAUSES
from labkit.mysteries.decisions import NOTHING
from labkit.mysteries.diagnosis import Diagnosis, verdict
from labkit.mysteries.examination import Examination, examine, printed
from labkit.mysteries.may_type import allowed
from labkit.mysteries.patient import HOSTS, Patient
from labkit.mysteries.typed import MOMENTS
from labkit.results.run import run
from labkit.schema.base import did_you_mean
from labkit.spec import Command, Experiment
from labkit.units import seconds

_RATES = (12e6, 16e6, 20e6)
_DELAYS = (0.020, 0.025, 0.030)
_COLUMNS = 72  # of what is told: a page of the book has room for no more

MAP = (
    "other ---.             r3             r1-r3-r2: the backup of r1-r2\n"
    "          \\          /    \\\n"
    "left ----- r1 ======== r2 ----- right"
)


class Mystery:
    """A sick network. `run` types one command, `examine` all that an engineer would, `diagnose` answers.

    What is wrong is not shown by any of its representations. Made by `mystery` and `healthy`.
    """

    def __init__(self, seed: int, patient: Patient, sickness: Sickness | None) -> None:
        self.seed = seed
        self._secret = (patient if sickness is None else sickness.apply(patient), sickness)
        self._plan = patient
        self.looks = self.tries = 0

    @property
    def plan(self) -> str:
        """What the map on the wall says, and what people complain about."""
        rate, delay = self._plan.line_rate / 1e6, 2000 * self._plan.line_delay
        told = (
            f"Cables of 100 Mbit/s; from r1 to r2 a line of {rate:g} Mbit/s, {delay:g} ms there and back. "
            "At 24 s left begins to send right a file, for 2.5 s; then 24 clients on other ask the web "
            "server on right. People say that it is slow. At 28 s another program on left sends a file."
        )
        return f"{MAP}\n{fill(told, _COLUMNS)}"

    def run(self, host: str, command: str, at: Any = "before") -> Output:
        """Type one command on a host at a moment ("before", "rest", "handshake", "during", "check", "after")
        or at a time after the start ("25s"). It is the same network each time, from its beginning, with this
        command beside it. Raises SpecError: what is no tool, or would change something."""
        if host not in HOSTS:
            raise SpecError(
                f"host={host!r}: no such host{did_you_mean(host, list(HOSTS))}: {', '.join(HOSTS)}"
            )
        line = Command(host, allowed(command), MOMENTS[at] if at in MOMENTS else _moment(at), check=False)
        self.looks += 1
        (text,) = printed(self._secret[0], self.seed, (line,))
        return Output(text, "", None)

    @cached_property
    def _examination(self) -> Examination:
        return examine(self._secret[0], self.seed)

    def examine(self) -> Examination:
        """All that an engineer would type, in one run: what the tree reads."""
        self.looks += len(self._examination)
        return self._examination

    def experiment(self, **settings: Any) -> Experiment:
        """The experiment itself, without anybody who looks: it gives all away. For figures of what
        is known; settings: of Experiment."""
        return self._secret[0].experiment(self.seed, (), **settings)

    def transcripts(self) -> Examination:
        """As `examine`, for who shows them one by one."""
        return self._examination

    def truth(self) -> dict[str, Any]:
        """The whole answer as texts: cause, place, said, lost. Only for a recording, which seals it."""
        truth = self._secret[1]
        name, place = (NOTHING, "") if truth is None else (truth.cause.name, truth.place)
        found = verdict(name, place, truth, self._examination, self._ledger, looks=0)
        said = found.said.partition(": ")[2]
        return {"cause": name, "place": place, "said": said, "lost": found.lost.values.tolist()}

    def _ledger(self) -> Any:
        return run(self.experiment()).ledger()

    def diagnose(self, cause: str, place: str = "") -> Diagnosis:
        """Name what is wrong and where (a host, or a link as "r1-r2"). The answer is the truth, so that only
        a first diagnosis has points. Raises SpecError: no such cause or place."""
        found = verdict(cause, place, self._secret[1], self._examination, self._ledger, looks=self.looks)
        self.tries += 1
        return found if self.tries == 1 else replace(found, points=0)

    def __repr__(self) -> str:
        return f"<Mystery {self.seed}: something is wrong with this network>\n{self.plan}"

    def __getstate__(self) -> object:
        raise TypeError("a mystery is not stored: mystery(seed) makes it again")


def _moment(at: Any) -> float:
    try:
        return seconds(at)
    except SpecError:
        known = ", ".join(MOMENTS)
        raise SpecError(f'at={at!r}: no such moment: write one of {known}, or a time such as "25s"') from None


def _plan(chance: random.Random) -> Patient:
    fibre = chance.random() < 0.5
    return Patient(line_rate=chance.choice(_RATES), line_delay=chance.choice(_DELAYS), fibre=fibre)


def mystery(
    seed: int, *, cause: str | None = None, place: str | None = None, severity: str | None = None
) -> Mystery:
    """A network with one hidden cause, at a place and a severity that the seed chooses: the same seed, the
    same network. cause, place, severity: to try a known one instead. Raises SpecError."""
    chance = random.Random(f"mystery {seed}")
    patient = _plan(chance)
    kind = CAUSES[_known("cause", cause, tuple(CAUSES)) or chance.choice(tuple(CAUSES))]
    where = _known("place", place, kind.places) or chance.choice(kind.places)
    by = _known("severity", severity, kind.severities) or chance.choice(kind.severities)
    return Mystery(seed, patient, Sickness(kind, where, by))


def healthy(seed: int) -> Mystery:
    """The network that `mystery` of this seed makes sick, with nothing wrong: to compare with."""
    return Mystery(seed, _plan(random.Random(f"mystery {seed}")), None)


def _known(what: str, given: str | None, known: tuple[str, ...]) -> str | None:
    if given is not None and given not in known:
        raise SpecError(
            f"{what}={given!r}: there is none{did_you_mean(given, list(known))}: {', '.join(known)}"
        )
    return given
