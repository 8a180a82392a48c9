"""The order within one instant, as `Experiment` says it: changes, traffic, commands."""

from __future__ import annotations

import pytest

from labkit import Change, Command, Experiment, Flow, SysctlChange, dumbbell, run

RULES = "add table ip t; add chain ip t c { type filter hook output priority 0; }"
NO_SYN = f"nft '{RULES}; add rule ip t c tcp flags syn drop'"
EXP = Experiment(
    dumbbell(delay="5ms"), flows=[Flow("left", "right", size="20kB")], duration="0.9s", capture=["left"]
)


def opened(exp: Experiment) -> bool:
    return bool(run(exp).flows["complete"].iloc[0])


@pytest.mark.parametrize("at", [0, "100ms"])
def test_a_change_of_a_flows_first_instant_meets_its_first_packet(at: object) -> None:
    flows = [Flow("left", "right", size="20kB", start=at)]
    lossy = EXP.replace(flows=flows, changes=[Change(at, ("r1", "r2"), loss="100%")])
    assert opened(EXP.replace(flows=flows)) and not opened(lossy)
    first = run(EXP.replace(flows=flows, changes=[SysctlChange(at, "left", "net.ipv4.tcp_timestamps", 0)]))
    assert first.packet_table("left")["tsval"].eq(-1).all()


def test_the_last_of_two_changes_of_an_instant_holds() -> None:
    changes = [Change(0, ("r1", "r2"), loss=loss) for loss in ("100%", None)]
    assert opened(EXP.replace(changes=changes)) and not opened(EXP.replace(changes=changes[::-1]))


@pytest.mark.parametrize("start", [0, "10ms"])
def test_a_command_of_the_same_instant_or_before_meets_the_first_packet(start: object) -> None:
    flows = [Flow("left", "right", size="20kB", start=start)]
    assert opened(EXP.replace(flows=flows))
    assert not opened(EXP.replace(flows=flows, commands=[Command("left", NO_SYN)]))
