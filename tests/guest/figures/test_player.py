"""Films hold what was recorded: each frame of the captures once, each loss with its reason, times to the
microsecond. Every claim is held against tables that are not made from films."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from labkit import (
    Capture,
    Change,
    Command,
    Experiment,
    Flow,
    Lab,
    Nic,
    Queue,
    Topology,
    WebObject,
    WebPage,
    dumbbell,
    pair,
    run,
)
from labkit.errors import SpecError
from labkit.player import FilmTooLargeError, Player
from labkit.player import film as films_of
from labkit.player.interval import ROUND_TRIPS, round_trip_ns
from labkit.player.journeys import PROBES, journeys
from labkit.results.replay import ProbeMissingError
from labkit.results.result import Result
from tests import films

TWO = [Flow("left1", "right1", cc="reno", size="1MB"), Flow("left2", "right2", cc="cubic", size="1MB")]
SICK = {"loss": "1%", "corrupt": "1%", "duplicate": "1%"}
TEN = {"rate": "10mbit", "delay": "10ms"}
FIVE = {"rate": "5mbit", "delay": "20ms"}


def one(network: Topology, **flow: Any) -> Experiment:
    return Experiment(network, flows=[Flow("left", "right", **flow)])


RUNS = {
    "full queue": one(dumbbell(**TEN, queue="30p"), size="1MB", cc="reno"),
    "early drops": one(dumbbell(**TEN, queue=Queue("codel")), size="2MB"),
    "sick wire": Experiment(dumbbell(2, **TEN, queue="fq_codel", **SICK), flows=TWO),
    "lost ACKs": one(pair(**FIVE, backward={"loss": "5%"}), size="500kB"),
    "full ring": one(pair(nic=Nic(rx_ring=64, packet_cost="15us"), delay="5us"), duration="20ms"),
    "flipped bits": one(pair(nic=Nic(ber=1e-6), delay="5us"), duration="20ms"),
    "sender's own queue": one(pair(**FIVE, queue="20p"), size="500kB", cc="reno"),
    "no loss": one(pair(**FIVE), size="100kB"),
    "datagrams": one(pair(**FIVE, loss="5%"), protocol="udp", rate="4mbit", duration="1s"),
}
each = pytest.mark.parametrize("name", RUNS)
each_with_losses = pytest.mark.parametrize("name", [name for name in RUNS if name != "no loss"])


@cache
def result(name: str) -> Result:
    """With captures at every host, so that tables and film are of one run."""
    exp = RUNS[name]
    probes = exp.probes | PROBES
    return run(exp.replace(capture=[Capture(host) for host in exp.topology.names], probes=probes))


@cache
def film(name: str) -> dict[str, Any]:
    made: Player = result(name).player(name="shown")
    return made.film


def us(seconds: Any) -> Any:
    return np.floor(np.asarray(seconds) * 1e6 + 0.5).astype(np.int64)


def inside(at: Any, name: str) -> Any:
    begin, end = film(name)["span"]
    return (np.asarray(at) > begin) & (np.asarray(at) < end)


@each
def test_each_captured_frame_is_in_the_film_once(name: str) -> None:
    captured: Counter[tuple[str, str, int, int]] = Counter()
    peers = {(i["host"], i["name"]): i["peer"] for i in result(name).layout("interfaces")}
    for host in RUNS[name].topology.names:
        table = result(name).packet_table(host)
        at = us(table["time_s"])
        rows = zip(at, table["interface"], table["direction"], inside(at, name), strict=True)
        captured.update((host, peers[host, i], int(d == "in"), t) for t, i, d, there in rows if there)
    seen = films.sightings(film(name))
    seen = seen[seen["kind"].isin([films.OUT, films.IN]) & inside(seen["at"], name)]
    assert captured == Counter(zip(seen["host"], seen["peer"], seen["kind"], seen["at"], strict=True))
    assert captured


@each
def test_what_comes_in_left_the_host_at_the_other_end_of_its_link(name: str) -> None:
    seen = films.sightings(film(name))
    came = seen[(seen["kind"] == films.IN) & (seen["before"] >= 0)]
    left = seen.loc[came["before"]]
    assert (left["host"].to_numpy() == came["peer"].to_numpy()).all()
    assert (left["peer"].to_numpy() == came["host"].to_numpy()).all()
    assert (left["at"].to_numpy() <= came["at"].to_numpy()).all()
    assert (left["packet"].to_numpy() == came["packet"].to_numpy()).all()
    begun = seen[(seen["kind"] == films.IN) & (seen["before"] < 0)]
    assert begun.empty  # all that came in anywhere here had been seen leaving


@each_with_losses
def test_each_loss_of_the_ledger_is_there_with_its_reason(name: str) -> None:
    ledger = result(name).ledger()
    ledger = ledger[inside(us(ledger["lost_s"]), name)].sort_values("lost_s", kind="stable")
    lost = films.losses(film(name))
    lost = lost[inside(lost["at"], name)]
    assert len(ledger) > 0
    assert lost["at"].tolist() == us(ledger["lost_s"]).tolist()
    columns = ["host", "peer", "cause", "reason"]

    def told(table: Any) -> Counter[Any]:
        times = table["at"] if "at" in table else us(table["lost_s"])
        return Counter(zip(times, *(table[c].astype(str) for c in columns), strict=True))

    assert told(lost) == told(ledger)


@each_with_losses
def test_losses_are_mended_when_the_ledger_says_so(name: str) -> None:
    ledger = result(name).ledger().sort_values("lost_s", kind="stable")
    ledger = ledger[inside(us(ledger["lost_s"]), name)]
    lost = films.losses(film(name))
    lost = lost[inside(lost["at"], name)]
    for column in ("retransmitted", "recovered"):
        expected = sorted(round(t * 1e6) for t in ledger[f"{column}_s"] if t == t)
        assert sorted(int(t) for t in lost[column] if t == t and t is not None) == expected
    found = ledger["found_by"].astype(object).fillna("")
    assert Counter(lost["found_by"].astype(str)) == Counter(found.astype(str))


@each_with_losses
def test_a_lost_packet_is_the_one_that_the_ledger_means(name: str) -> None:
    packets, lost = films.packets(film(name)), films.losses(film(name))
    ledger = result(name).ledger()
    known = Counter(zip(us(ledger["sent_s"]), ledger["payload"], us(ledger["lost_s"]), strict=True))
    mine = packets.loc[lost["packet"]]
    assert Counter(zip(mine["at"], mine["payload"], lost["at"], strict=True)) <= known


@each
def test_headers_are_those_of_the_capture(name: str) -> None:
    packets, blocks = films.packets(film(name)), films.edges(film(name))
    seen = films.sightings(film(name)).groupby("packet").first()
    names = [
        "src",
        "dst",
        "sport",
        "dport",
        "seq",
        "ack",
        "ip_id",
        "window",
        "tsval",
        "tsecr",
        "payload",
        "length",
    ]
    for host in RUNS[name].topology.names:
        table = result(name).packet_table(host)
        table = table[table["direction"] == "out"]
        known = {
            (at, *row[:-1]): row[-1]
            for at, row in zip(
                us(table["time_s"]), table[[*names, "flags", "sacks"]].itertuples(index=False), strict=True
            )
        }
        mine = packets[(seen["host"] == host).to_numpy()]
        for row, block in zip(mine.itertuples(), [blocks[i] for i in mine.index], strict=True):
            key = (row.at, *(getattr(row, column) for column in names), row.flags)
            assert known[key] == len(block)


@pytest.mark.parametrize(
    ("name", "ends"),
    [("full queue", ("r1", "r2")), ("early drops", ("r1", "r2")), ("sick wire", ("r1", "r2"))],
)
def test_a_queue_holds_what_the_kernels_events_say(name: str, ends: tuple[str, str]) -> None:
    table = result(name).queue
    table = table[(table["host"] == ends[0]) & (table["peer"] == ends[1])]
    table = table[inside(us(table["enqueued_s"]), name)]
    begin, end = film(name)["span"]
    came, gone = films.stays(film(name), *ends)
    middle = (begin + end) // 2
    for at in range(begin + 1, middle, (middle - begin) // 50):
        held = int((came <= at).sum() - (gone <= at).sum())
        every = result(name).queue.query("host == @ends[0] and peer == @ends[1]")
        left = every["dequeued_s"]
        there = (us(every["enqueued_s"]) <= at) & ~(us(left.fillna(1e6)) <= at)
        thrown = every["dropped"]  # when, the ledger knows
        assert held == int((there & ~thrown).sum()) + _thrown_later(name, ends, at)


@pytest.mark.parametrize(
    ("name", "peer"), [("sender's own queue", "right"), ("no loss", "right"), ("full queue", "r1")]
)
def test_a_queue_in_a_wire_is_left_when_its_events_say_so(name: str, peer: str) -> None:
    table = result(name).queue.query("host == 'left' and peer == @peer")
    left = us(table["dequeued_s"].dropna())
    seen, lost = films.sightings(film(name)), films.losses(film(name))
    mine = seen[(seen["kind"] == films.DEQUEUED) & (seen["host"] == "left") & inside(seen["at"], name)]
    assert sorted(mine["at"]) == sorted(at for at in left if inside(at, name))
    assert len(mine) > 50
    early = inside(seen["at"] + 200_000, name)  # none waits so long
    sent = seen[(seen["kind"] == films.OUT) & (seen["host"] == "left") & early]
    without = set(sent["packet"]) - set(seen[seen["kind"] == films.DEQUEUED]["packet"])
    assert without <= set(lost["packet"])


def _thrown_later(name: str, ends: tuple[str, str], at: int) -> int:
    """Packets that a queue had let in by then and threw away later."""
    seen, lost = films.sightings(film(name)), films.losses(film(name))
    here = lost[(lost["place"] == "queue") & (lost["host"] == ends[0]) & (lost["at"] > at)]
    last = seen.groupby("packet")["at"].last()
    return int((last.loc[here["packet"]].to_numpy() <= at).sum())


def test_the_ring_is_full_whenever_it_overruns() -> None:
    seen, lost = films.sightings(film("full ring")), films.losses(film("full ring"))
    missed = lost[(lost["cause"] == "ring full") & (lost["host"] == "left")]
    came = seen[(seen["kind"] == films.CAME_IN) & (seen["host"] == "left")]
    taken = np.sort(
        np.concatenate([seen[(seen["kind"] == films.IN) & (seen["host"] == "right")]["at"], missed["at"]])
    )
    held = np.searchsorted(np.sort(came["at"]), missed["at"], "right") - np.searchsorted(
        taken, missed["at"], "right"
    )
    assert len(missed) > 5
    # A frame that the host takes in the same microsecond may be counted or not.
    assert set(held) <= {63, 64}
    assert (
        dict(zip(lost["packet"], lost["at"], strict=True)).items()
        >= dict(
            zip(missed["packet"], came.set_index("packet").loc[missed["packet"], "at"], strict=True)
        ).items()
    )


def test_frames_that_fail_their_check_fall_out_where_the_last_bit_came_in() -> None:
    seen, lost = films.sightings(film("flipped bits")), films.losses(film("flipped bits"))
    failed = lost[lost["cause"] == "frame check failed"]
    came = seen[seen["kind"] == films.CAME_IN].set_index("packet")["at"]
    assert len(failed) > 3
    assert came.loc[failed["packet"]].tolist() == failed["at"].tolist()
    assert set(failed["place"]) == {"port"}


@pytest.mark.parametrize(
    ("nic", "commands"),
    [
        (Nic(rx_ring=64, packet_cost="15us", pause=True), []),
        (Nic(speed="100mbit", duplex="half"), []),
        (Nic(), [Command("left", "ethtool -s eth0 speed 100 duplex full", at="5ms")]),
    ],
    ids=["pause frames", "half duplex", "speed set by hand"],
)
def test_nothing_is_said_of_a_ring_where_the_times_are_not_known(nic: Nic, commands: list[Command]) -> None:
    exp = one(pair(nic=nic, delay="5us"), duration="20ms").replace(commands=commands)
    seen = films.sightings(run(exp).player().film)
    assert set(seen["kind"]) == {films.OUT, films.IN}


@pytest.mark.parametrize("name", ["full queue", "early drops", "lost ACKs"])
def test_a_sender_begins_with_what_it_knew(name: str) -> None:
    begin, _ = film(name)["span"]
    (sender,) = film(name)["senders"]
    back = result(name).packet_table("left").query("direction == 'in' and way == 'ack'")
    back = back[us(back["time_s"]) < begin]
    assert sender["una"] == (int(back["ack"].max()) if len(back) else 0)
    table = films.packets(film(name))
    data = table[(table["way"] == "data") & (table["at"] < begin) & (table["payload"] > 0)]
    sent = result(name).packet_table("left").query("direction == 'out' and way == 'data' and payload > 0")
    due = sent[(us(sent["time_s"]) < begin) & (sent["seq"] + sent["payload"] > sender["una"])]
    assert set(due["seq"]) <= set(data["seq"])


def test_a_senders_window_is_that_of_the_trace() -> None:
    (sender,) = film("full queue")["senders"]
    changes = films.changes(sender["cwnd"])
    probe = result("full queue").tcp_probe.query("side == 'sender'")
    times = us(probe["time_s"])
    for at, cwnd in changes:
        assert cwnd in set(probe["snd_cwnd"][times == at])
    for at, cwnd in zip(times, probe["snd_cwnd"], strict=True):
        if inside(at, "full queue"):
            assert [value for when, value in changes if when <= at][-1] == cwnd or (times == at).sum() > 1


def web_page(http: str) -> Result:
    objects = [WebObject("html", "20kB"), *(WebObject(f"p{i}", "30kB", after=["html"]) for i in range(6))]
    asked = WebPage("left", "right", objects=objects, http=http)
    return run(
        Experiment(
            pair(**FIVE, backward={"loss": "2%"}), flows=[asked], probes=PROBES, capture=["left", "right"]
        )
    )


def test_the_window_of_a_web_page_is_that_of_its_server() -> None:
    asked = web_page("2")
    made: Player = asked.player(name="page")
    (told,) = made.film["senders"]
    windows = [value for _, value in films.changes(told["cwnd"])]
    begin, end = made.span
    probed = asked.tcp_probe
    now = probed[(probed["time_s"] >= begin) & (probed["time_s"] <= end)]
    assert told["way"] == "ack"
    assert max(windows) == now["snd_cwnd"].max() > 10
    assert "Recovery" in set(asked.cong_states["state"])


def test_a_web_page_on_several_connections_has_no_one_window() -> None:
    made: Player = web_page("1.1").player(name="page")
    assert made.film["senders"] == []
    assert made.film["packets"]["count"] > 100


def test_a_film_begins_a_round_trip_before_the_first_loss() -> None:
    found = journeys(result("full queue"))
    trip, (begin, end) = round_trip_ns(found) / 1e3, film("full queue")["span"]
    ledger = result("full queue").ledger()
    assert begin == pytest.approx(us(ledger["sent_s"].min()) - trip, abs=2)
    last = int(found.ended_ns.max()) / 1e3
    assert end >= min(last, begin + ROUND_TRIPS * trip) - 2
    first = ledger[us(ledger["sent_s"]) <= begin + ROUND_TRIPS * trip]
    assert end >= min(last, us(first["recovered_s"].max()) + trip) - 2


def test_a_film_without_losses_begins_with_the_run() -> None:
    found = journeys(result("no loss"))
    begin, end = film("no loss")["span"]
    assert begin == 0
    assert end == pytest.approx(min(ROUND_TRIPS * round_trip_ns(found), found.ended_ns.max()) / 1e3, abs=2)
    assert "none was lost" in film("no loss")["description"]


@each
def test_a_film_is_small_and_the_same_again(name: str) -> None:
    again = result(name).player(name="shown").film
    assert again == film(name)
    assert films_of.size(again) <= films_of.LIMIT_BYTES
    json.dumps(again, allow_nan=False)


def test_seconds_that_are_asked_for_are_shown() -> None:
    shown = result("no loss").player(between=("50ms", 0.1))
    assert shown.span == (0.05, 0.1)
    left = films.packets(shown.film)["at"]
    assert left.min() < 50_000  # it was under way then already
    assert left.max() <= 100_000


@pytest.mark.parametrize(
    ("between", "said"),
    [
        ((1, 0.5), "the earlier one first"),
        ((0.1,), "two times"),
        (("1 parsec", "2s"), "1 parsec"),
        ("2s", "write between="),
        (5, 'write between=("1.2s", "1.5s")'),
        ((100, 101), "no packet was under way then: there are some from 0 to"),
    ],
)
def test_seconds_that_cannot_be_shown_are_refused(between: Any, said: str) -> None:
    with pytest.raises(SpecError, match="player") as refused:
        result("no loss").player(between=between)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_link_says_what_it_was_when_the_film_begins() -> None:
    changes = [Change("500ms", ("left", "right"), rate="1mbit")]
    exp = one(pair(**FIVE), duration="1s").replace(changes=changes)
    early, late = (
        run(exp).player(between=between).film["links"][0]["text"] for between in ((0, 0.2), (0.6, 0.9))
    )
    assert "5 Mbit/s" in early[0]
    assert "1 Mbit/s" in late[0]


def test_commands_are_shown_without_any_flow() -> None:
    found = run(Experiment(pair(delay="5ms"), commands=[Command("left", "ping -c 2 -i 0.2 right")])).player()
    packets = films.packets(found.film)
    assert packets["protocol"].tolist() == ["icmp"] * len(packets)
    assert len(packets) == 2  # ten round trips: the second ping is later
    assert found.film["trip"] == pytest.approx(10_000, abs=100)


def test_too_many_seconds_are_refused_with_those_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films_of, "LIMIT_BYTES", 9_000)
    with pytest.raises(
        FilmTooLargeError, match=r"takes more than 9 kB: write between=\(0, 0\.\d+\)"
    ) as refused:
        result("full queue").player(between=(0, 1))
    fitting = float(str(refused.value).rpartition(", ")[2].rstrip(")"))
    assert result("full queue").player(between=(0, fitting)).span[1] == pytest.approx(fitting, abs=1e-5)
    assert films_of.size(result("full queue").player().film) <= 9_000


def test_a_run_without_traffic_says_so() -> None:
    with pytest.raises(SpecError, match="no packet was captured: an experiment needs a flow or a command"):
        run(Experiment(pair(), duration="1s")).player()


def test_an_open_laboratory_without_captures_says_what_to_write() -> None:
    with Lab(pair(delay="5ms")) as lab:
        lab.start(Flow("left", "right", size="10kB"))
        lab.advance("1s")
        with pytest.raises(
            ProbeMissingError, match=r"a capture of left, .*: write Lab\(.*capture=\[\"left\", \"right\"\]"
        ):
            lab.result().player()


def test_a_run_that_was_not_captured_is_had_again() -> None:
    bare = run(RUNS["no loss"])
    assert not bare.experiment.capture
    assert bare.player(name="shown").film == film("no loss")
