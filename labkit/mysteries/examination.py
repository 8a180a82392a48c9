"""What an engineer types on a sick network, in one run: tools, hosts, moments. Text in, text out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from labkit.mysteries.patient import HOSTS, Patient
from labkit.mysteries.typed import (
    CAPTURED,
    COUNTERS,
    LARGE_PING,
    LINKS,
    LISTENERS,
    LOADED_PING,
    MOMENTS,
    NEXT_HOPS,
    PING,
    QUEUES,
    SOCKETS,
    TRACE,
    WITH_PORTS,
    Key,
    capture,
    ethtool,
    round_trip,
)
from labkit.results.run import run
from labkit.spec import Command


def commands() -> list[Key]:
    """All that is typed."""
    ports = WITH_PORTS.items()
    asked: list[Key] = [("before", host, ethtool(o, i)) for o in ("", "-m ") for host, i in ports]
    asked += [("before", host, ethtool("-c ", WITH_PORTS[host])) for host in NEXT_HOPS]
    asked += [("before", "left", line) for line in (PING, TRACE, LARGE_PING)]
    asked += [("rest", host, round_trip(hop)) for host, hop in NEXT_HOPS.items()]
    asked += [("handshake", host, capture(interface)) for host, interface in CAPTURED]
    asked += [("during", host, SOCKETS) for host in ("left", "right")]
    asked += [("during", "left", LOADED_PING), ("during", "r1", QUEUES), ("during", "right", LISTENERS)]
    asked += [("check", host, SOCKETS) for host in ("left", "right")]
    asked += [("after", host, ethtool("-S ", i)) for host, i in ports]
    asked += [("after", host, LINKS) for host in HOSTS]
    asked += [("after", host, QUEUES) for host in ("r1", "r2")]
    asked += [("after", host, COUNTERS) for host in ("left", "right")]
    return asked


_APART_S = 0.001  # two commands of a moment begin so far apart: each finishes before the next begins


@dataclass(frozen=True)
class Examination(Mapping[Key, str]):
    """What tools printed: (when, host, command) -> text. As a notebook's value, a list of what was typed."""

    texts: dict[Key, str]

    def __getitem__(self, key: Key) -> str:
        return self.texts[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)

    def show(self, *words: str) -> str:
        """All transcripts whose moment, host or command has all of these words, one below the other."""
        found = [key for key in self.texts if all(any(word in part for part in key) for word in words)]
        return "\n".join(
            f"[{when}] {host}# {line}\n{self.texts[when, host, line]}" for when, host, line in found
        )

    def __repr__(self) -> str:
        return (
            f"<Examination: {len(self.texts)} commands; show('left', 'ping') prints those with these words>"
        )


def looks(asked: Iterable[Key]) -> tuple[Command, ...]:
    """Commands at their moments, one shortly after the other. On a sick network they may fail."""
    number: dict[str, int] = {}
    made = []
    for when, host, line in asked:
        at = MOMENTS[when] + _APART_S * number.get(when, 0)
        number[when] = number.get(when, 0) + 1
        made.append(Command(host, line, round(at, 6), check=False))
    return tuple(made)


def examine(patient: Patient, seed: int) -> Examination:
    """Type all of them, in one run, and keep what they print. Raises what a run raises."""
    asked = commands()
    return Examination(dict(zip(asked, printed(patient, seed, looks(asked)), strict=True)))


_UNREAL = ("rx_bit_errors", "memory_bit_errors")
"""The teaching card counts what it did itself. No real card can know."""


def printed(patient: Patient, seed: int, typed: tuple[Command, ...]) -> list[str]:
    """What these commands print, run beside all that happens in the network."""
    result = run(patient.experiment(seed, typed))
    table: pd.DataFrame = result.commands.iloc[len(patient.commands) :]
    whole = (f"{out}{err}" for out, err in zip(table.stdout, table.stderr, strict=True))
    return ["".join(line for line in text.splitlines(True) if not _unreal(line)) for text in whole]


def _unreal(line: str) -> bool:
    return line.strip().startswith(_UNREAL)
