"""What the kernel in WebAssembly is made of besides the guest's configuration and patches, and how it is
compiled.

It is Linux for an architecture of our own (arch/): a processor without interrupts, memory, and nothing else.
It loads no modules: those of labkit are part of it. The agent is not in it yet: that is linked.py.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from labkit.execute.guest.boot import MODULES
from labkit.execute.guest.kernel import config, tree
from labkit.execute.guest.kernel.build import Kind
from labkit.execute.guest.kernel.make import UNPACKING, release_of, unpack
from labkit.execute.guest.kernel.source import KernelSource, version_in_tree
from labkit.execute.guest.kernel.tools import KernelBuildError, run
from labkit.execute.machine import processors
from labkit.execute.session.progress import Report
from labkit.execute.wasm.clang import FLAGS, TARGET, tools, version
from labkit.execute.wasm.kernel import edges

HERE = Path(__file__).parent
FRAGMENT = HERE / "wasm.config"
ARCH = HERE / "arch"
COMMAND = "labkit kernel build --native"

BUILT_IN = ("labnic", "ip_gre", "exp", "reno2013", "cubic_parts", "bbr_parts", *config.LOADABLE)
"""Modules that an experiment may name, as `guest.boot.module_file` finds them."""

LAST = "last.o"
"""In the archive: the end of what tables are gathered from. One more object comes before it."""

FLAGS_KEPT = "flags.json"
"""In the tree of a build: what the compiler is given there for one of the kernel's files, but for names."""

VERSION = (6, 12)
"""The only one that patches/ fits."""

_MAKE = (
    "make",
    "ARCH=wasm",
    "LLVM=-19",
    f"CLANG_TARGET_FLAGS={TARGET}",
    "RUSTC=no-rustc",  # as in guest/kernel/make.py: their versions would be part of the kernel
    "PAHOLE=no-pahole",
    # What reads modules is compiled, though there are none, and wants to know of which kind of ELF: of some
    "cmd_elfconfig=$(obj)/mk_elfconfig < $(obj)/mk_elfconfig > $@",
    # All objects and the library that fills their gaps, but not together in one (that is done here), nor the
    # names of modules that would be read of it
    "cmd_ld_vmlinux.o=: > $@",
    "cmd_objcopy=: > $@",
    "KCFLAGS=-w",
)
_STEPS = 1220  # lines that make prints
_STEP = re.compile(r"  [A-Z][A-Z0-9]+ +\S")
_DOING = "building the lab kernel for WebAssembly"


def patches() -> list[Path]:
    """In order: the guest's, which are of use here too or change what is not compiled; then our own."""
    return [*config.patches(), *sorted((HERE / "patches").glob("*.patch"))]


def unfit(version: tuple[int, ...]) -> str:
    """Why it cannot be made of this version; empty when it can."""
    name = ".".join(map(str, version))
    return "" if version[:2] == VERSION else f"the kernel in WebAssembly is made of Linux 6.12, not of {name}"


def recipe() -> str:
    """A hash of everything that decides what is built, but for the source and gcc, which makes no more than
    the tools of the build."""
    return hashlib.sha256(f"{_made_of()}{version()}\n".encode()).hexdigest()


@functools.cache
def _made_of() -> str:
    files = config.recipe_of([config.FRAGMENT, FRAGMENT, *patches(), *_arch(), *_modules()])
    return f"{files}\n{_MAKE} {FLAGS} {_WHOLE} {_KEPT.pattern} {edges.first()} {edges.last()} "


def compile_kernel(source: KernelSource, folder: Path, lock: int, progress: Report) -> str:
    """Makes folder/linux, an archive of all objects, and folder/tree, which one more is compiled against;
    returns the release. Raises SetupError, KernelBuildError."""
    tools()  # before all that takes long
    built, log, hold = folder / "tree", folder / "build.log", (lock,)
    total = UNPACKING + _STEPS
    unpack(source, built, total, progress, patches=patches(), log=log, hold=hold, fits=unfit)
    lay(built)
    _configure(built, log=log, hold=hold)
    _compile(built, total, progress, log=log, hold=hold)
    _join(built, folder / "linux", log=log, hold=hold)
    release = release_of(built)
    (built / FLAGS_KEPT).write_text(json.dumps(_flags(built)))
    tree.trim(built, _KEPT)
    progress(total, total, _DOING)
    return release


def lay(built: Path) -> None:
    """The architecture and labkit's modules into a tree."""
    arch = built / "arch" / "wasm"
    shutil.copytree(ARCH, arch)
    (arch / "lab" / "labnic").mkdir()
    for path in _modules():
        inside = arch / "lab" / ("labnic" if path.parent.name == "labnic" else "")
        (inside / path.name).write_text(path.read_text().replace("obj-m", "obj-y"))


def _configure(built: Path, *, log: Path, hold: tuple[int, ...]) -> None:
    fragment = config.merged(config.FRAGMENT.read_text(), FRAGMENT.read_text())
    (built / "lab.config").write_text(fragment)
    run([*_MAKE, "KCONFIG_ALLCONFIG=lab.config", "allnoconfig"], built, log=log, hold=hold)
    if lacking := config.missing(fragment, (built / ".config").read_text()):
        version = ".".join(map(str, version_in_tree(built)))
        raise KernelBuildError(f"Linux {version} refuses these of {FRAGMENT.name}: {', '.join(lacking)}")


def _flags(built: Path) -> list[str]:
    """Those of one of labkit's modules, as make has written them down."""
    command, _, _ = (built / "arch/wasm/lab/.lp_reno2013.o.cmd").read_text().partition("\n")
    _, *flags = shlex.split(command.partition(":= ")[2])  # the compiler's name
    own = ("-Wp,", "-DKBUILD_", "-D__KBUILD_")
    return [flag for flag in flags[: flags.index("-c")] if not flag.startswith(own)]


def _compile(built: Path, total: int, progress: Report, *, log: Path, hold: tuple[int, ...]) -> None:
    """Makes vmlinux.a and lib/lib.a."""
    done = UNPACKING
    progress(done, total, _DOING)

    def on_line(line: str) -> None:
        nonlocal done
        if _STEP.match(line):
            done = min(done + 1, total)
            progress(done, total, _DOING)

    run([*_MAKE, f"-j{processors.number()}", "vmlinux_o"], built, log=log, on_line=on_line, hold=hold)


def _join(built: Path, to: Path, *, log: Path, hold: tuple[int, ...]) -> None:
    """All of it in one archive, the tables between their edges.

    Not in one object: of a function that another has taken the place of only the body would be left, and the
    linker would count its name among those that it lists, but not write it (lld 19)."""
    clang = tools().clang
    for name, text in (("first", edges.first()), (Path(LAST).stem, edges.last())):
        (built / f"{name}.s").write_text(text)
        run([clang, *FLAGS, "-c", f"{name}.s", "-o", f"{name}.o"], built, log=log, hold=hold)
    run([tools().archiver, "qcL", str(to), *_WHOLE], built, log=log, hold=hold)


_WHOLE = ("first.o", "vmlinux.a", "lib/lib.a", LAST)
_KEPT = re.compile(rf"{tree.for_files('wasm').pattern}|{re.escape(FLAGS_KEPT)}")


def _arch() -> list[Path]:
    return sorted(path for path in ARCH.rglob("*") if path.is_file())


def _modules() -> Sequence[Path]:
    """Of the teaching NIC also its Kbuild file; the others are a file each."""
    found = [path for path in MODULES.glob("*/*") if path.suffix in (".c", ".h")]
    return sorted([*found, MODULES / "labnic" / "Kbuild"])


WASM = Kind(COMMAND, recipe, compile_kernel, place="wasm")
