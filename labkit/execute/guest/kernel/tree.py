"""The source tree of a build: unpacking what is read, keeping what modules compile against."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from labkit.execute.guest.kernel import config
from labkit.execute.guest.kernel.source import KernelSource
from labkit.execute.guest.kernel.tools import run

_UNPACK = {".xz": "xz -dc -T0", ".bz2": "bzip2 -dc", ".gz": "gzip -dc"}

# Most of the source is drivers and other processors. Kconfig and make files stay: all of them are read.
_OTHER_PROCESSORS = """
    alpha arc arm arm64 csky hexagon loongarch m68k microblaze mips nios2 openrisc parisc powerpc riscv
    s390 sh sparc xtensa
"""
_UNUSED_DRIVERS = """
    accel clk comedi crypto dma gpu hid hwmon i2c iio infiniband md media mfd misc mmc mtd pci phy
    pinctrl platform regulator s390 scsi soc spi staging usb video
"""
_UNUSED_FILESYSTEMS = "bcachefs btrfs ceph ext4 f2fs gfs2 nfs nfsd nls ocfs2 smb ubifs xfs"
_NOT_UNPACKED = [
    "*/.git",
    "*/Documentation/*/*",
    "*/LICENSES",
    "*/tools/perf",
    "*/tools/testing",
    "*/sound/*.[ch]",
    "*/samples/*.[ch]",
    "*/drivers/net/*/*.[ch]",
    "*/drivers/gpu/*.h",
    *(
        f"*/arch/{name}/*{end}"
        for name in _OTHER_PROCESSORS.split()
        for end in (".[chS]", ".dts*", "defconfig")
    ),
    *(f"*/drivers/{name}/*.c" for name in _UNUSED_DRIVERS.split()),
    *(f"*/fs/{name}/*.[ch]" for name in _UNUSED_FILESYSTEMS.split()),
]

_HEADERS = r"include/(?!(dt-bindings|drm|sound|media|rdma|scsi|soc|video|xen|kvm|ufs)/).*\.h"

# What `make M=...` reads of a built tree, and what people do (reading.py), as paths relative to it.
FOR_MODULES = re.compile(
    rf"""
      net/sched/({"|".join(config.LOADABLE)})\.c |
      ({"|".join(map(re.escape, config.INCLUDED))}) |
      net/ipv4/tcp(_\w+)?\.c |
      Makefile | Kbuild | \.config | Module\.symvers | System\.map
    | {_HEADERS}
    | include/config/(auto\.conf|kernel\.release)
    | arch/um/.*(Makefile[^/]*|\.h|\.lds|\.lds\.S)
    | arch/x86/(um|include|entry/vdso)/.*\.h
    | arch/x86/(.*/)?Makefile[^/]*
    | net/.*\.h
    | scripts/(?!(kconfig|dtc|gcc-plugins|coccinelle|gdb|package|genksyms|selinux)/).*(?<!\.o)
    """,
    re.VERBOSE,
)


def unpack(source: KernelSource, tree: Path, *, log: Path, hold: tuple[int, ...] = ()) -> None:
    """What a build reads of a tarball or of another tree. Raises SetupError."""
    tree.mkdir()
    without = [f"--exclude={pattern}" for pattern in _NOT_UNPACKED]
    if source.is_tree:
        made = (".o", ".a", ".ko", ".cmd", "/.config", "/include/config", "/include/generated")
        without += [f"--exclude=*{end}" for end in made]
        producer = f'tar -C "$0" -c {_WILDCARDS} "$@" .'
        consumer = "tar -x"
    else:
        producer = f'{_UNPACK[source.path.suffix]} "$0"'
        consumer = f'tar -x {_WILDCARDS} --strip-components=1 "$@"'
    # A pipe's status is its last command's; a producer that fails leaves a sign.
    pipe = f"{{ {producer} || touch ../failed; }} | {consumer} && [ ! -e ../failed ]"
    run(["/bin/sh", "-c", pipe, str(source.path.resolve()), *without], tree, log=log, hold=hold)


def apply_patches(tree: Path, patches: Sequence[Path], *, log: Path, hold: tuple[int, ...] = ()) -> None:
    """These, unless the tree has them already. Raises KernelBuildError when one does not fit."""
    for path in patches:
        there = 'patch -R -p1 --force --dry-run -i "$0" >/dev/null'
        apply = 'patch -p1 --forward --no-backup-if-mismatch -i "$0"'
        run(["/bin/sh", "-c", f"{there} || {apply}", str(path)], tree, log=log, hold=hold)


_WILDCARDS = "--anchored --wildcards --wildcards-match-slash"


def for_files(arch: str) -> re.Pattern[str]:
    """What one more file of a built tree is compiled against, without make."""
    return re.compile(rf"{_HEADERS}|arch/{arch}/include/.*\.h|\.config")


def trim(tree: Path, kept: re.Pattern[str] = FOR_MODULES) -> None:
    """Remove everything of a built tree but this."""
    for folder, folders, files in os.walk(tree, topdown=False):
        inside = os.path.relpath(folder, tree)
        for name in files:
            path = os.path.normpath(os.path.join(inside, name))
            if not kept.fullmatch(path):
                os.unlink(os.path.join(folder, name))
        for name in folders:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                os.unlink(path)
            elif not os.listdir(path):
                os.rmdir(path)
