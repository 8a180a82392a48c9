"""play(...): mysteries one after the other, with a score. One object for notebook and recording.

What a recording holds ("payload"):

    format, name, caption, description    as in an explorer
    lines      every line that any tool printed, once each
    rounds     of each mystery: title; plan; looks: [[moment, host, command, lines], ...] with the numbers of
               its lines, joined by spaces; sealed: the truth, see seal
    causes, places, points                what may be chosen; for cause and place, free looks, the least
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from labkit.errors import SpecError
from labkit.execute.session.recording import recording
from labkit.mysteries.causes import CAUSES
from labkit.mysteries.decisions import NOTHING
from labkit.mysteries.diagnosis import FOR_CAUSE, FOR_PLACE, FREE_LOOKS, LEAST, PLACES
from labkit.mysteries.scenario import Mystery
from labkit.widgets.payload import LIMIT_BYTES, PayloadTooLargeError

MIME = "application/vnd.labkit.mystery+json"
FORMAT = 1
_ANSWER = re.compile(r"(\d+ bytes from .*icmp_seq=)(\d+)( ttl=\d+ time=.*)")


def play(*mysteries: Mystery, name: str = "mysteries", title: str = "Mysteries") -> Game:
    """A game: choose a host, a moment and a command, name cause and place, get points. In a notebook the
    commands are typed in the laboratory; a recording holds what an examination printed. Raises SpecError."""
    return Game(mysteries, name=name, title=title)


class Game:
    """What `play` returns; as a cell's value it shows itself."""

    def __init__(self, mysteries: Sequence[Mystery], *, name: str, title: str) -> None:
        if not mysteries:
            raise SpecError("play: no mystery: write play(mystery(1), mystery(2))")
        self.mysteries, self.name, self.title = tuple(mysteries), name, title
        self._live: Any = None
        self._stored = self.payload() if recording() else None

    @property
    def live(self) -> Any:
        """The widget of a running notebook: a `live_game.LiveGame`."""
        if self._live is None:
            from labkit.mysteries.live_game import LiveGame  # ipywidgets take a while to load

            self._live = LiveGame(self.mysteries, self.title)
        return self._live

    def payload(self) -> dict[str, Any]:
        """What a recording holds. Raises PayloadTooLargeError."""
        known: dict[str, int] = {}
        rounds = [_round(number, one, known) for number, one in enumerate(self.mysteries, 1)]
        found = {
            "format": FORMAT,
            "name": self.name,
            "caption": self.title,
            "description": f"{self.title}: {len(rounds)} sick networks to examine and to diagnose",
            "lines": list(known),
            "rounds": rounds,
            "causes": [*CAUSES, NOTHING],
            "places": list(PLACES),
            "points": [FOR_CAUSE, FOR_PLACE, FREE_LOOKS, LEAST],
        }
        size = len(json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode())
        if size > LIMIT_BYTES:
            text = f"play: {size / 1000:.0f} kB, and a stored figure may take {LIMIT_BYTES // 1000}"
            raise PayloadTooLargeError(f"{text}: give fewer mysteries")
        return found

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        if self._stored is None:
            return self.live.box._repr_mimebundle_(include=include, exclude=exclude)
        return {MIME: self._stored, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<{self.title}: {len(self.mysteries)} sick networks>"


def _round(number: int, one: Mystery, known: dict[str, int]) -> dict[str, Any]:
    def numbers(text: str) -> str:
        return " ".join(
            str(known.setdefault(line, len(known))) for line in folded(text.rstrip().splitlines())
        )

    looks = [[when, host, line, numbers(text)] for (when, host, line), text in one.transcripts().items()]
    sealed = seal(one.truth(), key=f"{one.seed}")
    return {
        "title": f"Mystery {number}",
        "plan": one.plan,
        "looks": looks,
        "key": f"{one.seed}",
        "sealed": sealed,
    }


def folded(lines: Sequence[str]) -> list[str]:
    """ping's answers, of four and more in a row that differ in their number alone the first and the last."""
    found: list[str] = []
    run: list[tuple[str, int, str]] = []
    for line in [*lines, ""]:
        match = _ANSWER.fullmatch(line)
        now = (match[1], int(match[2]), match[3]) if match else None
        if run and (now is None or (now[0], now[2]) != run[-1][::2] or now[1] != run[-1][1] + 1):
            found += _run(run)
            run = []
        if now is None:
            found.append(line)
        else:
            run.append(now)
    return found[:-1]


def _run(run: list[tuple[str, int, str]]) -> list[str]:
    texts = [f"{head}{number}{tail}" for head, number, tail in run]
    return texts if len(texts) < 4 else [texts[0], f"    [and {len(texts) - 2} like it]", texts[-1]]


def seal(truth: dict[str, Any], key: str) -> str:
    """The truth as nobody reads it in passing: JSON, each byte xor the key's, in base64. It is no secret."""
    text = json.dumps(truth, separators=(",", ":"))
    return base64.b64encode(bytes(a ^ b for a, b in zip(text.encode(), cycle(key.encode())))).decode()
