"""The teaching NIC in the lab kernel: what ethtool shows and takes, every cause of loss by itself, and all
frames accounted for. Each run also looks at the kernel's log.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from labkit.lab.laboratory import Lab
from labkit.models.optics import ber, frame_bits, frame_error_rate
from labkit.results.result import Result
from labkit.spec import Change, Command, Experiment, Flow, Nic, NicChange
from labkit.spec.topologies import dumbbell, pair, star
from tests.guest.helpers import MS, binomial, fresh

CABLE = "5us"
COMPLAINTS = re.compile(r"WARNING|BUG|Call Trace|Oops|unregister_netdevice|lockdep|refcount", re.IGNORECASE)


def udp(rate: str = "900mbit", *, duration: str = "20ms", packet: int = 1472, back: bool = False) -> Flow:
    ends = ("right", "left") if back else ("left", "right")
    return Flow(*ends, protocol="udp", rate=rate, duration=duration, packet=packet)


def measured(flows: Any, *commands: Command, changes: Any = (), delay: str = CABLE, **link: Any) -> Result:
    """A run over a pair of ports that saw every loss and left no complaint in the kernel's log."""
    log = Command("left", "dmesg", at=2.0)
    exp = Experiment(
        pair(delay=delay, **link),
        flows=flows if isinstance(flows, list) else [flows],
        commands=[*commands, log],
        changes=changes,
        probes={"drops"},
    )
    result = fresh(exp)
    assert not COMPLAINTS.search(result.output(len(commands)))
    return result


def said(command: str, **link: Any) -> str:
    """What a command prints on right, errors too."""
    result = fresh(
        Experiment(
            pair(delay=CABLE, **link), commands=[Command("right", command + " 2>&1", at=MS)], probes=()
        )
    )
    return result.output(0)


def counters(result: Result, host: str) -> dict[str, int]:
    """What the port's statistics grew by."""
    table = result.interfaces.query("host == @host and role == 'host'")
    return dict(zip(table["name"], table["delta"].tolist(), strict=True))


def in_ports(result: Result, host: str, peer: str) -> dict[str, int]:
    """cause -> frames lost in ports on the way from host to peer."""
    table = result.drops.query("place == 'port' and host == @host and peer == @peer")
    return {str(cause): int(n) for cause, n in table["cause"].value_counts().items() if n}


# What ethtool shows is what was set.


@pytest.mark.parametrize(
    ("nic", "command", "shown"),
    [
        ({}, "ethtool eth0", ["Speed: 1000Mb/s", "Duplex: Full", "Auto-negotiation: on", "detected: yes"]),
        ({"speed": "100mbit", "duplex": "half"}, "ethtool eth0", ["Speed: 100Mb/s", "Duplex: Half"]),
        ({"speed": "100gbit"}, "ethtool eth0", ["Speed: 100000Mb/s"]),
        (
            {"rx_ring": 3, "tx_ring": 512},
            "ethtool -g eth0",
            [r"RX:\t\t8\n", r"TX:\t\t512\n", r"RX:\t\t4096\n"],
        ),
        ({"rx_usecs": "50us", "rx_frames": 16}, "ethtool -c eth0", ["rx-usecs: 50\n", "rx-frames: 16\n"]),
        ({"pause": True}, "ethtool -a eth0", [r"RX:\s+on", r"TX:\s+on"]),
        ({"rx_power": "-18.5dBm"}, "ethtool -m eth0", [r"LAB-SX", r"0\.0141 mW / -18\.5\d? dBm"]),
        ({}, "ethtool -i eth0", ["driver: labnic"]),
        ({}, "ethtool -m eth0", ["Operation not supported"]),
    ],
)
def test_ethtool_shows_what_was_set(nic: dict[str, Any], command: str, shown: list[str]) -> None:
    text = said(command, nic=Nic(**nic))
    for pattern in shown:
        assert re.search(pattern, text), text


@pytest.mark.parametrize(
    ("left", "right", "outcome"),
    [
        ({}, {"speed": "100mbit"}, ("100Mb/s", "Full", "Full")),
        ({"duplex": "half", "speed": "100mbit"}, {}, ("100Mb/s", "Half", "Half")),
        ({"speed": "100mbit", "autoneg": False}, {"speed": "100mbit"}, ("100Mb/s", "Full", "Half")),
        ({"speed": "10mbit", "autoneg": False}, {}, ("10Mb/s", "Full", "Half")),
        (
            {"speed": "10mbit", "autoneg": False},
            {"speed": "10mbit", "autoneg": False},
            ("10Mb/s", "Full", "Full"),
        ),
    ],
)
def test_two_ports_agree_on_speed_and_duplex(
    left: dict[str, Any], right: dict[str, Any], outcome: tuple[str, str, str]
) -> None:
    exp = Experiment(
        pair(nic_a=left, nic_b=right),
        commands=[Command(host, "ethtool eth0", at=MS) for host in ("left", "right")],
        probes=(),
    )
    result = fresh(exp)
    texts = [result.output(host) for host in ("left", "right")]
    speeds, duplexes = (
        [re.findall(rf"{what}: (\S+)", text)[0] for text in texts] for what in ("Speed", "Duplex")
    )
    assert (set(speeds), *duplexes) == ({outcome[0]}, *outcome[1:])


def test_ports_told_different_speeds_have_no_link() -> None:
    told = {"autoneg": False}
    text = said("ethtool eth0", nic_a={"speed": "10mbit", **told}, nic_b={"speed": "100mbit", **told})
    assert "Link detected: no" in text


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("ethtool -G eth0 rx 0", "at least one descriptor"),
        ("ethtool -G eth0 rx 1000000000", "exceeds maximum"),
        ("ethtool -G eth0 rx 3 && ethtool -g eth0", r"RX:\t\t8\n"),
        ("ethtool -C eth0 adaptive-rx on", "unsupported parameter"),
        ("ethtool -C eth0 tx-usecs 10", "unsupported parameter"),
        ("ethtool -C eth0 rx-usecs 0 rx-frames 0", "no interrupt"),
        ("ethtool -C eth0 rx-usecs 2000000", "ends at 1000000"),
        ("ethtool -s eth0 speed 1234 autoneg off", "Invalid argument"),
        ("ethtool -s eth0 speed 1000 duplex half autoneg off", "Invalid argument"),
        ("ip link set eth0 mtu 20", "[Mm]tu"),
    ],
)
def test_bad_settings_are_answered_as_real_drivers_do(command: str, answer: str) -> None:
    assert re.search(answer, said(command, nic=Nic()))


def test_a_frame_takes_its_bits_at_line_rate_and_the_cables_delay() -> None:
    """1014 bytes, FCS, preamble and start: 1026 octets, there in 82.08 us + 7 us at 100 Mbit/s."""
    flow = Flow("left", "right", protocol="udp", rate="1mbit", packet=972, size=972)
    network = pair(nic=Nic(speed="100mbit"), forward={"delay": "7us"}, backward={"delay": "1ms"})
    result = fresh(Experiment(network, flows=[flow], capture=["left", "right"], probes=()))
    sent, come = (result.packet_table(host).query("protocol == 'udp'") for host in ("left", "right"))
    octets = 14 + 20 + 8 + 972 + 4 + 8
    taken = come["time_s"].iloc[0] - sent["time_s"].iloc[0]
    assert taken == pytest.approx(octets * 8 / 100e6 + 7e-6, abs=1e-7)


def test_a_saturated_line_carries_what_ethernet_can() -> None:
    """1538 octets of line for 1448 of data (with time stamps): 941 Mbit/s of 1000."""
    result = fresh(
        Experiment(pair(nic=Nic(), delay=CABLE), flows=[Flow("left", "right", size="10MB")], probes=())
    )
    assert result.goodput().iloc[0] == pytest.approx(1000 * 1448 / 1538, rel=0.01)


# Every way to lose a frame: (link, flows, commands) -> the way, the cause, and whose counter tells of it.

SMALL = {"rx_ring": 16, "packet_cost": "40us"}
CAUSES: dict[str, tuple[dict[str, Any], Any, list[Any], tuple[str, str], str, str, str]] = {
    "noise": (
        {"nic": Nic(ber=1e-6)},
        udp(),
        [],
        ("left", "right"),
        "frame check failed",
        "right",
        "rx_crc_errors",
    ),
    "bursts": (
        {"nic": Nic(ber=1e-5, error_burst=32)},
        udp(),
        [],
        ("left", "right"),
        "frame check failed",
        "right",
        "rx_crc_errors",
    ),
    "light": (
        {"nic": Nic(rx_power=-18.8)},
        udp(),
        [],
        ("left", "right"),
        "frame check failed",
        "right",
        "rx_crc_errors",
    ),
    "ring": ({"nic": Nic(**SMALL)}, udp(), [], ("left", "right"), "ring full", "right", "rx_missed_errors"),
    "fifo": (
        {"nic": Nic(fifo="8kB", bus="500mbit")},
        udp(),
        [],
        ("left", "right"),
        "FIFO full",
        "right",
        "rx_fifo_errors",
    ),
    "too long": (
        {"nic": Nic()},
        udp("100mbit"),
        [Command("right", "ip link set eth0 mtu 1000")],
        ("left", "right"),
        "frame too long",
        "right",
        "rx_length_errors",
    ),
    "late": (
        {"nic": Nic(speed="100mbit"), "nic_b": {"autoneg": False}},
        [udp("60mbit"), udp("60mbit", back=True)],
        [],
        ("left", "right"),
        "late collision",
        "left",
        "tx_window_errors",
    ),
    "collisions": (
        {"nic": Nic(speed="10mbit", duplex="half")},
        [udp("9mbit", duration="1s"), udp("9mbit", duration="1s", back=True)],
        [],
        ("left", "right"),
        "excessive collisions",
        "left",
        "tx_aborted_errors",
    ),
    "resized": (
        {"nic": Nic(rx_ring=512, packet_cost="20us")},
        udp(),
        [Command("right", "ethtool -G eth0 rx 8", at=10 * MS)],
        ("left", "right"),
        "ring resized",
        "right",
        "rx_dropped",
    ),
    "closed": (
        {"nic": Nic(speed="100mbit", bql=False)},
        udp("200mbit"),
        [Command("left", "ip link set eth0 down", at=10 * MS)],
        ("left", "right"),
        "port closed",
        "left",
        "tx_dropped",
    ),
    "unplugged": (
        {"nic": Nic(), "delay": "2ms"},
        udp(),
        [Command("left", "ip link set eth0 down", at=10 * MS)],
        ("left", "right"),
        "link down",
        "right",
        "rx_dropped",
    ),
}


@pytest.mark.parametrize("case", CAUSES)
def test_each_cause_is_provoked_by_one_setting_and_named(case: str) -> None:
    link, flows, commands, way, cause, host, counter = CAUSES[case]
    result = measured(flows, *commands, **link)
    found = in_ports(result, *way)
    assert found[cause] == counters(result, host)[counter] > 0
    table = result.ledger().query("cause == @cause")
    assert len(table.query("host == @way[0] and peer == @way[1]")) == found[cause]


def test_noise_is_undone_by_no_one_and_theory_says_how_much() -> None:
    """A frame of 1514 bytes at 1e-5: 11 % are lost."""
    result = measured(udp(duration="100ms"), nic=Nic(ber=1e-5))
    sent = counters(result, "left")["tx_packets"]
    low, high = binomial(sent, float(frame_error_rate(1e-5, frame_bits(1514))))
    assert low <= counters(result, "right")["rx_crc_errors"] <= high


def test_received_power_is_the_models_error_rate() -> None:
    result = measured(udp(duration="100ms"), nic=Nic(rx_power=-19))
    sent = counters(result, "left")["tx_packets"]
    low, high = binomial(sent, float(frame_error_rate(ber(-19.0), frame_bits(1514))))
    assert low <= counters(result, "right")["rx_crc_errors"] <= high


def test_bits_flipped_behind_the_frame_check_die_of_a_checksum() -> None:
    result = measured(Flow("left", "right", size="5MB"), nic_b=Nic(memory_ber=1e-6))
    assert counters(result, "right")["rx_crc_errors"] == 0
    table = result.ledger()
    assert set(table["cause"]) == {"corrupted"}
    assert set(table["way"].astype(str)) == {"data"}
    assert result.flows["complete"].all()


def test_a_port_that_finds_no_light_has_no_link() -> None:
    """From 10 to 15 ms: what the host sends then is refused by its device, not dropped by a full queue."""
    changes = [
        NicChange(0.010, "right", "left", rx_power=-30),
        NicChange(0.015, "right", "left", rx_power=-15),
    ]
    result = measured(udp("100mbit"), nic=Nic(rx_power=-15), changes=changes)
    table = result.drops
    assert set(table["cause"]) == {"link down"}
    assert table["time_s"].between(0.010, 0.015).all()
    refused = int((table["place"] == "queue").sum())
    assert refused == counters(result, "left")["tx_dropped"] > 0


def test_a_module_that_works_loose_loses_frames_from_then_on() -> None:
    change = NicChange(0.010, "right", "left", ber=1e-4)
    result = measured(udp(), nic=Nic(), changes=[change])
    assert set(in_ports(result, "left", "right")) == {"frame check failed"}
    assert in_ports(result, "right", "left") == {}
    assert 0.010 <= result.drops["time_s"].min() < 0.011


def test_the_cables_delay_changes_while_frames_are_on_it() -> None:
    change = Change(0.010, ("left", "right"), delay="1ms", direction="forward")
    result = measured(udp("100mbit"), nic=Nic(), changes=[change])
    assert result.drops.empty
    assert result.flows["received_packets"].iloc[0] == result.flows["sent_packets"].iloc[0]


def test_pause_frames_end_the_overrun_and_the_queue_is_the_senders() -> None:
    without, with_pause = (
        fresh(
            Experiment(
                pair(nic=Nic(rx_ring=64, packet_cost="20us", pause=pause), delay=CABLE),
                flows=[udp(duration="50ms")],
                probes={"drops", "backlog"},
                sample_interval="1ms",
            )
        )
        for pause in (False, True)
    )
    assert set(in_ports(without, "left", "right")) == {"ring full"}
    assert in_ports(with_pause, "left", "right") == {}
    waiting = [run.backlog.query("host == 'left'")["backlog_packets"].max() for run in (without, with_pause)]
    assert waiting[0] <= 1 < 50 < waiting[1]


def test_a_bigger_ring_takes_a_burst_and_not_an_overload() -> None:
    def missed(rx_ring: int, duration: str) -> int:
        nic = Nic(rx_ring=rx_ring, packet_cost="20us")
        return counters(measured(udp(duration=duration), nic=nic), "right")["rx_missed_errors"]

    assert missed(64, "5ms") > 0 == missed(1024, "5ms")
    assert missed(1024, "100ms") > 0


def test_coalescing_makes_fewer_interrupts() -> None:
    def interrupts(**coalescing: Any) -> int:
        command = Command("right", "ethtool -S eth0", at=0.1)
        result = measured(udp("500mbit"), command, nic=Nic(**coalescing))
        return statistics(result.output(0))["rx_interrupts"]

    frames = interrupts()
    assert frames == pytest.approx(0.020 * 500e6 / 8 / 1472, rel=0.01)
    assert interrupts(rx_usecs=1000, rx_frames=16) == pytest.approx(frames / 16, abs=1)
    assert interrupts(rx_usecs=100, rx_frames=0) < frames / 4


def test_frames_that_failed_their_check_are_passed_on_when_asked() -> None:
    on = Command("right", "ethtool -K eth0 rx-all on")
    result = measured(udp(), on, nic=Nic(ber=1e-6))
    port = counters(result, "right")
    assert port["rx_crc_errors"] > 0
    assert port["rx_packets"] == counters(result, "left")["tx_packets"]
    assert in_ports(result, "left", "right") == {}


def test_small_frames_are_padded_and_still_the_packet_that_was_sent() -> None:
    flow = Flow("left", "right", protocol="udp", rate="1mbit", packet=1, size=20)
    exp = Experiment(pair(nic=Nic(), delay=CABLE), flows=[flow], capture=["left", "right"], probes={"drops"})
    result = fresh(exp)
    sent, come = (result.packet_table(host).query("protocol == 'udp'") for host in ("left", "right"))
    assert set(sent["length"]) == {43} and set(come["length"]) == {60}
    assert set(come["payload"]) == {1}
    assert result.balance()["delivered"].tolist() == [20]


# Every frame is accounted for.


def random_nic(draw: np.random.Generator) -> dict[str, Any]:
    """A port that loses here and there."""
    return {
        "ber": float(draw.choice([0, 1e-9, 1e-7, 1e-5, 1e-3])),
        "error_burst": int(draw.choice([1, 2, 8, 64])),
        "memory_ber": float(draw.choice([0, 0, 1e-6])),
        "rx_ring": int(draw.integers(1, 600)),
        "tx_ring": int(draw.integers(1, 600)),
        "fifo": int(draw.integers(2048, 64_000)),
        "bus": (None, 300_000_000, 2_000_000_000)[draw.integers(3)],
        "weight": int(draw.integers(1, 65)),
        "rx_usecs": int(draw.choice([0, 20, 500])),
        "rx_frames": int(draw.choice([1, 8, 64])),
        "packet_cost": float(draw.choice([0, 1e-6, 40e-6])),
        "interrupt_cost": float(draw.choice([0, 5e-6])),
        "pause": bool(draw.integers(2)),
        "bql": bool(draw.integers(2)),
    }


def random_run(seed: int) -> tuple[Experiment, str]:
    draw = np.random.default_rng(seed)
    both, one = random_nic(draw), random_nic(draw)
    speed = str(draw.choice(["10mbit", "100mbit", "1gbit", "10gbit"]))
    if speed == "100mbit" and draw.integers(2):  # one end told: a duplex mismatch
        one["autoneg"] = False
    packet = int(draw.integers(18, 1473))
    flows = [
        udp("5mbit" if packet < 300 else "500mbit", duration="50ms", packet=packet),
        udp("20mbit", duration="100ms", back=True),
        Flow("left", "right", size="300kB"),
    ]
    network = pair(nic=Nic(speed=speed, **both), nic_b=one, delay=f"{draw.integers(0, 200)}us")
    commands = [Command(str(host), "ethtool -S eth0", at=4.5) for host in ("left", "right")]
    commands.append(Command("left", "dmesg", at=4.5))
    return Experiment(
        network, flows=flows, commands=commands, seed=seed, duration=5, probes={"drops"}
    ), f"seed {seed}: {network.links[0]}"


def bulk_run(seed: int) -> tuple[Experiment, str]:
    """One gigabyte, to a port that loses seldom enough for TCP to go on."""
    draw = np.random.default_rng(seed)
    both, one = random_nic(draw), random_nic(draw)
    for nic in (both, one):
        nic["ber"] = float(draw.choice([0, 1e-9, 1e-8]))
        nic["memory_ber"] = float(draw.choice([0, 1e-10]))
        nic["bus"] = None
        nic["packet_cost"] = float(draw.choice([0, 0.5e-6, 13e-6]))
    network = pair(nic=Nic(speed=str(draw.choice(["1gbit", "10gbit"])), **both), nic_b=one, delay="20us")
    commands = [Command(host, "ethtool -S eth0", at=40) for host in ("left", "right")]
    flows = [Flow("left", "right", size="1GB")]
    return Experiment(
        network, flows=flows, commands=commands, seed=seed, duration=40.5, probes={"drops"}
    ), f"seed {seed}: {network.links[0]}"


def check_account(result: Result, what: str) -> int:
    """Sent = received + each error, in the ports' statistics; the drops say the same. How many were sent."""
    ports = {host: counters(result, host) for host in ("left", "right")}
    pauses = [statistics(result.output(number)) for number in (0, 1)]
    for number, (host, peer) in enumerate((("left", "right"), ("right", "left"))):
        there, back = ports[host], ports[peer]
        gone = back["rx_errors"] + back["rx_missed_errors"] + back["rx_fifo_errors"] + back["rx_dropped"]
        damaged_pauses = pauses[number]["tx_pause"] - pauses[1 - number]["rx_pause"]
        no_packets = there["collisions"] + damaged_pauses  # what a full duplex port takes for bad frames
        assert there["tx_packets"] + no_packets == back["rx_packets"] + gone, what
        known = sum(in_ports(result, host, peer).values())
        assert known == gone - no_packets + there["tx_errors"] + there["tx_dropped"], what
    return sum(port["tx_packets"] for port in ports.values())


@pytest.mark.parametrize("seed", range(12))
def test_every_frame_is_accounted_for(seed: int) -> None:
    exp, what = random_run(seed)
    result = fresh(exp)
    assert not COMPLAINTS.search(result.output(2)), what
    check_account(result, what)
    result.balance()


def test_every_one_of_three_million_frames_is_accounted_for() -> None:
    runs = [bulk_run(seed) for seed in (3, 4, 5)]
    results = [(fresh(exp), what) for exp, what in runs]
    sent = [check_account(result, what) for result, what in results]
    lost = [len(result.drops.query("place == 'port'")) for result, _ in results]
    assert sum(sent) > 3_000_000 and sum(lost) > 200, (sent, lost)


def statistics(text: str) -> dict[str, int]:
    """What `ethtool -S` printed, by name."""
    return {name: int(value) for name, value in re.findall(r"(\w+): (\d+)", text)}


def test_the_same_experiment_gives_the_same_bytes_and_probes_change_nothing() -> None:
    exp, _ = random_run(4)
    once, again = fresh(exp), fresh(exp)
    assert once.digest() == again.digest()
    bare = fresh(exp.replace(probes=()))
    columns = ["sent_bytes", "received_bytes", "last_byte_s"]
    assert bare.flows[columns].equals(once.flows[columns])
    other = fresh(exp.replace(seed=99))
    assert not other.flows[columns].equals(once.flows[columns])


# In other networks, and interactively.


def test_a_router_forwards_between_ports() -> None:
    network = star("left", "right", nic=Nic(speed="100mbit"), delay=CABLE)
    exp = Experiment(network, flows=[Flow("left", "right", size="2MB")], probes={"drops"})
    result = fresh(exp)
    assert result.goodput().iloc[0] == pytest.approx(100 * 1448 / 1538, rel=0.02)
    assert set(result.balance().columns) >= {"sent", "delivered"}


def test_hosts_with_ports_share_a_bottleneck_of_the_usual_kind() -> None:
    network = dumbbell(rate="10mbit", delay="5ms", queue="20p", access_nic=Nic(ber=1e-7), access_delay=CABLE)
    result = fresh(Experiment(network, flows=[Flow("left", "right", size="2MB")], probes={"drops"}, seed=2))
    assert set(result.ledger()["cause"]) == {"queue full", "frame check failed"}


def test_a_port_of_an_open_laboratory_changes_on_the_spot() -> None:
    with Lab(pair(nic=Nic(), delay=CABLE), probes={"drops"}) as lab:
        assert " 0% packet loss" in lab.run("left", "ping -c 5 -i 0.1 -W 1 right").stdout
        lab.link("left", "right").nic("right").set(ber=1e-3)
        assert "100% packet loss" in lab.run("left", "ping -c 20 -i 0.1 -W 1 -s 1400 right").stdout
        shown = lab.run("right", "ethtool -S eth0 | grep crc").stdout
        result = lab.result()
    assert (
        int(re.findall(r"rx_crc_errors: (\d+)", shown)[0]) == len(result.drops.query("place == 'port'")) == 20
    )


# Rough handling.


ROUGH = {
    "one end is deleted": "ip link del eth0",
    "rings change": "for i in 8 4096 16 2048 8 256; do ethtool -G eth0 rx $i tx $i; done",
    "speed changes": "for s in 100 10 1000; do ethtool -s eth0 speed $s duplex full autoneg on; done",
    "down and up": "for i in 1 2 3 4 5; do ip link set eth0 down; ip link set eth0 up; done",
    "pairs come and go": "for i in 1 2 3 4 5; do ip link add type labnic; ip link set labnic0 up; "
    "ip link set labnic1 up; ip link del labnic1; done; ip -br link",
    "its namespace dies": "unshare -n sh -c 'ip link add type labnic; ip link set labnic0 up; "
    "ip link set labnic1 up'; ip -br link",
    "one end's namespace dies": "ip link add type labnic; ip link set labnic0 up; "
    "unshare -n sleep 0.01 & sleep 0.002; ip link set labnic1 netns $!; wait; sleep 0.1; ip -br link",
}


@pytest.mark.parametrize("case", ROUGH)
def test_rough_handling_under_traffic_leaves_a_whole_kernel(case: str) -> None:
    command = Command("right", ROUGH[case], at=5 * MS, privileged="namespace" in case)
    flows = [udp("300mbit"), udp("300mbit", back=True)]
    result = measured(flows, command, nic=Nic(packet_cost="2us", rx_usecs=20, rx_frames=8))
    assert "labnic" not in result.output(0)
    if case == "one end is deleted":
        assert result.flows["received_packets"].max() < result.flows["sent_packets"].max()
