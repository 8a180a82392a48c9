"""An open laboratory goes on after a step that the kernel has refused."""

from __future__ import annotations

import errno
from pathlib import Path

from labkit.netlink.message import dump_qdiscs
from labkit.netlink.veth import set_up
from labkit.program.builder import Program
from labkit.program.structs import END_REASONS, PROGRAM_MORE, Kind, Op
from tests.agent.harness import execute


def _program(messages: list[bytes], *, first: bool = False, flags: int = PROGRAM_MORE) -> bytes:
    program = Program(flags=flags)
    if first:
        program.netns(0, "a")
        program.add(Op.COUNTERS, dump_qdiscs(), "counters")
    program.netlink(messages, "a change", ns=0)
    return program.end(duration_ns=10**6, limit_ns=0)


def test_the_next_change_is_not_told_the_errors_of_the_one_before(agent: Path, user: int | None) -> None:
    """What is refused is not the last message; the kernel's answers to the others must not be left behind."""
    twice = _program([set_up(77), set_up(1), set_up(1)]), _program([set_up(1), set_up(77), set_up(77)])
    outcome = execute(
        agent, _program([set_up(1)], first=True), user, then=[*twice, _program([set_up(1)], flags=0)]
    )
    assert (outcome.status, outcome.said) == (0, "")
    ends = outcome.raw.heads(outcome.raw.records(Kind.END))["reason"]
    assert [END_REASONS[int(reason)] for reason in ends] == ["duration", "error", "error", "duration"]
    assert len(outcome.errors) == 2


def test_the_error_names_the_message_that_was_refused(agent: Path, user: int | None) -> None:
    outcome = execute(agent, _program([set_up(1), set_up(77), set_up(1)], first=True, flags=0), user)
    (error,) = outcome.raw.heads(outcome.raw.records(Kind.ERROR))
    assert (error["record"], error["message"], error["error"]) == (2, 1, errno.ENODEV)
