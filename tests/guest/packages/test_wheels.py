"""What `make wheels` makes, of the kernel in the cache: the sdist is all that is tracked, the wheels start on
the oldest system that is served, the same content gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from labkit.cli.chapters_command import sources
from labkit.execute.artifacts.binaries import binaries, sources_key
from labkit.execute.guest.boot import MODULES
from labkit.execute.guest.kernel import config, source
from labkit.execute.guest.kernel.build import COMPLETE, build
from labkit.execute.wasm.compilers import TARGETS
from scripts.wheels import __main__ as wheels
from scripts.wheels import old_root, programs, python_package
from scripts.wheels import sources as wheel_sources
from scripts.wheels.packing import OLDEST, TooNew, Wheel, audited, pack, pack_for

ROOT = Path(__file__).parents[3]
NEW_LIBC = '__asm__(".symver f,f@GLIBC_2.38"); extern int f(void); int g(void) { return f(); }\n'


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return python_package.sdist(tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """labkit-kernel and labkit-kernel-tree."""
    out = tmp_path_factory.mktemp("wheels")
    return {what.name: wheels.packed(build(), what, *how, out) for what, *how in wheels.kernel_wheels()}


def test_the_sdist_is_all_that_is_tracked(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames() if not archive.getmember(name).isdir()}
    assert {*python_package.tracked(ROOT)} - names == set()
    made_by_setuptools = {
        name for name in names if name.split("/")[0] in ("PKG-INFO", "labkit.egg-info", "setup.cfg")
    }
    assert names - {*python_package.tracked(ROOT)} == made_by_setuptools


def test_the_same_files_give_the_same_sdist(sdist: Path, tmp_path: Path) -> None:
    assert digest(python_package.sdist(tmp_path)) == digest(sdist)


def test_the_wheel_has_the_package_and_the_chapters_and_neither_tests_nor_tools(
    sdist: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(python_package.wheel(sdist, tmp_path)) as archive:
        names = archive.namelist()
    share = f"labkit-{wheels.VERSION}.data/data/share/labkit/"
    assert {name.removeprefix(share) for name in names if name.startswith(share)} == {
        name for name, _ in sources()
    }
    assert share.replace("labkit/", "jupyter/lab/settings/overrides.d/labkit.json") in names
    package = {name for name in python_package.tracked(ROOT) if name.startswith("labkit/")}
    assert {name for name in names if name.startswith("labkit/")} == package
    assert {name.split("/")[0].split(".")[-1] for name in names} == {"labkit", "data", "dist-info"}


def test_the_wheel_of_the_kernel_starts_on_the_oldest_system(made: dict[str, Path]) -> None:
    for wheel in made.values():
        tag = audited(wheel)
        assert wheel.name.endswith(f"-py3-none-{tag}.whl")
        assert tuple(map(int, tag.split("_")[1:3])) <= OLDEST


def test_a_kernel_of_a_younger_glibc_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "staged" / "package"
    place.mkdir(parents=True)
    asking = tmp_path / "new.c"
    stub = tmp_path / "stub.c"
    stub.write_text("int f(void) { return 0; }\n")
    (tmp_path / "map").write_text("GLIBC_2.38 { f; };\n")
    libc = ["-shared", "-nostdlib", "-Wl,-soname,libc.so.6", f"-Wl,--version-script={tmp_path / 'map'}"]
    subprocess.run(["cc", *libc, "-o", str(tmp_path / "libc.so.6"), str(stub)], check=True)
    asking.write_text(NEW_LIBC)
    new = [
        "cc",
        "-shared",
        "-fPIC",
        "-nostdlib",
        "-o",
        str(place / "new.so"),
        str(asking),
        str(tmp_path / "libc.so.6"),
    ]
    subprocess.run(new, check=True)
    with pytest.raises(TooNew, match=r"manylinux_2_38.*Ubuntu 22.04 has glibc 2.35"):
        pack(tmp_path / "staged", Wheel("package", "1", "", ()), tmp_path / "out")


def test_a_wheel_for_two_kinds_of_linux_names_both_and_is_the_same_again(tmp_path: Path) -> None:
    """Of a program that needs no C library of the system's."""
    names = []
    for n in ("one", "other"):
        place = tmp_path / n / "staged" / "package"
        place.mkdir(parents=True)
        (place / "lab").write_text("a program")
        (place / "lab").chmod(0o700 if n == "one" else 0o755)
        tag = programs.TAGS["aarch64-linux-musl"]
        names.append(pack_for(tag, place.parent, Wheel("package", "1", "", ()), tmp_path / n / "out"))
    assert digest(names[0]) == digest(names[1])
    assert names[0].name == "package-1-py3-none-manylinux_2_17_aarch64.musllinux_1_1_aarch64.whl"
    with zipfile.ZipFile(names[0]) as archive:
        said = archive.read("package-1.dist-info/WHEEL").decode().splitlines()
        assert archive.getinfo("package/lab").external_attr >> 16 & 0o777 == 0o755
    assert [line for line in said if line.startswith("Tag: ")] == [
        "Tag: py3-none-manylinux_2_17_aarch64",
        "Tag: py3-none-musllinux_1_1_aarch64",
    ]


def test_every_system_that_a_program_is_made_for_has_a_tag_that_is_true() -> None:
    assert tuple(programs.TAGS) == TARGETS
    for target, tag in programs.TAGS.items():
        if oldest := re.search(r"macos\.(\d+)\.(\d+)", target):
            assert tag.startswith("macosx_{}_{}_".format(*oldest.groups()))


OF_GUEST = "manylinux_2_34_x86_64"
CHOSEN = {
    ("manylinux_2_36_x86_64", "manylinux_2_34_x86_64", "manylinux_2_17_x86_64"): OF_GUEST,
    ("manylinux_2_31_x86_64", "manylinux_2_17_x86_64"): programs.TAGS["x86_64-linux-musl"],
    ("musllinux_1_2_x86_64", "musllinux_1_1_x86_64"): programs.TAGS["x86_64-linux-musl"],
    ("manylinux_2_39_aarch64", "manylinux_2_17_aarch64"): programs.TAGS["aarch64-linux-musl"],
    ("win_amd64",): programs.TAGS["x86_64-windows-gnu"],
    ("macosx_13_0_x86_64",): programs.TAGS["x86_64-macos.13.0"],
    ("macosx_15_0_arm64",): programs.TAGS["aarch64-macos.13.0"],
    ("macosx_12_0_arm64",): None,
    ("win_arm64",): None,
}
"""By the tags of a system, best first: the wheel that pip takes there."""


@pytest.fixture(scope="module")
def for_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel for each system, of nothing."""
    out = tmp_path_factory.mktemp("for-all")
    for tag in (OF_GUEST, *programs.TAGS.values()):
        staged = tmp_path_factory.mktemp("staged")
        (staged / "package").mkdir()
        pack_for(tag, staged, Wheel("labkit-kernel", "1", "", ()), out)
    return out


@pytest.mark.parametrize("tags", CHOSEN, ids=" ".join)
def test_pip_takes_the_wheel_of_the_system(for_all: Path, tmp_path: Path, tags: tuple[str, ...]) -> None:
    """With a guest where its C library is young enough."""
    platforms = [word for tag in tags for word in ("--platform", tag)]
    pip = [sys.executable, "-m", "pip", "download", "--isolated", "--no-deps", "--no-index", "--quiet"]
    options = [*platforms, "--only-binary", ":all:", "--find-links", str(for_all), "--dest", str(tmp_path)]
    subprocess.run([*pip, *options, "labkit-kernel"], check=False, capture_output=True)
    wanted = CHOSEN[tags]
    assert [path.name for path in tmp_path.iterdir()] == (
        [f"labkit_kernel-1-py3-none-{wanted}.whl"] if wanted else []
    )


def test_the_same_kernel_gives_the_same_bytes(made: dict[str, Path], tmp_path: Path) -> None:
    """Also one that took longer to build, of a source that lay elsewhere."""
    note = json.loads((build().folder / COMPLETE).read_bytes())
    note |= {"seconds": note["seconds"] + 1, "source": f"/elsewhere/{Path(note['source']).name}"}
    (tmp_path / COMPLETE).write_text(json.dumps(note))
    another = replace(build(), folder=tmp_path)
    (what, *how), *_ = wheels.kernel_wheels()
    again = wheels.packed(another, what, *how, tmp_path / "out")
    assert digest(again) == digest(made[what.name])


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("LABKIT_WHEELS_ROOT"), reason="builds a kernel, minutes: LABKIT_WHEELS_ROOT=1 tries it"
)
def test_a_root_of_debian_12_makes_wheels_that_start_there_and_the_same_as_debian_12(
    sdist: Path, made: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, _ = source.find()
    if kernel is not None:  # the one of that day in Debian may be a younger one
        monkeypatch.setenv(source.VARIABLE, str(kernel.path))
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    old_root.make(sdist, there, "--no-sources")
    names = {path.name for path in there.iterdir()}
    assert {path.name for path in made.values()} < names
    assert {name.partition("-py3-none-")[2].removesuffix(".whl") for name in names} >= {
        *programs.TAGS.values()
    }
    for path in made.values():
        audited(there / path.name)
    if old_root.is_here():
        wheels.of_sdist(sdist, here, with_sources=False)
        assert {path.name: digest(path) for path in here.iterdir()} == {
            path.name: digest(path) for path in there.iterdir()
        }


def test_what_is_in_it_is_what_this_labkit_looks_for(made: dict[str, Path]) -> None:
    built = build()
    with zipfile.ZipFile(made["labkit-kernel"]) as archive:
        note = json.loads(archive.read("labkit_kernel/complete.json"))
        inside = {name.removeprefix("labkit_kernel/"): archive.getinfo(name) for name in archive.namelist()}
        assert archive.read("labkit_kernel/linux") == built.linux.read_bytes()
        assert archive.read("labkit_kernel/root/agent") == binaries().agent.read_bytes()
    assert (note["key"], note["recipe"], note["sources"]) == (built.key, config.recipe(), sources_key())
    modules = {name.split("/")[-1] for name in inside if name.startswith("modules/")}
    ours = {path.name for path in MODULES.iterdir()}
    assert modules == {f"{name}.ko" for name in (*ours, *config.LOADABLE)}
    for program in ("linux", "keeper", "confine", "sandbox", "root/agent"):
        assert inside[program].external_attr >> 16 & 0o111 == 0o111, f"{program} cannot be executed"


def test_it_names_no_path_of_this_machine(made: dict[str, Path]) -> None:
    built = build()
    with zipfile.ZipFile(made["labkit-kernel"]) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            for path in (
                str(ROOT),
                str(built.folder),
                str(built.folder.resolve()),
                "/labkit-wheels-",
                "/making-",
            ):
                assert path.encode() not in content, f"{name} names {path}"


def test_its_licences_are_with_it(made: dict[str, Path]) -> None:
    for wheel in made.values():
        with zipfile.ZipFile(wheel) as archive:
            (path,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
            said = archive.read(path).decode()
            files = {Path(name).stem for name in archive.namelist() if "/licenses/" in name}
        (expression,) = [line for line in said.splitlines() if line.startswith("License-Expression: ")]
        of_others = {"libc6-dev-copyright"} if "LGPL" in expression else set()
        assert {*expression.removeprefix("License-Expression: ").split(" AND ")} | of_others == files
        assert "labkit-kernel-sources-" in said


def test_the_archive_of_sources_has_the_libraries_that_zig_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A made-up zig's."""
    linked = {"lib/compiler_rt.zig", "lib/compiler_rt/absv.zig", "lib/c.zig", "lib/c/string.zig"}
    linked |= {"LICENSE", "lib/std/std.zig", "lib/libc/musl/COPYRIGHT", "lib/libc/mingw/crt/crtexe.c"}
    for name in (*linked, "zig", "lib/libc/glibc/LICENSES"):
        path = tmp_path / "zig" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.setattr(programs, "zig", lambda: tmp_path / "zig")
    monkeypatch.setattr(wheel_sources, "run", lambda command: "0.17.1\n")
    archives = []
    for n in ("one", "other"):
        (tmp_path / n).mkdir(mode=0o700)
        archives.append(wheel_sources.zig_libraries(tmp_path / n))
        (tmp_path / "zig/LICENSE").touch()
    assert digest(archives[0]) == digest(archives[1])
    with tarfile.open(archives[0]) as archive:
        files = {member.name for member in archive if member.isfile()}
        assert all(member.mode == 0o755 for member in archive if member.isdir())
    assert files == {f"zig-libraries-0.17.1/{name}" for name in linked}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
