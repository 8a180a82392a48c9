"""Turns kernel source into `linux` and the tree that modules compile against. Knows nothing of the cache."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.guest.kernel import config, tree
from labkit.execute.guest.kernel.source import KernelSource, unfit, version_in_tree
from labkit.execute.guest.kernel.tools import KernelBuildError, run
from labkit.execute.machine import processors
from labkit.execute.session.progress import Report

STEPS = 1250
"""Lines that make prints for this configuration ("  CC      net/ipv4/tcp.o"), for the progress bar."""

UNPACKING = 40
"""What unpacking and configuring take, in such steps."""

_UNUSED = ("RUSTC=no-rustc", "PAHOLE=no-pahole")
"""Kconfig writes their versions into .config, and so into `linux`, though nothing of ours is made with them:
where they are installed the same source would be another kernel."""

_STEP = re.compile(r"  [A-Z][A-Z0-9]+ +(?P<folder>\S*)/|  [A-Z][A-Z0-9]+ +\S")


def compile_kernel(
    source: KernelSource, folder: Path, lock: int, progress: Report, *, bare: bool = False
) -> str:
    """Makes folder/linux and folder/tree; returns the release. bare: without our patches. Raises SetupError,
    KernelBuildError."""
    built, log, hold = folder / "tree", folder / "build.log", (lock,)
    total = UNPACKING + STEPS
    unpack(source, built, total, progress, patches=[] if bare else config.patches(), log=log, hold=hold)
    fragment = config.FRAGMENT.read_text()
    configure(built, fragment, arch="um", name=config.FRAGMENT.name, log=log, hold=hold)
    compile_tree(built, ["linux", "modules_prepare"], total, progress, arch="um", log=log, hold=hold)
    run(["strip", "-o", str(folder / "linux"), "linux"], built, log=log, hold=hold)
    release = release_of(built)
    # `make modules` would write it, for modules of the kernel's own; there are none.
    shutil.copyfile(built / "vmlinux.symvers", built / "Module.symvers")
    tree.trim(built)
    progress(total, total, "building the lab kernel")
    return release


def unpack(
    source: KernelSource,
    built: Path,
    total: int,
    progress: Report,
    *,
    patches: Sequence[Path],
    log: Path,
    hold: tuple[int, ...],
    fits: Callable[[tuple[int, ...]], str] = unfit,
) -> None:
    """The patched source into the folder `built`. patches: those for other versions are left out. fits: why a
    version does not, or nothing. Raises SetupError."""
    progress(0, total, "unpacking the kernel's source")
    tree.unpack(source, built, log=log, hold=hold)
    version = version_in_tree(built)
    if problem := fits(version):
        raise SetupError(f"{source.path}: {problem}")
    tree.apply_patches(built, [path for path in patches if config.is_for(path, version)], log=log, hold=hold)
    progress(UNPACKING // 2, total, "configuring the lab kernel")


def compile_tree(
    built: Path,
    targets: Sequence[str],
    total: int,
    progress: Report,
    *,
    arch: str,
    log: Path,
    hold: tuple[int, ...],
    flags: str = "",
) -> None:
    """Makes these in a tree that is configured. flags: more of the compiler's. Raises KernelBuildError."""
    done, what = UNPACKING, "building the lab kernel"
    progress(done, total, what)

    def on_line(line: str) -> None:
        nonlocal done, what
        if step := _STEP.match(line):
            done = min(done + 1, total)
            what = f"building the lab kernel: {step['folder']}" if step["folder"] else what
            progress(done, total, what)

    jobs = processors.number()
    # Remembering where each piece of a macro came from costs a twentieth of the time; only warnings need it.
    flags = f"KCFLAGS=-w -ftrack-macro-expansion=0 {flags}".rstrip()
    command = ["make", f"ARCH={arch}", *_UNUSED, f"-j{jobs}", flags, *targets]
    run(command, built, log=log, on_line=on_line, hold=hold)


def release_of(built: Path) -> str:
    """The name of what was made of a tree: "6.12.117"."""
    return (built / "include" / "config" / "kernel.release").read_text().strip()


def configure(
    built: Path, fragment: str, *, arch: str, name: str, log: Path, hold: tuple[int, ...] = ()
) -> None:
    """Writes .config as the fragment of that name asks. Raises KernelBuildError naming the symbols that
    this kernel refused."""
    (built / "lab.config").write_text(fragment)
    command = ["make", f"ARCH={arch}", *_UNUSED, "KCONFIG_ALLCONFIG=lab.config", "allnoconfig"]
    run(command, built, log=log, hold=hold)
    lacking = config.missing(fragment, (built / ".config").read_text())
    if lacking:
        version = ".".join(map(str, version_in_tree(built)))
        raise KernelBuildError(f"Linux {version} refuses these of {name}: {', '.join(lacking)}")
