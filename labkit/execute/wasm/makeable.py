"""Whether this machine can make the kernel in WebAssembly a program of its own: what experiments run in
before all else, as it takes the least processor time."""

from __future__ import annotations

from labkit.errors import SetupError
from labkit.execute.guest.kernel import source
from labkit.execute.guest.kernel.tools import require_tools
from labkit.execute.wasm.clang import tools
from labkit.execute.wasm.compilers import compiler
from labkit.execute.wasm.kernel.wasm_kernel import unfit
from labkit.execute.wasm.translated import wabt


def obstacle() -> str:
    """Why it cannot, and what helps; empty if it can. Nothing is fetched for it: where there is no source,
    another kernel than the guest's would be made."""
    try:
        require_tools()
        tools()
        compiler()
        wabt()
        found, _ = source.find()
    except SetupError as error:
        return str(error)
    return unfit(found.version) if found else f"there is no kernel source here: {source.HELP}"
