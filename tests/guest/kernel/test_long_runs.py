"""What lasts long or is many costs what crosses the network, no more: in memory, in what is kept, in wakes.

Nothing is timed. How long such runs take is in `make bench` (background, 288-hours).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.memory import peak_mb
from labkit.compile.compiler import compile_experiment
from labkit.results.result import Result
from labkit.spec import Background, Command, Experiment, Flow, GilbertElliott, Pings
from labkit.spec.topologies import pair
from tests.guest.helpers import NOTHING, fresh

HOUR_S = 3600
NOISE_MB = 0.5  # by so much peaks of one experiment differ from run to run, four times over


def hours(many: int) -> Experiment:
    """A ping every ten seconds, 120 transfers an hour, losses in bursts."""
    long = many * HOUR_S
    return Experiment(
        pair(rate="10mbit", delay="10ms", loss=GilbertElliott("1%", "30%")),
        flows=[
            Pings("left", "right", count=long // 10, every="10s", name="pings"),
            Background("left", "right", rate=800, sizes="3kB", duration=long),
        ],
        time_limit=long + HOUR_S,
        probes=NOTHING,
    )


class Held(NamedTuple):
    """MB of 10^6 bytes: the guest at its peak, what it wrote, the program it was given."""

    peak: float
    raw: float
    program: float


def held(many: int, folder: Path) -> Held:
    experiment, file, result = hours(many), folder / f"{many}.json", folder / str(many)
    file.write_text(experiment.to_json())
    run = ["run", str(file), "--no-cache", "--save", str(result)]
    peak = peak_mb([sys.executable, "-m", "labkit.cli", *run])
    written, program = os.path.getsize(result / "raw"), compile_experiment(experiment).program
    return Held(peak, written / 1e6, len(program) / 1e6)


@pytest.mark.slow
def test_48_hours_take_no_more_memory_than_one_but_for_what_is_written_and_read(tmp_path: Path) -> None:
    """The guest's kernel holds pages of the file that the agent appends to, and of the program, of which the
    agent has a copy. A hundred bytes more of each of 5,760 transfers and 17,280 pings would be 2.3 MB, a
    socket that is left open after each transfer 17 MB."""
    one, long = held(1, tmp_path), held(48, tmp_path)
    assert long.raw < 2, "48 hours keep about a hundred bytes of each"
    known = (long.raw - one.raw) + 2 * (long.program - one.program)
    assert long.peak - one.peak < known + NOISE_MB


class Cost(NamedTuple):
    """packets: sent and received by the sender's host; timers: interrupts of the guest's clock; wakes: how
    often its processor went from one task to another. program, raw: bytes."""

    packets: int
    timers: int
    wakes: int
    transfers: int
    program: int
    raw: int


def cost(flow: Background | Flow, until_s: int) -> Cost:
    look = Command("left", "cat /proc/stat", at=until_s)
    experiment = Experiment(
        pair(rate="10mbit", delay="50ms"), flows=[flow], commands=[look], duration=until_s + 1, probes=NOTHING
    )
    result: Result = fresh(experiment)
    assert result.flows["complete"].all()
    of_left = result.interfaces.query("host == 'left' and role == 'host'")
    counters = of_left.set_index("name")["delta"]
    stat = {line.split()[0]: int(line.split()[1]) for line in result.output(0).splitlines()}
    return Cost(
        packets=int(counters["tx_packets"] + counters["rx_packets"]),
        timers=stat["intr"],
        wakes=stat["ctxt"],
        transfers=len(result.transfers) if isinstance(flow, Background) else 1,
        program=len(compile_experiment(experiment).program),
        raw=os.path.getsize(result.folder / "raw"),
    )


def crowd(seconds: int, rate: str = "2mbit") -> Background:
    """Transfers of a packet: 240 begin in a second at 2 Mbit/s, and some 50 are under way at once."""
    return Background("left", "right", rate=rate, sizes=1000, duration=seconds)


@pytest.fixture(scope="module")
def few() -> Cost:
    return cost(crowd(10), 20)


@pytest.fixture(scope="module")
def many() -> Cost:
    return cost(crowd(40), 50)


def test_thousands_of_short_flows_take_no_more_timers_than_one_with_as_many_packets(many: Cost) -> None:
    one = cost(Flow("left", "right", size="12MB"), 20)
    assert many.packets > 50_000 and one.packets > 10_000
    assert many.timers / many.packets < one.timers / one.packets


def test_the_agent_wakes_less_than_once_for_each_of_their_packets(many: Cost) -> None:
    assert many.transfers > 9_000
    assert many.wakes < many.packets


def test_four_times_as_many_cost_as_much_each(few: Cost, many: Cost) -> None:
    """Nothing that grows with their number is looked through for each: 2 % are for what chance moves."""
    assert 3.9 < many.transfers / few.transfers < 4.1
    assert many.wakes / many.packets < 1.02 * few.wakes / few.packets
    assert many.timers / many.packets < 1.02 * few.timers / few.packets


def test_as_many_in_half_the_time_cost_no_more_wakes_than_packets(many: Cost) -> None:
    """Twice as many are open at once, and those that closed, in TIME-WAIT."""
    dense = cost(crowd(20, "4mbit"), 30)
    assert dense.transfers == pytest.approx(many.transfers, rel=0.05)
    assert dense.wakes / dense.packets < 1.1 * many.wakes / many.packets


def test_a_transfer_is_16_bytes_of_program_and_80_of_raw(few: Cost, many: Cost) -> None:
    more = many.transfers - few.transfers
    assert (many.program - few.program) / more <= 16
    assert (many.raw - few.raw) / more < 81  # 80, and the digits that /proc/stat has more
