"""What ethtool says of segmentation, and what is sent: as book/architecture.md has it."""

from __future__ import annotations

import pytest

from labkit import Command, Experiment, Flow, Result, pair, run

ON = "ethtool -K eth0 tx on sg on tso on gso on"
EXP = Experiment(
    pair(rate="100mbit", delay="10ms", queue="200p"),
    flows=[Flow("left", "right", size="3MB", start="200ms")],
    capture=["left", "right"],
)


def longest(result: Result, host: str) -> int:
    return int(result.packet_table(host)["length"].max())


def after(line: str) -> Result:
    look = "ethtool -k eth0 | grep generic-segmentation-offload; ip -d link show eth0"
    return run(EXP.replace(commands=[Command("left", line, at="10ms"), Command("left", look, at="100ms")]))


def test_what_ethtool_turns_on_changes_nothing() -> None:
    result = after(ON)
    assert "offload: on" in result.output(1) and "gso_max_segs 1 " in result.output(1)
    assert longest(result, "left") == 1514
    assert result.flows["end_s"].equals(after("true").flows["end_s"])


def test_a_device_that_takes_more_segments_gets_them_and_the_run_adds_up() -> None:
    result = after(f"ip link set eth0 gso_max_segs 64; {ON}")
    assert longest(result, "left") > 20_000
    assert longest(result, "right") == 1514
    balance = result.balance()
    assert (balance["sent"] == balance[["delivered", "lost", "in_flight"]].sum(axis=1)).all()
    assert balance["lost"].eq(0).all()


@pytest.mark.parametrize("rmem_max", [None, 212992])
def test_the_ceiling_of_buffers_decides_the_window_scale(rmem_max: int | None) -> None:
    """As book/kernel.md says: windows in units of 2^14 bytes, on a stock machine of 2^7."""
    sysctls = {} if rmem_max is None else {"net.core.rmem_max": rmem_max}
    packets = run(EXP.replace(sysctls=sysctls)).packet_table("left")
    windows = packets[(packets["direction"] == "in")]["window"].iloc[1:]
    assert (windows % (1 << (14 if rmem_max is None else 7)) == 0).all()
    assert (windows % (1 << 14) == 0).all() == (rmem_max is None)
