"""What a flow is told to do is what sockets do; sysctls, probes and counters agree with one another."""

from __future__ import annotations

import re
import statistics
from typing import Any

import pandas as pd
import pytest

from labkit.decode.tcp_info import UNITS as TCP_INFO_UNITS
from labkit.results.result import Result
from labkit.spec import (
    LAB_CONGESTION_CONTROLS,
    Capture,
    Command,
    DropPackets,
    Experiment,
    Flow,
    Link,
    SysctlChange,
    Topology,
    Tunnel,
)
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, counter, fresh

NET = pair(rate="10mbit", delay="10ms", queue="50p")


@pytest.mark.parametrize("size", [1, 1448, 1449, 123_457])
def test_a_flow_by_size_delivers_every_byte(size: int) -> None:
    flow = fresh(Experiment(NET, flows=[Flow("left", "right", size=size)])).flows.iloc[0]
    assert (flow["sent_bytes"], flow["received_bytes"], flow["complete"]) == (size, size, True)


def test_a_flow_by_duration_ends_when_it_should() -> None:
    flow = fresh(Experiment(NET, flows=[Flow("left", "right", duration="1.5s", start="250ms")])).flows.iloc[0]
    assert flow["end_s"] == pytest.approx(1.75, abs=1e-6)
    assert flow["complete"]


@pytest.mark.parametrize(
    ("duration", "last_s", "complete", "error"), [("20s", 8.5, True, ""), ("5s", 5.25, False, "ETIME")]
)
@pytest.mark.parametrize("kind", [{"cc": "reno"}, {"protocol": "udp", "rate": "9.7mbit"}])
def test_a_flow_by_size_and_duration_ends_with_the_first(
    kind: dict[str, Any], duration: str, last_s: float, complete: bool, error: str
) -> None:
    """10 MB at 9.6 or 9.7 Mbit/s take 8.3 s, not 20. The queue lets some arrive just after the end."""
    flow = Flow("left", "right", size="10MB", duration=duration, start="0.25s", **kind)
    result = fresh(Experiment(NET, flows=[flow], capture=["left"]))
    row = result.flows.iloc[0]
    assert (row["complete"], row["error"]) == (complete, error)
    assert row["last_byte_s"] == pytest.approx(last_s, abs=0.2)
    assert (row["received_bytes"] == 10_000_000) == complete
    assert result.virtual_s < 10
    if row["protocol"] == "tcp":  # a finished one says goodbye, one that is cut hangs up
        flags = set(result.packet_table("left")["flags"].astype(str))
        assert (any("F" in f for f in flags), any("R" in f for f in flags)) == (complete, not complete)


@pytest.mark.parametrize(("lost", "wait_s"), [(0, 0), (6, 5), (12, 300)])
def test_a_flow_ends_soon_after_its_last_byte_is_acknowledged(lost: int, wait_s: float) -> None:
    """However long that takes: the timer backs off while ACKs are lost, up to two minutes."""
    acks = DropPackets(range(2, 2 + lost)) if lost else None
    net = Topology(["left", "right"], [Link("left", "right", delay="10ms", backward={"loss": acks})])
    flow = Flow("left", "right", size=1000)
    result = fresh(Experiment(net, flows=[flow], capture=["left"], time_limit="1h"))
    row, table = result.flows.iloc[0], result.packet_table("left")
    acked_s = table.query("direction == 'in' and ack > 1000")["time_s"].min()
    assert row["complete"] and acked_s - row["last_byte_s"] > wait_s
    assert 0 <= row["end_s"] - acked_s <= max(0.01, (acked_s - row["last_byte_s"]) / 60)


def last_of_the_data(result: Result, flow: str) -> tuple[float, bool]:
    """When the last segment that brought something new came to host right; had others overtaken it?"""
    data = result.packet_table("right").query("flow == @flow and direction == 'in' and payload > 0")
    new = data.drop_duplicates("seq")
    last = new.loc[new["time_s"].idxmax()]
    return float(last["time_s"]), bool(last["seq"] < new["seq"].max())


OVERTAKING = dumbbell(rate="10mbit", delay="10ms", queue="50p", loss="3%")


@pytest.mark.parametrize(
    ("reads", "within_s"),
    [({}, 3e-6), ({"read_rate": "4mbit"}, 1e-3), ({"read_after": "200ms"}, 1e-3)],
    ids=["at-once", "slowly", "late"],
)
def test_the_last_byte_comes_when_its_packet_does(reads: dict[str, Any], within_s: float) -> None:
    """Also where it fills a gap before packets that came earlier. A call that fails takes the guest a
    microsecond; for a reader that was away TCP's own clock says it, in milliseconds."""
    filled = 0
    for seed in range(1, 13):
        flows = [Flow("left", "right", cc=cc, size="60kB", **reads) for cc in ("cubic", "reno")]
        result = fresh(Experiment(OVERTAKING, flows=flows, capture=["right"], seed=seed))
        for name, row in result.flows.iterrows():
            came_s, last_filled_a_gap = last_of_the_data(result, str(name))
            assert row["last_byte_s"] == pytest.approx(came_s, abs=within_s), (seed, name)
            filled += last_filled_a_gap
    assert filled >= 3, "no gap was filled last: the seeds try nothing"


def test_a_tunnels_last_byte_comes_when_its_packet_does() -> None:
    filled = 0
    for seed in range(1, 25):
        datagrams = Flow("left", "right", protocol="udp", rate="8mbit", size="50kB", through="vpn")
        flows = [Tunnel("left", "right", over="tcp", name="vpn"), datagrams]
        result = fresh(Experiment(OVERTAKING, flows=flows, capture=[Capture("right", snap=96)], seed=seed))
        came_s, last_filled_a_gap = last_of_the_data(result, "vpn")
        assert result.flows["last_byte_s"]["vpn"] == pytest.approx(came_s, abs=20e-6), seed
        filled += last_filled_a_gap
    assert filled >= 3, "no gap was filled last: the seeds try nothing"


@pytest.mark.parametrize("start", ["1us", "123457us", "0.5s"])
def test_a_flow_starts_at_its_microsecond(start: str) -> None:
    udp = {"protocol": "udp", "rate": "1mbit", "packet": 100, "size": 1000}
    flows = [Flow("left", "right", start=start, **udp)]
    table = fresh(Experiment(pair(delay="1ms"), flows=flows, probes=NOTHING)).flows.iloc[0]
    assert table["first_byte_s"] == pytest.approx(flows[0].start + 1e-3, abs=1e-6)


def test_a_connection_takes_one_round_trip() -> None:
    network = pair(delay="10ms")
    table = fresh(Experiment(network, flows=[Flow("left", "right", size=1, start="30ms")])).flows.iloc[0]
    assert table["established_s"] == pytest.approx(0.050, abs=1e-5)
    assert table["first_byte_s"] == pytest.approx(0.060, abs=1e-5)


def test_socket_options_are_those_of_the_flow() -> None:
    flows = [Flow("left", "right", size="3MB", sndbuf=100_000, rcvbuf=80_000, mss=1000, nodelay=True)]
    commands = [Command("left", "ss -tmin", "1s"), Command("right", "ss -tmin", "1s")]
    result = fresh(Experiment(NET, flows=flows, commands=commands))
    assert "tb100000" in result.output(0)
    assert "rb80000" in result.output(1)
    sender = result.tcp_info[result.tcp_info["side"] == "sender"]
    timestamps = 12
    assert set(sender["snd_mss"]) == {1000 - timestamps}


def test_without_options_the_buffers_are_linux_own() -> None:
    commands = [Command("left", "cat /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/ipv4/tcp_wmem")]
    for memory in ("128MiB", "512MiB"):
        text = fresh(Experiment(NET, commands=commands, memory=memory)).output(0)
        assert text.split() == ["4096", "131072", "6291456", "4096", "16384", "4194304"]


def test_every_congestion_control_runs_under_its_name() -> None:
    flows = [Flow("left", "right", cc=name, duration="1s", name=name) for name in LAB_CONGESTION_CONTROLS]
    network = pair(rate="100mbit", delay="5ms", queue="500p")
    result = fresh(Experiment(network, flows=flows, commands=[Command("left", "ss -tin", "0.5s")]))
    named = re.findall(r"10\.\d+\.\d+\.\d+:1(\d{4}) .*\n\s+([\w-]+) ", result.output(0))
    by_flow = {LAB_CONGESTION_CONTROLS[int(port)]: cc.removesuffix("-reno") for port, cc in named}
    assert by_flow == {name: name for name in LAB_CONGESTION_CONTROLS}
    assert (result.flows["received_bytes"] > 0).all()


def test_a_module_brings_a_congestion_control_of_its_own() -> None:
    # "exp" triples its window per round trip in slow start, where Reno doubles it
    flows = [Flow("left", "right", size="2MB", cc=cc, name=cc) for cc in ("exp", "reno")]
    network = pair(rate="1gbit", delay="50ms", queue="5000p")
    cwnd = {}
    for flow in flows:
        result = fresh(Experiment(network, flows=[flow], modules=["exp"], sample_interval="10ms"))
        table = result.tcp_info[result.tcp_info["side"] == "sender"].set_index("time_s")["snd_cwnd"]
        cwnd[flow.name] = int(table[0.31])  # two rounds of acknowledgements
    assert cwnd["reno"] == pytest.approx(40, abs=2)
    assert cwnd["exp"] == pytest.approx(90, abs=3)


def test_udp_at_constant_rate_is_exact() -> None:
    flow = Flow("left", "right", protocol="udp", rate="1mbit", packet=125, duration="2s")
    table = fresh(Experiment(pair(), flows=[flow], probes=NOTHING)).flows.iloc[0]
    assert table["sent_packets"] == table["received_packets"] == 2000
    assert table["last_byte_s"] - table["first_byte_s"] == pytest.approx(1.999, abs=2e-6)


def test_poisson_counts_have_equal_mean_and_variance() -> None:
    count, mean = 100, 50
    flows = [
        Flow("left", "right", protocol="udp", rate="40kbit", packet=100, duration="1s", pattern="poisson")
        for _ in range(count)
    ]
    numbers = fresh(Experiment(pair(), flows=flows, probes=NOTHING)).flows["sent_packets"].tolist()
    assert statistics.mean(numbers) == pytest.approx(mean, abs=3.29 * (mean / count) ** 0.5 + 1)
    dispersion = statistics.variance(numbers) / statistics.mean(numbers)
    assert dispersion == pytest.approx(1, abs=3.29 * (2 / (count - 1)) ** 0.5)


def test_two_hundred_flows_at_once_all_complete() -> None:
    flows = [Flow("left", "right", size="30kB", cc=LAB_CONGESTION_CONTROLS[i % 17]) for i in range(200)]
    result = fresh(Experiment(dumbbell(rate="100mbit", delay="5ms", queue="300p"), flows=flows))
    assert result.flows["complete"].all()
    assert (result.flows["received_bytes"] == 30_000).all()


def test_a_sysctl_of_one_host_leaves_the_others_alone() -> None:
    network = NET.with_sysctls("right", {"net.ipv4.tcp_sack": 0})
    commands = [Command(host, "cat /proc/sys/net/ipv4/tcp_sack") for host in ("left", "right")]
    result = fresh(Experiment(network, commands=commands))
    assert [result.output(i).strip() for i in (0, 1)] == ["1", "0"]


def test_a_sysctl_of_an_interface_is_set() -> None:
    network = NET.with_sysctls("left", {"net.ipv4.conf.eth0.rp_filter": 2})
    result = fresh(
        Experiment(network, commands=[Command("left", "cat /proc/sys/net/ipv4/conf/eth0/rp_filter")])
    )
    assert result.output(0).strip() == "2"


def test_a_sysctl_of_the_kernel_is_set_for_the_experiment() -> None:
    settings = {"net.core.netdev_max_backlog": 77, "net.core.rmem_max": 123_456}
    command = Command("left", "cat /proc/sys/net/core/rmem_max")
    result = fresh(Experiment(NET, sysctls=settings, commands=[command]))
    assert result.output(0).strip() == "123456"
    assert result.manifest["sysctls"]["net.core.netdev_max_backlog"] == 77


def test_a_sysctl_changes_when_it_is_told_to() -> None:
    commands = [Command("left", "cat /proc/sys/net/ipv4/tcp_sack", at) for at in ("0.4s", "0.6s")]
    changes = [SysctlChange("0.5s", "left", "net.ipv4.tcp_sack", 0)]
    result = fresh(Experiment(NET, commands=commands, changes=changes))
    assert [result.output(i).strip() for i in (0, 1)] == ["1", "0"]


@pytest.fixture(scope="module")
def lossy():  # type: ignore[no-untyped-def]
    """Two flows with losses in the queue and on the wire."""
    network = dumbbell(rate="10mbit", delay="10ms", queue="30p", loss="0.5%")
    flows = [Flow("left", "right", cc=cc, duration="6s") for cc in ("cubic", "reno")]
    return fresh(Experiment(network, flows=flows, sample_interval="50ms"))


def test_retransmissions_are_what_the_kernel_counted(lossy) -> None:  # type: ignore[no-untyped-def]
    assert lossy.retransmits().sum() == counter(lossy, "left", "TcpRetransSegs") > 0


def test_every_packet_is_somewhere(lossy) -> None:  # type: ignore[no-untyped-def]
    table = lossy.interfaces.set_index(["host", "interface", "name"])["delta"]
    sent, arrived = table["left", "eth0", "tx_packets"], table["right", "eth0", "rx_packets"]
    after = lossy.qdiscs[(lossy.qdiscs["phase"] == 1) & lossy.qdiscs["leaf"]]
    assert after["drops"].sum() > 0
    assert sent - arrived - after["drops"].sum() == pytest.approx(after["backlog_packets"].sum(), abs=40)


def test_tcp_info_has_every_field(lossy) -> None:  # type: ignore[no-untyped-def]
    assert set(lossy.tcp_info.columns) == set(TCP_INFO_UNITS)
    assert len(lossy.tcp_info.columns) > 55


def test_tcp_info_is_sampled_at_its_interval(lossy) -> None:  # type: ignore[no-untyped-def]
    mine = lossy.tcp_info[(lossy.tcp_info["flow"] == "left-right") & (lossy.tcp_info["side"] == "sender")]
    steps = mine["time_s"].diff().dropna().round(9)
    assert set(steps[steps > 0]) == {0.05}


@pytest.mark.parametrize("flow", ["left-right", "left-right#2"])
def test_tcp_probe_and_tcp_info_agree_on_cwnd(lossy, flow: str) -> None:  # type: ignore[no-untyped-def]
    # tcp_probe shows the state before its segment is looked at: that which the sample before it saw
    info = lossy.tcp_info[(lossy.tcp_info["flow"] == flow) & (lossy.tcp_info["side"] == "sender")]
    probe = lossy.tcp_probe[(lossy.tcp_probe["flow"] == flow) & (lossy.tcp_probe["side"] == "sender")]
    both = pd.merge_asof(
        info[["time_s", "snd_cwnd", "rtt", "ca_state"]].sort_values("time_s"),
        probe[["time_s", "snd_cwnd", "srtt_us"]].rename(columns={"time_s": "at", "snd_cwnd": "cwnd"}),
        left_on="time_s",
        right_on="at",
        direction="forward",
        allow_exact_matches=False,
    ).dropna()
    both = both[both["ca_state"] == 0]  # in recovery, sending and timers change cwnd as well
    assert len(both) > 50
    assert (both["snd_cwnd"] == both["cwnd"]).mean() > 0.98
    assert (both["rtt"] - both["srtt_us"]).abs().max() <= 1
