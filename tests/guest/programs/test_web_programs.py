"""curl and nginx in the lab: they work, their own times are those of the captures, two runs are the same.

curl's clock begins when it starts, and stops when it has read the last byte. Its calls take some tens of
microseconds of virtual time, so half a millisecond is allowed beside the times of packets.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import pytest
from scipy.stats import ks_2samp

from labkit import Command, Experiment, WebObject, WebPage, pair, run
from labkit.results.result import Result
from scripts.programs import needed, nginx
from tests.guest.programs import installed

pytestmark = pytest.mark.truth

RTT, RATE = 0.04, 10e6
CALLS = 0.0005
FRAME = 1514 * 8 / RATE
SMALL, BIG = 20_000, 1_000_000
FORMAT = (
    "%{http_version} %{time_connect} %{time_appconnect} %{time_starttransfer} %{time_total} %{size_download}"
)


@dataclass(frozen=True)
class Transfer:
    """What curl says of one. Times in s since this transfer began; 0: no new connection."""

    version: str
    connect: float
    tls: float
    first: float
    total: float
    size: int


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    installed.or_skip(needed, "curl")
    installed.or_skip(nginx)
    objects = {f"o{i}": SMALL for i in range(12)} | {"big": BIG}
    return installed.site(tmp_path_factory.mktemp("site"), objects)


def experiment(site: Path, line: str, loss: str = "0%", seed: int = 1) -> Experiment:
    """nginx on the left until curl on the right has ended, captured at curl's end."""
    binary = installed.or_skip(nginx)
    network = pair(rate="10mbit", delay="20ms", queue="200p", loss=loss)
    serve = "/programs/nginx -p /tmp -c /site/nginx.conf & sleep 20; kill $!; wait"
    options = f"--no-progress-meter -k -w '{FORMAT}\\n'"
    return Experiment(
        network,
        commands=[Command("left", serve), Command("right", f"curl {options} {line}", at="1s")],
        files={"/site": str(site), "/programs/nginx": binary},
        capture=["right"],
        probes=[],
        seed=seed,
    )


@functools.cache
def browsed(site: Path, line: str, loss: str = "0%", seed: int = 1) -> tuple[Result, list[Transfer]]:
    result = run(experiment(site, line, loss, seed), cache=False)
    client = result.commands.iloc[1]
    assert client["status"] == 0, client["stderr"]
    rows = [text.split() for text in client["stdout"].splitlines()]
    return result, [Transfer(row[0], *map(float, row[1:5]), int(row[5])) for row in rows]


def urls(base: str, count: int) -> str:
    return " ".join(f"-o /dev/null {base}/o{i}" for i in range(count))


def opened(result: Result) -> int:
    """Connections: SYNs that curl sent."""
    table = result.packet_table("right")
    return int(((table["direction"] == "out") & (table["flags"] == "S")).sum())


def seen(result: Result) -> tuple[float, float, float]:
    """In the capture: when the SYN left; from then to the first byte of data that came, and to the last."""
    table = result.packet_table("right")
    syn = table.loc[table["flags"] == "S", "time_s"].iloc[0]
    data = table.loc[(table["direction"] == "in") & (table["payload"] > 0), "time_s"] - syn
    return syn, data.iloc[0], data.iloc[-1]


@pytest.mark.parametrize("loss", ["0%", "2%"])
def test_curls_times_are_those_of_the_packets(site: Path, loss: str) -> None:
    result, (got,) = browsed(site, "-o /dev/null http://left/big", loss)
    _, first, last = seen(result)
    assert (got.version, got.size) == ("1.1", BIG)
    assert got.first == pytest.approx(first, abs=CALLS)
    assert got.total == pytest.approx(last, abs=CALLS)


def test_a_connection_takes_a_round_trip_and_the_first_byte_another(site: Path) -> None:
    _, (got,) = browsed(site, "-o /dev/null http://left/big")
    assert RTT <= got.connect < RTT + FRAME
    assert 2 * RTT <= got.first < 2 * RTT + 2 * FRAME


@pytest.mark.parametrize(("most", "round_trips"), [("1.2", 2), ("1.3", 1)])
def test_tls_takes_the_round_trips_of_its_version(site: Path, most: str, round_trips: int) -> None:
    """Its certificates take their time on the line, too: less than four frames'."""
    _, (got,) = browsed(site, f"--tls-max {most} -o /dev/null https://left/o0")
    assert round_trips * RTT <= got.tls - got.connect < round_trips * RTT + 4 * FRAME


def test_one_connection_is_kept_alive(site: Path) -> None:
    result, got = browsed(site, f"--http1.1 {urls('http://left', 4)}")
    assert opened(result) == 1
    assert [transfer.connect > 0 for transfer in got] == [True, False, False, False]


def test_six_connections_share_twelve_objects(site: Path) -> None:
    result, got = browsed(
        site, f"--http1.1 -Z --parallel-immediate --parallel-max 6 {urls('http://left', 12)}"
    )
    assert opened(result) == 6
    assert [transfer.size for transfer in got] == [SMALL] * 12
    assert sum(transfer.connect > 0 for transfer in got) == 6


def test_http2_has_all_objects_in_one_connection(site: Path) -> None:
    """Over TLS: curl 7.88 fails to multiplex without (--http2-prior-knowledge -Z)."""
    result, got = browsed(site, f"--http2 -Z --parallel-max 12 {urls('https://left', 12)}")
    assert opened(result) == 1
    assert {transfer.version for transfer in got} == {"2"}
    assert [transfer.size for transfer in got] == [SMALL] * 12


def both_pages(site: Path, http: str, loss: str, seed: int) -> tuple[float, float]:
    """Seconds for twelve objects at once, over TLS 1.3: curl and nginx, and labkit's WebPage."""
    many = "--parallel-immediate --parallel-max 6" if http == "1.1" else "--parallel-max 12"
    version = "--http1.1" if http == "1.1" else "--http2"
    line = f"{version} --tlsv1.3 -Z {many} {urls('https://left', 12)}"
    client = browsed(site, line, loss, seed)[0].commands.iloc[1]
    objects = [WebObject(f"o{i}", SMALL) for i in range(12)]
    page = WebPage("right", "left", objects=objects, http=http, tls="1.3")
    ours = experiment(site, line, loss, seed).replace(commands=[], files={}, capture=[], flows=[page])
    return client["end_s"] - client["start_s"], run(ours, cache=False).pages["load_s"].iloc[0]


@pytest.mark.parametrize("http", ["1.1", "2"])
def test_labkits_web_page_loads_as_fast_as_curl_and_nginx(site: Path, http: str) -> None:
    """The programs' headers and certificate are some other bytes than ours: 250 for each object, 1 % of it,
    and two packets of the handshake, 1 % of all."""
    theirs, ours = both_pages(site, http, "0%", 1)
    assert ours == pytest.approx(theirs, rel=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("http", ["1.1", "2"])
def test_under_loss_their_load_times_cannot_be_told_apart(site: Path, http: str) -> None:
    """Other packets are the lost ones, so that single runs differ: thirty of each, by Kolmogorov and Smirnov.
    One in a thousand pairs of equal distributions is refused. The seeds are fixed."""
    theirs, ours = zip(*(both_pages(site, http, "3%", seed) for seed in range(1, 31)), strict=True)
    assert ks_2samp(theirs, ours).pvalue > 0.001


@pytest.mark.parametrize("line", ["http://left/big", "https://left/big"])
def test_two_runs_of_real_programs_are_the_same(site: Path, line: str) -> None:
    """With loss, and with TLS: its keys are drawn by the kernel that the seed began."""
    twice = [run(experiment(site, f"-o /dev/null {line}", "2%"), cache=False).digest() for _ in range(2)]
    assert twice[0] == twice[1]
