"""Where an experiment runs that names no place: what is here, and what it needs."""

from __future__ import annotations

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.errors import SetupError, SpecError, UnsupportedError
from labkit.execute import default_place as choosing
from labkit.execute.default_place import SETTING, default_lab_place, default_place, require_place
from labkit.execute.guest.boot import GuestPlace
from labkit.execute.machine.memory import Needs
from labkit.execute.wasm import wasm_place
from labkit.execute.wasm.engine import Engine
from labkit.spec import Command, Experiment, Flow
from labkit.spec.topologies import pair

SMALL = Experiment(pair(), flows=[Flow("left", "right", size="1MB")])


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel in WebAssembly is at hand."""
    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setattr(choosing, "engine", lambda: Engine(("/lab",), {"kernel": "found"}, True))


@pytest.fixture
def not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Engine:
        raise SetupError("it is not linked yet")

    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setattr(choosing, "engine", refuse)


def place_of(exp: Experiment) -> str:
    return default_place(exp, Needs.of(exp, compile_experiment(exp))).name


@pytest.mark.usefixtures("here")
def test_what_it_can_do_runs_in_webassembly() -> None:
    assert place_of(SMALL) == "wasm"
    assert place_of(SMALL.replace(modules=["labnic", "reno2013"])) == "wasm"


@pytest.mark.usefixtures("here")
def test_what_runs_it_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice() -> Engine:
        raise AssertionError("it has been found")

    monkeypatch.setattr(wasm_place, "engine", twice)
    place = default_place(SMALL, Needs.of(SMALL, compile_experiment(SMALL)))
    assert place.identity() == {"kernel": "found"}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "more",
    [
        {"commands": [Command("left", "ping -c 1 right")]},
        {"modules": ["mine/own.ko"]},
        {"memory": "3GiB"},
        {"flows": [Flow("left", "right", size="1kB")] * 300},
    ],
    ids=["program", "module", "memory", "flows"],
)
def test_what_it_cannot_do_runs_in_the_guest(more: dict[str, object]) -> None:
    assert place_of(SMALL.replace(**more)) == "guest"


@pytest.mark.usefixtures("here")
def test_where_addresses_are_few_all_runs_in_the_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labkit.execute.machine.system.addresses", lambda: 4 << 30)
    assert (place_of(SMALL), default_lab_place().name) == ("guest", "guest")


@pytest.mark.usefixtures("not_here")
def test_where_it_is_not_made_all_runs_in_the_guest() -> None:
    assert place_of(SMALL) == "guest"


def test_node_takes_the_place_of_no_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setattr(choosing, "engine", lambda: Engine(("/node", "/machine.mjs", "/module"), {}, True))
    assert place_of(SMALL) == "guest"
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert place_of(SMALL) == "wasm"
    require_place()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", ["guest", "wasm"])
def test_the_environment_may_name_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(SETTING, name)
    assert (place_of(SMALL), default_lab_place().name) == (name, name)


@pytest.mark.usefixtures("here")
def test_one_that_is_named_is_not_left_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "wasm")
    with pytest.raises(UnsupportedError, match=r"the command 'true' on left"):
        place_of(SMALL.replace(commands=[Command("left", "true")]))
    monkeypatch.setenv(SETTING, "moon")
    with pytest.raises(SpecError, match="place='moon'"):
        place_of(SMALL)


@pytest.mark.parametrize("fixture", ["here", "not_here"])
def test_an_open_laboratory_is_a_guest_where_there_is_one_or_nothing_else(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, fixture: str
) -> None:
    request.getfixturevalue(fixture)
    monkeypatch.setattr(choosing, "has_guest", lambda: True)
    assert default_lab_place().name == "guest"
    monkeypatch.setattr(choosing, "has_guest", lambda: False)
    assert default_lab_place().name == ("wasm" if fixture == "here" else "guest")
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert default_lab_place().name == "wasm"


@pytest.mark.usefixtures("here")
def test_threads_of_a_sweep_wait_for_the_place_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = []
    monkeypatch.setenv(SETTING, "guest")
    monkeypatch.setattr(GuestPlace, "ready", lambda *_: waited.append("guest"))
    require_place()
    assert waited == ["guest"]


@pytest.mark.usefixtures("not_here")
def test_threads_of_a_sweep_are_not_started_where_nothing_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    with pytest.raises(SetupError):
        require_place()
