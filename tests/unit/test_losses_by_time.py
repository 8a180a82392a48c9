"""A loss by time: what is written for the agent, what is read of it, and what of it has a path."""

from __future__ import annotations

import struct

import pytest

from labkit.compile import links
from labkit.compile.compiler import compile_experiment
from labkit.compile.layout import lay_out
from labkit.compile.steps import ChainStep, Steps
from labkit.decode import states
from labkit.decode.raw import Raw, RawFormatError
from labkit.netlink.message import decode_tc
from labkit.program.structs import Kind
from labkit.spec import Change, ContinuousGilbertElliott, Direction, Experiment, GilbertElliott
from labkit.spec.paths import with_field
from labkit.spec.topologies import pair

LOSS = ContinuousGilbertElliott("2s", "10ms", loss_bad=0.5, loss_good=0.25)
WAY = Direction(delay="5ms", jitter="1ms", distribution="pareto", reorder="1%", duplicate="2%", loss=LOSS)
EXP = Experiment(pair(forward=WAY), duration=1)
HEAD = struct.Struct("<4Q2I")
NEW = Direction(delay="7ms", loss="1%")


def chains(steps: Steps) -> list[bytes]:
    return [step.body for step in steps if isinstance(step, ChainStep)]


def changed(old: Direction, new: Direction, number: int = 1) -> list[bytes]:
    layout = lay_out(EXP)
    return chains(links.change(layout, ("left", "right"), old, new, 1500, seed=1, number=number))


def test_a_chain_has_its_means_and_a_message_for_either_state() -> None:
    (body,) = chains(links.build(lay_out(EXP), EXP.topology.links[0], 1))
    seed, draws, good_ns, bad_ns, index, draw_at = HEAD.unpack_from(body)
    assert (good_ns, bad_ns) == (2 * 10**9, 10**7)
    assert len({seed, draws, 0}) == 3
    good, bad = decode_tc(body[HEAD.size :])
    size = (len(body) - HEAD.size) // 2
    for message, share in ((good, 0.25), (bad, 0.5)):
        options = message.get_attr("TCA_OPTIONS")
        assert options["loss"] == round(share * (2**32 - 1))
        assert options.get_attr("TCA_NETEM_LATENCY64") == 5_000_000
        assert options.get_attr("TCA_NETEM_JITTER64") == 1_000_000
        assert options.get_attr("TCA_NETEM_REORDER")["prob_reorder"] > 0
        assert options["duplicate"] > 0
        assert options.get_attr("TCA_NETEM_DELAY_DIST") is None  # it stays
        assert message["index"] == index
    written = bytearray(body[HEAD.size :])
    written[draw_at : draw_at + 8] = written[size + draw_at : size + draw_at + 8] = b"12345678"
    for message in decode_tc(bytes(written)):
        seed = message.get_attr("TCA_OPTIONS").get_attr("TCA_NETEM_PRNG_SEED")
        assert seed == int.from_bytes(b"12345678", "little")


def test_what_a_change_says_of_a_chain() -> None:
    begins, goes_on, ends = (
        changed(NEW, WAY),
        changed(WAY, WAY.replace(delay="6ms")),
        changed(WAY, NEW),
    )
    assert [HEAD.unpack_from(body)[2:4] for body in begins + goes_on] == [(2 * 10**9, 10**7)] * 2
    assert decode_tc(goes_on[0][HEAD.size :])[1].get_attr("TCA_OPTIONS")["delay"] > 0
    assert [HEAD.unpack(body)[:4] for body in ends] == [(0, 0, 0, 0)]
    assert changed(NEW, NEW.replace(delay="8ms")) == []
    assert changed(NEW, WAY, number=2) != begins  # a chain that begins later has seeds of its own


def test_a_program_without_such_a_loss_has_no_chain_in_it() -> None:
    plain = EXP.replace(
        topology=pair(loss=GilbertElliott(0.1, 0.5)), changes=[Change(0.5, ("left", "right"), loss="1%")]
    )
    assert not any("by time" in why for why in compile_experiment(plain).why)
    assert sum("by time" in why for why in compile_experiment(EXP).why) == 1


def test_its_fields_have_paths() -> None:
    for path, value in (("good", 4.0), ("bad", 0.5), ("loss_bad", 0.75)):
        changed = with_field(EXP, f"links.left-right.forward.loss.{path}", value)
        loss = changed.topology.links[0].forward.loss
        assert isinstance(loss, ContinuousGilbertElliott)
        assert getattr(loss, path) == value


def test_it_survives_json_and_yaml_and_counts_in_the_digest() -> None:
    assert Experiment.from_json(EXP.to_json()) == EXP
    assert '"kind":"continuous_gilbert_elliott"' in EXP.canonical()
    assert EXP.digest() != EXP.replace(topology=pair(forward=WAY.replace(loss=None))).digest()


def state(interface: int, value: int, at_ns: int) -> bytes:
    return struct.pack("<HHIq2I", Kind.STATE, 0, 24, at_ns, interface, value)


END = struct.pack("<HHIqIIQ", Kind.END, 0xFFFF, 32, 9 * 10**9, 1, 0, 0)
WAYS = {7: ("left", "right"), 8: ("right", "left")}


def periods(*records: bytes) -> list[tuple[object, ...]]:
    table = states.periods(Raw(b"".join(records)), WAYS)
    assert list(table) == list(states.UNITS)
    return list(table.itertuples(index=False, name=None))


def test_a_period_lasts_until_the_next_the_chain_s_end_or_the_run_s() -> None:
    second = 10**9
    found = periods(
        state(7, 0, 0), state(8, 1, second), state(7, 1, 2 * second), state(7, 2, 3 * second), END
    )
    assert found == [
        (0, 2, "left", "right", "good"),
        (1, 9, "right", "left", "bad"),
        (2, 3, "left", "right", "bad"),
    ]


def test_without_a_chain_there_are_no_periods_and_without_an_end_they_go_as_far_as_is_known() -> None:
    assert periods(END) == []
    assert periods(state(7, 0, 0), state(7, 1, 10**9)) == [
        (0, 1, "left", "right", "good"),
        (1, 1, "left", "right", "bad"),
    ]


def test_a_state_that_is_cut_is_damage() -> None:
    cut = struct.pack("<HHIqI4x", Kind.STATE, 0, 20, 0, 7)
    with pytest.raises(RawFormatError):
        periods(cut, END)
