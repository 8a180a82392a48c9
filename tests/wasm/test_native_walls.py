"""What keeps the native program in, found out by trying to get out: with all walls, and without some."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from labkit.doctor.security.wasm_attempts import tried_in_program
from labkit.execute.guest.walls import landlock
from tests.forbidding import forbidding

SECCOMP, LANDLOCK = "317", "444,445,446"
INSTRUCTIONS, CALLS, FILES = "WebAssembly", "WebAssembly: calls", "WebAssembly: files"


def out(program: Path, *prefix: str) -> dict[str, set[str]]:
    """Of each wall what got through."""
    found: dict[str, set[str]] = {}
    for wall, what, stopped in tried_in_program(*prefix, str(program)):
        found.setdefault(wall, set()).update(() if stopped else (what,))
    return found


def test_no_attempt_gets_out(native: Path) -> None:
    found = out(native)
    assert set(found) == {INSTRUCTIONS, CALLS, FILES}
    assert (found[INSTRUCTIONS], found[CALLS]) == (set(), set())
    assert found[FILES] == set() or not landlock()


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS])
def test_without_seccomp_and_landlock_what_is_left_is_webassembly(native: Path, error: int) -> None:
    found = out(native, *forbidding(error, f"{SECCOMP},{LANDLOCK}"))
    assert found[INSTRUCTIONS] == set()
    assert len(found[CALLS]) == 17
    assert len(found[FILES]) == 2


def test_without_landlock_files_can_be_read(native: Path) -> None:
    found = out(native, *forbidding(errno.ENOSYS, LANDLOCK))
    assert (found[INSTRUCTIONS], found[CALLS]) == (set(), set())
    assert len(found[FILES]) == 2
