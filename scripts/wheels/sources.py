"""The source that belongs to labkit-kernel, as one archive beside it.

GPL-2.0, section 3, asks for the kernel's: the distribution's tarball as it is, and labkit's sdist with
patches, configuration, modules and what builds. LGPL-2.1, section 6, asks for glibc's: the agent holds it."""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from pathlib import Path

from scripts.wheels.packing import ROOT, nobodys, run

_TARGETS = "$(SITE) $(RELEASE) $(COMPONENT) $(ORIGIN)"
_TRUSTED = ("Debian", "Ubuntu")


def archive(kernel_source: Path, sdist: Path, version: str, out: Path) -> Path:
    """All of it in one .tar: what is in it is compressed. Needs apt, which fetches glibc's source."""
    made = out / f"labkit-kernel-sources-{version}.tar"
    with tempfile.TemporaryDirectory() as folder:
        glibc = Path(folder) / "glibc"
        glibc.mkdir()
        fetch_glibc(glibc)
        about = ROOT / "scripts" / "wheels" / "SOURCES.md"
        parts = {"README.md": about, kernel_source.name: kernel_source, sdist.name: sdist}
        parts |= {f"glibc/{path.name}": path for path in glibc.iterdir()}
        with tarfile.open(made, "w") as tar:
            for name, path in sorted(parts.items()):
                tar.add(path, f"{made.stem}/{name}", filter=nobodys)
    return made


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
