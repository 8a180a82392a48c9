"""A flow: one TCP connection or one UDP stream from one host to another."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    StrictStr,
    model_validator,
)

from labkit.errors import SpecError
from labkit.schema.base import ADDED, FaultsError, Loc, Spec
from labkit.traffic.server import Port
from labkit.units import BitRate, Duration, Integer, Size

LAB_CONGESTION_CONTROLS: tuple[str, ...] = (
    *("bbr", "bic", "cdg", "cubic", "dctcp", "highspeed", "htcp", "hybla", "illinois"),
    *("lp", "nv", "reno", "scalable", "vegas", "veno", "westwood", "yeah"),
)
"""The congestion controls of the lab kernel, by the names that TCP_CONGESTION takes."""

UDP_PAYLOAD = 1472  # fills an MTU of 1500
_ONLY_TCP = ("cc", "mss", "nodelay", "port")
_ONLY_UDP = ("rate", "packet", "pattern")


def _label(name: str) -> str:
    if not (1 <= len(name) <= 80 and name.isprintable() and name == name.strip() and "/" not in name):
        raise SpecError("a flow's name is 1 to 80 printable characters without '/'")
    return name


class Flow(Spec, init=False):
    """Data from host src to host dst, of a size (bytes) or for a duration (s), from `start` (s) on.
    With both, it ends with whichever is reached first: what may never arrive need not be waited for.

    TCP: cc names the congestion control ("cubic" unless given); mss in bytes; nodelay switches
    Nagle's algorithm off. UDP: rate in bit/s of payload, packet bytes of payload per packet (1472
    unless given), pattern "constant" or "poisson". sndbuf, rcvbuf: socket buffers in bytes; None
    leaves them to the kernel. name: "src-dst" unless given, filled in by the Experiment.

    The receiving application reads what comes at once, unless read_rate says at how many bit/s of
    payload it works (what it is too slow for fills its buffer) or read_after for how long (s) after
    the start it reads nothing. port (TCP): connect to the Server there, not to a listener of its own.
    """

    _positional: ClassVar = ("src", "dst")
    src: StrictStr
    dst: StrictStr
    protocol: Literal["tcp", "udp"] = "tcp"
    cc: StrictStr | None = None
    size: Size | None = None
    duration: Duration | None = None
    start: Duration = 0.0
    name: Annotated[StrictStr, AfterValidator(_label)] | None = None
    sndbuf: Annotated[Size, Field(le=2**30)] | None = None
    rcvbuf: Annotated[Size, Field(le=2**30)] | None = None
    mss: Annotated[Integer, Field(ge=88, le=65495)] | None = None
    nodelay: StrictBool = False
    rate: BitRate | None = None
    packet: Annotated[Size, Field(le=65507)] | None = None
    pattern: Literal["constant", "poisson"] | None = None
    read_rate: Annotated[BitRate | None, ADDED] = None
    read_after: Annotated[Duration, ADDED] = 0.0
    port: Annotated[Port | None, ADDED] = None

    @model_validator(mode="after")
    def _check(self) -> Flow:
        faults: list[tuple[Loc, str]] = []
        if self.src == self.dst:
            faults.append((("dst",), f"={self.dst!r}: the same host as src: name another one"))
        if self.size is None and self.duration is None:
            faults.append(((), 'size, duration: neither given: write size="25MB" or duration="30s"'))
        if self.duration == 0:
            faults.append((("duration",), "=0: nothing would be sent: write what it should last"))
        for name in _ONLY_UDP if self.protocol == "tcp" else _ONLY_TCP:
            if getattr(self, name):
                other = "udp" if self.protocol == "tcp" else "tcp"
                faults.append(((name,), f': only with protocol="{other}": leave it out'))
        if self.port is not None and self.rcvbuf is not None:
            faults.append((("rcvbuf",), ": a Server's connections have the host's: set net.ipv4.tcp_rmem"))
        if self.protocol == "udp" and self.rate is None:
            faults.append((("rate",), ': missing: a UDP flow needs it: write rate="5mbit"'))
        if faults:
            raise FaultsError(faults)
        self._fill()
        return self

    def _fill(self) -> None:
        """The defaults that depend on the protocol; not through fields_set, as nobody asked for them."""
        defaults: dict[str, Any] = {"cc": "cubic"}
        if self.protocol == "udp":
            defaults = {"packet": UDP_PAYLOAD, "pattern": "constant"}
        for name, value in defaults.items():
            if getattr(self, name) is None:
                self.__dict__[name] = value
