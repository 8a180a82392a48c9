"""A ready-made lab kernel, as the packages labkit-kernel and labkit-kernel-tree bring it: found after the
cache, used if it is of this labkit, refused with one message if not. These are made up and boot nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labkit import cli
from labkit.doctor import checkup
from labkit.doctor.checkup import Check, doctor, works
from labkit.errors import SetupError
from labkit.execute.artifacts import binaries as programs
from labkit.execute.artifacts.ready import (
    KERNEL_PACKAGE,
    NOTE,
    PROGRAM_FOLDER,
    TREE_PACKAGE,
    install,
    ready,
)
from labkit.execute.guest import boot
from labkit.execute.guest.kernel import build, config, modules, reading, source
from labkit.execute.wasm.sources import sources_key as of_program
from scripts.caches import settings

RENO = boot.MODULES / "lp_reno2013" / "lp_reno2013.c"


def packed(site: Path, **changed: Any) -> Path:
    """An installed labkit-kernel."""
    folder = site / KERNEL_PACKAGE
    (folder / "root").mkdir(parents=True, exist_ok=True)
    for name in ("__init__.py", "linux", "shim.so", "keeper", "confine", "sandbox", "root/agent"):
        (folder / name).write_text("")
    note = {
        "release": "6.12.1",
        "key": "0123",
        "recipe": config.recipe(),
        "size": 0,
        "source": "linux.tar.xz",
    }
    note |= {"sources": programs.sources_key(), "compiler": "gcc 12", "seconds": 1.0}
    (folder / NOTE).write_text(json.dumps(note | changed))
    return folder


def with_tree(site: Path, key: str = "0123") -> Path:
    """An installed labkit-kernel-tree."""
    folder = site / TREE_PACKAGE
    (folder / "tree" / "net" / "ipv4").mkdir(parents=True)
    (folder / "tree" / "net" / "ipv4" / "tcp_cong.c").write_text("int tcp_cong;\n")
    (folder / "__init__.py").write_text("")
    (folder / NOTE).write_text(json.dumps({"key": key}))
    return folder


def with_program(site: Path) -> Path:
    """The kernel in WebAssembly of an installed labkit-kernel, which may have nothing else."""
    folder = site / KERNEL_PACKAGE / PROGRAM_FOLDER
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "lab").touch()
    note = {"program": "lab", "size": 0, "release": "6.12.1", "kernel": "45", "module": "67"}
    (folder / NOTE).write_text(json.dumps(note | {"sources": of_program()}))
    return folder / "lab"


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No cache, no compiler, no kernel source, no ready-made kernel; tmp_path/site is for packages."""
    for name, value in settings(tmp_path / "cache").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv(source.VARIABLE, raising=False)
    monkeypatch.setattr(source, "DISTRIBUTION", tmp_path / "nothing")
    monkeypatch.setattr(source.find, "__defaults__", ({}, tmp_path / "nothing"))
    others = [folder for folder in sys.path if not (Path(folder) / KERNEL_PACKAGE).exists()]
    monkeypatch.setattr("sys.path", [str(tmp_path / "site"), *others])
    programs.binaries.cache_clear()
    yield
    programs.binaries.cache_clear()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def in_cache(tmp_path: Path, key: str = "of-the-cache") -> Path:
    folder = tmp_path / "cache" / "kernel" / key
    (folder / "tree").mkdir(parents=True)
    (folder / "linux").touch()
    (folder / build.COMPLETE).write_text(
        json.dumps({"release": "6.12.2", "size": 0, "recipe": config.recipe()})
    )
    return folder


def test_without_a_kernel_one_message_says_both_ways_to_one() -> None:
    with pytest.raises(build.KernelNotBuilt) as caught:
        build.kernel()
    assert str(caught.value).splitlines() == [
        f"there is no lab kernel yet: {install('kernel')} brings it ready-made, or "
        "`labkit kernel build` takes about five minutes and compilers"
    ]


def test_a_package_that_was_just_installed_is_found(site: Path) -> None:
    """In a notebook, after %pip install, without another start."""
    assert ready() is None
    packed(site)
    assert ready() is not None


def test_what_is_ready_made_needs_no_compiler(site: Path) -> None:
    folder = packed(site)
    built = build.kernel()
    assert (built.linux, built.release, built.key) == (folder / "linux", "6.12.1", "0123")
    made = programs.binaries()
    assert (made.agent, made.shim) == (folder / "root" / "agent", folder / "shim.so")
    assert made.key == programs.sources_key()


def test_the_cache_comes_first(site: Path, tmp_path: Path) -> None:
    packed(site)
    assert build.kernel().key == "0123"
    in_cache(tmp_path)
    assert build.kernel().key == "of-the-cache"


def test_programs_in_the_cache_need_no_compiler_either(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "native" / "by-a-compiler-that-is-gone"
    (folder / "root").mkdir(parents=True)
    (folder / NOTE).write_text(json.dumps({"sources": "of other sources"}))
    brought = r'pip install --find-links dist "labkit\[kernel\]==.*"'
    with pytest.raises(SetupError, match=rf"no C compiler.*{brought}, or sudo apt"):
        programs.binaries()
    (folder / NOTE).write_text(json.dumps({"sources": programs.sources_key()}))
    assert programs.binaries().keeper == folder / "keeper"


def test_a_package_of_another_labkit_is_refused_by_name(site: Path) -> None:
    packed(site, recipe="another", sources="others")
    with pytest.raises(
        build.KernelNotBuilt, match=r"installed labkit-kernel is not of this labkit.*--upgrade"
    ):
        build.kernel()
    with pytest.raises(SetupError, match="no C compiler"):
        programs.binaries()


@pytest.mark.parametrize("spoilt", ["size", "note", "linux", "key"])
def test_a_package_that_is_not_whole_is_none(site: Path, spoilt: str) -> None:
    folder = packed(site, **({"size": 1} if spoilt == "size" else {}))
    if spoilt == "note":
        (folder / NOTE).write_text("{")
    elif spoilt == "linux":
        (folder / "linux").unlink()
    elif spoilt == "key":
        (folder / NOTE).write_text("{}")
    assert ready() is None


def test_its_kernel_is_not_taken_for_the_unpatched_one(site: Path) -> None:
    packed(site)
    with pytest.raises(build.KernelNotBuilt, match="--bare"):
        build.kernel(build.BARE)


def test_its_modules_are_those_of_the_very_same_source(site: Path, tmp_path: Path) -> None:
    folder = packed(site)
    key = modules.module_key(modules.contents(RENO), build.kernel())
    (folder / "modules" / key).mkdir(parents=True)
    (folder / "modules" / key / "lp_reno2013.ko").touch()
    assert boot.module_file("reno2013") == folder / "modules" / key / "lp_reno2013.ko"
    changed = tmp_path / RENO.name
    changed.write_text(RENO.read_text() + "\n")
    with pytest.raises(SetupError, match=r'the source tree of .*"labkit\[modules\]==.*"'):
        boot.module_file(str(changed))


def test_of_the_kernels_own_modules_the_name_will_do(site: Path) -> None:
    folder = packed(site)
    with pytest.raises(SetupError, match="without its source tree"):
        boot.module_file("sch_drr")
    (folder / "modules" / "sch_drr").mkdir(parents=True)
    (folder / "modules" / "sch_drr" / "sch_drr.ko").touch()
    assert boot.module_file("sch_drr") == folder / "modules" / "sch_drr" / "sch_drr.ko"


def test_the_tree_is_that_of_the_same_kernel(site: Path) -> None:
    packed(site)
    with_tree(site, key="of another")
    with pytest.raises(SetupError, match="without its source tree"):
        reading.kernel_source("tcp_cong.c")
    (site / TREE_PACKAGE / NOTE).write_text(json.dumps({"key": "0123"}))
    assert reading.kernel_source("tcp_cong.c") == "int tcp_cong;\n"


def test_modules_of_ones_own_need_tree_and_compiler(site: Path) -> None:
    """One message names all that is lacking."""
    packed(site)
    compiler = "sudo apt install gcc libc6-dev make"
    tree = r'pip install --find-links dist "labkit\[modules\]==.*"'
    what = "module labnic cannot be compiled without gcc, ld, make, the source tree of .*Linux 6.12.1"
    with pytest.raises(SetupError, match=rf"{what}\): {compiler} and {tree}$"):
        boot.module_file("labnic")
    with_tree(site)
    with pytest.raises(SetupError, match=f"without gcc, ld, make: {compiler}$"):
        boot.module_file("labnic")


def test_a_package_without_a_guest_runs_what_needs_none_and_says_so(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with musl."""
    program = with_program(site)
    with pytest.raises(build.KernelNotBuilt, match=r"labkit-kernel has no guest.*`labkit kernel build`"):
        build.kernel()
    assert not build.has_guest()
    assert cli.main(["kernel", "status"]) == cli.FAILED
    said = capsys.readouterr().out
    assert str(program) in said and "the installed labkit-kernel has no guest" in said
    monkeypatch.setattr(checkup, "_boots", lambda: Check("boots and runs", "ok", "", needed=True))
    found = {check.what: check for check in doctor()}
    assert "every experiment without programs" in found["system"].found
    assert str(program) in found["kernel in WebAssembly"].found
    assert works([*found.values()])


def test_kernel_status_is_good_where_no_guest_can_be(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert cli.main(["kernel", "status"]) == cli.FAILED
    program = with_program(site)
    assert cli.main(["kernel", "status"]) == cli.OK
    said = capsys.readouterr().out
    assert str(program) in said and "needs Linux on an x86-64 processor; this is Darwin" in said


def test_a_guest_is_here_that_is_being_built_or_ready_made(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not build.has_guest()
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(build, "being_built", lambda *_: "building the lab kernel, 3 %")
        assert build.has_guest()
    assert not build.has_guest()
    packed(site)
    assert build.has_guest()


def test_the_doctor_and_kernel_status_say_where_it_is(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = packed(site)
    assert cli.main(["kernel", "status"]) == cli.OK, "it is all that this machine can have"
    assert str(folder / "linux") in capsys.readouterr().out
    agent, kernel = checkup._agent(), checkup._guest()
    assert agent.state == kernel.state == "ok"
    assert str(folder) in agent.found and str(folder) in kernel.found
