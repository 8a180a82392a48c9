"""Small modules in the kernel's place, made programs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

MODULES = Path(__file__).parent / "modules"
FROM_OWNER, TO_OWNER = 10, 11
ONE_MIB = ["1", str(FROM_OWNER), str(TO_OWNER)]

Program = Callable[[str], Path]


def carried_out(
    lab: Path, folder: Path, content: bytes, **more: object
) -> subprocess.CompletedProcess[bytes]:
    """A machine of one MiB that is given one program, and no gate."""
    (folder / "program").write_bytes(content)
    return subprocess.run([lab, *ONE_MIB], cwd=folder, capture_output=True, timeout=30, check=False, **more)  # type: ignore[call-overload,no-any-return]
