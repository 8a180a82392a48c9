"""Parameters of kernel modules, as module_param() declares them, whether the module is loaded or built in."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator

from labkit.errors import SpecError
from labkit.schema.base import Frozen
from labkit.spec.sysctl import SysctlValue, settings

_NAME = re.compile(r"(\w+)\.(\w+)", re.ASCII)


def parameter_name(name: object) -> str:
    """As on the kernel's command line: "tcp_cubic.hystart", where "-" stands for "_" in the module's name.
    Raises SpecError."""
    text = name.strip() if isinstance(name, str) else ""
    module, dot, parameter = text.partition(".")
    dotted = module.replace("-", "_") + dot + parameter
    if not _NAME.fullmatch(dotted):
        raise SpecError(f"{name!r} is no module's parameter: write it as tcp_cubic.hystart")
    return dotted


def _read(value: object) -> dict[str, SysctlValue]:
    return settings(value, parameter_name, '{"tcp_cubic.hystart": 0}')


ModuleParameters = Annotated[dict[str, SysctlValue], BeforeValidator(_read), Frozen]
