"""What a port of the teaching NIC is told, in its driver's units. The messages: netlink/labnic.py."""

from __future__ import annotations

from labkit import units
from labkit.netlink.labnic import Attributes, attributes
from labkit.spec import Nic

_BER_STEPS = 10**15
_POWER_STEPS = 10
_MBIT = 10**6


def settings(nic: Nic, *, delay_ns: int, seed: int) -> Attributes:
    """All of one port. delay_ns: to its peer; seed: of its bit errors and its collisions."""
    plain = {
        "SPEED": nic.speed // _MBIT,
        "DUPLEX": int(nic.duplex == "full"),
        "AUTONEG": int(nic.autoneg),
        "DELAY": delay_ns,
        **({"BER": _steps(nic.ber)} if nic.rx_power is None else {}),
        "SEED": seed,
        "RX_RING": nic.rx_ring,
        "TX_RING": nic.tx_ring,
        "FIFO": nic.fifo,
        "WEIGHT": nic.weight,
        "RX_USECS": nic.rx_usecs,
        "RX_FRAMES": nic.rx_frames,
        "PAUSE": int(nic.pause),
        "BQL": int(nic.bql),
    }
    return attributes(plain | _changing(nic))


def changes(old: Nic, new: Nic, *, delay_ns: tuple[int, int]) -> Attributes:
    """What differs between two states of a running port; delay_ns: before and after. [] if nothing does."""
    before, after = (
        _changing(nic) | {"BER": _steps(nic.ber), "DELAY": delay}
        for nic, delay in ((old, delay_ns[0]), (new, delay_ns[1]))
    )
    return attributes({name: value for name, value in after.items() if before.get(name) != value})


def _changing(nic: Nic) -> dict[str, int]:
    """Of spec.nic.CHANGEABLE all but the bit error rate, which received power excludes."""
    return {
        "BURST": nic.error_burst,
        **({} if nic.rx_power is None else {"RX_POWER": round(nic.rx_power * _POWER_STEPS)}),
        "MEMORY_BER": _steps(nic.memory_ber),
        "BUS": nic.bus or 0,
        "PACKET_COST": units.ns(nic.packet_cost),
        "INTERRUPT_COST": units.ns(nic.interrupt_cost),
    }


def _steps(rate: float) -> int:
    """A bit error rate in the driver's units of 1e-15."""
    return round(rate * _BER_STEPS)
