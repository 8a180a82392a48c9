"""labnic builds for the lab kernel and any other whose headers are here; how its files call each other."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from labkit.execute.guest import boot
from labkit.execute.guest.kernel.build import kernel
from labkit.execute.guest.kernel.tools import run

SOURCE = Path(boot.__file__).parent / "modules" / "labnic"
OLDEST = (6, 1)


def compiled(tree: Path, folder: Path, *settings: str) -> Path:
    """A copy of the module's folder, built against a kernel as the architecture page says."""
    place = folder / "labnic"
    shutil.copytree(SOURCE, place)
    log = folder / "log"
    run(["make", "-C", str(tree), f"M={place}", *settings, "modules"], place, log=log)
    warnings = [line for line in log.read_text().splitlines() if str(place) in line and "warning:" in line]
    assert not warnings
    assert (place / "labnic.ko").exists()
    return place


def headers() -> list[Path]:
    """Of kernels from 6.1 on, where a distribution's packages put them."""
    found = []
    for tree in Path("/lib/modules").glob("*/build"):
        release = tree / "include" / "config" / "kernel.release"
        if release.exists() and tuple(map(int, release.read_text().split(".")[:2])) >= OLDEST:
            found.append(tree)
    return found


def test_labnic_builds_for_every_kernel_whose_headers_are_here(tmp_path: Path) -> None:
    trees = headers()
    if not trees:
        pytest.skip("no kernel headers on this machine: sudo apt install linux-headers-amd64")
    for tree in trees:
        # as kbuild does without it when the kernel's own debugging information is not there
        compiled(tree, tmp_path / tree.parent.name, "CONFIG_DEBUG_INFO_BTF_MODULES=")


def symbols(file: Path, *kinds: str) -> set[str]:
    """What an object file defines ("--defined-only") or leaves to others ("--undefined-only")."""
    done = subprocess.run(["nm", "-j", "-g", *kinds, file], capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split() if name.startswith("labnic_")}


def test_each_file_of_labnic_calls_only_what_the_kbuild_lists_after_it(tmp_path: Path) -> None:
    place = compiled(kernel().tree, tmp_path, "ARCH=um")
    listed = re.findall(r"(\w+)\.o", re.search(r"labnic-y := (.*)", (SOURCE / "Kbuild").read_text())[1])  # type: ignore[index]
    assert sorted(listed) == sorted(path.stem for path in SOURCE.glob("*.c"))
    below: set[str] = set()
    for name in reversed(listed):
        called = symbols(place / f"{name}.o", "--undefined-only")
        assert called <= below, f"{name}.c calls upwards: {sorted(called - below)}"
        below |= symbols(place / f"{name}.o", "--defined-only")


def test_only_compat_h_asks_for_the_kernels_version() -> None:
    asking = {path.name for path in SOURCE.iterdir() if "LINUX_VERSION_CODE" in path.read_text()}
    assert asking == {"compat.h"}
