"""What a shell on a host would set, set by the experiment: the same run, and in both kernels."""

from __future__ import annotations

import pytest

from labkit import Command, Experiment, Flow, Result, dumbbell, pair, run
from labkit.errors import AgentError, UnsupportedError
from labkit.execute.wasm.linked import Linked
from tests.wasm.cells import compared

HYSTART = {"tcp_cubic.hystart": 0}
BY_SHELL = Command("left", "sh -c 'echo 0 > /sys/module/tcp_cubic/parameters/hystart'")
QUICKLY = Command("right", "ip route change default via 10.0.3.1 quickack 1")
SAME = ["time_s", "snd_cwnd", "ssthresh", "srtt_us"]  # a program draws, and sequence numbers begin elsewhere
OF_A_PACKET = ["time_s", "direction", "length", "flags", "window"]
FLOW = Flow("left", "right", cc="cubic", duration="4s", start="0.1s")
EXP = Experiment(
    pair(rate="10mbit", delay="20ms", queue="66p"), flows=[FLOW], probes=["tcp_info", "tcp_probe"]
)
ROUTED = Experiment(dumbbell(rate="10mbit", delay="20ms", queue="66p"), flows=[FLOW], capture=["right"])
ACKING = ROUTED.replace(topology=ROUTED.topology.with_routes("right", quickack=1))


def fresh(exp: Experiment, place: str = "guest") -> Result:
    return run(exp, place=place, cache=False)


def same(one: Result, other: Result) -> bool:
    found = compared(one, other)
    assert len(found) > 3
    return not any(found.values())


def test_a_parameter_does_what_a_shell_does() -> None:
    as_it_is, by_shell, given = map(
        fresh, (EXP, EXP.replace(commands=[BY_SHELL]), EXP.replace(module_parameters=HYSTART))
    )
    ours, theirs = (result.tcp_probe[SAME] for result in (given, by_shell))
    assert len(ours) > 1000 and ours.equals(theirs)
    assert given.retransmits().iloc[0] > 5 * as_it_is.retransmits().iloc[0]


def test_routes_do_what_a_shell_does() -> None:
    as_it_is, by_shell, given = map(fresh, (ROUTED, ROUTED.replace(commands=[QUICKLY]), ACKING))
    ours, theirs = (result.packet_table("right")[OF_A_PACKET] for result in (given, by_shell))
    assert len(ours) > 1000 and ours.equals(theirs)
    data, acks = (given.packet_table("right").direction == way for way in ("in", "out"))
    assert acks.sum() > 0.95 * data.sum()
    assert (as_it_is.packet_table("right").direction == "out").sum() < 0.6 * data.sum()


@pytest.mark.parametrize("exp", [EXP.replace(module_parameters=HYSTART), ACKING], ids=["parameter", "routes"])
def test_both_kernels_take_them(wasm: Linked, exp: Experiment) -> None:
    assert same(fresh(exp), fresh(exp, "wasm"))


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"rto_min": "50ms"}, "rto_min lock 50ms"),
        ({"initcwnd": 30, "initrwnd": 20}, "initcwnd 30 initrwnd 20"),
        ({"advmss": 1000, "window": "100kB"}, "window 100000 advmss 1000"),
    ],
)
def test_each_attribute_is_the_kernels(attributes: dict[str, object], said: str) -> None:
    net = pair(delay="5ms").with_routes("right", **attributes)
    shown = run(Experiment(net, commands=[Command("right", "ip route show")])).output("right")
    assert said in shown


@pytest.mark.parametrize("place", ["guest", "wasm"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tcp_cubc.hystart": 0}, "tcp_cubc/parameters/hystart: the kernel has none of this name here"),
        ({"tcp_cubic.hystart": "many"}, "tcp_cubic/parameters/hystart: the kernel refuses the value many"),
    ],
)
def test_what_the_kernel_refuses_is_said(
    wasm: Linked, place: str, given: dict[str, object], said: str
) -> None:
    with pytest.raises(AgentError, match=said):
        fresh(EXP.replace(module_parameters=given), place)


def test_the_machines_own_modules_are_left_alone() -> None:
    with pytest.raises(UnsupportedError, match=r"module parameter tcp_cubic\.hystart"):
        fresh(EXP.replace(module_parameters=HYSTART), "host")


def test_both_kernels_have_the_same_limit_of_processes(wasm: Linked) -> None:
    most = EXP.replace(sysctls={"kernel.pid_max": 4 << 20})
    assert same(fresh(most), fresh(most, "wasm"))
    for place in ("guest", "wasm"):
        with pytest.raises(AgentError, match=r"sysctl kernel\.pid_max"):
            fresh(EXP.replace(sysctls={"kernel.pid_max": (4 << 20) + 1}), place)
