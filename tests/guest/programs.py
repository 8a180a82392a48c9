"""What real programs need to run in the lab: pages, certificates, files of aioquic (see book/programs)."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "book/programs"
QUIC = ("aioquic", "cryptography", "OpenSSL", "pylsqpack", "service_identity", "attr", "attrs", "certifi")
QUIC = (*QUIC, "_cffi_backend", "typing_extensions")


def needed(*programs: str) -> None:
    """Skips the test where one is missing."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on this machine (Debian packages: binder/apt.txt)")


@functools.cache
def nginx() -> str:
    """Its binary: installed, or unpacked by scripts/setup.sh. Skips the test if there is none that runs."""
    unpacked = Path(sys.prefix) / "unpacked/nginx/usr/sbin/nginx"
    for found in (shutil.which("nginx"), "/usr/sbin/nginx", str(unpacked)):
        if (
            found
            and os.access(found, os.X_OK)
            and not subprocess.run([found, "-v"], capture_output=True).returncode
        ):
            return found
    pytest.skip("no nginx on this machine: scripts/setup.sh test")


def certificate(folder: Path, host: str) -> None:
    """A key and a certificate that the host has signed itself: key.pem, cert.pem."""
    needed("openssl")
    names = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "36500", *names, *files]
    subprocess.run(make, check=True, capture_output=True)


def site(folder: Path, objects: dict[str, int]) -> Path:
    """What nginx shows as /site: its settings, a certificate for "left", pages of so many bytes."""
    certificate(folder, "left")
    shutil.copy(PROGRAMS / "nginx.conf", folder)
    (folder / "www").mkdir()
    for name, size in objects.items():
        (folder / "www" / name).write_bytes(bytes(size))
    return folder


@functools.cache
def quic_files() -> dict[str, str]:
    """Files of the experiment by which /usr/bin/python3 has aioquic, below /python. Skips the test where this
    Python is another version than the machine's own: a compiled module is for one."""
    needed("python3")
    ask = ["/usr/bin/python3", "-c", "import sys; print(*sys.version_info[:2])"]
    found = (
        subprocess.run(ask, capture_output=True, text=True).stdout.split() if Path(ask[0]).exists() else []
    )
    if found != [str(part) for part in sys.version_info[:2]]:
        pytest.skip(
            f"aioquic needs .venv's version of /usr/bin/python3, which is {'.'.join(found) or 'missing'}"
        )
    shown = {}
    for name in QUIC:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            pytest.skip(f"no {name} in .venv: make it anew from requirements.lock")
        path = Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
        shown[f"/python/{path.name}"] = str(path)
    return shown
