"""aioquic's HTTP/3 in the lab: its own times against the capture, over links without loss and with it."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from labkit import Command, Experiment, pair, run
from labkit.results.result import Result
from scripts import http3
from scripts.programs import certificate, quic
from tests.guest.programs import installed

pytestmark = pytest.mark.truth

RTT, RATE = 0.04, 10e6
CALLS = 0.002
"""s: two Pythons' looks at the clock, some microseconds each, and a datagram's time on the line."""
SIZE, OBJECTS = 20_000, 8


@dataclass(frozen=True)
class Site:
    folder: Path
    python: Path

    def experiment(self, loss: str, seed: int, paths: tuple[int, ...]) -> Experiment:
        network = pair(rate="10mbit", delay="20ms", queue="200p", loss=loss)
        serve = f"{installed.PYTHON} /programs/h3_server.py /site/cert.pem /site/key.pem reno"
        ask = f"{installed.PYTHON} /programs/h3_client.py left " + " ".join(f"/{size}" for size in paths)
        return Experiment(
            network,
            commands=[Command("left", serve), Command("right", ask, at="2s")],
            files={
                "/site": str(self.folder),
                "/programs": str(installed.PROGRAMS),
                "/python": str(self.python),
            },
            capture=["right"],
            probes=[],
            seed=seed,
            time_limit="2min",
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    python, folder = (tmp_path_factory.mktemp(name) for name in ("python", "site"))
    installed.or_skip(certificate, folder, "left")
    return Site(folder, installed.or_skip(quic, python))


@functools.cache
def loaded(site: Site, loss: str = "0%", seed: int = 1) -> tuple[Result, dict[str, Any]]:
    result = run(site.experiment(loss, seed, (SIZE,) * OBJECTS), cache=False)
    assert result.commands["status"].tolist() == [0, 0], result.commands["stderr"].tolist()
    return result, json.loads(result.output(1))


@pytest.mark.parametrize("loss", ["0%", "3%"])
def test_all_objects_come_whole(site: Site, loss: str) -> None:
    _, page = loaded(site, loss)
    assert [row["bytes"] for row in page["objects"]] == [SIZE] * OBJECTS


def test_connection_and_encryption_take_one_round_trip_together(site: Site) -> None:
    _, page = loaded(site)
    assert RTT <= page["connected_s"] < RTT + 4 * 1280 * 8 / RATE + CALLS


@pytest.mark.parametrize("loss", ["0%", "3%"])
def test_the_clients_times_are_those_of_the_datagrams(site: Site, loss: str) -> None:
    """The last object is there when a datagram has come that was large, or was all that one lacked."""
    result, page = loaded(site, loss)
    table = result.packet_table("right")
    sent = table.loc[(table["direction"] == "out") & (table["protocol"] == "udp"), "time_s"].iloc[0]
    came = table.loc[(table["direction"] == "in") & (table["protocol"] == "udp"), "time_s"] - sent
    for row in page["objects"]:
        assert (came - row["done_s"]).abs().min() < CALLS
    assert page["objects"][0]["first_s"] > page["connected_s"]


def test_a_loss_holds_up_only_the_objects_that_miss_it(site: Site) -> None:
    """In a run with losses some object is whole while another waits for what was lost."""
    _, page = loaded(site, "3%")
    done = sorted(row["done_s"] for row in page["objects"][1:])
    assert done[-1] - done[0] > RTT / 2


def test_two_runs_are_the_same(site: Site) -> None:
    exp = site.experiment("3%", 1, (SIZE,) * OBJECTS)
    assert run(exp, cache=False).digest() == loaded(site, "3%")[0].digest()


def test_the_books_rows_are_these_programs(tmp_path: Path) -> None:
    """One of book/data/http3, measured again: another certificate is some bytes longer or shorter, which
    moves what follows, and so aioquic's timers: by some milliseconds, of a page of 700."""
    rows = pd.read_csv(http3.DATA / "pages.csv")
    assert len(rows) == 2 * len(http3.LOSSES) * len(http3.SEEDS)
    kept = rows.query("kind == 'streams' and loss == 0.01 and seed == 2").iloc[0]
    page = installed.or_skip(http3.Pages, tmp_path)
    again = http3.row("streams", 0.01, 2, run(page.experiment("streams", 0.01, 2), cache=False))
    for name in ("connected_s", "first_object_s", "load_s"):
        assert again[name] == pytest.approx(kept[name], abs=0.01)
