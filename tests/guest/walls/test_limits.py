"""Nothing runs away: what is written without end, or never lets go of the processor, ends where it should,
with what was measured until then and with a message that names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from labkit.errors import LimitReached
from labkit.lab.laboratory import Lab
from labkit.program.structs import Kind
from labkit.results.replay import ProbeMissingError
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Command, Experiment, Flow
from labkit.spec.topologies import pair
from tests.guest.helpers import fresh

NET = pair(rate="10mbit", delay="5ms")
FLOW = Flow("left", "right", size="2MB")
ENDLESS = Flow("left", "right", duration="50000s")
MODULE = """
#include <linux/module.h>
static int __init start(void) { for (;;) %s; return 0; }
module_init(start);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("never lets go");
"""

LATER = """
#include <linux/module.h>
#include <linux/timer.h>
static void spin(struct timer_list *t) { for (;;) barrier(); }
static DEFINE_TIMER(timer, spin);
static int __init start(void) { mod_timer(&timer, jiffies + 3 * HZ); return 0; }
module_init(start);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("lets go for three seconds");
"""


def cut(exp: Experiment, *words: str) -> Result:
    """What was measured of a run that a limit ends, whose message has these words."""
    with pytest.raises(LimitReached) as caught:
        fresh(exp)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)
    assert isinstance(caught.value.result, Result)
    return caught.value.result


def size(result: Result) -> int:
    return (result.folder / "raw").stat().st_size


def test_a_command_that_prints_without_end_is_cut_to_the_byte() -> None:
    exp = Experiment(NET, flows=[FLOW], commands=[Command("left", "yes"), Command("right", "echo hi")])
    exp = exp.replace(output_limit="3MB")
    words = ("'yes' on left printed more than 3 MB", 'Experiment(..., output_limit="30MB")', "virtual time")
    first = cut(exp, *words)
    assert first.output(0) == "y\n" * 1_500_000
    assert first.end_reason == "size"
    assert size(first) < 4_000_000
    digest = first.digest()
    assert cut(exp, *words).digest() == digest


def test_without_a_limit_of_its_own_a_command_prints_a_hundred_megabytes() -> None:
    result = cut(Experiment(NET, commands=[Command("left", "yes")]), "100 MB (output_limit)")
    assert len(result.output(0)) == 100_000_000


def test_what_fits_its_limit_is_whole() -> None:
    exp = Experiment(NET, commands=[Command("left", "head -c 500000 /dev/zero | tr '\\0' x")])
    assert fresh(exp.replace(output_limit=500_000)).output(0) == "x" * 500_000
    assert cut(exp.replace(output_limit=499_999), "output_limit").output(0) == "x" * 499_999


@pytest.mark.usefixtures("each_kernel")
def test_a_capture_ends_at_its_limit() -> None:
    exp = Experiment(NET, flows=[FLOW], capture=["left", "right"], capture_limit="200kB")
    result = cut(exp, "the capture of", ".eth0 wrote more than 200 kB (capture_limit)", "raise it")
    assert 50 < len(result.packet_table("right")) < 400
    assert size(result) < 600_000


@pytest.mark.usefixtures("each_kernel")
def test_lost_packets_count_as_captured_ones() -> None:
    net = pair(rate="1mbit", delay="5ms", queue="5p")
    flow = Flow("left", "right", protocol="udp", rate="10mbit", duration="5s")
    exp = Experiment(net, flows=[flow], probes=["drops"], capture_limit="50kB")
    result = cut(exp, 'the probe "drops" wrote more than 50 kB (capture_limit)')
    assert len(result.drops) > 10


@pytest.mark.usefixtures("each_kernel")
def test_traces_end_at_their_limit() -> None:
    exp = Experiment(NET, flows=[FLOW], probes=["tcp_probe"], trace_limit="10kB")
    result = cut(exp, "traces", "more than 10 kB (trace_limit)")
    assert size(result) < 100_000


@pytest.mark.usefixtures("each_kernel")
def test_the_raw_file_ends_at_its_limit() -> None:
    exp = Experiment(NET, flows=[ENDLESS], sample_interval="1ms", raw_limit="1MB", time_limit="50000s")
    result = cut(exp, "the run wrote more than 1 MB (raw_limit)")
    assert 1_000_000 < size(result) < 1_100_000
    assert result.flows["received_bytes"].iloc[0] > 0


def test_a_run_that_a_limit_of_bytes_ends_can_be_had_again() -> None:
    exp = Experiment(NET, flows=[FLOW], commands=[Command("left", "yes", at="0.5s")], output_limit="1MB")
    result = cut(exp.replace(probes=["tcp_info"]), "output_limit")
    assert len(result.tcp_probe) > 100
    assert result.drops.empty


def test_within_its_limits_a_run_is_as_without_them() -> None:
    exp = Experiment(NET, flows=[FLOW], commands=[Command("left", "echo hi")], capture=["left"])
    tight = exp.replace(output_limit=100, capture_limit="10MB", trace_limit="10MB", raw_limit="20MB")
    assert tight.digest() != exp.digest()
    assert fresh(tight).digest() == fresh(exp).digest()


def hog(tmp_path: Path, name: str, what: str) -> str:
    source = tmp_path / f"{name}.c"
    source.write_text(MODULE % what)
    return str(source)


BUSY: dict[str, Callable[[Path], Experiment]] = {
    "a busy program": lambda _: Experiment(
        NET, flows=[ENDLESS], commands=[Command("left", "echo so far; while :; do :; done", at="0.5s")]
    ),
    "a program that prints": lambda _: Experiment(
        NET,
        flows=[ENDLESS],
        commands=[Command("left", "yes", at="0.5s")],
        output_limit="1TB",
        raw_limit="1TB",
    ),
    "a module's endless loop": lambda path: Experiment(
        NET, flows=[ENDLESS], modules=[hog(path, "spins", "barrier()")]
    ),
    "a module that prints": lambda path: Experiment(
        NET, flows=[ENDLESS], modules=[hog(path, "prints", 'pr_alert("again and again\\n")')]
    ),
    "a long run": lambda _: Experiment(NET, flows=[ENDLESS], time_limit="50000s"),
}


@pytest.mark.parametrize("name", BUSY)
def test_a_wall_limit_of_a_second_ends_what_never_lets_go_with_what_it_measured(
    name: str, tmp_path: Path
) -> None:
    exp = BUSY[name](tmp_path)
    result = cut(
        exp.replace(wall_limit="1s", duration="50000s", time_limit="50000s"), "wall_limit", "1 s of wall"
    )
    assert result.wall_s < 5.0  # 1.5 s on a machine with nothing else to do; it was 11 s and more
    assert result.end_reason == "stopped"
    assert result.virtual_s >= (0.0 if exp.modules else 0.5)
    if exp.commands:
        assert str(result.output(0)).startswith("so far\n" if "so far" in exp.commands[0].command else "y\n")
        assert len(result.tcp_info) > 0
        assert result.interfaces["host"].nunique() == 2
    for table in ("flows", "counters", "interfaces", "commands", "qdiscs", "softnet", "errors", "requests"):
        assert result.table(table) is not None
    result.goodput()
    assert "stopped" in repr(result) and "stopped" in result._repr_html_()


def test_a_program_that_computes_is_named_and_what_came_before_it_is_there() -> None:
    commands = [
        Command("left", "sleep 0.2; echo calm"),
        Command("right", "echo hello; while :; do :; done", at=0.5),
    ]
    exp = Experiment(NET, flows=[FLOW], commands=commands, wall_limit="1s", capture=["left"])
    result = cut(exp, "wall_limit", "'echo hello; while :; do :; done' on right computed without")
    assert [str(result.output(i)) for i in (0, 1)] == ["calm\n", "hello\n"]
    assert result.virtual_s == pytest.approx(0.5, abs=1e-3)
    assert len(result.packet_table("left")) > 0


def test_a_program_within_a_command_that_computes_is_ended_too() -> None:
    exp = Experiment(
        NET, commands=[Command("left", "bash -c 'while :; do :; done'; echo after")], wall_limit="1s"
    )
    assert cut(exp, "a program of a command computed").output(0) == "after\n"


def test_what_a_stopped_run_did_not_record_says_why_it_cannot_be_had() -> None:
    exp = Experiment(NET, flows=[ENDLESS], commands=[Command("left", "while :; do :; done")], wall_limit="1s")
    result = cut(exp, "wall_limit")
    with pytest.raises(ProbeMissingError, match=r"drops: not recorded.*wall_limit.*cannot be had.*probes="):
        result.also(probes={"drops"})
    with pytest.raises(ProbeMissingError, match="drops: not recorded"):
        assert result.drops.empty
    recorded = cut(exp.replace(probes=["drops"]), "wall_limit")
    assert recorded.drops.empty


def test_an_open_laboratory_outlives_a_flood() -> None:
    with Lab(NET, output_limit="2MB") as lab:
        with pytest.raises(
            LimitReached, match=r"'yes' on left printed more than 2 MB .*Lab\(\.\.\."
        ) as caught:
            lab.run("left", "yes", timeout="1s")
        assert caught.value.result.stdout == "y\n" * 1_000_000  # type: ignore[union-attr]
        assert lab.run("left", "echo alive").stdout == "alive\n"
        with pytest.raises(LimitReached, match="'yes' on right"):
            lab.spawn("right", "yes")
            lab.advance("1s")
        lab.start(FLOW)
        lab.advance("5s")
        assert lab.result().flows["complete"].all()


def test_a_flow_starts_in_a_laboratory_with_a_longer_limit() -> None:
    with Lab(NET, time_limit="3h") as lab:
        lab.start(FLOW)
        lab.advance("5s")
        assert lab.result().flows["complete"].all()


def test_a_laboratory_that_has_written_too_much_is_closed() -> None:
    with Lab(NET, output_limit="2MB", raw_limit="3MB") as lab:
        with pytest.raises(LimitReached, match="output_limit"):
            lab.run("left", "yes")
        with pytest.raises(LimitReached, match=r"raw_limit.*the laboratory is closed"):
            lab.run("left", "yes")


def test_the_raw_file_of_a_killed_run_is_a_prefix_of_the_whole_one(tmp_path: Path) -> None:
    source = tmp_path / "later.c"
    source.write_text(LATER)
    exp = Experiment(NET, flows=[FLOW], commands=[Command("left", "sleep 1")], modules=[str(source)])
    result = cut(exp.replace(wall_limit="1s"), "wall_limit", "raise it;")
    assert result.raw.truncated
    assert len(result.raw.records(Kind.END)) == 0
    whole = run(exp.replace(duration="0.9s"))
    same = min(size(result), 20_000)
    assert bytes(result.raw.data[:same]) == bytes(whole.raw.data[:same])
