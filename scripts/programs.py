"""Real programs for the lab: where they are on this machine, and what they need. More is in book/programs.

Tests run them, and scripts/http3.py.
"""

from __future__ import annotations

import compileall
import importlib.util
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / "book/programs"
PYTHON = "PYTHONPATH=/python python3 -B -S"
"""Begins a command that needs aioquic."""
_QUIC = ("aioquic", "cryptography", "OpenSSL", "pylsqpack", "service_identity", "attr", "attrs", "certifi")
_MODULES = (*_QUIC, "_cffi_backend", "typing_extensions")


class Missing(Exception):
    """A program that this machine has not got."""


def needed(*names: str) -> None:
    """Raises Missing."""
    for name in names:
        if shutil.which(name) is None:
            raise Missing(f"no {name} on this machine (Debian's packages: binder/apt.txt)")


def nginx() -> str:
    """Its binary: installed, or unpacked by scripts/setup.sh. Raises Missing."""
    unpacked = Path(sys.prefix) / "unpacked/nginx/usr/sbin/nginx"
    for found in ("/usr/sbin/nginx", shutil.which("nginx"), str(unpacked)):
        if found and os.access(found, os.X_OK) and _runs(found):
            return found
    raise Missing("no nginx on this machine: scripts/setup.sh test")


def _runs(program: str) -> bool:
    return subprocess.run([program, "-v"], capture_output=True, check=False).returncode == 0


def certificate(folder: Path, host: str) -> None:
    """A key and a certificate that the host has signed itself: key.pem, cert.pem. Raises Missing."""
    needed("openssl")
    names = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "36500", *names, *files]
    subprocess.run(make, check=True, capture_output=True)


def quic(folder: Path) -> Path:
    """aioquic and what it imports, copied to a folder for commands to see at /python, and compiled: what a
    run sees has no times, by which Python would know what is compiled. Raises Missing where .venv's Python is
    another version than the machine's own, which commands have: a compiled module is for one."""
    own = Path("/usr/bin/python3")
    ask = [str(own), "-c", "import sys; print(*sys.version_info[:2], sep='.')"]
    said = subprocess.run(ask, capture_output=True, text=True, check=False).stdout if own.exists() else ""
    mine = ".".join(str(part) for part in sys.version_info[:2])
    if said.strip() != mine:
        raise Missing(
            f"aioquic needs {own} of version {mine}, as .venv has it: it is {said.strip() or 'missing'}"
        )
    for name in _MODULES:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise Missing(f"no {name} in .venv: make it anew from binder/requirements.lock")
        path = Path(spec.origin)
        if spec.submodule_search_locations:
            shutil.copytree(path.parent, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, folder)
    by_hash = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(folder, quiet=1, invalidation_mode=by_hash)
    return folder
