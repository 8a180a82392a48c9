"""What chapters take of numpy to make an experiment, for a page, which has no numpy: the same numbers.

default_rng is PCG64 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
Random Number Generation", 2014; XSL-RR), seeded by numpy's SeedSequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt as sqrt

_32, _64, _128 = 2**32 - 1, 2**64 - 1, 2**128 - 1
_STEP = 0x2360ED051FC65DA44385DF649FCCF645
_POOL = 4
_HASH, _HASH_STEP = 0x43B0D7E5, 0x931E8875
_OUT, _OUT_STEP = 0x8B51F9DD, 0x58F38DED
_LEFT, _RIGHT = 0xCA01F9DD, 0x4973F715


class Generator:
    """Draws as numpy's does, one number after the other."""

    def __init__(self, seed: int | Sequence[int]) -> None:
        first, second, third, fourth = _seed_words([seed] if isinstance(seed, int) else seed)
        self._plus = ((third << 64 | fourth) << 1 | 1) & _128
        self._state = 0
        self._next()
        self._state = (self._state + (first << 64 | second)) & _128
        self._next()

    def random(self) -> float:
        """From 0 to 1."""
        return (self._next() >> 11) * 2.0**-53

    def uniform(self, low: float, high: float, size: int) -> list[float]:
        """So many between two."""
        return [low + (high - low) * self.random() for _ in range(size)]

    def _next(self) -> int:
        self._state = (self._state * _STEP + self._plus) & _128
        mixed = (self._state >> 64 ^ self._state) & _64
        turn = self._state >> 122
        return (mixed >> turn | mixed << (64 - turn)) & _64


class random:  # noqa: N801 (numpy's name)
    """numpy.random."""

    default_rng = Generator


def _seed_words(seed: Sequence[int]) -> list[int]:
    """Four words of 64 bits, as SeedSequence gives them."""
    pool = _pool([word for part in seed for word in _words(part)])
    factor, found = _OUT, []
    for i in range(8):
        word = pool[i % _POOL] ^ factor
        factor = factor * _OUT_STEP & _32
        word = word * factor & _32
        found.append(word ^ word >> 16)
    return [found[i] | found[i + 1] << 32 for i in range(0, 8, 2)]


def _words(number: int) -> Iterator[int]:
    yield number & _32
    while number := number >> 32:
        yield number & _32


def _pool(entropy: list[int]) -> list[int]:
    factor = _HASH

    def hashed(word: int) -> int:
        nonlocal factor
        word ^= factor
        factor = factor * _HASH_STEP & _32
        word = word * factor & _32
        return word ^ word >> 16

    def mixed(one: int, other: int) -> int:
        word = (_LEFT * one - _RIGHT * other) & _32
        return word ^ word >> 16

    pool = [hashed(entropy[i] if i < len(entropy) else 0) for i in range(_POOL)]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                pool[target] = mixed(pool[target], hashed(pool[source]))
    for word in entropy[_POOL:]:
        pool = [mixed(known, hashed(word)) for known in pool]
    return pool
