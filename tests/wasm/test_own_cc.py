"""Congestion controls of a chapter's cells in the kernel in WebAssembly give what they give in the guest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from labkit import Experiment, Flow, pair, run
from labkit.execute.guest.custom_cc.writing import module_source
from labkit.execute.wasm import wasm_place
from labkit.execute.wasm.engine import MACHINE, Engine
from labkit.execute.wasm.linked import Linked
from labkit.execute.wasm.own_cc import with_own
from labkit.results.result import Result
from labkit.spec import custom_cc
from labkit.spec.custom_cc import CustomCC
from tests.site import extension
from tests.wasm.cells import compared
from tests.wasm.test_stacks import node_with_stacks

slices = extension("live.slices")

CHAPTER = "23-write-your-own"
WIDGETS = ("predict-three-quarters", "explore-two-numbers")


@pytest.fixture(scope="module")
def ccs() -> Iterator[list[CustomCC]]:
    """Those of the chapter's widgets, which experiments then find."""
    cells: dict[str, str] = {}
    with slices.forgetting():

        def compile_cc(name: str, cell: str) -> None:
            cells[name] = cell
            custom_cc.know(CustomCC(name, cell, 1, module_source(name, cell, 1)))

        for widget in WIDGETS:
            slices.run_slice(slices.needed(CHAPTER, widget), {"compile_cc": compile_cc})
        yield [known for name in sorted(cells) if (known := custom_cc.find(name))]


@pytest.fixture
def in_module(wasm: Linked, ccs: list[CustomCC], monkeypatch: pytest.MonkeyPatch) -> None:
    """The place "wasm" runs the module that has them, as a page does."""
    command = (*node_with_stacks(), str(MACHINE / "wasm_node.mjs"), str(with_own(wasm, ccs)))
    made_by = {"kernel": {"release": wasm.kernel.release, "key": wasm.kernel.key}}
    known = (*wasm_place.BUILT_IN, *(own.name for own in ccs))
    monkeypatch.setattr(wasm_place, "BUILT_IN", known)
    monkeypatch.setattr(wasm_place, "engine", lambda: Engine(command, made_by, True))


def lossy(cc: str, **more: object) -> Experiment:
    return Experiment(
        pair(rate="10mbit", delay="20ms", queue="66p", loss="1%"),
        flows=[Flow("left", "right", cc=cc, duration="6s")],
        probes=["tcp_info", "tcp_probe", "queue", "drops", "recovery", "retransmit"],
        **more,
    )


def both(exp: Experiment) -> Result:
    """The guest's result, once it is known that the other is the same in every cell."""
    guest, wasm = (run(exp, place=place, cache=False) for place in ("guest", "wasm"))
    found = compared(guest, wasm)
    assert len(found) > 3
    assert {table: differing for table, differing in found.items() if differing} == {}
    return guest


@pytest.mark.usefixtures("in_module")
def test_parameters_decide_as_in_the_guest() -> None:
    settings = ({"own_mine.left": 12, "own_mine.start": 3}, {"own_mine.left": 4, "own_mine.start": 2})
    tables = [both(lossy("mine", module_parameters=one)).tcp_probe for one in settings]
    assert not tables[0].equals(tables[1])


@pytest.mark.usefixtures("in_module")
def test_a_second_one_in_the_same_module_is_the_guests_as_well() -> None:
    both(lossy("quarter"))


def test_it_is_linked_once(wasm: Linked, ccs: list[CustomCC]) -> None:
    made = with_own(wasm, ccs)
    assert with_own(wasm, ccs) == made
    assert with_own(wasm, ccs[:1]) != made
    assert made.stat().st_size > wasm.module.stat().st_size
