"""Congestion controls of students: what is taken, what is refused, and that the table does not believe
them."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from labkit.course import controls
from labkit.course import league as of_league
from labkit.course.controls import driven, kernels_own, objection
from labkit.course.imports import PARTS_OF_RENO, refusal
from labkit.course.league import BUILT_IN, impossible, league, networks, new_bytes, scored
from labkit.course.roster import CourseError
from labkit.course.sandbox.inside import STARTED
from labkit.course.sandbox.sandbox import Sent
from labkit.lab.compile_cc import compile_cc
from labkit.results.run import run
from labkit.spec import Experiment
from tests.course.whole import only_whole

ROOT = Path(__file__).parents[2]
_PUBLISHED = (
    (ROOT / "assignments/07-write-reno/solution.md").read_text().split('source = """\n')[1].split('"""')[0]
)
RENO = re.sub("@[a-z]+@", "8", _PUBLISHED)
BROKEN = RENO.replace("cwnd++;", "cwnd++")
CRASH = RENO.replace("8U * cwnd;", "8U * cwnd / (cwnd - cwnd);")
ENDLESS = RENO.replace("	if (!tcp_is_cwnd_limited(sk))\n		return;\n", "	while (1)\n		;\n")


@only_whole
def test_the_league_ranks_who_runs_and_tells_the_others_why(tmp_path: Path) -> None:
    (tmp_path / "entries").mkdir()
    includes = '#include "/etc/passwd"\n' + RENO
    sources = {"ada": RENO, "bob": BROKEN, "cyd": CRASH, "dan": includes, "eve": ENDLESS}
    for name, source in sources.items():
        (tmp_path / "entries" / f"{name}.c").write_text(source)
    rows = league(tmp_path / "entries", tmp_path / "key", tmp_path / "league.csv", progress=False)
    by_author = {row.author: row for row in rows}
    reno, ada = by_author["Linux: reno"], by_author["ada"]
    assert (ada.public, ada.hidden, ada.mbit) == (reno.public, reno.hidden, reno.mbit), "the same packets"
    assert [row.author for row in rows[-4:]] == ["bob", "cyd", "dan", "eve"]
    assert "does not compile" in by_author["bob"].said
    assert "division by zero" in by_author["cyd"].said
    assert "#include" in by_author["dan"].said
    assert "loop" in by_author["eve"].said
    assert len(rows) == len(sources) + len(BUILT_IN)
    with (tmp_path / "league.csv").open(newline="") as file:
        assert [row["author"] for row in csv.DictReader(file)] == [row.author for row in rows]


def test_hidden_networks_follow_from_the_key_and_are_others_than_the_public_ones() -> None:
    assert networks(b"a" * 32) == networks(b"a" * 32)
    assert not set(networks(b"a" * 32)) & set(networks(b"b" * 32))
    assert not set(networks(b"a" * 32)) & set(networks(None))


def test_every_network_follows_a_trace_both_ways() -> None:
    for exp in (*networks(None), *networks(b"a" * 32)):
        link = exp.topology.links[0]
        assert link.forward.trace is not None
        assert link.backward.trace is not None
        assert link.forward.trace != link.backward.trace


LIES = """
	tp->bytes_acked += 1000000000;
	tp->bytes_sent += 1000000000;
	tp->delivered += 1000000;
	tp->bytes_retrans = 0;
	tp->total_retrans = 0;
	tp->data_segs_out += 1000000;
"""
BEGIN = "	u32 cwnd = tcp_snd_cwnd(tp);\n"
LIAR = RENO.replace(BEGIN, BEGIN + LIES)
REUSER = RENO.replace(BEGIN, BEGIN + "	atomic_set(&inet_sk(sk)->inet_id, 7);\n")


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> tuple[Experiment, ...]:
    """One public network, for eight seconds, with loss."""
    monkeypatch.setattr(of_league, "SECONDS", 8)
    exp = networks(None)[0]
    link = exp.topology.links[0]
    lossy = link.replace(forward=link.forward.replace(loss="1%"))
    return (exp.replace(topology=exp.topology.replace(links=[lossy])),)


def test_a_module_that_lies_in_its_counters_gains_nothing(lossy: tuple[Experiment, ...]) -> None:
    """TCP_INFO tells of a gigabyte and of no retransmission; the captures are those of the kernel's Reno."""
    assert LIAR.count("bytes_acked") == 1
    compile_cc("mine", LIAR)
    (exp,) = lossy
    lying = exp.replace(flows=[flow.replace(cc="mine") for flow in exp.flows], probes=["tcp_info"])
    told = run(lying).tcp_info.query("side == 'sender'")
    assert told["bytes_acked"].max() > 10**9, "it does lie"
    found = driven(LIAR, lossy)
    assert (found.error, found.runs) == ("", kernels_own("reno", lossy))
    assert scored(found.runs[0], 8)[0] * 8e6 / 8 < 10**8


def test_a_module_that_reuses_ip_identifications_does_not_look_faster(lossy: tuple[Experiment, ...]) -> None:
    """Original and retransmission are then alike: the time counts from the first."""
    assert "atomic_set" in REUSER
    found = driven(REUSER, lossy)
    assert found.error == ""
    (honest,) = kernels_own("reno", lossy)
    assert found.runs[0]["seq"] == honest["seq"]
    pairs = zip(found.runs[0]["late_us"], honest["late_us"], strict=True)
    assert all(late >= truly for late, truly in pairs)
    assert min(found.runs[0]["late_us"]) > 0


RIGGER = RENO.replace(
    "static void mine_cong_avoid",
    """
struct netem_begins {
	struct rb_root t_root;
	struct sk_buff *t_head, *t_tail;
	u32 t_len;
	struct Qdisc *qdisc;
	struct {
		struct hrtimer timer;
		struct Qdisc *qdisc;
	} watchdog;
	s64 latency;
};

static void shorten(struct Qdisc *q)
{
	struct netem_begins *netem = (void *)q->privdata;

	if (q->ops && q->ops->id[0] == 'n' && q->ops->id[1] == 'e' && q->ops->id[2] == 't')
		if (netem->latency > 15000000)
			netem->latency -= 5000000;
}

static void all_of(struct net *net)
{
	struct net_device *dev;

	list_for_each_entry(dev, &net->dev_base_head, dev_list) {
		struct Qdisc *q;
		int i;

		if (dev_net(dev) != net)
			return;
		shorten(dev->qdisc);
		for (i = 0; i < 16; i++)
			hlist_for_each_entry(q, &dev->qdisc_hash[i], hash)
				shorten(q);
	}
}

static void mine_init(struct sock *sk)
{
	struct list_head *at, *first = &sock_net(sk)->list;

	for (at = first->next; at != first; at = at->next) {
		struct net *net = list_entry(at, struct net, list);

		if (net->net_cookie && net->net_cookie < 1000) /* else it is the list's head */
			all_of(net);
	}
}

static void mine_cong_avoid""",
    1,
)
"""Takes 5 ms from the delay of every netem in the kernel, but for that of the trial in `compile_cc`."""


def test_a_module_that_shortens_the_link_is_found_out(lossy: tuple[Experiment, ...]) -> None:
    assert objection(RIGGER) == refusal(RIGGER) == ""
    found = driven(RIGGER, lossy)
    assert found.error == ""
    assert "us over a link of" in impossible(found.runs[0], lossy[0])


def test_what_the_kernels_own_algorithms_do_is_possible() -> None:
    for exp in networks(b"a" * 32):
        for cc in ("reno", "bbr"):
            (found,) = kernels_own(cc, (exp,))
            assert impossible(found, exp) == ""
            sooner = found | {"late_us": [late - 5000 for late in found["late_us"]]}
            assert "us over a link of" in impossible(sooner, exp)
            faster = found | {name: [one for one in found[name] for _ in "ab"] for name in found}
            assert "than the link can have carried" in impossible(faster, exp)


@only_whole
def test_two_leagues_write_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_league, "SECONDS", 5)
    monkeypatch.setattr(of_league, "NETWORKS", 1)
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries" / "ada.c").write_text(RENO)
    (tmp_path / "entries" / "bob.c").write_text(BROKEN)
    written = []
    for name in ("one.csv", "other.csv"):
        driven.cache_clear()
        league(tmp_path / "entries", tmp_path / "key", tmp_path / name, progress=False)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert b"ada" in written[0]


def test_no_entries_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="no entries"):
        league(tmp_path, tmp_path / "key", tmp_path / "league.csv", progress=False)


@pytest.mark.parametrize(
    "source",
    [
        *('#include "/etc/passwd"', "#  include <x>", 'asm("cli");', "__asm__(1)", "x" * 30_000),
        *("#define X(a) tcp_re##a", '".incbin"', "%:include <x>", "x = tcp_re\\\nno_x;", "#embed <x>"),
    ],
)
def test_a_source_that_reaches_further_is_not_taken(source: str) -> None:
    assert objection(source) != ""


def test_a_comment_may_name_anything() -> None:
    assert objection("/* unlike asm() */ int x; // #include <x>") == ""


def test_an_honest_source_is_taken() -> None:
    assert objection(RENO) == refusal(RENO) == ""


def test_an_entry_may_call_the_parts_of_reno_and_nothing_else() -> None:
    of_reno = RENO.replace("tcp_snd_cwnd(tcp_sk(sk)) * KEEP / 16U, 2U", "tcp_reno_ssthresh(sk), 2U")
    assert refusal(of_reno, PARTS_OF_RENO) == ""
    assert "tcp_reno_ssthresh" in refusal(of_reno)
    assert "tcp_done" in refusal(
        RENO.replace("		return;\n", "		tcp_done(sk);\n", 1), PARTS_OF_RENO
    )


def test_what_never_arrived_has_no_score_worth_having() -> None:
    rate, _, score = scored({"seq": [], "payload": [], "at_us": [], "late_us": []})
    assert rate == 0
    assert score < -5


def test_what_only_one_capture_has_is_no_result() -> None:
    assert scored({"seq": [1], "payload": [1448], "at_us": [1], "late_us": []})[0] == 0


def test_overlapping_segments_count_once_byte_by_byte() -> None:
    assert new_bytes([1, 2, 3, 1449], [1448, 1448, 1, 1448]) == 2896
    assert new_bytes([10, 1], [1, 100]) == 100
    assert new_bytes([], []) == 0


def test_a_copy_that_arrives_twice_counts_once() -> None:
    once = {"seq": [1, 1449], "payload": [1448, 1448], "at_us": [1, 2], "late_us": [1000, 1000]}
    twice = {name: column * 2 for name, column in once.items()}
    assert scored(once) == scored(twice)


def test_a_fault_of_the_lab_is_not_the_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "Traceback (most recent call last):\nTypeError: odd\n"
    monkeypatch.setattr(controls, "confined", lambda *arguments: Sent(STARTED, "", 1, said))
    with pytest.raises(CourseError, match="the lab failed while it drove this: TypeError: odd"):
        driven("/* 1 */", ())


@pytest.mark.parametrize(("status", "said"), [(137, ""), (1, "Traceback\nMemoryError\n")])
def test_a_module_that_takes_all_memory_is_told_so(
    status: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controls, "confined", lambda *arguments: Sent(STARTED, "", status, said))
    assert "out of memory" in driven(f"/* {status} */", ()).error


def test_the_compilers_words_reach_the_author() -> None:
    found = driven(BROKEN, networks(b"c" * 32)[:1])
    assert "expected ';'" in found.error
    assert found.runs == ()
