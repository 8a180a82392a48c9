"""What of this machine a guest can read: one list, for the walls around it and for the root its programs see.

Programs, libraries and what these look up; no home, no /root, /var, /tmp, and nothing of /etc that is secret.
SECURITY.md repeats it.
"""

from __future__ import annotations

import os
from pathlib import PurePosixPath

TREES = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "nix/store", "gnu/store")
LOOKED_UP = (
    *("alternatives", "bash.bashrc", "crypto-policies", "ethertypes", "gai.conf", "group", "host.conf"),
    *("inputrc", "iproute2", "ld.so.cache", "locale.alias", "localtime", "login.defs", "nsswitch.conf"),
    *("os-release", "pam.d", "passwd", "pki/tls/certs", "protocols", "resolv.conf", "security/limits.conf"),
    *("services", "ssl/certs", "ssl/openssl.cnf", "terminfo", "wireshark"),
)
VISIBLE = (*TREES, *(f"etc/{name}" for name in LOOKED_UP))
"""Without the slash in front."""

SYSTEM = tuple(f"/{name}" for name in VISIBLE)


def listed() -> bytes:
    """Those that this machine has, each after the folders that it lies in ("etc/"), ending in zero bytes. The
    guest cannot look: the walls hide what other folders hold, and a look that fails takes virtual time."""
    names: dict[str, None] = {"etc/": None}
    for name in VISIBLE:
        if os.path.lexists(f"/{name}"):
            above = [str(folder) for folder in PurePosixPath(name).parents][-2::-1]
            names |= dict.fromkeys(f"{folder}/" for folder in above)
            names[name] = None
    return b"".join(name.encode() + b"\0" for name in names)
