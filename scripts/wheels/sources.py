"""The source that belongs to labkit-kernel, as one archive beside it.

GPL-2.0, section 3, asks for the kernel's and for that of all that is linked to it: the distribution's tarball
as it is; labkit's sdist with patches, configurations, modules and what builds; and the libraries that zig
links into the programs. LGPL-2.1, section 6, asks for glibc's: the agent holds it."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from scripts.wheels import programs
from scripts.wheels.packing import ROOT, nobodys, run

_TARGETS = "$(SITE) $(RELEASE) $(COMPONENT) $(ORIGIN)"
_TRUSTED = ("Debian", "Ubuntu")
_OF_ZIG = ("compiler_rt", "compiler_rt.zig", "c", "c.zig", "std", "libc/musl", "libc/mingw")
"""What it compiles when it links: functions of its own, a C library, and what both are made with."""


def archive(kernel_source: Path, sdist: Path, version: str, out: Path) -> Path:
    """All of it in one .tar: what is in it is compressed. Needs zig, and apt, for glibc's source."""
    made = out / f"labkit-kernel-sources-{version}.tar"
    with tempfile.TemporaryDirectory() as folder:
        glibc = Path(folder) / "glibc"
        glibc.mkdir()
        fetch_glibc(glibc)
        zig = zig_libraries(Path(folder))
        about = ROOT / "scripts" / "wheels" / "SOURCES.md"
        parts = {"README.md": about, kernel_source.name: kernel_source, sdist.name: sdist, zig.name: zig}
        parts |= {f"glibc/{path.name}": path for path in glibc.iterdir()}
        with tarfile.open(made, "w") as tar:
            for name, path in sorted(parts.items()):
                tar.add(path, f"{made.stem}/{name}", filter=nobodys)
    return made


def zig_libraries(folder: Path) -> Path:
    """The libraries of the zig that compiles here, as its package has them."""
    version = run([sys.executable, "-m", "ziglang", "version"]).strip()
    made = folder / f"zig-libraries-{version}.tar.xz"
    package = programs.zig()
    with tarfile.open(made, "w:xz") as tar:
        for name in ("LICENSE", *(f"lib/{name}" for name in _OF_ZIG)):
            tar.add(package / name, f"{made.name.removesuffix('.tar.xz')}/{name}", filter=_nobodys)
    return made


def _nobodys(info: tarfile.TarInfo) -> tarfile.TarInfo:
    return nobodys(info, 0o755 if info.isdir() else 0o644)


def fetch_glibc(folder: Path) -> None:
    """The source package of the glibc that is linked here, checked by apt's signatures."""
    version = run(["dpkg-query", "-W", "-f", "${source:Version}", "libc6-dev"])
    with tempfile.TemporaryDirectory() as state:
        place = Path(state)
        (place / "lists" / "partial").mkdir(parents=True)
        (place / "sources.list").write_text(_source_lines())
        places = {"Dir::Etc::sourcelist": "sources.list", "Dir::State::lists": "lists", "Dir::Cache": "cache"}
        options = [f"-o{name}={place / value}" for name, value in places.items()]
        options += ["-oDir::Etc::sourceparts=/dev/null", "-oAPT::Sandbox::User=", "-qq"]
        run(["apt-get", *options, "update"])
        run(["apt-get", *options, "source", "--download-only", "--only-source", f"glibc={version}"], folder)


def _source_lines() -> str:
    """A deb-src line for each place from which this machine has its packages."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", _TARGETS, "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line.split() for line in listed.stdout.splitlines()]
    lines = {f"deb-src {' '.join(place)}" for *place, origin in found if origin in _TRUSTED}
    return "\n".join(sorted(lines)) + "\n"
