"""`make container`: builds the Containerfile by podman, says what it weighs and took, tries the image.

    python -m scripts.container [--base IMAGE] [--name NAME]

The base is made by mmdebstrap of Debian's packages, so that no registry is needed; --base names another. The
wheels are those in dist/. Index and certificates are the ones with which pip works on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUITE = "trixie"
BASE = f"localhost/debian:{SUITE}"
NAME = "localhost/lost-packets"
REPO2DOCKER = "jupyter-repo2docker==2026.4.0"
_CERTIFICATES = "/run/certificates-of-the-builder"


def main() -> int:
    """Build, tell, try. Returns pytest's exit code."""
    parser = argparse.ArgumentParser("make container", description="The image, built and tried.")
    parser.add_argument("--base", default="", help="an image of Debian 13 (default: made by mmdebstrap)")
    parser.add_argument("--name", default=NAME, help="what it is to be called")
    asked = parser.parse_args()
    started = time.monotonic()
    base = asked.base or debian()
    based = time.monotonic()
    build(base, asked.name)
    print(
        f"{size(asked.name) / 1e6:7.1f} MB {time.monotonic() - based:6.1f} s  {asked.name}, on {base} "
        f"({based - started:.1f} s); load {os.getloadavg()[0]:.0f}",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="lost-packets-binder-") as folder:
        found = {"LABKIT_IMAGE": asked.name, "LABKIT_REPO2DOCKER": str(repo2docker(Path(folder)))}
        return tried(found)


def repo2docker(folder: Path) -> Path:
    """Binder's own program, in an environment of its own: the project's lock does not have it."""
    _run([sys.executable, "-m", "venv", str(folder)])
    _run([str(folder / "bin/pip"), "install", "--quiet", REPO2DOCKER])
    return folder / "bin/repo2docker"


def tried(found: dict[str, str]) -> int:
    """The tests, told what there is. Returns pytest's exit code."""
    tests = [sys.executable, "-m", "pytest", "-q", "-rs", "-rP", "tests/container"]
    return subprocess.run(tests, cwd=ROOT, env=os.environ | found, check=False).returncode


def debian() -> str:
    """The base: Debian 13 as mmdebstrap makes it of apt's packages, imported once."""
    if subprocess.run(["podman", "image", "exists", BASE], check=False).returncode == 0:
        return BASE
    with tempfile.TemporaryDirectory(prefix="lost-packets-base-") as folder:
        archive = Path(folder) / "base.tar"
        _run(["mmdebstrap", "--quiet", "--variant=minbase", SUITE, str(archive)])
        _run(["podman", "import", "--quiet", str(archive), BASE])
    return BASE


def build(base: str, name: str) -> None:
    """By the Containerfile; the list beside it says which files it sees. Isolated by chroot: that works
    in a container, too."""
    _run(
        [
            *(
                "podman",
                "build",
                "--quiet",
                "--isolation=chroot",
                "--file",
                str(ROOT / "binder/Containerfile"),
                "--tag",
                name,
                "--build-arg",
                f"BASE={base}",
            ),
            *arguments_for_pip(pip_settings()),
            str(ROOT),
        ]
    )


def pip_settings() -> dict[str, str]:
    """What pip is told here by files and variables: {"index-url": ..., "cert": ...}."""
    said = _run([sys.executable, "-m", "pip", "config", "list"])
    return dict(re.findall(r"^\S*?\.([a-z-]+)='(.*)'$", said, re.MULTILINE))


def arguments_for_pip(settings: dict[str, str]) -> list[str]:
    """Of `podman build`, so that pip finds the same in there. Nothing of it stays in the image."""
    arguments = []
    if index := settings.get("index-url"):
        arguments += ["--build-arg", f"PIP_INDEX_URL={index}"]
    if certificates := settings.get("cert"):
        arguments += [
            "--volume",
            f"{certificates}:{_CERTIFICATES}:ro",
            "--build-arg",
            f"PIP_CERT={_CERTIFICATES}",
        ]
    return arguments


def size(name: str) -> int:
    """Bytes of all its layers, unpacked."""
    (image,) = json.loads(_run(["podman", "image", "inspect", name]))
    return int(image["Size"])


def _run(command: list[str]) -> str:
    """What it printed. Raises SystemExit with its last words if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:2])} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
