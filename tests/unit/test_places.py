"""The places by name, what compiling is told of them, and the name that one had before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labkit import Experiment, Flow, dumbbell
from labkit.compile.compiler import compile_experiment
from labkit.compile.target import SHARED_KERNEL, Target
from labkit.errors import SpecError
from labkit.execute.places import NAMES, place_of


@pytest.mark.parametrize("name", NAMES)
def test_a_place_has_the_name_it_is_asked_for_by(name: str) -> None:
    place = place_of(name)
    assert place.name == name
    assert place_of(place) is place


def test_what_real_time_has_seen_cannot_be_had_again() -> None:
    assert [place_of(name).virtual_time for name in NAMES] == [True, False, True]


def test_the_old_name_is_understood_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match='place="lab" is called "guest" now'):
        assert place_of("lab").name == "guest"


def test_an_unknown_place_is_refused_with_those_that_are() -> None:
    with pytest.raises(SpecError, match=r'place=.moon.: write "wasm" or "guest" .*, or "host"'):
        place_of("moon")


def why(target: Target) -> list[str]:
    exp = Experiment(dumbbell(rate="10mbit"), flows=[Flow("left", "right", size="1MB")])
    return compile_experiment(exp, target).why


def test_compiling_for_a_shared_kernel_sets_nothing_of_the_whole_machine() -> None:
    assert "sysctl net.ipv4.tcp_mem" in why(Target())
    assert "sysctl net.ipv4.tcp_mem" not in why(SHARED_KERNEL)


def test_ipv6_is_switched_off_only_where_there_is_any() -> None:
    off = "sysctl net.ipv6.conf.all.disable_ipv6 of left"
    assert off not in why(SHARED_KERNEL)
    assert off in why(replace(SHARED_KERNEL, ipv6=True))


def test_tracing_on_a_shared_kernel_is_for_who_asks_for_it() -> None:
    assert "trace tcp/tcp_probe" in why(Target())
    assert "trace tcp/tcp_probe" not in why(SHARED_KERNEL)
