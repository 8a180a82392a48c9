"""Light to bit errors, and bit errors to lost frames.

The receiver: a PIN photodiode limited by thermal noise, whose Q grows with the optical power (Agrawal,
Fiber-Optic Communication Systems, section 4.6). Its sensitivity: 1000BASE-SX (IEEE 802.3, clause 38). Powers
in dBm, minus infinity is the dark. Bad input raises SpecError.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from labkit.models import arguments

SENSITIVITY_DBM = -17.0
"""Received power at which a 1000BASE-SX receiver has a bit error rate of 1e-12."""

_Q_AT_SENSITIVITY = 7.034
_SHORTEST, _FCS = 60, 4  # bytes: IEEE 802.3, 3.2.8 and 3.2.9
_erfc = np.vectorize(math.erfc, otypes=[float])


def q(power_dbm: Any, sensitivity_dbm: float = SENSITIVITY_DBM) -> Any:
    """Signal over noise at a received power in dBm (a number or an array)."""
    power_dbm = arguments.numbers("power_dbm", power_dbm)
    sensitivity_dbm = arguments.scalar(arguments.finite, "sensitivity_dbm", sensitivity_dbm)
    with np.errstate(over="ignore"):
        return _Q_AT_SENSITIVITY * 10 ** ((power_dbm - sensitivity_dbm) / 10)


def ber(power_dbm: Any, sensitivity_dbm: float = SENSITIVITY_DBM) -> Any:
    """Bit error rate at a received power in dBm (a number or an array): erfc(Q / sqrt 2) / 2.

    Half of the bits are wrong in the dark, one in 10^12 at the receiver's sensitivity.
    """
    return _erfc(q(power_dbm, sensitivity_dbm) / math.sqrt(2))[()] / 2


def frame_bits(length: Any) -> Any:
    """Bits that a frame's check covers, itself included. length: bytes as captured, without padding and
    check sequence (a number or an array)."""
    arguments.from_zero("length", length)
    return 8 * (np.maximum(length, _SHORTEST) + _FCS)


def frame_error_rate(bit_error_rate: Any, bits: Any) -> Any:
    """Share of frames of so many bits in which at least one is wrong: 1 - (1 - BER)^bits.

    Numbers or arrays that fit each other; exact for the smallest rates, where the plain formula would round
    to 0. 0 at BER = 0 and for no bits; 1 at BER = 1.
    """
    arguments.together(bit_error_rate=bit_error_rate, bits=bits)
    ber, bits = arguments.share("bit_error_rate", bit_error_rate), arguments.from_zero("bits", bits)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bits > 0, -np.expm1(bits * np.log1p(-ber)), 0.0)[()]
