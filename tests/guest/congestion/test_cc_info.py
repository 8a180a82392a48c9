"""What congestion controls say of themselves: against ss, against the path, and without a trace."""

from __future__ import annotations

import re

import pytest

from labkit import Experiment, Flow, Lab, dumbbell
from tests.guest.helpers import fresh

PATH = dumbbell(rate="10mbit", delay="20ms", queue="50p")


def one(cc: str, *probes: str) -> Experiment:
    return Experiment(PATH, flows=[Flow("left", "right", cc=cc, duration="3s")], probes=probes)


def test_bbr_finds_the_rate_and_the_round_trip_of_its_path() -> None:
    last = fresh(one("bbr", "cc_info")).cc_info.iloc[-1]
    assert last.bw * 8 == pytest.approx(10e6 * 1448 / 1514, rel=0.01)
    assert last.min_rtt == pytest.approx(40_000, rel=0.02)  # and the time of a packet on three links
    assert last.pacing_gain in (0.75, 1, 1.25) and last.cwnd_gain == 2


@pytest.mark.parametrize("cc", ["vegas", "illinois", "dctcp", "cubic"])
def test_asking_an_algorithm_changes_nothing(cc: str) -> None:
    asked, left_alone = fresh(one(cc, "cc_info")), fresh(one(cc))
    assert asked.flows.equals(left_alone.flows)
    assert set(asked.cc_info.cc) == (set() if cc == "cubic" else {cc})


def test_the_probe_says_what_ss_says() -> None:
    with Lab(PATH) as lab:
        lab.start(Flow("left", "right", cc="bbr", duration="3s"))
        lab.advance("2s")
        said = str(lab.run("left", "ss -ti"))
    found = re.search(r"bbr:\(bw:([\d.]+)Mbps,mrtt:([\d.]+),", said)
    assert found, said
    bw, mrtt = map(float, found.groups())
    table = fresh(one("bbr", "cc_info")).cc_info.set_index("time_s")
    near = table.loc[1.85:2.15]
    assert near.bw.min() * 8 / 1e6 * 0.99 <= bw <= near.bw.max() * 8 / 1e6 * 1.01
    assert near.min_rtt.iloc[0] / 1000 == pytest.approx(mrtt, abs=0.01)
