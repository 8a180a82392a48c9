"""Debian packages of the image and of what makes its disk, and what of them is left out."""

from __future__ import annotations

import re

from scripts.wheels.packing import ROOT

SUITE = "trixie"

SYSTEM = (
    *("linux-image-amd64", "initramfs-tools", "zstd"),
    *("systemd-sysv", "systemd-resolved", "dbus", "udev", "sudo"),
    *("python3", "python3-venv", "ca-certificates", "less", "nano"),
    # Congestion controls of one's own: chapter 23.
    *("gcc", "libc6-dev", "make"),
)
"""With what inside_the_lab() names."""


TOOLS = (
    *("e2fsprogs", "libarchive13t64", "fdisk", "mtools", "qemu-utils"),
    *("syslinux", "syslinux-common", "systemd-boot-efi"),
)
"""Of the image's own suite, so that another host makes the same bytes; and mke2fs reads a .tar since then."""

_NO_HARDWARE = (
    *(
        "drivers/gpu",
        "drivers/media",
        "drivers/net/wireless",
        "drivers/infiniband",
        "drivers/iio",
        "drivers/isdn",
    ),
    *(
        "drivers/staging",
        "drivers/mtd",
        "drivers/hwmon",
        "drivers/bluetooth",
        "drivers/usb/gadget",
        "drivers/mmc",
    ),
    *(
        "drivers/video",
        "drivers/edac",
        "drivers/leds",
        "drivers/crypto/intel/qat",
        "drivers/accel",
        "drivers/atm",
    ),
    *("sound", "net/mac80211", "net/wireless", "net/bluetooth", "net/atm", "fs/ocfs2", "fs/xfs", "fs/btrfs"),
)
"""Folders of kernel modules for what no virtual machine has."""

LEFT_OUT = (
    *(
        "/usr/share/man/*",
        "/usr/share/info/*",
        "/usr/share/locale/*",
        "/usr/share/doc/*/*",
        "/usr/share/lintian/*",
    ),
    *(f"{top}/lib/modules/*/kernel/{folder}/*" for top in ("", "/usr") for folder in _NO_HARDWARE),
    # Compilers for what chapter 23 does not do: link-time optimisation, sanitizers.
    *(
        "/usr/libexec/gcc/*/lto1",
        "/usr/bin/*lto-dump*",
        "/usr/lib/gcc/*/*san.a",
        "/usr/lib/gcc/*/*san_preinit.o",
    ),
)
KEPT = ("/usr/share/doc/*/copyright",)


def inside_the_lab() -> list[str]:
    """The programs of the lab's hosts, as binder/apt.txt has them: ["ethtool", ...]."""
    text = (ROOT / "binder" / "apt.txt").read_text()
    (_, after) = text.split("# Programs that run inside the lab.\n")
    return re.findall(r"^([a-z0-9.+-]+)", after.split("\n\n")[0], re.MULTILINE)
