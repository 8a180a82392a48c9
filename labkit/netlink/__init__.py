"""Netlink messages as bytes, without a socket: what pyroute2 0.9.7 cannot make yet, and what it makes wrong.

Importing this package registers its tc plug-ins with pyroute2, for every user of it in this process. Bytes
come out of pyroute2's IPBatch, or faster and always the same out of `message`.
"""

from __future__ import annotations

import importlib.util
import sys


def _pyroute2_anywhere() -> None:
    """Where there is no fcntl (Windows, WebAssembly) `import pyroute2` fails, because its face brings sockets
    and ioctls along. Its message classes need none: there the package is opened without its face."""
    try:
        import pyroute2  # noqa: F401
    except ImportError:
        spec = importlib.util.find_spec("pyroute2")
        if spec is None:
            raise
        for name in [name for name in sys.modules if name.partition(".")[0] == "pyroute2"]:
            del sys.modules[name]
        sys.modules["pyroute2"] = importlib.util.module_from_spec(spec)


_pyroute2_anywhere()

from pyroute2.netlink.rtnl.tcmsg import common_act, plugins  # noqa: E402  now that it can be

from labkit.netlink import gact, netem, tbf  # noqa: E402

plugins.update({"netem": netem, "tbf": tbf})
common_act.plugins["gact"] = gact
