"""What a guest's process can read of this machine, and what is said where a wall cannot stand. The walls
themselves are C (native/walls.h)."""

from __future__ import annotations

import functools
import warnings

_ETC = (
    *("alternatives", "bash.bashrc", "ca-certificates", "crypto-policies", "debian_version", "ethertypes"),
    *(
        "fonts",
        "gai.conf",
        "group",
        "host.conf",
        "hostname",
        "hosts",
        "inputrc",
        "iproute2",
        "java-17-openjdk",
    ),
    *("java-21-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime", "magic"),
    *(
        "mime.types",
        "netconfig",
        "networks",
        "nsswitch.conf",
        "os-release",
        "passwd",
        "perl",
        "pki/tls/certs",
    ),
    *("profile", "profile.d", "protocols", "python3", "resolv.conf", "rpc", "services", "shells"),
    *("ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone", "vim", "wireshark", "xattr.conf"),
)
_TREES = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "opt", "nix/store", "gnu/store")
SYSTEM = (*(f"/{name}" for name in _TREES), *(f"/etc/{name}" for name in _ETC))
"""Programs, libraries and what they are set up with: no home, no /root, /var, /tmp, no secrets of /etc."""

NO_LANDLOCK = (
    "this machine's kernel has no Landlock (Linux 5.13 or newer, switched on): a kernel module that an "
    "experiment names could read what you can read; all else is shut: SECURITY.md, `labkit doctor --security`"
)
_CREATE_RULESET, _VERSION = 444, 1


def landlock() -> int:
    """The version of Landlock that the machine's kernel offers this process; 0: none."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    version: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    return max(0, version)


@functools.cache
def warn_of_gaps() -> None:
    """Say once in a process which wall is missing here."""
    if not landlock():
        warnings.warn(NO_LANDLOCK, RuntimeWarning, stacklevel=2)
