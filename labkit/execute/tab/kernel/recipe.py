"""What the tab's kernel is made of besides the guest's configuration and patches, and how it is compiled.

It is Linux for i386, for a machine that has nothing but a processor and memory (labtab/). It loads no
modules: those of labkit are part of it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from labkit.execute.guest.boot import MODULES
from labkit.execute.guest.kernel import config
from labkit.execute.guest.kernel.build import Kind
from labkit.execute.guest.kernel.make import UNPACKING, compile_tree, configure, release_of, unpack
from labkit.execute.guest.kernel.source import KernelSource
from labkit.execute.guest.kernel.tools import run
from labkit.execute.session.progress import Report

HERE = Path(__file__).parent
FRAGMENT = HERE / "tab.config"
COMMAND = "labkit kernel build --tab"

BUILT_IN = ("labnic", "ip_gre", "exp", "reno2013", "cubic_parts", "bbr_parts", *config.LOADABLE)
"""Modules that an experiment may name, as `guest.boot.module_file` finds them."""

VERSION = (6, 12)
"""The only one that patches/ fits."""

_ARCH = "i386"
_FLAGS = "-ffunction-sections"  # labtab_hot.h has their order
_MACHINE = Path("arch", "x86", "labtab")
_HEADERS = Path("arch", "x86", "include", "asm")
_STEPS = 1150  # lines that make prints
_KEPT = (".config", "System.map")


def patches() -> list[Path]:
    """In order: the guest's, which are of use here too or change what is not compiled; then the tab's own."""
    return [*config.patches(), *sorted((HERE / "patches").glob("*.patch"))]


def recipe() -> str:
    """A hash of everything that decides what is built, but for the source and the compiler."""
    return config.recipe_of([config.FRAGMENT, FRAGMENT, *patches(), *_machine(), *_modules()])


def compile_kernel(source: KernelSource, folder: Path, lock: int, progress: Report) -> str:
    """Makes folder/linux, an ELF file of 32 bits, and folder/tree with its symbols; returns the release.
    Raises SetupError, KernelBuildError."""
    built, log, hold = folder / "source", folder / "build.log", (lock,)
    total = UNPACKING + _STEPS
    unpack(source, built, total, progress, patches=patches(), log=log, hold=hold, fits=_fits)
    lay(built)
    fragment = config.merged(config.FRAGMENT.read_text(), FRAGMENT.read_text())
    configure(built, fragment, arch=_ARCH, name=FRAGMENT.name, log=log, hold=hold)
    compile_tree(built, ["vmlinux"], total, progress, arch=_ARCH, log=log, hold=hold, flags=_FLAGS)
    run(["strip", "-o", str(folder / "linux"), "vmlinux"], built, log=log, hold=hold)
    release = release_of(built)
    tree = folder / "tree"
    tree.mkdir()
    for name in _KEPT:
        shutil.move(built / name, tree / name)
    shutil.rmtree(built)
    progress(total, total, "building the lab kernel")
    return release


def _fits(version: tuple[int, ...]) -> str:
    """Why it cannot be one; empty when it can."""
    name = ".".join(map(str, version))
    return "" if version[:2] == VERSION else f"the tab's kernel is made of Linux 6.12, not of {name}"


def lay(tree: Path) -> None:
    """The machine's own files and labkit's modules into a tree."""
    (tree / _MACHINE / "labnic").mkdir(parents=True)
    for path in _machine():
        shutil.copyfile(path, tree / (_HEADERS if path.suffix == ".h" else _MACHINE) / path.name)
    for path in _modules():
        inside = _MACHINE / "labnic" if path.parent.name == "labnic" else _MACHINE
        text = path.read_text()
        (tree / inside / path.name).write_text(text.replace("obj-m", "obj-y"))


def _machine() -> list[Path]:
    return sorted(path for path in (HERE / "labtab").iterdir() if path.is_file())


def _modules() -> list[Path]:
    """Of the teaching NIC also its Kbuild file; the others are a file each."""
    found = [path for path in MODULES.glob("*/*") if path.suffix in (".c", ".h")]
    return sorted([*found, MODULES / "labnic" / "Kbuild"])


TAB = Kind(COMMAND, recipe, compile_kernel)
