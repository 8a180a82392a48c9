"""A virtual machine under qemu, in software: nothing of it is left when the test ends, however it ends.

Its network is closed but for JupyterLab's port, which is one of 127.0.0.1."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE_S = 1800.0
"""For a boot in software, on a busy machine."""
_ADDRESS = re.compile(r"http://localhost:8888/\?token=([a-z2-7]{4}(?:-[a-z2-7]{4}){3})\s")


@dataclass(frozen=True)
class Hardware:
    """What the machine is made of: its image's form, firmware, disk and network card, in qemu's words."""

    image: str
    firmware: tuple[str, ...]
    disk: tuple[str, ...]
    card: str


class Machine:
    """image: stays as it is; folder: for what the machine writes."""

    def __init__(self, image: Path, hardware: Hardware, folder: Path) -> None:
        self.folder = folder
        self.disk = folder / "disk.qcow2"
        self.port = _free_port()
        backing = ["-b", str(image), "-F", hardware.image]
        subprocess.run(
            ["qemu-img", "create", "-q", "-f", "qcow2", *backing, str(self.disk)], check=True, timeout=60
        )
        command = [
            *("setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", "-nodefaults", "-no-reboot"),
            *(
                "-accel",
                os.environ.get("LABKIT_VM_ACCEL", "tcg"),
                "-cpu",
                "max,arch-capabilities=off",
                "-smp",
                "2",
                "-m",
                "2048",
            ),
            *hardware.firmware,
            *("-drive", f"file={self.disk},if=none,id=disk,cache=unsafe", *hardware.disk),
            "-nic",
            f"user,model={hardware.card},restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:8888",
            *("-display", "none", "-vga", "std", "-serial", f"file:{folder}/serial"),
            *("-qmp", f"unix:{folder}/qmp,server=on,wait=off"),
        ]
        with (folder / "qemu").open("wb") as words:
            self._process = subprocess.Popen(command, stdout=words, stderr=words, cwd=folder)

    def token(self) -> str:
        """What its console shows, once it does."""
        return self.wait("an address with a token on the console", self._shown)

    def serial(self) -> str:
        """All that its serial console has shown."""
        path = self.folder / "serial"
        return path.read_text(errors="replace") if path.exists() else ""

    def wait(self, what: str, look: Any) -> Any:
        """What look() returns, once that is true. Raises AssertionError if the machine stops before."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if found := look():
                return found
            assert self._process.poll() is None, f"qemu stopped: {(self.folder / 'qemu').read_text()}"
            time.sleep(1)
        raise AssertionError(
            f"no {what} after {PATIENCE_S:.0f} s; the console says:\n{self.serial()[-2000:]}"
        )

    def press_power(self) -> int:
        """The power button, as a window's "shut down" presses it. Returns qemu's exit status."""
        self.order("system_powerdown")
        return self._process.wait(PATIENCE_S)

    def screenshot(self, path: Path) -> None:
        """The console's picture, as a PNG."""
        self.order("screendump", filename=str(path), format="png")

    def order(self, name: str, **arguments: str) -> None:
        """A command of qemu's machine protocol. Raises AssertionError with qemu's words if it is refused."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.folder / "qmp"))
            with line.makefile("rw") as talk:
                for command in ({"execute": "qmp_capabilities"}, {"execute": name, "arguments": arguments}):
                    talk.write(json.dumps(command) + "\n")
                    talk.flush()
                    while not {"return", "error"} & (answer := json.loads(talk.readline())).keys():
                        pass
                    assert "return" in answer, f"{command}: {answer}"

    def end(self) -> None:
        """Whatever state it is in."""
        self._process.kill()
        self._process.wait(60)

    def _shown(self) -> str | None:
        found = _ADDRESS.search(self.serial())
        return found[1] if found else None


def uefi_firmware(folder: Path) -> tuple[str, ...]:
    """OVMF, with variables of this machine's own."""
    place = Path("/usr/share/OVMF")
    shutil.copy(place / "OVMF_VARS_4M.fd", folder / "variables")
    code = f"if=pflash,format=raw,unit=0,readonly=on,file={place}/OVMF_CODE_4M.fd"
    return ("-drive", code, "-drive", f"if=pflash,format=raw,unit=1,file={folder}/variables")


def _free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])
