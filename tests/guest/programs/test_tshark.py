"""Written captures as tshark reads them: every field of every packet, and what it makes of losses.

tshark guesses which retransmission is which kind, so the kinds are compared as one set. At the sender every
packet whose data was sent before is in it, and no other; at the receiver every packet that is behind the
highest data seen there. Nothing is tolerated: on these runs the sets are equal.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scapy.utils import RawPcapNgReader

from labkit.results.result import Result
from labkit.spec import Experiment, Flow
from labkit.spec.topologies import dumbbell
from tests.guest.helpers import NOTHING, fresh

pytestmark = [
    pytest.mark.truth,
    pytest.mark.skipif(
        shutil.which("tshark") is None, reason="no tshark here: apt-get install tshark (make test does)"
    ),
]

SENT_AGAIN = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
NUMBERS = ["seq", "ack", "window", "payload", "tsval", "tsecr", "length", "ip_id", "sport", "dport"]
FIELDS = {
    "time": "frame.time_epoch",
    "interface": "frame.interface_name",
    "direction": "frame.packet_flags_direction",
    "length": "frame.len",
    "ip_id": "ip.id",
    "sport": "tcp.srcport",
    "dport": "tcp.dstport",
    "seq": "tcp.seq",
    "ack": "tcp.ack",
    "window": "tcp.window_size",
    "payload": "tcp.len",
    "sack_left": "tcp.options.sack_le",
    "sack_right": "tcp.options.sack_re",
    "tsval": "tcp.options.timestamp.tsval",
    "tsecr": "tcp.options.timestamp.tsecr",
    **{name: f"tcp.analysis.{name}" for name in (*SENT_AGAIN, "duplicate_ack", "lost_segment")},
}


def tshark(file: Path) -> pd.DataFrame:
    """FIELDS of each packet as text, "" where it has none."""
    command = ["tshark", "-n", "-r", str(file), "-T", "fields", "-E", "separator=;", "-E", "aggregator=,"]
    for field in FIELDS.values():
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split(";") for line in done.stdout.splitlines()]
    return pd.DataFrame(rows, columns=list(FIELDS))


def transfer(cc: str = "reno", seed: int = 3, sack: int = 1) -> Result:
    """600 kB with SACK, 2 % loss, and ACKs that get lost as well."""
    network = dumbbell(
        rate="10mbit", delay="10ms", queue="50p", forward={"loss": "2%"}, backward={"loss": "1%"}
    )
    return fresh(
        Experiment(
            network,
            flows=[Flow("left", "right", cc=cc, size="600kB")],
            capture=["left", "right"],
            probes=NOTHING,
            seed=seed,
            sysctls={"net.ipv4.tcp_sack": sack},
        )
    )


RUNS = [("reno", 3, 1), ("cubic", 4, 1), ("bbr", 5, 1), ("reno", 6, 0)]


@pytest.fixture(scope="module", params=RUNS, ids=str)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[pd.DataFrame]]:
    """Host -> packet table, and tshark's of the same packets."""
    result, folder = transfer(*request.param), tmp_path_factory.mktemp("captures")
    found = {}
    for host in ("left", "right"):
        result.save_pcapng(folder / f"{host}.pcapng", host)
        found[host] = [result.packet_table(host), tshark(folder / f"{host}.pcapng")]
    return found


@pytest.mark.parametrize("host", ["left", "right"])
def test_numbers_of_every_packet_agree(both: dict[str, list[pd.DataFrame]], host: str) -> None:
    mine, theirs = both[host]
    assert len(mine) == len(theirs) > 400
    for column in NUMBERS:
        found = [int(text, 0) if text else -1 for text in theirs[column]]
        assert mine[column].tolist() == found, column


@pytest.mark.parametrize("host", ["left", "right"])
def test_sack_blocks_of_every_packet_agree(both: dict[str, list[pd.DataFrame]], host: str) -> None:
    """tshark shows their edges as on the wire: set against ours by the acknowledgement's own offset."""
    mine, theirs = both[host]
    assert mine["sacks"].tolist() == [len(text.split(",")) if text else 0 for text in theirs["sack_left"]]
    start = None
    for i in np.flatnonzero(mine["sacks"]):
        for edge in ("left", "right"):
            wire = [int(text) for text in theirs[f"sack_{edge}"][i].split(",")]
            here = [int(mine[f"sack{n}_{edge}"][i]) for n in range(1, len(wire) + 1)]
            starts = {(a - b) % 2**32 for a, b in zip(wire, here, strict=True)}
            start = starts if start is None else start
            assert starts == start and len(starts) == 1


def union(theirs: pd.DataFrame) -> list[int]:
    return np.flatnonzero((theirs[list(SENT_AGAIN)] != "").any(axis=1)).tolist()


def behind(mine: pd.DataFrame, direction: str) -> list[int]:
    """Packets with data of which the first byte is below the highest seen so far."""
    data = mine[(mine["payload"] > 0) & (mine["direction"] == direction)]
    highest = (data["seq"] + data["payload"]).cummax().shift(fill_value=0)
    return data.index[data["seq"] < highest].tolist()


def test_at_the_sender_the_retransmissions_are_the_same_packets(both: dict[str, list[pd.DataFrame]]) -> None:
    mine, theirs = both["left"]
    assert union(theirs) == behind(mine, "out") != []


def test_at_the_receiver_what_comes_late_are_the_same_packets(both: dict[str, list[pd.DataFrame]]) -> None:
    mine, theirs = both["right"]
    assert union(theirs) == behind(mine, "in") != []


def test_at_the_receiver_gaps_are_the_same_packets(both: dict[str, list[pd.DataFrame]]) -> None:
    mine, theirs = both["right"]
    data = mine[(mine["payload"] > 0) & (mine["direction"] == "in")]
    highest = (data["seq"] + data["payload"]).cummax().shift(fill_value=1)
    gaps = data.index[data["seq"] > highest].tolist()
    assert np.flatnonzero(theirs["lost_segment"] != "").tolist() == gaps != []


def test_duplicate_acks_are_the_same_packets(both: dict[str, list[pd.DataFrame]]) -> None:
    """RFC 5681, section 2: no data, the same acknowledgement number and window as the one before."""
    mine, theirs = both["left"]
    acks = mine[(mine["direction"] == "in") & (mine["flags"] == "A")]
    same = (acks[["ack", "window", "seq"]] == acks[["ack", "window", "seq"]].shift()).all(axis=1)
    found = acks.index[same & (acks["payload"] == 0)].tolist()
    assert np.flatnonzero(theirs["duplicate_ack"] != "").tolist() == found != []


def test_nanoseconds_names_and_directions_are_read_back(tmp_path: Path) -> None:
    result = transfer()
    file = tmp_path / "a.pcapng"
    result.save_pcapng(file)
    theirs = tshark(file)
    tables = [result.packet_table(host).assign(host=host) for host in ("left", "right")]
    mine = pd.concat(tables)
    mine = mine.set_axis(mine["host"] + "." + mine["interface"].astype(str))
    assert set(theirs["interface"]) == {"left.eth0", "right.eth0"}
    ways = {"out": 2, "in": 1}
    for name in ("left.eth0", "right.eth0"):
        here, there = mine.loc[name], theirs[theirs["interface"] == name]
        assert there["time"].tolist() == [f"{time:.9f}" for time in here["time_s"]]
        assert [int(text, 16) & 3 for text in there["direction"]] == [ways[way] for way in here["direction"]]


def test_scapy_reads_back_nanoseconds_names_and_directions(tmp_path: Path) -> None:
    result = transfer()
    file = tmp_path / "a.pcapng"
    result.save_pcapng(file, "right")
    mine = result.packet_table("right")
    with RawPcapNgReader(str(file)) as reader:
        found = [meta for _, meta in reader]
    times = [((meta.tshigh << 32) | meta.tslow) / 1e9 for meta in found]
    assert {meta.tsresol for meta in found} == {10**9}
    assert times == mine["time_s"].tolist()
    assert {meta.ifname for meta in found} == {b"eth0"}
    ways = {2: "out", 1: "in"}
    assert [ways[meta.direction] for meta in found] == mine["direction"].tolist()
