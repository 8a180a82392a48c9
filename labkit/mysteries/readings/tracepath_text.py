"""What `tracepath -n` prints."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Traced:
    """hops: addresses in their order; asymmetric: a hop's answer came by another number of hops; reached: the
    end answered."""

    hops: tuple[str, ...]
    asymmetric: bool
    reached: bool


def read(text: str) -> Traced:
    """A whole transcript of tracepath."""
    hops = dict(re.findall(r"^ *(\d+): +(\d+\.\d+\.\d+\.\d+) ", text, re.MULTILINE))
    return Traced(tuple(hops.values()), "asymm" in text, " reached" in text)
