"""What running as WebAssembly has in common with any place: progress, cache, limits, an open laboratory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from labkit import Experiment, Flow, Lab, LimitReached, UnsupportedError, dumbbell, run
from labkit.execute.wasm.linked import Linked

InNode = Callable[[], AbstractContextManager[None]]
NET = dumbbell(rate="10mbit", delay="10ms", queue="100p")


def flow(duration: str, **fields: object) -> Experiment:
    return Experiment(NET, flows=[Flow("left", "right", duration=duration)], probes=[], **fields)


def test_progress_is_virtual_time_and_reaches_the_end(wasm: Linked) -> None:
    seen: list[float] = []
    result = run(flow("200s"), place="wasm", cache=False, progress=seen.append)
    assert seen == sorted(seen)
    assert 0 < seen[-1] <= result.virtual_s + 1
    assert result.virtual_s == 200


def test_two_runs_are_the_same_bytes_and_the_second_is_kept(wasm: Linked) -> None:
    exp = flow("100ms")
    first = run(exp, place="wasm")
    assert run(exp, place="wasm").folder == first.folder
    assert run(exp, place="wasm", cache=False).digest() == first.digest()
    assert first.manifest["module"]["key"] == wasm.key
    assert (first.place, run(exp).place, run(exp, place="guest").place) == ("wasm", "wasm", "guest")


def test_a_run_in_node_beyond_its_wall_time_ends_with_what_it_has(in_node: InNode) -> None:
    """As a program: tests/guest/walls."""
    with in_node(), pytest.raises(LimitReached, match="wall_limit") as reached:
        run(flow("10h", wall_limit="2s", time_limit="20h"), place="wasm", cache=False)
    assert reached.value.result.end_reason == "stopped"
    assert 0 < reached.value.result.raw.last_ns < 36_000e9


def test_an_open_laboratory_goes_on_where_it_was(wasm: Linked) -> None:
    with Lab(NET, place="wasm") as lab, Lab(NET) as guest:
        for one in (lab, guest):
            one.start(Flow("left", "right", cc="reno", size="200kB", name="later"))
            one.advance("2s")
        assert lab.result().flows.equals(guest.result().flows)
        assert lab.result().flows["received_bytes"]["later"] == 200_000


def test_an_open_laboratory_refuses_commands_by_name(wasm: Linked) -> None:
    with Lab(NET, place="wasm") as lab:
        with pytest.raises(UnsupportedError, match="the command 'true' on left"):
            lab.run("left", "true")
        assert lab.advance("1s") > 0


def test_an_open_laboratory_refuses_a_setting_of_64_bits(wasm: Linked) -> None:
    with Lab(NET, place="wasm") as lab:
        with pytest.raises(UnsupportedError, match=r"sysctl net\.ipv4\.ipfrag_high_thresh = 4294967296"):
            lab.sysctl("left", "net.ipv4.ipfrag_high_thresh", 2**32)
        lab.sysctl("left", "net.ipv4.ipfrag_high_thresh", 2**31 - 1)
        assert lab.advance("1s") > 0


def test_it_has_the_memory_that_is_asked_for(wasm: Linked) -> None:
    assert run(flow("100ms", memory="256MiB"), place="wasm", cache=False).flows["received_bytes"].item() > 0
