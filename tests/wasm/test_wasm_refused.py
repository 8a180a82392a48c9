"""What the kernel in WebAssembly cannot do is refused by name, before it is started. No kernel is needed."""

from __future__ import annotations

import pytest

from labkit import Command, Experiment, Flow, dumbbell
from labkit.errors import SpecError, UnsupportedError
from labkit.execute.guest.boot import MODULES
from labkit.execute.guest.kernel.config import LOADABLE
from labkit.execute.machine.memory import Needs
from labkit.execute.places import place_of
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.execute.wasm.unsupported import LARGEST_MB
from labkit.execute.wasm.wasm_place import WasmPlace

NET = dumbbell(rate="10mbit")
FLOWS = [Flow("left", "right", size="1MB")]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"commands": [Command("left", "ping right")]},
            "the command 'ping right' on left (it has no programs)",
        ),
        ({"modules": ["mine.c"]}, "module mine.c (its kernel loads none; it has labnic, "),
    ],
)
def test_it_is_named_with_where_it_works(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], words: str
) -> None:
    def refused() -> str:
        with pytest.raises(UnsupportedError) as caught:
            place_of("wasm").check(Experiment(NET, flows=FLOWS, **fields))
        return str(caught.value)

    assert refused().startswith('place="wasm": the kernel in WebAssembly cannot give: ')
    assert refused().endswith('use place="guest", which needs none of it')
    assert words in refused()
    monkeypatch.setattr("platform.system", lambda: "Windows")
    assert refused().endswith("in WSL 2, in a virtual machine or on Binder"), "there is no guest"


def test_modules_of_labkit_are_built_in() -> None:
    own = {path.name.removeprefix("lp_") for path in MODULES.iterdir()}
    assert own | set(LOADABLE) == set(BUILT_IN)
    place_of("wasm").check(Experiment(NET, flows=FLOWS, modules=["reno2013", "lp_exp", "ip_gre"]))


def test_more_memory_than_it_can_have_is_said_before_the_start() -> None:
    with pytest.raises(SpecError, match=f"4096 MiB of memory, of {LARGEST_MB} at most, for 2 hosts"):
        WasmPlace().start({}, Needs(hosts=2, flows=1, asked=4 << 30))
