"""Where an experiment runs when nobody names a place: in the lab kernel as WebAssembly where that is at hand
as a program and can do it, else in the guest; by node, which is slower than the guest, where there is no
guest. All give the same numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator

from labkit.errors import SetupError, UnsupportedError
from labkit.execute.guest.boot import GuestPlace
from labkit.execute.guest.kernel.build import has_guest
from labkit.execute.machine.memory import Needs
from labkit.execute.machine.system import GUEST_ELSEWHERE, has_keeper
from labkit.execute.place import Place
from labkit.execute.places import place_of
from labkit.execute.wasm.engine import Engine, engine
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.execute.wasm.unsupported import LARGEST_MB, lacks, too_large
from labkit.execute.wasm.wasm_place import WasmPlace, too_few_addresses
from labkit.spec import Experiment

SETTING = "LABKIT_PLACE"


def default_place(exp: Experiment, needs: Needs) -> Place:
    """One that has looked at the experiment. Raises UnsupportedError with all that no place here can do;
    SetupError where there is none."""
    place = _asked() or _best(exp, needs)
    place.check(exp)
    return place


def default_lab_place() -> Place:
    """Of an open laboratory, of which nobody knows yet whether it will start programs: a guest where there is
    one, or somebody is building it, or nothing else is. Raises SetupError."""
    if place := _asked():
        return place
    if has_guest():
        return GuestPlace()
    return WasmPlace() if not has_keeper() or _program() else GuestPlace()


def require_place() -> None:
    """Waits for the guest's kernel if somebody is making it and there is no other. Raises SetupError where no
    experiment can run."""
    if place := _asked():
        place.ready()
    elif not has_keeper():
        engine()
    elif not _program():
        GuestPlace().ready()


def _asked() -> Place | None:
    name = os.environ.get(SETTING)
    return place_of(name) if name else None


def _best(exp: Experiment, needs: Needs) -> Place:
    lacking = list(_lacking(exp, needs))
    if has_keeper():
        program = None if lacking else _program()
        return WasmPlace(program) if program else GuestPlace()
    if lacking:
        raise UnsupportedError(
            f"no laboratory of this machine can give: {'; '.join(lacking)}: {GUEST_ELSEWHERE}"
        )
    return WasmPlace()


def _lacking(exp: Experiment, needs: Needs) -> Iterator[str]:
    """What an experiment needs and the kernel in WebAssembly has not."""
    yield from lacks(exp, BUILT_IN)
    if said := too_large(needs, LARGEST_MB):
        yield said


def _program() -> Engine | None:
    """What runs the kernel in WebAssembly here, if it is as fast as the guest and can start."""
    try:
        found = engine()
    except SetupError:
        return None
    return found if found.as_program and not too_few_addresses() else None
