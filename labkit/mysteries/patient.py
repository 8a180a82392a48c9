"""The network of all mysteries, healthy, and what a cause may do to it. Knows no cause.

    other ---.              r3              r1-r3-r2 is there in case that r1-r2 fails
              \\          /    \\
    left ----- r1 ====== r2 ----- right
        cable     line     cable          === line_rate, line_delay; cables 100 Mbit/s

"left" sends a file to "right" (the transfer); 24 clients on "other" ask the web server of "right" at once, a
tenth of a second after it began; later "left" sends a file by a program without any settings (the check).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from labkit.spec import Command, Experiment, Flow, Link, Nic, Server, Topology
from labkit.traffic.kind import Traffic

HOSTS = ("left", "other", "r1", "r2", "r3", "right")
PORTS = {"left-r1": ("left.eth0", "r1.eth0"), "r2-right": ("r2.eth2", "right.eth0")}
"""The cables, and the ports at their ends, by host and interface."""

CABLE_RATE = "100mbit"
READS = "1gbit"
"""So fast a program takes what has come."""
TRANSFER_S, CHECK_S, END_S = 24.0, 28.0, 34.5
TRANSFER_LASTS_S, CHECK_LASTS_S = 2.5, 2.0
CLIENTS, WEB_PORT = 24, 80
_ASKED_S = TRANSFER_S + 0.1
_SERVER_BUSY_S = 0.25  # it accepts so long after it was asked
_POWER_DBM = -8.0
FRAME = 1514  # bytes of a full packet with its Ethernet header

Fields = dict[str, Any]


@dataclass(frozen=True)
class Patient:
    """One network, healthy unless something was done to it; each method returns another one.

    line_rate: bit/s; line_delay: s one way; fibre: the cable r2-right is one, its ports have modules.
    """

    line_rate: float = 20e6
    line_delay: float = 0.02
    fibre: bool = True
    queue: Any = "fq_codel"
    ports: dict[str, Fields] = field(default_factory=dict)
    wires: dict[str, Fields] = field(default_factory=dict)
    sysctls: dict[str, dict[str, int | str]] = field(default_factory=dict)
    transfer: Fields = field(default_factory=dict)
    backlog: int = 4096
    commands: tuple[Command, ...] = ()
    others: tuple[Traffic, ...] = ()

    @property
    def packet_s(self) -> float:
        """So long takes a full packet on the line."""
        return 8 * FRAME / self.line_rate

    @property
    def round_trip_packets(self) -> int:
        """So many full packets are under way when the line is busy and nothing waits."""
        return round(2 * self.line_delay * self.line_rate / 8 / FRAME)

    def with_port(self, port: str, **fields: Any) -> Patient:
        """A port ("right.eth0") with other fields of Nic."""
        return replace(self, ports={**self.ports, port: {**self.ports.get(port, {}), **fields}})

    def with_wire(self, way: str, **fields: Any) -> Patient:
        """A direction ("r1-r2") of the line or of a link by way of r3 with other fields of Direction."""
        return replace(self, wires={**self.wires, way: {**self.wires.get(way, {}), **fields}})

    def with_sysctl(self, host: str, name: str, value: int | str) -> Patient:
        """A host with another setting."""
        return replace(self, sysctls={**self.sysctls, host: {**self.sysctls.get(host, {}), name: value}})

    def with_transfer(self, **fields: Any) -> Patient:
        """The transfer's program with other fields of Flow."""
        return replace(self, transfer={**self.transfer, **fields})

    def with_command(self, host: str, command: str) -> Patient:
        """A shell line on a host as everything begins."""
        return replace(self, commands=(*self.commands, Command(host, command)))

    def with_traffic(self, *traffic: Traffic) -> Patient:
        """Somebody else's traffic."""
        return replace(self, others=(*self.others, *traffic))

    def topology(self) -> Topology:
        """Hosts and links."""
        links = [
            self._cable("left", "r1"),
            self._line("r1", "r2", 1),
            self._line("r1", "r3", 1),
            self._line("r3", "r2", 1),
            self._cable("r2", "right"),
            Link("other", "r1", rate=CABLE_RATE, queue="1000p"),
        ]
        healthy = Topology(HOSTS, links)
        for host in HOSTS:
            healthy = healthy.with_sysctls(host, {"net.ipv4.tcp_ecn": 1, **self.sysctls.get(host, {})})
        return healthy

    def experiment(self, seed: int, looks: tuple[Command, ...], **settings: Any) -> Experiment:
        """All of it with the commands that somebody types; settings: of Experiment."""
        flows = [
            Flow(
                "left",
                "right",
                start=TRANSFER_S,
                duration=TRANSFER_LASTS_S,
                name="transfer",
                **{"read_rate": READS, **self.transfer},
            ),
            *(
                Flow("other", "right", start=_ASKED_S, size=2000, port=WEB_PORT, name=f"client {i}")
                for i in range(1, CLIENTS + 1)
            ),
            Flow("left", "right", start=CHECK_S, duration=CHECK_LASTS_S, name="check", read_rate=READS),
        ]
        server = Server("right", WEB_PORT, backlog=self.backlog, accept_after=_ASKED_S + _SERVER_BUSY_S)
        return Experiment(
            self.topology(),
            flows=[*flows, *self.others],
            commands=[*self.commands, *looks],
            servers=[server],
            seed=seed,
            **{"duration": END_S, "probes": [], **settings},
        )

    def _cable(self, a: str, b: str) -> Link:
        fibre = self.fibre and b == "right"
        usual = {"speed": CABLE_RATE, "rx_power": _POWER_DBM if fibre else None}
        near, far = ({**usual, **self.ports.get(port, {})} for port in PORTS[f"{a}-{b}"])
        return Link(a, b, delay="5us", nic_a=Nic(**near), nic_b=Nic(**far))

    def _line(self, a: str, b: str, share: float) -> Link:
        usual = {"rate": self.line_rate, "delay": self.line_delay * share, "queue": "fq_codel"}
        forward = {**usual, "queue": self.queue} if (a, b) == ("r1", "r2") else usual
        return Link(
            a,
            b,
            forward={**forward, **self.wires.get(f"{a}-{b}", {})},
            backward={**usual, **self.wires.get(f"{b}-{a}", {})},
        )
