"""What running in the tab has in common with any place: progress, cache, limits, an open laboratory."""

from __future__ import annotations

import pytest

from labkit import Experiment, Flow, Lab, LimitReached, UnsupportedError, dumbbell, run
from labkit.execute.tab.pieces import Pieces

NET = dumbbell(rate="10mbit", delay="10ms", queue="100p")


def flow(duration: str, **fields: object) -> Experiment:
    return Experiment(NET, flows=[Flow("left", "right", duration=duration)], probes=[], **fields)


def test_progress_is_virtual_time_and_reaches_the_end(tab: Pieces) -> None:
    seen: list[float] = []
    result = run(flow("4s"), place="tab", cache=False, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] <= result.virtual_s + 1
    assert result.virtual_s == 4


def test_a_second_run_is_the_first_ones_result(tab: Pieces) -> None:
    first = run(flow("100ms"), place="tab")
    assert run(flow("100ms"), place="tab").folder == first.folder
    assert first.manifest["emulator"]["state"] == tab.key
    assert run(flow("100ms")).folder != first.folder


def test_a_run_beyond_its_wall_time_is_ended_with_what_it_has(tab: Pieces) -> None:
    with pytest.raises(LimitReached, match="wall_limit") as reached:
        run(flow("10min", wall_limit="2s"), place="tab", cache=False)
    assert reached.value.result.end_reason == "stopped"
    assert reached.value.result.raw.last_ns < 600e9


def test_an_open_laboratory_goes_on_where_it_was(tab: Pieces) -> None:
    with Lab(NET, place="tab") as lab, Lab(NET) as guest:
        for one in (lab, guest):
            one.start(Flow("left", "right", cc="reno", size="200kB", name="later"))
            one.advance("2s")
        assert lab.result().flows.equals(guest.result().flows)
        assert lab.result().flows["received_bytes"]["later"] == 200_000


def test_an_open_laboratory_refuses_commands_by_name(tab: Pieces) -> None:
    with Lab(NET, place="tab") as lab:
        with pytest.raises(UnsupportedError, match="the command 'true' on left"):
            lab.run("left", "true")
        assert lab.advance("1s") > 0
