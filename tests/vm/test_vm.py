"""The image that `make vm` made, as a student meets it: it boots, its console shows an address, and the first
experiment of the book gives the digest that it gives here. By BIOS from the OVA, by UEFI from the qcow2."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.vm.machine import PATIENCE_S, Hardware, Machine, uefi_firmware
from tests.vm.student import Student

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
MADE = os.environ.get("LABKIT_VM", "")
"""The folder of lost-packets.qcow2 and lost-packets.ova."""
pytestmark = pytest.mark.skipif(not MADE, reason="boots what `make vm` makes, for minutes: make vm")

CHAPTER = "01-a-network-in-a-notebook"
OWN = "23-write-your-own"
FIRST = 2
"""Cells of chapter 1 up to its first experiment."""
TELL = "print(clean.digest(), lossy.digest(), clean.place)"
WITH_MINE = """
from labkit import *
flow = Flow("left", "right", cc="mine", size="1MB")
print(run(Experiment(dumbbell(rate="10mbit"), flows=[flow])).goodput().iloc[0])
"""
SATA = ("-device", "ich9-ahci,id=sata", "-device", "ide-hd,bus=sata.0,drive=disk")
_seen: dict[str, str] = {}


@pytest.fixture(scope="module", params=["bios", "uefi"])
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """What VirtualBox makes of the OVA, in kind; and what UTM or a server makes of the qcow2."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "bios":
        # By tar: Debian 12's own Python cannot unpack with care (PEP 706).
        ova = Path(MADE) / "lost-packets.ova"
        subprocess.run(["tar", "-xf", ova, "-C", folder], check=True, timeout=600)
        image, hardware = folder / "lost-packets.vmdk", Hardware("vmdk", (), SATA, "e1000")
    else:
        image = Path(MADE).absolute() / "lost-packets.qcow2"
        disk = ("-device", "virtio-blk-pci,drive=disk")
        hardware = Hardware("qcow2", uefi_firmware(folder), disk, "virtio-net-pci")
    booted = Machine(image, hardware, folder)
    try:
        yield booted
    finally:
        booted.end()


@pytest.fixture(scope="module")
def student(machine: Machine) -> Student:
    """Somebody who reads the console, once JupyterLab answers."""
    started = time.monotonic()
    known = Student(machine.port, machine.token())
    told(f"token after {time.monotonic() - started:.0f} s")
    machine.wait("answer from JupyterLab", lambda: answers(known))
    told(f"JupyterLab after {time.monotonic() - started:.0f} s")
    return known


def answers(somebody: Student) -> bool:
    try:
        return somebody.get("/api/status")[0] == 200
    except OSError:
        return False


def start_of_partition(disk: Path, number: int) -> int:
    """Where it begins, in bytes, by the disk's GPT: entries of 128 bytes from block 2 on, the start at 32."""
    with disk.open("rb") as file:
        file.seek(2 * 512 + (number - 1) * 128 + 32)
        return int.from_bytes(file.read(8), "little") * 512


def told(words: str) -> None:
    print(f"{words}; load {os.getloadavg()[0]:.0f}", file=sys.__stderr__, flush=True)


@pytest.mark.parametrize("somebody", [None, "aaaa-bbbb-cccc-dddd"], ids=["no token", "a wrong token"])
def test_without_the_token_nothing_is_had(machine: Machine, student: Student, somebody: str | None) -> None:
    stranger = Student(machine.port, somebody)
    assert stranger.get("/api/contents")[0] == 403
    assert stranger.get("/api/kernels", name="python3")[0] == 403
    _, address, page = stranger.get("/lab")
    assert "/login" in address
    assert "jupyter-config-data" not in page


def test_the_address_on_the_console_opens_the_first_chapter(student: Student) -> None:
    anybody = Student(int(student.host.split(":")[1]), None)
    status, address, page = anybody.get(f"/?token={student.token}")
    assert status == 200
    assert f"/lab/tree/chapters/{CHAPTER}.ipynb" in address
    assert "jupyter-config-data" in page


def test_the_token_is_this_machines_own(request: pytest.FixtureRequest, student: Student) -> None:
    assert student.token
    assert student.token not in _seen, "two machines of one image have the same token"
    _seen[student.token] = request.node.name


def test_the_first_experiment_has_the_digest_that_it_has_here(student: Student, tmp_path: Path) -> None:
    cells = student.cells(CHAPTER)[:FIRST]
    started = time.monotonic()
    with student.kernel("chapters") as kernel:
        for cell in cells:
            kernel.run(cell)
        inside = kernel.run(TELL)
    told(f"first experiment after {time.monotonic() - started:.0f} s")
    (tmp_path / "first.ipy").write_text("\n\n".join([*cells, TELL]))
    command = [sys.executable, "-m", "IPython", "--colors=NoColor", str(tmp_path / "first.ipy")]
    here = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600, cwd=ROOT)
    *digests, place = inside.split()
    assert place == "wasm", "the fastest that the wheel brings"
    assert len(digests) == 2
    assert digests == here.stdout.split()[:2]


def test_a_congestion_control_of_ones_own_is_compiled_and_runs(student: Student) -> None:
    cells = student.cells(OWN)
    ours = next(place for place, cell in enumerate(cells) if cell.startswith("%%cc mine"))
    with student.kernel("chapters") as kernel:
        kernel.run(cells[0])
        kernel.run(cells[ours])
        assert 0 < float(kernel.run(WITH_MINE).split()[-1]) < 10


def test_a_browser_shows_the_first_chapter_and_runs_its_first_cell(
    student: Student, browser: Browser, tmp_path: Path
) -> None:
    started = time.monotonic()
    with browser.new_page() as page:
        page.set_default_timeout(1000 * PATIENCE_S)
        page.goto(f"http://{student.host}/?token={student.token}")
        page.get_by_role("heading", name="A network in a notebook").wait_for()
        told(f"chapter 1 in the browser after {time.monotonic() - started:.0f} s")
        page.locator("#jp-main-statusbar").get_by_text("| Idle").wait_for()
        page.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt").first.click()
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("a")  # a cell of one's own, above the next
        page.keyboard.press("Enter")
        page.keyboard.type("print(6 * 7, Experiment.__name__)")
        page.keyboard.press("Shift+Enter")
        page.get_by_text("42 Experiment", exact=True).wait_for()
        page.screenshot(path=tmp_path / "jupyterlab.png")
    told(f"its first cell after {time.monotonic() - started:.0f} s")


def test_the_power_button_shuts_it_down_and_leaves_a_clean_file_system(
    machine: Machine, student: Student, tmp_path: Path
) -> None:
    machine.screenshot(tmp_path / "console.png")
    assert (tmp_path / "console.png").read_bytes().startswith(b"\x89PNG")
    assert machine.press_power() == 0
    assert "Power down" in machine.serial()
    disk = tmp_path / "disk.raw"
    subprocess.run(
        ["qemu-img", "convert", "-O", "raw", str(machine.disk), str(disk)], check=True, timeout=600
    )
    told_by = ["dumpe2fs", "-h", f"{disk}?offset={start_of_partition(disk, 2)}"]
    about = subprocess.run(told_by, capture_output=True, text=True, check=True, timeout=60).stdout
    disk.unlink()
    assert "needs_recovery" not in about
    assert [line.split()[-1] for line in about.splitlines() if line.startswith("Filesystem state")] == [
        "clean"
    ]
