"""Nasty experiments by number: extreme values in every field, one in some twenty of them plainly wrong.

The keywords of an Experiment depend on the number alone: what one of them finds can be had again.
"""

from __future__ import annotations

import random
from typing import Any

from labkit.qdiscs import KINDS
from labkit.spec import ALL_PROBES, LAB_CONGESTION_CONTROLS
from tests.nasty_sysctls import NAMES as SYSCTLS
from tests.nasty_sysctls import VALUES as SETTINGS

NAN = float("nan")
Values = tuple[list[Any], list[Any]]  # what may be given, and what must be refused

_RATES = [
    8,
    9,
    "100bit",
    "8kbit",
    "1mbit",
    "10mbit",
    "100mbit",
    "1gbit",
    "3.3333mbit",
    "34.36gbit",
    "400gbit",
]
RATES: Values = (
    [*_RATES, 2**32, "1tbit", 10**13],
    [0, 1, -1, "1bit", "10", "10 furlong", "inf", NAN, 10**13 + 1, True, [], "1e99mbit"],
)
TIMES: Values = (
    [0, "1ns", "999ns", "1us", "1ms", "10ms", "10ms", "100ms", "1s", "10s", 4.29, "4294967296ns", "19d"],
    [-1, 1e-10, "21d", NAN, "5", None, {}],
)
JITTERS: Values = ([0, "1ns", "1us", "100us", "1ms", "1s", 2.147483647], ["2.2s", -1, "1h", "x"])
SHARES: Values = (
    [0, "0%", "0.1%", "1%", "10%", "50%", "99.999%", "100%", 1, 1e-9, 2.33e-10],
    [1.0000001, -0.5, "1", "101%", NAN, True],
)
QUEUES: Values = (
    ["1p", "2p", "10p", "1000p", "2147483647p", "1B", "60B", "1499B", "1514B", "64kB", "4GB"],
    [0, "0p", "2147483648p", "5GB", "1TB", "p", "", "-3p", "tbf", "netem", "Pfifo"],
)
_NUMBERS = [0, 1, 2, 3, 10, 1000, 10**6, 2**31 - 1, 2**31, 2**32 - 1, -1, 2**32, 2**64, 0.5, 1e300]
_WORDS = [
    "0ms",
    "1ns",
    "5ms",
    "100ms",
    "1h",
    "10mbit",
    "1GB",
    "64kB",
    "0%",
    "50%",
    True,
    False,
    "",
    "x" * 500,
    "é",
]
OPTIONS: list[Any] = [*_NUMBERS, *_WORDS, "hosts", "1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1"]
MTUS: Values = ([68, 100, 576, 1280, 1500, 1500, 9000, 65535], [0, 67, 65536, -1, "1500"])
SIZES: Values = ([1, 2, 1000, "100kB", "1MB", "25MB", "1TB", 2**62], [0, -1, "1.5B", 2**62 + 1, "1 MBit"])
MESSAGES: Values = ([1, 1000, "100kB", 2**30], [0, 2**30 + 1, -1])
STARTS: Values = ([0, 0, "1ns", "1us"], ["1h", -1])
BUFFERS: Values = ([1, 2, 100, 4096, "64kB", "1MB", 2**30], [0, 2**30 + 1, -1])
SEGMENTS: Values = ([88, 100, 536, 1460, 32767], [0, 87, 32768, "1460", 1e3])
COUNTS: Values = ([1, 2, 100, 2**32 - 1], [0, -1, 2**32, 1.5])
LINES = (
    "true",
    "exit 7",
    "ping -c 2 -i 0.01 right",
    "sleep 1d",
    "kill -9 $$",
    "head -c 100000 /dev/urandom | cat",
)
LINES += (
    "ip link set eth0 down",
    "ip addr flush dev eth0",
    "tc qdisc del dev eth0 root",
    "ip link del eth0",
    "true &",
)
LINES += ("sysctl -w net.ipv4.tcp_sack=0", "ethtool -G eth0 rx 8", "cat /proc/net/dev", "ulimit -n 3; true")
NAMES = (
    "a",
    "b",
    "-",
    "_",
    "--help",
    "-x",
    "0",
    "A" * 32,
    "lo",
    "eth0",
    "all",
    "default",
    "none",
    "LEFT",
    "left",
)
BAD_NAMES = ("A" * 33, "é", "ho st", "", "wires", "../x", "localhost", "left.eth0", "x;reboot", 3, None)
PORT: dict[str, Values] = {
    "speed": (["10mbit", "100mbit", "1gbit", "2.5gbit", "100gbit"], ["400gbit", 1, 0]),
    "duplex": (["full"], ["half", "quarter"]),
    "autoneg": ([True, False], ["yes"]),
    "ber": ([0, 1e-15, 1e-9, 1e-6, 1e-3], [1e-16, 0.01, -1]),
    "error_burst": ([1, 2, 64], [0, 65]),
    "rx_power": ([-40, -18.5, 8, "-20dBm"], [9, -18.55, "-20"]),
    "memory_ber": ([0, 1e-9, 1e-3], [1]),
    "rx_ring": ([1, 8, 64, 4096], [0, 4097]),
    "tx_ring": ([1, 8, 64, 4096], [0, 4097]),
    "fifo": ([2048, 64000, 2**32 - 1], [1, 2047, 2**32]),
    "bus": ([8, "1kbit", "1gbit", "10tbit"], [0, "fast"]),
    "weight": ([1, 64], [0, 65]),
    "rx_usecs": ([0, 1, 50, 10**6, "50us"], [10**6 + 1, "50ns"]),
    "rx_frames": ([0, 1, 64, 4096], [4097, -1]),
    "packet_cost": ([0, "1ns", "15us", "1ms", "1s"], ["5s"]),
    "interrupt_cost": ([0, "1us", "1s"], ["4.3s"]),
    "pause": ([True, False], [2]),
    "bql": ([True, False], [2]),
}


class Nasty:
    """One experiment in the making."""

    def __init__(self, number: int) -> None:
        self.random = random.Random(number)
        self.wrong = self.random.choice([0, 0, 0.01, 0.05])  # the share of values that must be refused

    def one(self, *values: Any) -> Any:
        """Any of these."""
        return self.random.choice(values)

    def happens(self, share: float) -> bool:
        """In so many of all cases."""
        return self.random.random() < share

    def of(self, values: Values) -> Any:
        """A value that may be given, or now and then one that must not."""
        return self.random.choice(values[self.happens(self.wrong)])

    def some(self, share: float, values: dict[str, Values]) -> dict[str, Any]:
        """That share of the fields."""
        return {name: self.of(choice) for name, choice in values.items() if self.happens(share)}

    def option(self, reader: Any) -> Any:
        """A value for an option, most times one that can be read."""
        value = self.one(*OPTIONS)
        while not self.happens(0.02):
            try:
                (reader[1] if isinstance(reader, tuple) else reader)(value)
                break
            except ValueError:
                value = self.one(*OPTIONS)
        return value

    def queue(self, classes: bool = True) -> Any:
        if self.happens(0.4):
            return self.of(QUEUES)
        qdisc = KINDS[self.one(*KINDS)]
        if qdisc.classful and not qdisc.classful.optional and not (classes or self.happens(self.wrong)):
            qdisc = KINDS["codel"]
        names = self.random.sample(list(qdisc.options), min(len(qdisc.options), self.one(0, 1, 1, 2)))
        queue = {"kind": qdisc.kind, **{name: self.option(qdisc.options[name]) for name in names}}
        if qdisc.limit and "limit" not in queue and (qdisc.required or self.happens(0.3)):
            queue[qdisc.limit] = self.one(1, 2, 1514, 100_000, 2**31 - 1)
        if classes and qdisc.classful and (not qdisc.classful.optional or self.happens(0.8)):
            queue["classes"] = [self.share(qdisc.kind, i) for i in range(self.one(2, 2, 3, 16))]
        return queue

    def share(self, kind: str, number: int) -> dict[str, Any]:
        fields: dict[str, Values] = {
            "htb": {"rate": RATES, "ceil": RATES, "prio": ([0, 7], [8]), "quantum": ([1, 1514, "1MB"], [0])},
            "ets": {"quantum": ([1, 1514, 2**32 - 1], [0, 2**32])},
            "drr": {"quantum": ([1, 1514, 2**32 - 1], [0, 2**32])},
        }.get(kind, {})
        made = {"name": f"c{number}", **self.some(0.7, fields)}
        if kind == "htb" and "rate" not in made:
            made["rate"] = "1mbit"
        if number:
            made["match"] = self.one(
                {"port": 80}, {"protocol": "udp"}, {"dst": "right"}, {"mark": 1}, {"src": "no"}
            )
        return made | ({"queue": self.queue(classes=False)} if self.happens(0.4) else {})

    def loss(self) -> Any:
        if self.happens(0.5):
            return self.of(SHARES)
        numbers: Values = (
            [[1], [1, 2, 3], list(range(1, 1001)), [2**31], [5, 4, 3]],
            [[], [0], [1, 1], list(range(1, 1002)), 3],
        )
        every: Values = ([1, 2, 3, 100, 65535, 65536, 2**31], [0, -1, 2**31 + 1, "3"])
        gilbert = {"kind": "gilbert_elliott", "p": self.of(SHARES), "r": self.of(SHARES)}
        return self.one(
            gilbert | self.some(0.5, {"loss_bad": SHARES, "loss_good": SHARES}),
            {"kind": "every_nth", "n": self.of(every)},
            {"kind": "drop_packets", "numbers": self.of(numbers)},
        )

    def way(self, share: float) -> dict[str, Any]:
        """Fields of a Direction that go together, or nearly."""
        fields = {"delay": TIMES, "delay_correlation": SHARES, "corrupt": SHARES, "duplicate": SHARES}
        fields |= {"wire_limit": ([None, "1p", 1000, 2**31 - 1], [0, 2**31])}
        made = self.some(share, fields)
        if self.happens(0.4):
            made["rate"] = self.of(RATES)
        if "rate" in made and self.happens(0.7):
            made["queue"] = self.queue()
        if made.get("delay") and self.happens(0.4):
            made |= self.some(0.5, {"jitter": JITTERS, "reorder": SHARES, "reorder_correlation": SHARES})
            made["distribution"] = self.of((["uniform", "normal", "pareto", "paretonormal"], ["flat"]))
        return made | ({"loss": self.loss()} if self.happens(share) else {})

    def link(self, a: Any, b: Any) -> dict[str, Any]:
        made: dict[str, Any] = {"a": a, "b": b} | self.some(0.2, {"mtu": MTUS})
        if self.happens(0.2):
            ports = {name: self.some(0.2, PORT) for name in self.one(["nic"], ["nic_a", "nic_b"])}
            for port in ports.values():
                port.pop(self.one("ber", "rx_power"), None)
            return made | ports | self.some(0.4, {"delay": ([0, "1us", "1ms", "10s"], ["11s"])})
        made |= self.way(self.one(0.02, 0.1, 0.3))
        return made | {name: self.way(0.1) for name in ("forward", "backward") if self.happens(0.25)}

    def topology(self) -> tuple[list[Any], dict[str, Any]]:
        hosts: list[Any] = ["left", "right", *(f"h{i}" for i in range(self.one(0, 0, 0, 1, 3, 6)))]
        if self.happens(0.1):
            hosts = self.random.sample(NAMES, self.one(2, 3, 5))
        if self.happens(self.wrong):
            hosts.append(self.one(*BAD_NAMES))
        links = [self.link(self.one(*hosts[:i]), hosts[i]) for i in range(1, len(hosts))]
        if len(hosts) > 2 and self.happens(0.3):  # a loop, or the same link again
            links.append(self.link(*self.random.sample(hosts, 2)))
        tuned = [{"name": host, "sysctls": self.sysctls()} if self.happens(0.02) else host for host in hosts]
        return hosts, {"hosts": tuned, "links": links}

    def sysctls(self) -> dict[str, Any]:
        return {self.one(*SYSCTLS): self.one(*SETTINGS) for _ in range(self.one(1, 1, 2))}

    def ends(self, hosts: list[Any]) -> dict[str, Any]:
        src, dst = self.random.sample(hosts, 2)
        return {"src": src, "dst": self.one("nobody", src, None) if self.happens(self.wrong) else dst}

    def flow(self, hosts: list[Any], served: bool) -> dict[str, Any]:
        both = {"size": SIZES, "duration": (["1ns", "1ms", "50ms", "1s", "1h"], [0, -1]), "start": STARTS}
        both |= {"sndbuf": BUFFERS, "rcvbuf": BUFFERS, "read_rate": RATES, "read_after": TIMES}
        made = self.ends(hosts) | {"size": "20kB"} | self.some(0.15, both)
        cc: Values = (list(LAB_CONGESTION_CONTROLS), ["", "CUBIC", "bbr9", "x" * 100])
        if self.happens(0.2):
            asked: dict[str, Any] = {name: self.of(MESSAGES) for name in ("request", "response")}
            asked |= {"kind": "requests", "count": self.of(COUNTS)}
            more = {"think": TIMES, "service": TIMES, "mss": SEGMENTS, "cc": cc, "start": STARTS}
            return {key: made[key] for key in ("src", "dst")} | asked | self.some(0.2, more)
        if self.happens(0.3):
            made |= {"protocol": "udp", "rate": self.of(RATES)}
            return made | self.some(
                0.3, {"packet": ([1, 8, 1472, 1473, 65507], [0, 65508]), "pattern": (["poisson"], ["x"])}
            )
        made |= self.some(0.2, {"mss": SEGMENTS, "nodelay": ([True], [1])}) | self.some(0.7, {"cc": cc})
        return made | ({"port": 80} if served and "rcvbuf" not in made else {})

    def change(self, hosts: list[Any], links: list[dict[str, Any]]) -> dict[str, Any]:
        at = {"at": self.one(0, 0, "1ns", "1us")}
        if self.happens(0.3):
            return at | {"host": self.one(*hosts), "name": self.one(*SYSCTLS), "value": self.one(*SETTINGS)}
        chosen = self.one(*links)
        if "nic" in chosen and self.happens(0.8):
            fields = {name: PORT[name] for name in ("ber", "memory_ber", "bus", "packet_cost")}
            return at | {"host": chosen["a"], "peer": chosen["b"], "ber": 1e-6} | self.some(0.3, fields)
        way = self.of((["both", "forward", "backward"], ["up"]))
        return at | {"link": [chosen["a"], chosen["b"]], "direction": way, "delay": "1us"} | self.way(0.3)


def nasty(number: int) -> dict[str, Any]:
    """The keywords of the experiment of that number."""
    it = Nasty(number)
    hosts, network = it.topology()
    served = it.happens(0.15)
    made: dict[str, Any] = {
        "topology": network,
        "flows": [it.flow(hosts, served) for _ in range(it.one(0, 1, 1, 2, 3, 12))],
        "duration": it.of((["1ns", "1us", "10ms", "50ms", "50ms", "100ms", "1s"], [0, -1, "1"])),
        "wall_limit": "1s",
    }
    if served:
        accepts = it.some(0.3, {"backlog": ([0, 1, 65535], [-1, 65536]), "accept_after": TIMES})
        made["servers"] = [{"host": host, "port": 80} | accepts for host in hosts]
    if it.happens(0.3):
        made["changes"] = [it.change(hosts, network["links"]) for _ in range(it.one(1, 2, 5))]
    if it.happens(0.2):
        made["commands"] = [{"host": it.one(*hosts), "command": it.one(*LINES)} for _ in range(it.one(1, 2))]
    if it.happens(0.15):
        made["sysctls"] = it.sysctls()
    if it.happens(0.5):
        made["probes"] = it.random.sample(sorted(ALL_PROBES), it.random.randint(0, len(ALL_PROBES)))
    fields: dict[str, Values] = {
        "seed": ([0, 1, 2**63 - 1], [-1, 2**63, "1", 1.0]),
        "memory": (["64MB", "100MB", "2GB"], ["1TB", 0, "1 furlong"]),
        "sample_interval": (["1us", "100us", "10ms", "1s", "19d"], ["999ns", 0]),
        "modules": ([["reno2013"], ["exp"]], [[""], "reno2013", [3]]),
        "capture": (
            [[hosts[0]], [{"host": hosts[-1], "snap": 96}]],
            [["nobody"], [{"host": hosts[0], "snap": 1}], 5],
        ),
        "time_limit": (["1h", "20d"], [0, "1ns"]),
    }
    return made | it.some(0.07, fields)
