"""Every place where a packet can be lost, as the book lists them: each line there is run, and the number that
the kernel has for it and the ledger agree exactly on how many packets died."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import labkit
from labkit.results.ledger import Accounts
from labkit.results.result import Result
from labkit.spec import Command, Experiment, Flow, Server
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import counter, fresh

PAGE = Path(__file__).parents[3] / "book" / "places-of-loss.md"
CALM = Experiment(dumbbell(delay="5ms"), flows=[Flow("left", "right", size="1MB")], duration="8s")
LATE = "7.99s"
NAMES = {name: getattr(labkit, name) for name in labkit.__all__}


@dataclass(frozen=True)
class Row:
    """One row of the page's tables. shows: counters of nstat or ethtool, or one command, on `host`."""

    line: str
    shows: tuple[str, ...]
    host: str
    cause: str


def rows() -> list[Row]:
    """Of the page's tables, in order; "the same line" is that of the row before."""
    found: list[Row] = []
    for text in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in text.strip().strip("|").split(" |")]
        if len(cells) != 4 or not (cells[1].startswith("`") or cells[1] == "the same line"):
            continue
        line = found[-1].line if cells[1] == "the same line" else cells[1].strip("`")
        where, _, host = cells[2].partition(" on ")
        found.append(Row(line, tuple(re.findall("`([^`]+)`", where)), host, cells[3]))
    return found


ROWS = rows()


@cache
def ran(row: Row) -> Result:
    """The calm experiment changed by a row's line, with its command at the end."""
    change: dict[str, Any] = eval(f"dict({row.line})", dict(NAMES))
    commands = list(change.pop("commands", []))
    if row.shows and " " in row.shows[0]:
        commands.append(Command(row.host, row.shows[0], at=LATE))
    return fresh(CALM.replace(commands=commands, **change))


def kernel_says(row: Row, result: Result) -> int:
    """How many packets died there, by what the row says shows it."""
    if " " not in row.shows[0]:
        return sum(counter(result, row.host, name) for name in row.shows)
    text = result.output(len(result.experiment.commands) - 1)
    command = row.shows[0].split()
    if command[0] == "ethtool":
        (found,) = re.findall(rf"{row.shows[1]}: (\d+)", text)
    elif command[0] == "tc":
        found = re.findall(r"dropped (\d+)", text)[0]  # of the root, which counts what its leaves drop
    elif command[0] == "nft":
        (found,) = re.findall(r"counter packets (\d+)", text)
    else:
        head, *values = [line.split() for line in text.splitlines() if line]
        if command[1].endswith("softnet_stat"):
            return sum(int(line[1], 16) for line in [head, *values])
        return sum(int(line[head.index("drop")], 16) for line in values)
    return int(found)


def ledger_says(row: Row, result: Result) -> int:
    """On that host; on all if the number is the whole kernel's; on the way to it if a port lost them."""
    table = result.ledger()
    table = table[table["cause"] == row.cause]
    if row.host and "softnet" not in row.shows[0]:
        came = row.shows[-1].startswith("rx_")
        table = table[table["peer" if came else "host"] == row.host]
    return len(table)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.cause or 'nothing lost'}: {row.line[:40]}")
def test_the_kernel_and_the_ledger_agree(row: Row) -> None:
    result = ran(row)
    assert (result.commands["status"].fillna(0) == 0).all(), result.commands["stderr"].tolist()
    found = ledger_says(row, result) if row.cause else len(result.ledger())
    if row.cause:
        assert found > 0
    if row.cause and row.shows:
        assert found == kernel_says(row, result)
    if not row.cause:
        assert found == 0
        assert kernel_says(row, result) > 0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.cause or 'nothing lost'}: {row.line[:40]}")
def test_the_balance_comes_out_even(row: Row) -> None:
    accounts = Accounts(ran(row))
    balance = accounts.balance()
    assert (balance["sent"] == balance[["delivered", "lost", "in_flight"]].sum(axis=1)).all()
    assert balance["in_flight"].sum() <= accounts.under_way()  # with what was sent when the run was over
    assert not set(accounts.places["cause"]) & {"unknown", "not specified"}


def test_every_row_of_the_page_is_run_and_each_once() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    heads = [line for line in lines if line.startswith(("| What happens", "|---"))]
    assert len(ROWS) == len(lines) - len(heads)
    assert len(set(ROWS)) == len(ROWS)


def test_the_calm_experiment_loses_nothing() -> None:
    assert fresh(CALM).ledger().empty


# ---- what the reader of the page may ask next ----


def stalled() -> Result:
    """The receiving application is away for 2 s, and its buffer holds a tenth of the data."""
    flow = Flow("left", "right", size="1MB", rcvbuf="100kB", read_after="2s")
    return fresh(Experiment(pair(rate="10mbit", delay="5ms"), flows=[flow], capture=["left"]))


def test_a_closed_window_is_probed_until_it_opens() -> None:
    result = stalled()
    table = result.packet_table("left")
    sent = table[(table["direction"] == "out") & (table["time_s"] > 1) & (table["time_s"] < 2)]
    acked = table[table["direction"] == "in"].query("time_s < 1")["ack"].max()
    probes = sent[(sent["payload"] == 0) & (sent["seq"] == acked - 1)]
    assert len(probes) == len(sent) > 0
    assert counter(result, "left", "TcpExtTCPWinProbe") >= len(probes)
    assert counter(result, "right", "TcpExtTCPToZeroWindowAdv") == 1
    assert counter(result, "right", "TcpExtTCPFromZeroWindowAdv") == 1
    assert result.flows["complete"].all()


def test_a_window_is_closed_while_nobody_reads_and_then_everything_arrives() -> None:
    result = stalled()
    table = result.packet_table("left")
    closed = table[(table["direction"] == "in") & (table["window"] == 0)]["time_s"]
    assert 0 < closed.min() < 1 < closed.max() < 2
    assert result.flows["received_bytes"].iloc[0] == 1_000_000


def test_a_slow_reader_sets_the_pace() -> None:
    flow = Flow("left", "right", size="1MB", rcvbuf="50kB", read_rate="2mbit")
    result = fresh(Experiment(pair(rate="100mbit", delay="5ms"), flows=[flow]))
    assert result.flows["end_s"].iloc[0] == pytest.approx(8e6 / 2e6, rel=0.05)
    assert counter(result, "left", "TcpRetransSegs") == 0


def test_a_slow_datagram_reader_gets_what_it_can_read_and_what_waits() -> None:
    """Of a thousand datagrams in a second, half are read meanwhile; the buffer is counted with what Linux
    needs to manage each of them, at most twice as much again as it carries."""
    flow = Flow("left", "right", protocol="udp", rate="8mbit", duration="1s", read_rate="4mbit", packet=1000)
    result = fresh(Experiment(pair(delay="1ms"), flows=[flow]))
    waiting = int(result.flows["received_packets"].iloc[0]) - 500
    assert 212_992 / 3000 - 1 <= waiting <= 212_992 / 1000 + 1
    assert result.flows["end_s"].iloc[0] > 1 + waiting * 0.002


def test_connections_wait_to_be_accepted_one_more_than_the_backlog_says() -> None:
    """ss -lnt: Recv-Q is how many wait, Send-Q the backlog."""
    result = fresh(
        CALM.replace(
            servers=[Server("right", 80, backlog=2, accept_after="5s")],
            flows=[Flow("left", "right", size="1kB", port=80, start=i / 10) for i in range(8)],
            commands=[Command("right", "ss -lnt", at="2s"), Command("right", "ss -lnt", at="7s")],
        )
    )
    waiting = [re.search(r"LISTEN +(\d+) +(\d+) .*:80 ", result.output(i)) for i in (0, 1)]
    assert [found and found.groups() for found in waiting] == [("3", "2"), ("0", "2")]
    table = result.ledger()
    assert (table["reason"] == "TCP_LISTEN_OVERFLOW").all()
    assert (table["found_by"] == "syn timeout").any()
    assert len(table) == counter(result, "right", "TcpExtListenDrops") > 0


@pytest.mark.parametrize("gap_s", [0, 0.004, 0.1])
@pytest.mark.parametrize("cookies", [0, 1])
def test_every_dropped_segment_of_a_busy_server_is_found(gap_s: float, cookies: int) -> None:
    flows = [Flow("left", "right", size="1kB", port=80, start=gap_s * i) for i in range(8)]
    result = fresh(
        CALM.replace(
            servers=[Server("right", 80, backlog=2, accept_after="5s")],
            flows=flows,
            sysctls={"net.ipv4.tcp_syncookies": cookies},
        )
    )
    assert len(result.ledger()) == counter(result, "right", "TcpExtListenDrops") > 0


def test_a_server_that_accepts_at_once_loses_nothing() -> None:
    flows = [Flow("left", "right", size="10kB", port=80, start=i / 100) for i in range(20)]
    result = fresh(CALM.replace(servers=[Server("right", 80, backlog=1)], flows=flows, duration=None))
    assert result.ledger().empty
    assert result.flows["complete"].all()


def test_connections_are_tracked_only_where_a_rule_asks_for_it() -> None:
    """The limit is the kernel's, the count a host's."""
    chain = "add table ip t; add chain ip t c { type filter hook forward priority 0; }"
    count = "cat /proc/sys/net/netfilter/nf_conntrack_count"
    commands = [
        Command("r1", f"nft '{chain}; add rule ip t c ct state new'"),
        Command("r1", count, at=LATE),
        Command("r2", count, at=LATE),
    ]
    result = fresh(CALM.replace(commands=commands, sysctls={"net.netfilter.nf_conntrack_max": 100}))
    assert [result.output(i).strip() for i in (1, 2)] == ["1", "0"]


def test_a_thousand_packets_of_backlog_are_what_linux_begins_with_and_enough_for_little() -> None:
    """A megabyte of window over a link without a rate arrives at one instant. When the kernel has been busy
    with such a burst for long, it leaves the rest to a thread, and then looking does change something: so
    everything is looked at from the start."""
    flow = Flow("left", "right", size="20MB", sndbuf="16MB", rcvbuf="16MB")
    looks: dict[str, Any] = {"probes": ["drops", "recovery", "tcp_probe"], "capture": ["left", "right"]}
    lossy = fresh(CALM.replace(flows=[flow], sysctls={"net.core.netdev_max_backlog": 1000}, **looks))
    dropped = lossy.softnet.set_index("name")["delta"]["dropped"]
    table = lossy.ledger()
    assert set(table["cause"]) == {"backlog full"}
    assert len(table) == dropped > 0


def test_a_port_that_is_polled_never_meets_the_backlog() -> None:
    change: dict[str, Any] = {"topology": pair(delay="5ms", nic=labkit.Nic(speed="10gbit"))}
    result = fresh(CALM.replace(**change, sysctls={"net.core.netdev_max_backlog": 8}))
    assert result.ledger().empty
    assert int(result.softnet.set_index("name")["delta"]["dropped"]) == 0


@pytest.mark.parametrize(
    "command", ["nstat -az", "ss -tim", "ip -s -s link", "tc -s qdisc", "nft list ruleset"]
)
def test_what_an_engineer_types_works_in_the_lab(command: str) -> None:
    result = fresh(CALM.replace(commands=[Command("r1", command, at="1s")]))
    assert result.commands["status"].iloc[0] == 0
    assert bool(result.output(0).strip()) == (command != "nft list ruleset")


def test_nstat_says_what_the_result_says() -> None:
    lines = CALM.replace(
        commands=[Command("r1", "ip link set eth1 mtu 1400"), Command("r1", "nstat -az IpFragFails", at=LATE)]
    )
    result = fresh(lines)
    assert int(result.output(1).split()[-2]) == counter(result, "r1", "IpFragFails") > 0
