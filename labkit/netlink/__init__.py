"""Netlink messages as bytes, without a socket: what pyroute2 0.9.7 cannot make yet, and what it makes wrong.

Importing this package registers its tc plug-ins with pyroute2, for every user of it in this process. Bytes
come out of pyroute2's IPBatch, or faster and always the same out of `message`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from typing import Any


def _open_pyroute2() -> None:
    """Its message classes without its face: `import pyroute2` brings sockets, databases and ioctls. This
    takes 0.1 s, and fails where there is no fcntl (Windows, WebAssembly). Whoever asks the package for a name
    of its face gets it, and the face is loaded then. Raises ImportError."""
    if "pyroute2" in sys.modules:
        return
    spec = importlib.util.find_spec("pyroute2")
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("No module named 'pyroute2'", name="pyroute2")
    package, load = importlib.util.module_from_spec(spec), spec.loader.exec_module

    def asked(name: str) -> Any:
        if importlib.util.find_spec(f"pyroute2.{name}"):
            return importlib.import_module(f"pyroute2.{name}")
        del vars(package)["__getattr__"]
        load(package)
        return getattr(package, name)

    vars(package)["__getattr__"] = asked  # PEP 562
    sys.modules["pyroute2"] = package


_open_pyroute2()

from pyroute2.netlink.rtnl.tcmsg import common_act, plugins  # noqa: E402  now that it can be

from labkit.netlink import gact, netem, tbf  # noqa: E402


def register(kinds: Mapping[str, Any]) -> None:
    """Tell pyroute2 of tc plug-ins: kind -> what has its `options`, `get_parameters` and so on."""
    plugins.update(kinds)


register({"netem": netem, "tbf": tbf})
common_act.plugins["gact"] = gact
