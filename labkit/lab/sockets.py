"""A scapy socket on an interface of an open laboratory: packets made by hand, and the answers to them.

    with Lab(pair(delay="10ms")) as lab, lab.socket("left") as wire:
        answer = wire.sr1(IP(dst=lab.address("right")) / TCP(dport=80, flags="S"), timeout=2)
        seen = sniff(opened_socket=wire, timeout=1)

Timeouts are virtual: waiting takes none of the reader's time. The laboratory's clock runs while a socket
waits, until a packet comes in or the timeout is over; at other times it stands still.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from scapy.layers.inet import IP
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.supersocket import SuperSocket

from labkit.compile.layout import Interface
from labkit.decode.frames import frames
from labkit.decode.headers import ETHERNET
from labkit.decode.raw import Raw
from labkit.errors import SpecError
from labkit.lab.devices import Devices

_FOREVER_S = 3600.0  # a wait without a timeout
_NETWORK = 3
_IPV4 = b"\x08\x00"


def open_socket(devices: Devices, host: str, interface: str, layer: int) -> LabSocket:
    """As Lab.socket. Raises SpecError."""
    named = {device.name: device for device in devices.layout.interfaces[host]}
    if interface not in named:
        raise SpecError(f"interface={interface!r}: {host} has {', '.join(named) or 'none'}")
    if layer not in (2, 3):
        raise SpecError(f"layer={layer!r}: write 3 for IPv4 packets, or 2 for Ethernet frames")
    device = named[interface]
    peer = next(end for end in devices.layout.interfaces[device.peer] if end.peer == host)
    made = LabSocket(devices, device, peer, layer)
    devices.listen(device, made)
    return made


class LabSocket(SuperSocket):
    """Packets as one interface sends and receives them, its own host's among them. Made by Lab.socket.

    layer 3: IPv4 packets; they go to the link's other end. layer 2: frames, with their Ethernet header.
    """

    desc = "an interface of an open laboratory"
    nonblocking_socket = True

    def __init__(self, devices: Devices, interface: Interface, peer: Interface, layer: int) -> None:
        self.devices, self.interface, self.layer = devices, interface, layer
        self._header = Ether(src=interface.mac, dst=peer.mac)
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._expired = False

    def send(self, x: Packet) -> int:
        """Hand a packet to the device now; without a source address it gets the host's own. Raises
        AgentError if the device is down."""
        frame = bytes(self._header / self._own(x) if self.layer == _NETWORK else x)
        self.devices.inject(self.interface, frame)
        x.sent_time = self.devices.time_s
        return len(frame)

    def sr(self, x: Packet, *args: Any, **options: Any) -> Any:
        """Send packets and take their answers: scapy's sr, without a thread of its own."""
        return super().sr(self._own(x), *args, **{"threaded": False, **options})

    def sr1(self, x: Packet, *args: Any, **options: Any) -> Packet | None:
        """Send a packet and return the first answer: scapy's sr1."""
        return super().sr1(self._own(x), *args, **options)

    def _own(self, x: Packet) -> Packet:
        """With the host's address as its source, which scapy would look up on this machine."""
        if self.layer != _NETWORK or "src" in x.fields:
            return x
        sent = x.copy()
        sent.src = self.devices.layout.addresses[self.interface.host]
        return sent

    def recv_raw(self, x: int = 0) -> tuple[type[Packet], bytes, float]:
        """The next packet and when it passed (s since the lab's start). Raises EOFError if there is none."""
        if not self._waiting:
            raise EOFError
        at_ns, frame = self._waiting.popleft()
        if self.layer == _NETWORK:
            return IP, frame[ETHERNET:], at_ns / 1e9
        return Ether, frame, at_ns / 1e9

    @staticmethod
    def select(sockets: list[Any], remain: float | None = None) -> list[Any]:
        """Those that have a frame. Lets virtual time pass until one has, at most `remain` seconds; then
        all of them, so that whoever waits is told that nothing came."""
        first: LabSocket = sockets[0]
        if not any(one._waiting for one in sockets):
            first.devices.await_packet(_FOREVER_S if remain is None else remain)
        ready = [one for one in sockets if one._waiting]
        for one in sockets if not ready else ():
            one._expired = True
        return ready or sockets

    def take(self, tail: Raw) -> None:
        """Keep this interface's frames of what the agent wrote."""
        found = frames(tail)
        for i in (found.interface == self.interface.index).nonzero()[0].tolist():
            frame = found.bytes_of(i)
            if self.layer != _NETWORK or frame[12:ETHERNET] == _IPV4:
                self._waiting.append((int(found.at_ns[i]), frame))

    def fileno(self) -> int:
        """There is none: nothing of it is on this machine."""
        return -1

    def close(self) -> None:
        """Forget what has not been read. scapy closes a socket whose wait is over: that changes nothing."""
        if self._expired:
            self._expired = False
            return
        self.devices.forget(self)
        self._waiting.clear()
