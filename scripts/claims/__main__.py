"""`make claims`: executes chapters shaken, and tells which of their assertions held in every shake.

`python -m scripts.claims` measures all chapters in shakes 1 to 10, `python -m scripts.claims 06 --shakes 3
--first 11` chapter 6 in 11 to 13. In shakes 21 to 24 experiments are two and four times as long, too. Returns
1 if a claim failed.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from scripts.claims.outcome import ENOUGH, Measured, Outcome, keep, kept_at
from scripts.claims.pool import measure_all
from scripts.claims.table import report
from scripts.record import chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, tell, keep. Returns the exit code."""
    asked = _arguments().parse_args(arguments)
    sources = chosen(asked.chapters)
    shakes = range(asked.first, asked.first + asked.shakes)
    jobs = [(source, shake) for shake in shakes for source in sources]
    found: dict[str, list[Measured]] = {}
    began = time.monotonic()

    def done(one: Measured) -> None:
        found.setdefault(one.chapter, []).append(one)
        number = sum(map(len, found.values()))
        failed = sum(not known.anecdote and known.place in one.failed for known in one.assertions)
        said = f"{len(one.assertions)} assertions, {failed} failed"
        after = f"{time.monotonic() - began:.0f} s"
        print(f"{number} of {len(jobs)}, {after}: {one.chapter}, shake {one.shake}: {said}", flush=True)

    faults: list[str] = []
    interrupted = False
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        measure_all(jobs, asked.jobs, done, asked.reuse)
    except KeyboardInterrupt:
        interrupted = True
    except RuntimeError as error:
        faults.append(str(error))
    outcomes = _outcomes([found[source.stem] for source in sources if source.stem in found], faults)
    if outcomes:
        print(f"\n{report(outcomes)}")
    if faults:
        print("", *faults, sep="\n", file=sys.stderr)
    if asked.keep:  # after an interruption, too: of chapters that have had all their shakes
        _keep(outcomes, sources, asked.shakes)
    if interrupted:
        print("\nInterrupted.", file=sys.stderr)
        return 130
    return 1 if faults or not all(outcome.clean for outcome in outcomes) else 0


def _outcomes(found: Iterable[Sequence[Measured]], faults: list[str]) -> list[Outcome]:
    """Of each chapter, but of one changed meanwhile: that is a fault, and costs the others nothing."""
    outcomes = []
    for measured in found:
        try:
            outcomes.append(Outcome.of(measured))
        except ValueError as error:
            faults.append(str(error))
    return outcomes


def _keep(outcomes: Sequence[Outcome], sources: Sequence[Path], shakes: int) -> None:
    print()
    by_name = {source.stem: source for source in sources}
    for outcome in outcomes:
        source = by_name[outcome.chapter]
        if len(outcome.shakes) == shakes and keep(outcome, source):
            print(f"{kept_at(source)}: kept")
        else:
            print(f"{kept_at(source)}: as it was: {len(outcome.shakes)} shakes; {ENOUGH} and more are kept")


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make claims", description=__doc__)
    parser.add_argument("chapters", nargs="*", help="their numbers, such as 06 or A; none: all")
    parser.add_argument("--shakes", type=_whole, default=ENOUGH, help=f"how many ({ENOUGH})")
    parser.add_argument("--first", type=int, default=1, help="number of the first (1); 0 is none: as it is")
    parser.add_argument("--jobs", type=_whole, default=len(os.sched_getaffinity(0)), help="at a time")
    parser.add_argument(
        "--reuse", action="store_true", help="take results that the cache has: quick after mending words"
    )
    parser.add_argument("--no-keep", dest="keep", action="store_false", help="write no outcome")
    return parser


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from 1 on")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
