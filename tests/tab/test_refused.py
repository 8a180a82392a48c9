"""What the tab's machine cannot do is refused by name, before it is started. None is needed for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from labkit import Command, Experiment, Flow, dumbbell
from labkit.errors import SpecError, UnsupportedError
from labkit.execute.guest.boot import MODULES
from labkit.execute.guest.kernel.config import LOADABLE
from labkit.execute.machine.memory import Needs
from labkit.execute.places import place_of
from labkit.execute.tab.emulated import MEMORY_MB, TabPlace
from labkit.execute.tab.kernel.recipe import BUILT_IN
from labkit.execute.tab.pieces import MACHINE

NET = dumbbell(rate="10mbit")
FLOWS = [Flow("left", "right", size="1MB")]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"commands": [Command("left", "ping right")]},
            "the command 'ping right' on left (it has no programs)",
        ),
        ({"memory": "1GiB"}, f"memory=.* (it has {MEMORY_MB} MiB)"),
        ({"modules": ["mine.c"]}, "module mine.c (its kernel loads none; it has labnic, "),
    ],
)
def test_it_is_named_with_where_it_works(fields: dict[str, object], words: str) -> None:
    exp = Experiment(NET, flows=FLOWS, **fields)
    with pytest.raises(UnsupportedError) as refused:
        place_of("tab").check(exp)
    assert str(refused.value).startswith('place="tab": a browser tab cannot give: ')
    assert str(refused.value).endswith('use place="guest", which needs none of it')
    before, _, after = words.partition(".*")
    assert before in str(refused.value)
    assert after in str(refused.value)


def test_modules_of_labkit_are_built_in() -> None:
    own = {path.name.removeprefix("lp_") for path in MODULES.iterdir()}
    assert own | set(LOADABLE) == set(BUILT_IN)
    place_of("tab").check(Experiment(NET, flows=FLOWS, modules=["reno2013", "lp_exp", "ip_gre"]))


def test_too_little_memory_is_said_before_the_start() -> None:
    with pytest.raises(
        SpecError, match="144 MiB of memory are too little for 2 hosts and 200 MiB of buffers"
    ):
        TabPlace().start({}, Needs(hosts=2, flows=1, buffers_kb=200 << 10))


def test_the_memory_is_that_of_the_machine() -> None:
    assert f"MEMORY = {MEMORY_MB} << 20;" in Path(MACHINE / "boot.mjs").read_text()
