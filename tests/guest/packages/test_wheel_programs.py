"""The kernel in WebAssembly as a program of each system, in the wheels of `make wheels`: what it asks of its
system, and the same bytes as here where something runs it: qemu-user for ARM, wine for Windows; for macOS
nothing does.

    LABKIT_WHEELS=dist pytest tests/guest/packages/test_wheel_programs.py -rs
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from labkit import Experiment, Flow, Queue, dumbbell, run
from labkit.compile.compiler import compile_experiment
from labkit.execute.artifacts.ready import KERNEL_PACKAGE, NOTE, PROGRAM_FOLDER
from labkit.execute.machine.memory import Needs, memory_mb
from labkit.execute.wasm.sources import sources_key
from labkit.execute.wasm.wasm_place import WasmPlace
from scripts.wheels.programs import TAGS
from tests.guest.packages import macho
from tests.wasm.experiments import EXPERIMENTS

FOLDER = os.environ.get("LABKIT_WHEELS", "")
pytestmark = pytest.mark.skipif(
    not FOLDER, reason="the programs of wheels take zig half an hour: LABKIT_WHEELS=dist tries those there"
)

RED = Queue("red", limit="150kB", min="15kB", max="45kB", ecn=True)
TRIED = {
    **{name: EXPERIMENTS[name] for name in ("CUBIC, 1 % loss, all probes", "these packets", "thirty flows")},
    "the teaching NIC": EXPERIMENTS["the teaching NIC"],
    "BBR through RED": Experiment(
        dumbbell(2, rate="10mbit", delay="10ms", queue=RED, loss="0.5%"),
        flows=[Flow(f"left{n}", f"right{n}", cc="bbr", duration="5s") for n in (1, 2)],
        seed=7,
        probes=["queue", "drops", "tcp_info", "tcp_probe"],
    ),
}
ATTEMPTS = 10
LINUX, MACOS = ("x86_64-linux-musl", "aarch64-linux-musl"), ("x86_64-macos.13.0", "aarch64-macos.13.0")
WINDOWS = "x86_64-windows-gnu"
OF_WINDOWS = re.compile(r"KERNEL32\.dll|api-ms-win-crt-[a-z]+-l1-1-0\.dll")
"""Libraries that every Windows has: its own, and its C library since Windows 10."""
WITH_WINE = f"{os.environ['PATH']}:/usr/lib/wine"  # Debian's
SERVERS = ("wineserver64", "wineserver")
PAGE = {macho.X86_64: 4 << 10, macho.ARM64: 16 << 10}
"""Bytes, of macOS on a processor."""


def wheel(target: str) -> Path:
    (found,) = Path(FOLDER).glob(f"labkit_kernel-*-py3-none-{TAGS[target]}.whl")
    return found


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By target, unpacked."""
    made = {}
    for target in TAGS:
        place = tmp_path_factory.mktemp("unpacked")
        with zipfile.ZipFile(wheel(target)) as archive:
            (name,) = (name for name in archive.namelist() if name.startswith(f"{KERNEL_PACKAGE}/wasm/lab"))
            made[target] = Path(archive.extract(name, place))
        made[target].chmod(0o755)
    return made


@pytest.mark.parametrize("target", TAGS)
def test_its_wheel_is_whole_and_of_this_labkit(target: str) -> None:
    with zipfile.ZipFile(wheel(target)) as archive:
        (record,) = (name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        rows = [line.rsplit(",", 2) for line in archive.read(record).decode().splitlines()]
        assert sorted(name for name, *_ in rows) == sorted(archive.namelist())
        for name, digest, size in rows:
            content = archive.read(name)
            if name != record:
                sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                assert (digest, int(size)) == (f"sha256={sha256}", len(content))
        note = json.loads(archive.read(f"{KERNEL_PACKAGE}/{PROGRAM_FOLDER}/{NOTE}"))
        program = archive.getinfo(f"{KERNEL_PACKAGE}/{PROGRAM_FOLDER}/{note['program']}")
        assert (program.file_size, program.external_attr >> 16 & 0o777) == (note["size"], 0o755)
        texts = {name.rpartition("/")[2] for name in archive.namelist() if "/licenses/" in name}
    assert note["sources"] == sources_key()
    library = {"linux": {"musl-COPYRIGHT.txt"}, "windows": {"mingw-COPYING.txt"}, "macos": set()}
    others = next(names for system, names in library.items() if system in target)
    assert texts == {"GPL-2.0-only.txt", "MIT.txt", "ziglang-LICENSE.txt", *others}


@pytest.mark.parametrize("target", LINUX)
def test_on_linux_it_needs_no_library(programs: Mapping[str, Path], target: str) -> None:
    from elftools.elf.elffile import ELFFile

    with programs[target].open("rb") as file:
        elf = ELFFile(file)
        assert elf["e_machine"] == {"x86": "EM_X86_64", "aar": "EM_AARCH64"}[target[:3]]
        kinds = {segment["p_type"] for segment in elf.iter_segments()}
        stacks = [
            segment["p_flags"] for segment in elf.iter_segments() if segment["p_type"] == "PT_GNU_STACK"
        ]
        aligned = {segment["p_align"] for segment in elf.iter_segments() if segment["p_type"] == "PT_LOAD"}
    assert not kinds & {"PT_INTERP", "PT_DYNAMIC"}
    assert [rights & 1 for rights in stacks] == [0], "no stack of its can be executed"
    assert target[:3] == "x86" or min(aligned) >= 1 << 16, "pages of ARM may have 64 KiB"


def test_on_windows_it_needs_what_every_windows_has(programs: Mapping[str, Path]) -> None:
    tool = shutil.which("objdump")
    if tool is None:
        pytest.skip("no objdump, which reads programs of Windows: sudo apt install binutils")
    said = subprocess.run([tool, "-p", programs[WINDOWS]], capture_output=True, text=True, check=True).stdout
    assert "file format pei-x86-64" in said
    libraries = re.findall(r"DLL Name: (\S+)", said)
    assert libraries and all(OF_WINDOWS.fullmatch(name) for name in libraries), libraries
    assert re.search(r"Subsystem\s+00000003", said), "of a console"
    assert {"HIGH_ENTROPY_VA", "DYNAMIC_BASE", "NX_COMPAT"} <= {*said.split()}


@pytest.mark.parametrize("target", MACOS)
def test_on_macos_it_needs_libsystem_alone_and_is_signed_where_it_must_be(
    programs: Mapping[str, Path], target: str
) -> None:
    made = macho.read(programs[target])
    assert made.processor == {"x86": macho.X86_64, "aar": macho.ARM64}[target[:3]]
    assert made.flags & macho.PIE and made.entry
    assert made.least <= (13, 0), "as the wheel's tag promises"
    assert made.libraries == ["/usr/lib/libSystem.B.dylib"]
    if made.processor == macho.ARM64:
        assert made.signature is not None and made.signature & macho.AD_HOC, "it runs nothing unsigned"
    assert [segment.name for segment in made.segments if not segment.rights] == ["__PAGEZERO"]
    page = PAGE[made.processor]
    for segment in made.segments:
        assert segment.address % page == 0 and segment.offset % page == 0
        assert segment.rights & 0b110 != 0b110, f"{segment.name} is written and executed"


def by(target: str, program: Path, prefix: Path) -> tuple[list[str], dict[str, str]]:
    """The command that runs a program here, and its environment. Skips where nothing does."""
    if target == "x86_64-linux-musl":
        return [str(program)], {}
    names = {"aarch64-linux-musl": ("qemu-aarch64-static", "qemu-aarch64"), WINDOWS: ("wine64", "wine")}[
        target
    ]
    found = next((tool for name in names if (tool := shutil.which(name, path=WITH_WINE))), None)
    if found is None:
        pytest.skip(f"nothing here runs it: sudo apt install {names[0]}")
    settings = {"WINEPREFIX": str(prefix), "WINEDEBUG": "-all"} if target == WINDOWS else {}
    return [found, str(program)], dict(os.environ) | settings


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What wine keeps, made by its first program. Its servers end with the tests."""
    folder = tmp_path_factory.mktemp("wine") / "prefix"
    yield folder
    if server := next((path for name in SERVERS if (path := shutil.which(name, path=WITH_WINE))), None):
        subprocess.run([server, "-k"], env=dict(os.environ) | {"WINEPREFIX": str(folder)}, check=False)


def ended(command: list[str], folder: Path, settings: dict[str, str]) -> tuple[int, str, str]:
    """Status, output and errors of a program. By files: wine's servers keep a pipe open for as long as they
    are there."""
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        done = subprocess.run(
            command,
            cwd=folder,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            check=False,
            timeout=600,
        )
    return done.returncode, (folder / "out").read_text(), (folder / "err").read_text(errors="replace")


@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize("target", [*LINUX, WINDOWS])
def test_it_gives_the_same_bytes_as_here(
    programs: Mapping[str, Path], prefix: Path, tmp_path: Path, target: str, name: str
) -> None:
    command, settings = by(target, programs[target], prefix)
    compiled = compile_experiment(TRIED[name], WasmPlace().target())
    memory = memory_mb(Needs.of(TRIED[name], compiled))
    (tmp_path / "program").write_bytes(compiled.program)
    status, _, said = ended([*command, str(memory), "0", "1"], tmp_path, settings)
    assert status == 0, said
    here = run(TRIED[name], place="wasm", cache=False)
    assert (tmp_path / "raw").read_bytes() == (here.folder / "raw").read_bytes()


@pytest.mark.parametrize("target", [*LINUX, WINDOWS])
def test_no_attempt_to_leave_its_memory_gets_through(
    programs: Mapping[str, Path], prefix: Path, tmp_path: Path, target: str
) -> None:
    command, settings = by(target, programs[target], prefix)
    _, listed, _ = ended([*command, "attempts"], tmp_path, settings)
    walls = (line.split("\t") for line in listed.splitlines())
    attempts = [what for wall, what in walls if wall == "WebAssembly"]  # qemu has other system calls
    assert len(attempts) == ATTEMPTS
    for attempt in attempts:
        status, _, said = ended([*command, "attempt", attempt], tmp_path, settings)
        assert status == 1, f"{attempt}: {status}, {said}"
        if (target, attempt) != (WINDOWS, attempts[-1]):  # wine has no stack left for our handler
            assert said.startswith("fault: "), f"{attempt}: {said}"
