"""What is around the kernel in the native program, around small modules in the kernel's place."""

from __future__ import annotations

import os
import resource
import struct
import subprocess
from pathlib import Path

import pytest

from tests.wasm.small_modules import FROM_OWNER, ONE_MIB, TO_OWNER, Program, carried_out


def test_each_task_goes_on_where_it_was_left(program: Program, tmp_path: Path) -> None:
    done = carried_out(program("tasks"), tmp_path, b"")
    assert (done.returncode, done.stderr) == (0, b"")
    first, second = 1024, 2048
    seen = struct.unpack("<13I", (tmp_path / "raw").read_bytes())
    assert seen == (
        *(first, 8192),  # the second begins: who was before, and its own stack pointer
        *(second, 4096),
        *(first, 8192),  # it goes on when the first, whose pointer has been moved, is a thousand calls deep
        *(second, 4000),
        1000,
        *(first, 16384),  # another begins in its place
        *(second, 4000),
    )


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (b"0", "the stack of a task is full"),
        (b"t0", "the stack of a task is full"),
        (b"1", "beyond the end of its memory"),
        (b"2", "beyond the end of its memory"),
        (b"3", "beyond the end of its memory"),
        (b"4", "beyond the end of its memory"),
        (b"t5", "unreachable code"),
        (b"6", "a division by zero"),
        (b"7", "a call of no function, or of one of another type"),
    ],
)
def test_what_cannot_be_done_is_named_and_ends_it(
    program: Program, tmp_path: Path, what: bytes, words: str
) -> None:
    done = carried_out(program("faults"), tmp_path, what)
    assert done.returncode == 1
    assert done.stderr.decode() == f"fault: {words}\nthe machine does not go on: fault\n"
    assert (tmp_path / "raw").read_bytes() == b""


def test_memory_grows_by_zeros_and_not_beyond_32_bits(program: Program, tmp_path: Path) -> None:
    assert carried_out(program("faults"), tmp_path, b"8").returncode == 0
    assert struct.unpack("<iII", (tmp_path / "raw").read_bytes()) == (-1, 16, 19)


def test_of_what_is_printed_the_last_is_shown(program: Program, tmp_path: Path) -> None:
    done = carried_out(program("faults"), tmp_path, b"9")
    lines = done.stderr.decode().splitlines()
    assert lines[-1] == "the machine does not go on: stuck"
    assert 16_000 < len(done.stderr) < 17_000
    assert set(lines[1:-1]) == {"the same line again and again"}


def test_it_waits_at_the_gate_for_each_further_program(program: Program, tmp_path: Path) -> None:
    (tmp_path / "clock").touch()
    (tmp_path / "program").write_bytes(b"the first")
    go, gate = os.pipe(), os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, go[0], FROM_OWNER), (os.POSIX_SPAWN_DUP2, gate[1], TO_OWNER)]
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        pid = os.posix_spawn(program("programs"), ["lab", *ONE_MIB], {}, file_actions=actions)
    finally:
        os.chdir(before)
    os.close(go[0])
    os.close(gate[1])
    assert os.read(gate[0], 1) == b"w"
    assert (tmp_path / "clock").stat().st_size == 1000
    (tmp_path / "program").write_bytes(b"another one")
    (tmp_path / "stop").touch()
    os.write(go[1], b"g")
    assert os.read(gate[0], 1) == b"w"
    os.close(go[1])
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(gate[0])
    assert (tmp_path / "raw").read_bytes() == b"the first\x09\0\0\0\0\0\0\0another one\x0b\0\0\0\x01\0\0\0"
    assert (tmp_path / "clock").stat().st_size == 2000


def test_a_full_disk_is_said(program: Program, tmp_path: Path) -> None:
    (tmp_path / "raw").symlink_to("/dev/full")
    done = carried_out(program("programs"), tmp_path, b"text")
    assert (done.returncode, done.stderr) == (1, b"raw: No space left on device\n")


def test_a_program_that_is_not_there_is_said(program: Program, tmp_path: Path) -> None:
    done = subprocess.run(
        [program("programs"), *ONE_MIB], cwd=tmp_path, capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"program: No such file or directory\n")


def test_a_limit_of_addresses_is_said(program: Program, tmp_path: Path) -> None:
    """Its guard takes eight GiB of them, and no memory."""
    most = (4 << 30, 4 << 30)
    done = carried_out(
        program("tasks"), tmp_path, b"", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, most)
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"addresses for its memory: Cannot allocate memory")


def test_whose_owner_is_gone_ends_when_the_next_second_has_passed(program: Program, tmp_path: Path) -> None:
    """Without a gate to wait at it is not noticed sooner: `endless` tells the time for ever."""
    (tmp_path / "program").write_bytes(b"")
    machine = subprocess.Popen(
        [program("endless"), "1", "0", "1"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert machine.stdin is not None and machine.stdout is not None
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            machine.wait(0.2)
        machine.stdin.close()
        assert machine.wait(30) == 0
    finally:
        machine.kill()
        machine.wait()
        machine.stdout.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["1"], "usage: lab MIB FROM TO"),
        (["0", "0", "1"], "lab: 0: a number from 1 to 4095"),
        (["5000", "0", "1"], "lab: 5000: a number from 1 to 4095"),
        (["1x", "0", "1"], "lab: 1x: a number from 1 to 4095"),
        (["1", "", "1"], "lab: : a number from 0 to 2147483647"),
    ],
)
def test_other_arguments_are_refused(
    program: Program, tmp_path: Path, arguments: list[str], words: str
) -> None:
    done = subprocess.run([program("tasks"), *arguments], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (2, f"{words}\n")
