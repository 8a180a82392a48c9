"""Turns kernel source into `linux` and the tree that modules compile against. Knows nothing of the cache."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.guest.kernel import config, tree
from labkit.execute.guest.kernel.source import KernelSource, unfit, version_in_tree
from labkit.execute.guest.kernel.tools import KernelBuildError, run
from labkit.execute.progress import Report

STEPS = 1250
"""Lines that make prints for this configuration ("  CC      net/ipv4/tcp.o"), for the progress bar."""

_UNPACKING = 40
"""What unpacking and configuring take, in such steps."""

_STEP = re.compile(r"  [A-Z][A-Z0-9]+ +\S")


def compile_kernel(
    source: KernelSource, folder: Path, lock: int, progress: Report, *, bare: bool = False
) -> str:
    """Makes folder/linux and folder/tree; returns the release. bare: without our patches. Raises SetupError,
    KernelBuildError."""
    built, log, hold = folder / "tree", folder / "build.log", (lock,)
    total = _UNPACKING + STEPS
    progress(0, total, "unpacking the kernel's source")
    tree.unpack(source, built, log=log, hold=hold, bare=bare)
    if problem := unfit(version_in_tree(built)):
        raise SetupError(f"{source.path}: {problem}")
    progress(_UNPACKING // 2, total, "configuring the lab kernel")
    configure(built, log=log, hold=hold)
    done = _UNPACKING
    progress(done, total, "building the lab kernel")

    def on_line(line: str) -> None:
        nonlocal done
        if _STEP.match(line):
            done = min(done + 1, total)
            progress(done, total, "building the lab kernel")

    jobs = len(os.sched_getaffinity(0))
    # Remembering where each piece of a macro came from costs a twentieth of the time; only warnings need it.
    flags = "KCFLAGS=-w -ftrack-macro-expansion=0"
    make = ["make", "ARCH=um", f"-j{jobs}", flags, "linux", "modules_prepare"]
    run(make, built, log=log, on_line=on_line, hold=hold)
    run(["strip", "-o", str(folder / "linux"), "linux"], built, log=log, hold=hold)
    release = (built / "include" / "config" / "kernel.release").read_text().strip()
    # `make modules` would write it, for modules of the kernel's own; there are none.
    shutil.copyfile(built / "vmlinux.symvers", built / "Module.symvers")
    tree.trim(built)
    progress(total, total, "building the lab kernel")
    return release


def configure(built: Path, *, log: Path, hold: tuple[int, ...] = ()) -> None:
    """Writes .config. Raises KernelBuildError naming the symbols that this kernel refused."""
    shutil.copyfile(config.FRAGMENT, built / "lab.config")
    run(["make", "ARCH=um", "KCONFIG_ALLCONFIG=lab.config", "allnoconfig"], built, log=log, hold=hold)
    lacking = config.missing(config.FRAGMENT.read_text(), (built / ".config").read_text())
    if lacking:
        version = ".".join(map(str, version_in_tree(built)))
        raise KernelBuildError(
            f"Linux {version} refuses these of {config.FRAGMENT.name}: {', '.join(lacking)}"
        )
