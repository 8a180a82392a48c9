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
from labkit.spec import SysctlChange

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
        (
            {"sysctls": {"net.ipv4.tcp_mem": "1 2 3000000000"}},
            "sysctl net.ipv4.tcp_mem = 1 2 3000000000 (its num",
        ),
        (
            {"sysctls": {"net.ipv4.tcp_mem": "0x1 0x2 0x100000003"}},
            "sysctl net.ipv4.tcp_mem = 0x1 0x2 0x100000003 (its num",
        ),
        (
            {"sysctls": {"kernel.randomize_va_space": 0}},
            "sysctl kernel.randomize_va_space (its kernel has none)",
        ),
        (
            {"changes": [SysctlChange("1s", "left", "net.ipv4.ipfrag_high_thresh", 2**31)]},
            "thresh = 2147483648 (i",
        ),
        (
            {"topology": NET.with_sysctls("left", {"net.ipv4.tcp_comp_sack_delay_ns": 2**32})},
            "sysctl net.ipv4.tcp_comp_sack_delay_ns = 4294967296 (its numbers end at 2147483647)",
        ),
    ],
)
def test_it_is_named_with_where_it_works(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], words: str
) -> None:
    def refused() -> str:
        with pytest.raises(UnsupportedError) as caught:
            place_of("wasm").check(Experiment(**{"topology": NET, "flows": FLOWS} | fields))
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


def test_numbers_that_31_bits_hold_are_taken() -> None:
    most = {
        "net.core.rmem_max": 2**31 - 1,
        "net.ipv4.tcp_mem": "1 2 2147483647",
        "kernel.hostname": "h9999999999",
    }
    place_of("wasm").check(Experiment(NET, flows=FLOWS, sysctls=most))


def test_more_memory_than_it_can_have_is_said_before_the_start() -> None:
    with pytest.raises(SpecError, match=f"4096 MiB of memory, of {LARGEST_MB} at most, for 2 hosts"):
        WasmPlace().start({}, Needs(hosts=2, flows=1, asked=4 << 30))
