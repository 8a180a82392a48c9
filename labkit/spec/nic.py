"""A network card's port: speed, bit errors, rings, interrupts, flow control. No bytes yet.

What is not set here and can be changed while running is `ethtool`'s business, in a Command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from labkit.errors import SpecError
from labkit.schema.base import FaultsError, Loc, Spec, read_by
from labkit.schema.partial import Partial
from labkit.units import (
    BitErrorRate,
    BitRate,
    Duration,
    Integer,
    PowerDbm,
    Size,
    bit_rate,
    integer,
    ns,
    seconds,
)

SPEEDS: dict[int, str] = {
    bit_rate(text): text
    for text in ("10mbit", "100mbit", "1gbit", "2.5gbit", "5gbit", "10gbit", "25gbit", "40gbit", "100gbit")
}
"""Speeds of Ethernet that a port may have: bit/s -> as it is written."""

RING_MIN, RING_MAX, RING_STEP = 8, 4096, 8
BURST_MAX = 64
_HALF_DUPLEX = 100_000_000
_U32 = 2**32 - 1
_FRAME = 2048  # bytes: a FIFO that could not hold one frame would pass nothing


def _speed(value: Any) -> int:
    listed = ", ".join(SPEEDS.values())
    try:
        speed = bit_rate(value)
    except SpecError:
        raise SpecError(f"not a speed of Ethernet: known are {listed}") from None
    if speed not in SPEEDS:
        raise SpecError(f"no Ethernet has this speed: known are {listed}")
    return speed


def _ring(value: Any) -> int:
    """Rounded up to a multiple of 8, as drivers do."""
    size = integer(value)
    if not 1 <= size <= RING_MAX:
        raise SpecError(f"a ring has {RING_MIN} to {RING_MAX} descriptors: write 256")
    return -(-size // RING_STEP) * RING_STEP


def _usecs(value: Any) -> Any:
    """Microseconds: a number as in `ethtool -C`, or "50us"."""
    if not isinstance(value, str):
        return value
    if ns(seconds(value)) % 1000:
        raise SpecError('whole microseconds: write 50 or "50us"')
    return ns(seconds(value)) // 1000


def _cost(value: Any) -> float:
    cost = seconds(value)
    if ns(cost) > _U32:
        raise SpecError('more than 4.29 s: write "2us"')
    return cost


Ring = Annotated[int, BeforeValidator(_ring)]
Cost = Annotated[Duration, BeforeValidator(_cost)]


class Nic(Spec, init=False):
    """One port of the teaching NIC. All that is lost in it is counted, as `ethtool -S` shows.

    speed: the highest it can, one of Ethernet's. duplex: "half": it can no other. autoneg=False on one end
    only (10 and 100 Mbit/s): the other end finds the speed and falls to half duplex.

    ber: of the bits that this port receives, 0 to 1e-3. error_burst: bits that an error touches: it flips
    the first and each other one with probability 1/2; the rate stays ber. rx_power (dBm): there is an
    optical module in the port, `ethtool -m` shows it, and the power it receives sets the bit error rate (see
    labkit.models.optics). memory_ber: of the bits between the frame check and the host.

    rx_ring, tx_ring: frames, rounded up to multiples of 8. fifo: bytes on the chip in front of the bus;
    bus: bit/s from there to memory, None: no limit. weight: packets that one poll takes. rx_usecs,
    rx_frames: an interrupt waits that long (us) or for so many frames. packet_cost, interrupt_cost (s): of
    the host's processor, which is infinitely fast in virtual time. pause: flow control both ways. bql: byte
    queue limits on the TX ring.
    """

    speed: Annotated[BitRate, BeforeValidator(_speed)] = 1_000_000_000
    duplex: Literal["full", "half"] = "full"
    autoneg: bool = True
    ber: BitErrorRate = 0.0
    error_burst: Annotated[Integer, Field(ge=1, le=BURST_MAX)] = 1
    rx_power: PowerDbm | None = None
    memory_ber: BitErrorRate = 0.0
    rx_ring: Ring = 256
    tx_ring: Ring = 256
    fifo: Annotated[Size, Field(ge=_FRAME, le=_U32)] = 64_000
    bus: BitRate | None = None
    weight: Annotated[Integer, Field(ge=1, le=64)] = 64
    rx_usecs: Annotated[Integer, Field(ge=0, le=1_000_000), BeforeValidator(_usecs)] = 0
    rx_frames: Annotated[Integer, Field(ge=0, le=RING_MAX)] = 1
    packet_cost: Cost = 0.0
    interrupt_cost: Cost = 0.0
    pause: bool = False
    bql: bool = True

    @model_validator(mode="after")
    def _check(self) -> Nic:
        faults: list[tuple[Loc, str]] = []
        if self.duplex == "half" and self.speed > _HALF_DUPLEX:
            text = f"='half': there is none at {SPEEDS[self.speed]}: with it write speed=\"100mbit\" or less"
            faults.append((("duplex",), text))
        if self.ber and self.rx_power is not None:
            faults.append((("ber",), f"={self.ber}: rx_power sets the bit error rate: give one of the two"))
        if not self.rx_frames and not self.rx_usecs:
            faults.append((("rx_frames",), "=0: then no interrupt ever comes: write rx_usecs=50 as well"))
        if self.duplex == "half" and self.pause:
            faults.append((("pause",), "=True: pause frames need full duplex: leave it out"))
        if faults:
            raise FaultsError(faults)
        return self

    def changed(self, settings: Mapping[str, Any]) -> Nic:
        """This port with some fields set anew. Raises SpecError."""
        if "ber" in settings and self.rx_power is not None:
            fix = "the module's received power sets it: change rx_power"
            raise FaultsError([(("ber",), f"={settings['ber']}: {fix}")])
        return self.replace(**settings)


PORT: Partial = Partial(Nic)
CHANGEABLE = ("ber", "error_burst", "rx_power", "memory_ber", "packet_cost", "interrupt_cost", "bus")
"""What the world does to a port while it runs; all else is set by `ethtool`."""

_ETHTOOL = {
    "speed": "ethtool -s eth0 speed 100",
    "duplex": "ethtool -s eth0 duplex half",
    "autoneg": "ethtool -s eth0 autoneg off",
    "rx_ring": "ethtool -G eth0 rx 1024",
    "tx_ring": "ethtool -G eth0 tx 1024",
    "rx_usecs": "ethtool -C eth0 rx-usecs 50",
    "rx_frames": "ethtool -C eth0 rx-frames 16",
    "pause": "ethtool -A eth0 rx on tx on",
}


def changing(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Some fields of a running port, each validated by itself. Raises SpecError."""
    fixed = [name for name in settings if name in Nic.model_fields and name not in CHANGEABLE]
    faults: list[tuple[Loc, str]] = []
    for name in fixed:
        fix = f'Command(host, "{_ETHTOOL[name]}", at=...)' if name in _ETHTOOL else "Nic(...), from the start"
        faults.append(((name,), f": is not what happens to a running port: set it by {fix}"))
    if "rx_power" in settings and settings["rx_power"] is None:
        faults.append((("rx_power",), "=None: a module stays in its port: write -40 for one without light"))
    if faults:
        raise FaultsError(faults)
    return PORT.read(settings)


_NOT_OF_A_CABLE = "a cable does not: put a router in between, and give it to that router's other link"
_REMEDIES = {
    "rate": 'the port\'s speed is the rate: write nic=Nic(speed="100mbit")',
    "queue": "what waits is in the port's rings and its host's pfifo_fast: write nic=Nic(tx_ring=...), "
    "or set another by tc in a Command",
    "loss": "frames are lost by flipped bits: write nic=Nic(ber=1e-6)",
    "loss_correlation": "flipped bits come in bursts by nic=Nic(error_burst=8)",
    "corrupt": "bits that no frame check finds are nic=Nic(memory_ber=1e-9)",
}


def not_with_nic(names: Mapping[str, Any]) -> list[tuple[Loc, str]]:
    """What is wrong about fields of a Direction on a link whose ends are ports."""
    return [((name,), f": not with nic=: {_REMEDIES.get(name, _NOT_OF_A_CABLE)}") for name in names]


def _as_nic(value: Any) -> Any:
    return None if value is None else Nic.model_validate(value)


NicField = Annotated[Nic | None, read_by(_as_nic)]


def ports(data: Mapping[str, Any]) -> dict[str, Nic]:
    """nic_a and nic_b of a link from what it was given: nic for both, each overriding field by field; {}
    when there are none. Raises SpecError."""
    given = {name: _own(name, data[name]) for name in ("nic", "nic_a", "nic_b") if data.get(name) is not None}
    if not given:
        return {}
    both, found = given.get("nic", {}), {}
    for end in ("nic_a", "nic_b"):
        own = given.get(end, {})
        try:
            found[end] = Nic(**(both | own))
        except FaultsError as fault:
            raise fault.under(end if own else "nic") from None
    return found


def _own(name: str, given: Any) -> dict[str, Any]:
    if isinstance(given, Nic):
        return {field: getattr(given, field) for field in given.model_fields_set}
    if isinstance(given, Mapping):
        return {str(field): value for field, value in given.items()}
    fix = 'must be a Nic or a mapping of its fields such as {"speed": "1gbit"}'
    raise FaultsError([((name,), f": {fix}")])
