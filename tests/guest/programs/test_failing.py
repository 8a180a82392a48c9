"""Commands that fail in the lab kernel, and those that only look so."""

from __future__ import annotations

import warnings

import pytest

from labkit import Command, CommandWarning, Experiment, Flow, Lab, pair, run

EXP = Experiment(
    pair(rate="10mbit"), flows=[Flow("left", "right", duration="0.2s")], duration="0.3s", probes=[]
)


def test_a_typo_in_tc_is_told_each_time() -> None:
    """Of a result from the cache as well."""
    exp = EXP.replace(commands=[Command("left", "tc qdisc replace dev eth0 root nteem loss 5%")])
    for _ in range(2):
        with pytest.warns(CommandWarning, match=r"tc qdisc .* on left failed: exit status [12]: .*nteem"):
            result = run(exp)
    assert "command 0 on left failed" in repr(result)


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.warns(CommandWarning, match="exit status 127: .*not found"):
        run(EXP.replace(commands=[Command("right", "no-such-program")]))


def test_what_runs_until_the_end_has_not_failed() -> None:
    """A server, one in the background, one behind a pipe: they are ended with the run."""
    lines = ["sleep 100", "sleep 100 & wait", "yes | sleep 100", "trap '' TERM; sleep 100; true"]
    exp = EXP.replace(commands=[Command("right", line) for line in lines])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = run(exp)
    assert result.commands["status"].tolist() == [-9] * len(lines)
    assert result.failed_commands.empty


def test_a_laboratory_shows_what_failed_where_it_was_typed() -> None:
    with Lab(pair()) as lab:
        assert lab.run("left", "exit 3").status == 3
        assert lab.result().failed_commands.empty
