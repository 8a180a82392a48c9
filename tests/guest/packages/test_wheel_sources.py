"""The archive of sources beside the wheels of the kernel: its own README, followed to the letter by somebody
who has nothing else, gives the same kernel and wheels; an agent that is linked anew is the one that runs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from labkit.execute.guest.kernel import source
from labkit.execute.guest.kernel.build import build
from scripts.wheels import __main__ as wheels
from scripts.wheels import old_root, python_package, sources

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("LABKIT_WHEELS_SOURCES"),
        reason="builds a kernel and fetches glibc's source, minutes: LABKIT_WHEELS_SOURCES=1 tries it",
    ),
    pytest.mark.skipif(not old_root.is_here(), reason="the README speaks of Debian 12"),
]
LINKER = '#!/bin/sh\nexec gcc -Wl,--build-id=0x{mark} "$@"\n'
MARK = "1abe11ed5eed"
WHICH_AGENT = "from labkit.execute.artifacts.binaries import binaries; print(binaries().agent)"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive as a stranger has it, in a folder of its own."""
    kernel, _ = source.find()
    assert kernel is not None and not kernel.is_tree, source.HELP
    out, place = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("stranger")
    archive = sources.archive(kernel.path, python_package.sdist(out), wheels.VERSION, out)
    subprocess.run(["tar", "-xf", archive, "-C", place], check=True)
    (folder,) = place.iterdir()
    return folder


def commands(readme: Path, heading: str) -> str:
    """What stands after the prompts below a heading."""
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", readme.read_text(), re.MULTILINE | re.DOTALL)
    return "".join(f"{line}\n" for line in re.findall(r"^\$ (.*)", section, re.MULTILINE))


def followed(steps: str, folder: Path, home: Path, **settings: str) -> str:
    """By a user with that home. What the steps printed."""
    kept = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_", "PATH"))}
    done = subprocess.run(
        ["sh", "-exc", steps],
        cwd=folder,
        env=kept | {"HOME": str(home), "LC_ALL": "C.UTF-8"} | settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Empty at first."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def rebuilt(unpacked: Path, home: Path) -> Path:
    """The folder in which its README has built all of it again."""
    followed(commands(unpacked / "README.md", "To build the same again"), unpacked, home)
    (folder,) = (path for path in unpacked.glob("labkit-*") if path.is_dir())
    return folder


def test_the_kernel_is_made_of_the_archive_and_is_the_same_to_the_byte(rebuilt: Path, home: Path) -> None:
    (note,) = home.glob(".cache/labkit/kernel/*/complete.json")
    assert Path(json.loads(note.read_text())["source"]).resolve().parent == rebuilt.parent.resolve()
    assert digest(note.parent / "linux") == digest(build().linux)
    assert note.parent.name == build().key


def test_the_wheels_are_the_same_to_the_byte(rebuilt: Path, tmp_path: Path) -> None:
    (sdist,) = rebuilt.parent.glob("labkit-*.tar.gz")
    wheels.of_sdist(sdist, tmp_path, with_sources=False)
    assert {path.name: digest(path) for path in (rebuilt / "dist").iterdir()} == {
        path.name: digest(path) for path in tmp_path.iterdir()
    }


def test_an_agent_that_is_linked_anew_is_the_one_that_runs(rebuilt: Path, home: Path, tmp_path: Path) -> None:
    """Also with the ready-made kernel beside it."""
    compiler = tmp_path / "gcc-of-another-glibc"
    compiler.write_text(LINKER.format(mark=MARK))
    compiler.chmod(0o755)
    steps = commands(rebuilt.parent / "README.md", "To link the agent with a glibc of your own")
    assert "/path/to/your/gcc" in steps
    followed(steps.replace("/path/to/your/gcc", str(compiler)), rebuilt, home)
    install = (
        ".venv/bin/pip install --quiet --no-index --no-deps dist/labkit_kernel-*-manylinux_2_34_x86_64.whl"
    )
    followed(install, rebuilt, home)
    look = f'.venv/bin/python -c "{WHICH_AGENT}"'
    agent = Path(followed(look, rebuilt, home, CC=str(compiler)).strip())
    assert bytes.fromhex(MARK) in agent.read_bytes()
    assert "The lab works here." in followed(".venv/bin/labkit doctor", rebuilt, home, CC=str(compiler))


def test_the_source_of_glibc_is_that_of_the_one_linked_here(unpacked: Path) -> None:
    (description,) = (unpacked / "glibc").glob("*.dsc")
    query = ["dpkg-query", "-W", "-f", "${source:Version}", "libc6-dev"]
    version = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    said = description.read_text()
    assert re.findall(r"^Version: (\S+)", said, re.MULTILINE) == [version]
    listed = re.search(r"^Checksums-Sha256:\n((?: .*\n)+)", said, re.MULTILINE)
    assert listed
    for line in listed[1].splitlines():
        sha256, _, name = line.split()
        assert digest(unpacked / "glibc" / name) == sha256


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
