"""The files of the virtual machine agree with each other. That it boots, `make vm` tries: tests/vm."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from binder.wheels import names
from scripts.vm import packages, python_packages
from scripts.vm.bootstrap import packed

ROOT = Path(__file__).parents[2]
VM = ROOT / "scripts" / "vm"
SETTINGS = VM / "settings"


@pytest.mark.parametrize("path", sorted(VM.glob("*.sh")), ids=lambda path: path.name)
def test_script_is_executable_and_parses(path: Path) -> None:
    assert os.access(path, os.X_OK)
    subprocess.run(["sh", "-n", path], check=True)


def test_what_is_enabled_is_there() -> None:
    (line,) = re.findall(r"^systemctl enable --quiet (.*)$", (VM / "furnish.sh").read_text(), re.MULTILINE)
    ours = [name for name in line.split() if not name.startswith("systemd-")]
    assert sorted(ours) == ["jupyter", "lab-token"]
    for name in ours:
        unit = (SETTINGS / f"etc/systemd/system/{name}.service").read_text()
        assert "WantedBy=multi-user.target" in unit


def test_jupyterlab_opens_a_chapter_that_there_is() -> None:
    settings = json.loads((SETTINGS / "etc/jupyter/jupyter_server_config.json").read_text())["ServerApp"]
    chapter = settings["default_url"].removeprefix("/lab/tree/")
    assert (ROOT / chapter).is_file()
    assert "token" not in json.dumps(settings), "a token in the image would be everybody's"


def test_the_kernels_disk_is_the_one_that_is_made() -> None:
    disk = (VM / "disk.sh").read_text()
    assert "-L lost-packets" in disk
    assert "root=LABEL=lost-packets" in disk
    assert (SETTINGS / "etc/fstab").read_text().startswith("LABEL=lost-packets / ext4 ")


def test_the_ovf_is_whole() -> None:
    text = (VM / "lost-packets.ovf").read_text()
    ElementTree.fromstring(text)
    assert {"@SIZE@", "@CAPACITY@"} == set(re.findall(r"@\w+@", text))


def test_vagrant_and_lima_call_a_script_that_takes_what_is_here() -> None:
    script = (VM / "into-debian.sh").read_text()
    (paths,) = re.findall(r"^for path in (.*?); do$", script, re.MULTILINE | re.DOTALL)
    for path in paths.replace("\\\n", " ").split():
        assert (SETTINGS / path).exists(), path
    lima = yaml.safe_load((VM / "lima.yaml").read_text())
    assert lima["provision"][0]["script"].split()[1] == "/lost-packets/scripts/vm/into-debian.sh"
    assert "into-debian.sh" in (VM / "Vagrantfile").read_text()


def test_the_image_has_the_programs_of_the_labs_hosts() -> None:
    listed = (ROOT / "binder/apt.txt").read_text().splitlines()
    assert "iperf3" in packages.inside_the_lab()
    assert all(any(line.split()[:1] == [name] for line in listed) for name in packages.inside_the_lab())


def test_what_goes_in_is_roots_with_the_same_rights_under_any_umask(tmp_path: Path) -> None:
    made = []
    for mode in (0o640, 0o664):
        (tmp_path / "file").write_text("text")
        (tmp_path / "file").chmod(mode)
        made.append(packed({"etc/file": tmp_path / "file"}, tmp_path / f"{mode}.tar", 1).read_bytes())
    assert made[0] == made[1]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """What `make wheels` makes, for other systems, too."""
    folder = tmp_path / "made"
    folder.mkdir()
    for name in (*names("1", tree=True), "labkit_kernel-1-py3-none-win_amd64.whl"):
        (folder / name).write_text("forged")
    return folder


def test_of_the_wheels_the_image_gets_its_own(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_packages, "locked", lambda _: "")
    python_packages.download(made, tmp_path)
    assert {path.name for path in tmp_path.glob("*.whl")} == {*names("1", tree=True)}
    (made / names("1", tree=True)[1]).unlink()
    with pytest.raises(SystemExit, match=r"has 0 wheels labkit_kernel-\*-py3-none-manylinux.*: make wheels"):
        python_packages.download(made, tmp_path)


def test_a_wheel_that_is_not_of_the_lock_is_refused(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (made / "six-1-py3-none-any.whl").write_text("forged")
    monkeypatch.setattr(python_packages, "locked", lambda _: f"six==1 --hash=sha256:{'0' * 64}\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(made))
    with pytest.raises(SystemExit, match="DO NOT MATCH THE HASHES"):
        python_packages.download(made, wheels)
