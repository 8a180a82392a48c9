"""How an option's value is read, with its unit, as the plug-ins want it. Which option is read how, the kinds'
files say. A reader raises ValueError that says what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit import units
from labkit.netlink.quantities import U32_MAX

Reader = Callable[[Any], Any]


def u32(number: int) -> int:
    """A number that 32 bits hold."""
    if not 0 <= number <= U32_MAX:
        raise ValueError(f"must be from 0 to {U32_MAX}")
    return number


def us(value: Any) -> int:
    """Whole microseconds, which is what most qdiscs count in."""
    time_ns = units.ns(units.seconds(value))
    if time_ns % 1000:
        raise ValueError("is counted in whole microseconds")
    return u32(time_ns // 1000)


def ns(value: Any) -> int:
    """Nanoseconds."""
    return u32(units.ns(units.seconds(value)))


def ms(value: Any) -> int:
    """Milliseconds, to nearest."""
    return u32(round(units.seconds(value) * 1000))


def whole_s(value: Any) -> int:
    """Seconds."""
    time_s = units.seconds(value)
    if time_s != int(time_s):
        raise ValueError("is counted in whole seconds")
    return int(time_s)


def count(value: Any) -> int:
    """A number of anything, from 0."""
    return u32(units.integer(value))


def integer(value: Any) -> int:
    """A number that may be negative."""
    return units.integer(value)


def size(value: Any) -> int:
    """Bytes."""
    return u32(units.size(value))


def packets(value: Any) -> int:
    """Packets."""
    return u32(units.packets(value))


def bit_rate(value: Any) -> int:
    """bit/s."""
    return units.bit_rate(value)


def capped_byte_rate(value: Any) -> int:
    """Bytes per second in 32 bits, of which the largest number means no limit."""
    return min(units.bit_rate(value) // 8, U32_MAX)


def power_of_two(value: Any) -> int:
    """The logarithm of a power of two."""
    number = count(value)
    if number < 2 or number & (number - 1):
        raise ValueError("write a power of two")
    return number.bit_length() - 1


def flag(value: Any) -> bool:
    """On or off."""
    if not isinstance(value, bool):
        raise ValueError("write True or False")
    return value


def chance(value: Any) -> float:
    """From 0 to 1."""
    return units.probability(value)


def numbers(value: Any) -> tuple[int, ...]:
    """A text of numbers with spaces, or one number."""
    words = value.split() if isinstance(value, str) else [value]
    if not all((isinstance(word, str) and word.isdecimal()) or type(word) is int for word in words):
        raise ValueError('write "1 2 2 2"')
    return tuple(u32(int(word)) for word in words)


def choice(*allowed: str) -> Reader:
    """One of some words."""

    def read(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return str(value)

    return read


def flag_or(word: str) -> Reader:
    """On, off, or on in a special way."""
    return lambda value: value if value == word else flag(value)
