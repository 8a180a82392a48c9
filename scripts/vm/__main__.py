"""`make vm`: lost-packets.qcow2, .ova and root.tar.gz in dist/vm/, and a list of what is in them.

    python -m scripts.vm                          of the wheels in dist/
    python -m scripts.vm --wheels DIR --out DIR

SOURCE_DATE_EPOCH is the time of the last commit, if it is not set. VM_MIRROR is a Debian mirror, or a
snapshot of one day, by which the image can be made again later.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from scripts.vm.bootstrap import INSIDE, bootstrap, packed
from scripts.vm.packages import SYSTEM, TOOLS, inside_the_lab
from scripts.vm.python_packages import digest, download
from scripts.wheels.packing import ROOT

HERE = Path(__file__).parent
MADE = ("lost-packets.qcow2", "lost-packets.ova", "lost-packets.txt")
LIMIT = 700_000_000
"""Bytes that an image may have: what a student downloads."""


def main() -> None:
    """Make them, and print what each weighs, took and is."""
    parser = argparse.ArgumentParser(
        "make vm", description="The laboratory as a virtual machine, into dist/vm/."
    )
    parser.add_argument("--wheels", type=Path, default=ROOT / "dist", help="what `make wheels` made")
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "vm")
    asked = parser.parse_args()
    started = time.monotonic()
    out: Path = asked.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    epoch = _epoch()
    with tempfile.TemporaryDirectory(prefix="lost-packets-vm-") as folder:
        system(asked.wheels.absolute(), Path(folder), epoch)
        disks(Path(folder), epoch)
        with (out / "root.tar.gz").open("wb") as made:
            subprocess.run(["gzip", "-n", "-6", "-c", f"{folder}/root.tar"], stdout=made, check=True)
        for name in MADE:
            shutil.move(Path(folder) / name, out / name)
    made_here = [out / name for name in (*MADE, "root.tar.gz")]
    for path in made_here:
        print(f"{path.stat().st_size / 1e6:7.1f} MB  {digest(path)}  {path}")
    print(f"{time.monotonic() - started:7.0f} s")
    large = [path.name for path in made_here if path.stat().st_size > LIMIT]
    if large:
        raise SystemExit(
            f"larger than {LIMIT / 1e6:.0f} MB: {', '.join(large)}: scripts/vm/packages.py has what is in it"
        )


def system(wheels: Path, folder: Path, epoch: int) -> None:
    """The system, as root.tar and its list of packages in that folder. wheels: what `make wheels` made."""
    (folder / "wheels").mkdir()
    download(wheels, folder / "wheels")
    settings = packed({".": HERE / "settings"}, folder / "settings.tar", epoch)
    brought = packed(
        {"lab-wheels": folder / "wheels", "furnish.sh": HERE / "furnish.sh"}, folder / "brought.tar", epoch
    )
    hooks = [
        f"--essential-hook=tar-in {settings} /",
        f"--customize-hook=tar-in {brought} /",
        f"--customize-hook={INSIDE} sh /furnish.sh",
        f"--customize-hook=download /usr/share/lost-packets.txt {folder}/lost-packets.txt",
        '--customize-hook=rm "$1/furnish.sh"',
    ]
    bootstrap([*SYSTEM, *inside_the_lab()], folder / "root.tar", epoch, hooks)


def disks(folder: Path, epoch: int) -> None:
    """root.tar of that folder as lost-packets.qcow2 and lost-packets.ova."""
    brought = ("root.tar", "disk.sh", "lost-packets.ovf")
    for name in brought[1:]:
        shutil.copy(HERE / name, folder)
    hooks = [
        '--customize-hook=mkdir "$1/disk"',
        f"--customize-hook=copy-in {' '.join(f'{folder}/{name}' for name in brought)} /disk",
        f"--customize-hook={INSIDE} sh /disk/disk.sh",
        f"--customize-hook=copy-out /disk/lost-packets.qcow2 /disk/lost-packets.ova {folder}",
    ]
    bootstrap(TOOLS, None, epoch, hooks)


def _epoch() -> int:
    """SOURCE_DATE_EPOCH, or the time of the last commit."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    asked = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    main()
