"""Cells of %%cc before anything is compiled: what is put around them, and what is missing in them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from labkit.errors import CellError
from labkit.execute.guest.custom_cc.finding import finding, found_in
from labkit.execute.guest.custom_cc.writing import callbacks_of, module_source
from labkit.spec import Experiment, Flow, custom_cc
from labkit.spec.topologies import pair

CELL = """static u32 mine_ssthresh(struct sock *sk)
{
	return 2; /* static u32 mine_cong_control(...) */
}

static void mine_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
}
"""


@pytest.fixture
def mine() -> Iterator[custom_cc.CustomCC]:
    custom_cc.know(written := custom_cc.CustomCC("mine", CELL, 2, ""))
    yield written
    custom_cc.forget("mine")


def test_the_cell_keeps_its_own_lines() -> None:
    text = module_source("mine", CELL, 2)
    assert f'#line 2 "mine"\n{CELL.rstrip()}\n' in text
    assert '#line 7 "mine"\n\t.cong_avoid = mine_cong_avoid,' in text
    assert "@" not in text.replace("@NAME@", "@").replace(CELL, "")


def test_callbacks_are_found_by_their_names_but_not_in_comments() -> None:
    assert callbacks_of("mine", CELL) == ["ssthresh", "cong_avoid"]
    assert "mine_cong_control," not in module_source("mine", CELL, 1)


def test_who_has_no_undo_gets_renos() -> None:
    assert ".undo_cwnd = tcp_reno_undo_cwnd" in module_source("mine", CELL, 1)


@pytest.mark.parametrize(
    ("slip", "said", "line"),
    [("mine_sstresh", "write mine_ssthresh", 1), ("reno_ssthresh", "write mine_ssthresh", 1)],
)
def test_a_slip_in_a_name_is_guessed(slip: str, said: str, line: int) -> None:
    with pytest.raises(CellError, match=said) as caught:
        module_source("mine", CELL.replace("mine_ssthresh", slip), 1)
    assert caught.value.line == line


def test_an_experiment_takes_it_by_its_name(mine: custom_cc.CustomCC) -> None:
    exp = Experiment(pair(delay="1ms"), flows=[Flow("left", "right", cc="mine", size="1MB")])
    assert exp.modules == ("mine",)
    assert Experiment.model_validate_json(exp.to_json()).digest() == exp.digest()
    plain = Experiment(pair(delay="1ms"), flows=[Flow("left", "right", size="1MB")])
    assert plain.modules == ()


def test_a_finding_shows_the_line(mine: custom_cc.CustomCC) -> None:
    console = "x\nKernel panic - not syncing: labkit-cc mine:4: division by zero\n [<60>] ? y+0x0/0x20\n"
    assert (
        finding(console)
        == "mine, line 4: division by zero\n    4 |     return 2; /* static u32 mine_cong_control(...) */"
    )
    assert found_in("Kernel panic - not syncing: something else") == ("", None, "")
    assert (
        finding("labkit-cc gone at f+0x2/0x9 [own_gone]: no stack")
        == "gone, the congestion control: no stack"
    )
