"""%%cc: a congestion control from a cell is the kernel's own where it is the same; its faults have a line."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from labkit import (
    CellError,
    Experiment,
    Flow,
    Lab,
    LabKernelError,
    SpecError,
    callbacks,
    compile_cc,
    pair,
    run,
)
from labkit.execute.guest.kernel import modules
from labkit.execute.machine import process
from labkit.lab.compile_cc import source_of
from labkit.results.result import Result
from labkit.spec import DropPackets, custom_cc

SOUND = """static int left = 8;
module_param(left, int, 0644);

static u32 NAME_ssthresh(struct sock *sk)
{
	return max(tcp_snd_cwnd(tcp_sk(sk)) * left / 16, 2U);
}

static void NAME_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	/* here */
	if (tp->snd_cwnd)
		tcp_reno_cong_avoid(sk, ack, acked);
}
"""
HERE = 12
SAME = ["time_s", "direction", "payload", "flags", "window"]


@pytest.fixture(autouse=True)
def nothing_stays() -> None:
    for name in custom_cc.names():
        custom_cc.forget(name)


def cell(name: str, here: str = "", **changed: str) -> str:
    text = SOUND
    for before, after in changed.items():
        text = text.replace(before, after)
    return text.replace("/* here */", here).replace("NAME", name)


def sent(cc: str, loss: str = "1%") -> Result:
    net = pair(rate="20mbit", delay="5ms", queue="50p", loss=loss)
    flow = Flow("left", "right", cc=cc, size="3MB", start="0.1s")
    return run(Experiment(net, flows=[flow], capture=["left"], probes=[]))


@pytest.mark.parametrize("loss", ["0%", "1%", "10%"])
def test_reno_written_in_a_cell_sends_what_reno_sends_and_when(loss: str) -> None:
    """So the wrappers and the compiler's checks change nothing."""
    compile_cc("mine", cell("mine"))
    packets = [sent(cc, loss).packet_table("left") for cc in ("reno", "mine")]
    assert len(packets[0]) > 1000
    assert packets[0][SAME].equals(packets[1][SAME])


FAULTS = {
    "acked = acked / (tp->snd_cwnd - tp->snd_cwnd);": "division by zero",
    "struct tcp_sock *q = NULL; acked += q->snd_cwnd;": "a NULL pointer is followed",
    "u32 *q = (u32 *)0xdead00000000ULL; acked += *q;": "memory that is not there",
    "while (tp->snd_cwnd) ;": "a loop that does not end",
    "for (;;) {}": "a loop that does not end",
    "NAME_cong_avoid(sk, ack, acked + 1);": "no stack is left",
    "u32 a[4] = {0}; acked += a[tp->snd_cwnd];": "an index outside of the array",
    "acked += 1 << tp->snd_cwnd * 10;": "a shift by",
    "msleep(1);": "a callback must not sleep",
    "schedule();": "a callback must not sleep",
    "kfree(kmalloc(64, GFP_KERNEL));": "GFP_ATOMIC",
    "tp->cwnd = 3;": "has no member named 'cwnd'",
    "acked = 3": "expected ';'",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_the_line_of_the_cell_and_the_next_cell_works(fault: str) -> None:
    with pytest.raises(CellError) as caught:
        compile_cc("broken", cell("broken", fault))
    assert caught.value.line == HERE
    assert FAULTS[fault] in str(caught.value)
    assert f"{HERE:5} | " in str(caught.value)
    with pytest.raises(SpecError, match="no such congestion control"):
        sent("broken")
    compile_cc("broken", cell("broken"))
    assert sent("broken").goodput().iloc[0] > 1


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (cell("odd", **{"max(": "0 * max("}), 4, "ssthresh returns 0"),
        (cell("odd", "return;"), 9, "the window never grows"),
        (cell("odd", "tcp_reno_cong_avoid(sk, ack, acked); tp->snd_cwnd = 0; return;"), 9, "a window of 0"),
        (cell("odd", NAME_ssthresh="NAME_sstresh"), 4, "write odd_ssthresh"),
        (cell("odd", **{"u32 ack, u32": "int ack, u32"}), 9, "incompatible pointer type"),
        (cell("odd") + "struct odd { u32 much[100]; };\n", 16, "104 bytes"),
        (
            "static void odd_cong_avoid(struct sock *sk, u32 ack, u32 acked)\n{\n}\n",
            None,
            "no function odd_ssthr",
        ),
    ],
)
def test_what_the_compiler_does_not_mind_has_a_line_as_well(text: str, line: int | None, said: str) -> None:
    with pytest.raises(CellError, match=said) as caught:
        compile_cc("odd", text)
    assert caught.value.line == line


def test_a_cell_leaves_no_file_that_a_kill_could_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    compile_cc("mine", cell("mine"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["cubic", "1st", "Mine", "a-b", "much_too_long_a_name", ""])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(CellError, match=f"%%cc {name}"):
        compile_cc(name, cell("mine"))


def test_a_fault_that_waits_for_a_run_has_its_line_there() -> None:
    compile_cc("late", cell("late", "tp->snd_cwnd_cnt += 16 / left - 16 / left;"), first_line=2)
    flow = Flow("left", "right", cc="late", size="100kB")
    exp = Experiment(pair(delay="5ms"), flows=[flow], module_parameters={"own_late.left": 0})
    with pytest.raises(LabKernelError, match=f"late, line {HERE + 1}: division by zero\n"):
        run(exp)


def test_a_table_of_ones_own_is_taken_as_it_is() -> None:
    table = """static struct tcp_congestion_ops own_ops = {
	.name = "%s", .ssthresh = whole_ssthresh,
	.cong_avoid = whole_cong_avoid,%s
};
"""
    undo = "\n\t.undo_cwnd = tcp_reno_undo_cwnd,"
    compile_cc("whole", cell("whole") + table % ("whole", undo))
    assert sent("whole").goodput().iloc[0] == sent("reno").goodput().iloc[0]
    with pytest.raises(CellError, match=r"has no \.undo_cwnd"):
        compile_cc("whole", cell("whole") + table % ("whole", ""))
    with pytest.raises(CellError, match="the cell is %%cc whole") as caught:
        compile_cc("whole", cell("whole") + table % ("other", undo))
    assert caught.value.line == 17


def test_callbacks_are_told_in_the_order_in_which_the_kernel_calls_them() -> None:
    compile_cc("mine", cell("mine"))
    net = pair(rate="5mbit", delay="20ms", queue="200p", loss=DropPackets([60]))
    exp = Experiment(net, flows=[Flow("left", "right", cc="mine", duration=0.8)], probes=["recovery"])
    calls = callbacks(exp, "mine").query("side == 'sender'")
    asked = calls[calls.callback == "ssthresh"]
    states = calls[calls.callback == "set_state"]
    assert list(states.said[:3]) == ["Disorder", "Recovery", "Open"]
    assert list(asked.result) == list(asked.cwnd // 2) and len(asked) == 1
    seen = run(exp).cong_states.query("side == 'sender' and state == 'Recovery'").time_s.iloc[0]
    assert asked.time_s.iloc[0] == pytest.approx(seen, abs=1e-6)


def test_an_open_laboratory_takes_one_too() -> None:
    compile_cc("mine", cell("mine"))
    with Lab(pair(rate="10mbit", delay="5ms")) as lab:
        lab.start(Flow("left", "right", cc="mine", size="100kB"))
        lab.advance("1s")
        assert "mine" in lab.run("left", "cat /proc/sys/net/ipv4/tcp_available_congestion_control").stdout


def test_the_whole_source_can_be_shown() -> None:
    compile_cc("mine", cell("mine"))
    assert "static u32 mine_ssthresh" in source_of("mine") and "module_init" in source_of("mine")
    with pytest.raises(CellError, match="there is no %%cc yours"):
        source_of("yours")


def test_a_cell_that_did_not_change_is_neither_compiled_nor_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []

    def noted(what: str, begin: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*args: Any, **options: Any) -> Any:
            begun.append(what)
            return begin(*args, **options)

        return noting

    monkeypatch.setattr(modules, "run", noted("compiler", modules.run))
    monkeypatch.setattr(process, "_spawn", noted("guest", process._spawn))
    text = cell("quick", f"/* {uuid4()} */")  # never seen before, by the cache either
    compile_cc("quick", text)
    assert begun == ["compiler", "guest"]
    compile_cc("quick", text)
    assert begun == ["compiler", "guest"]
    compile_cc("quick", text.replace("left = 8", "left = 9"))
    assert begun == ["compiler", "guest"] * 2
