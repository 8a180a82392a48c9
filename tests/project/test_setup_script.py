"""scripts/setup.sh on machines that lack something: one message that says what to do, nothing half done."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("basename", "cat", "cut", "flock", "grep", "rm", "sed", "sh", "sha256sum")


class Machine:
    """A checkout and a PATH of its own, on which only what a test puts there exists."""

    def __init__(self, root: Path) -> None:
        self.bin, self.tree = root / "bin", root / "a tree"
        self.bin.mkdir()
        for folder in ("binder", "web"):
            (self.tree / folder).mkdir(parents=True)
        listed = ("binder/apt.txt", "binder/requirements.lock", "web/package-lock.json")
        for name in (*listed, "pyproject.toml"):
            shutil.copy(ROOT / name, self.tree / name)
        for tool in TOOLS:
            if found := shutil.which(tool):
                (self.bin / tool).symlink_to(found)

    def program(self, name: str, body: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def set_up(self, *purpose: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(ROOT / "scripts/setup.sh"), *purpose],
            cwd=self.tree,
            env={"PATH": str(self.bin), "HOME": str(self.tree), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.program("python3", "exit 0")
    machine.program("id", "echo 1000")
    return machine


def apt_programs(machine: Machine, installed: set[str]) -> None:
    """A Debian whose apt has everything and notes its calls."""
    cases = "|".join(installed) or "none"
    body = f'for name; do case "$name" in {cases}) echo "installed $name";; esac; done; exit 1'
    machine.program("dpkg-query", body)
    machine.program("apt-cache", "echo '  Candidate: 1.0'")
    machine.program("apt-get", 'echo "$@" >>apt-calls')


LINES = (ROOT / "binder/apt.txt").read_text().splitlines()
FOR_TESTS = {line.split()[2] for line in LINES if line.startswith("# for-tests:")}
OTHER_PURPOSES = ("container", "vm")
FASTER = {line.split()[2] for line in LINES if line.startswith("# with-6.12:")}
INSTALLED = {line.split("#")[0].strip() for line in LINES} - {""} | {"linux-source-6.12"} | FASTER


def test_an_old_python_is_refused_before_anything_is_installed(machine: Machine) -> None:
    machine.program("python3", 'case "$1" in -V) echo Python 3.9.2;; *) exit 1;; esac')
    apt_programs(machine, set())
    done = machine.set_up()
    assert done.returncode
    assert "Python 3.11, 3.12 or 3.13 is needed; python3 is Python 3.9.2" in done.stderr
    assert not (machine.tree / "apt-calls").exists()


def test_without_rights_it_names_the_one_command(machine: Machine) -> None:
    apt_programs(machine, INSTALLED - {"flex"})
    done = machine.set_up()
    assert done.returncode
    assert "sudo apt-get update && sudo apt-get install --no-install-recommends flex\n" in done.stderr
    assert not (machine.tree / "apt-calls").exists()


def test_it_asks_for_a_kernel_source_unless_one_is_named(machine: Machine) -> None:
    apt_programs(machine, INSTALLED - {"linux-source-6.12"})
    assert "--no-install-recommends linux-source-6.12\n" in machine.set_up().stderr
    assert "linux-source" not in machine.set_up(LABKIT_KERNEL_SOURCE="/usr/src/linux").stderr


COMPILERS = {"gcc", "make", "libc6-dev", "flex", "bison", "bc", "patch", "bzip2", "xz-utils"}


def test_where_the_kernel_comes_ready_made_no_compiler_is_asked_for(machine: Machine) -> None:
    apt_programs(machine, INSTALLED - COMPILERS - {"ethtool", "linux-source-6.12"})
    wheel = {"LABKIT_KERNEL_WHEEL": "labkit_kernel.whl"}
    assert "--no-install-recommends ethtool\n" in machine.set_up(**wheel).stderr
    assert "gcc" in machine.set_up().stderr
    assert "gcc" in machine.set_up("test", **wheel).stderr, "the tests compile"
    installed = machine.tree / ".venv/bin"
    installed.mkdir(parents=True)
    for name in ("python", "labkit"):
        (installed / name).write_text("#!/bin/sh\nexit 0\n")
        (installed / name).chmod(0o755)
    assert "--no-install-recommends ethtool\n" in machine.set_up().stderr, "it is in .venv already"
    (installed / "python").write_text("#!/bin/sh\nexit 1\n")
    assert "gcc" in machine.set_up().stderr, "what is there is of another labkit"


@pytest.mark.parametrize(
    ("apt_has", "settings", "asked"),
    [
        ("linux-source-6.12", {}, True),
        ("linux-source-6.8.0", {}, False),
        ("linux-source-6.8.0", {"LABKIT_KERNEL_SOURCE": "/usr/src/linux-6.12.tar.xz"}, True),
        ("linux-source-6.12", {"LABKIT_KERNEL_SOURCE": "/usr/src/linux-6.8.tar.xz"}, False),
        ("linux-source-6.12", {"LABKIT_KERNEL_WHEEL": "labkit_kernel.whl"}, False),
    ],
)
def test_what_makes_runs_faster_goes_with_the_source_that_it_is_made_of(
    machine: Machine, apt_has: str, settings: dict[str, str], asked: bool
) -> None:
    apt_programs(machine, INSTALLED - FASTER - {"bc", "ping", "linux-source-6.12", "iperf3"})
    machine.program(
        "apt-cache", f'case "$2" in linux-source-*) [ "$2" = {apt_has} ];; esac && echo "  Candidate: 1"'
    )
    for purpose in ("lab", ""):
        said = machine.set_up(*purpose.split(), **settings).stderr
        assert "--no-install-recommends" in said
        assert (f" {' '.join(sorted(FASTER))}" in said) is asked
    assert "clang" not in machine.set_up("check", **settings).stderr


def test_for_faster_runs_alone_nobody_is_sent_to_an_administrator(whole: Machine) -> None:
    apt_programs(whole, INSTALLED - FASTER | FOR_TESTS)
    body = (whole.bin / "python3").read_text()
    whole.program("python3", f'[ "$1" != -P ] || exit 1 # no kernel is installed ready-made\n{body}')
    assert not whole.set_up("lab").returncode
    assert whole.set_up("test").returncode, "tests need it"
    whole.program("id", "echo 0")
    whole.program("env", 'shift; exec "$@"')
    assert not whole.set_up("lab").returncode
    assert (
        (whole.tree / "apt-calls")
        .read_text()
        .endswith(f"install -y --no-install-recommends {' '.join(sorted(FASTER))}\n")
    )


def test_as_root_it_installs_only_what_is_missing(machine: Machine) -> None:
    apt_programs(machine, INSTALLED - {"bc"})
    machine.program("id", "echo 0")
    machine.program("env", 'shift; exec "$@"')
    machine.set_up()
    (call,) = (machine.tree / "apt-calls").read_text().splitlines()
    assert call.endswith("install -y --no-install-recommends bc")


def test_what_only_the_tests_need_is_for_the_tests_and_where_apt_has_it(machine: Machine) -> None:
    apt_programs(machine, INSTALLED)
    wanted = (
        "chromium tshark tcpreplay mmdebstrap nodejs npm binaryen "
        "firefox-esr nuttcp curl openvpn bind9-dnsutils dropbear-bin openssh-client openssl"
    )
    assert f"--no-install-recommends {wanted}\n" in machine.set_up("test").stderr
    assert "chromium" not in machine.set_up().stderr
    machine.program("apt-cache", '[ "$2" = chromium ] || echo "  Candidate: 1.0"')
    assert "chromium" not in machine.set_up("test").stderr


@pytest.mark.parametrize("purpose", OTHER_PURPOSES)
def test_a_purpose_has_its_own_packages_and_nobody_elses(machine: Machine, purpose: str) -> None:
    apt_programs(machine, INSTALLED)
    for name in OTHER_PURPOSES:
        with (machine.tree / "binder/apt.txt").open("a") as listed:
            listed.write(f"# for-{name}: builder-of-the-{name} unless {name}-from-elsewhere\n")
    asked = machine.set_up(purpose).stderr.split("--no-install-recommends ")[1].splitlines()[0].split()
    assert f"builder-of-the-{purpose}" in asked
    assert not {f"builder-of-the-{name}" for name in {*OTHER_PURPOSES} - {purpose}} & {*asked}
    assert "chromium" not in asked
    machine.program(f"{purpose}-from-elsewhere", "")
    assert f"builder-of-the-{purpose}" not in machine.set_up(purpose).stderr


@pytest.mark.parametrize("purpose", ["wheels", *OTHER_PURPOSES])
def test_what_is_made_of_wheels_needs_what_makes_wheels(machine: Machine, purpose: str) -> None:
    apt_programs(machine, INSTALLED - COMPILERS - FASTER)
    asked = machine.set_up(purpose, LABKIT_KERNEL_WHEEL="labkit_kernel.whl").stderr
    names = asked.split("--no-install-recommends ")[1].splitlines()[0].split()
    assert {"mmdebstrap", *FASTER, *COMPILERS} <= {*names}
    assert len(names) == len({*names})


def test_a_purpose_that_is_none_is_refused(machine: Machine) -> None:
    apt_programs(machine, set())
    done = machine.set_up("contaner")
    assert done.returncode
    assert "contaner: setup.sh knows lab, test, check, wheels, container and vm." in done.stderr
    assert not (machine.tree / "apt-calls").exists()


def test_node_from_somewhere_else_is_taken(machine: Machine) -> None:
    apt_programs(machine, INSTALLED | FOR_TESTS - {"nodejs", "npm"})
    assert "--no-install-recommends nodejs npm\n" in machine.set_up("test").stderr
    machine.program("node", "")
    assert "--no-install-recommends npm\n" in machine.set_up("test").stderr


def test_a_check_asks_neither_for_the_kernels_source_nor_for_what_builds_it(machine: Machine) -> None:
    apt_programs(machine, INSTALLED - {"gcc", "flex", "linux-source-6.12"})
    assert "--no-install-recommends gcc\n" in machine.set_up("check").stderr


def test_a_check_without_apt_names_only_what_it_needs(machine: Machine) -> None:
    said = machine.set_up("check").stderr
    assert "    gcc make\n" in said
    assert "flex" in machine.set_up().stderr


def test_nothing_missing_means_no_call_of_apt(machine: Machine) -> None:
    apt_programs(machine, INSTALLED)
    machine.set_up()
    assert not (machine.tree / "apt-calls").exists()


def test_without_apt_it_names_what_to_install(machine: Machine) -> None:
    done = machine.set_up()
    assert done.returncode
    assert "no apt" in done.stderr
    assert "flex" in done.stderr


def test_an_interrupted_set_up_is_not_taken_for_a_whole_one(machine: Machine) -> None:
    apt_programs(machine, INSTALLED)
    pip = 'case "$*" in *"-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python;; *"-m pip"*) exit 1;; esac'
    for tool in ("mkdir", "cp"):
        (machine.bin / tool).symlink_to(str(shutil.which(tool)))
    machine.program("python3", pip)
    assert machine.set_up().returncode, "pip failed"
    assert not (machine.tree / ".venv/.lock-installed").exists()
    assert "Installing the locked Python packages" in machine.set_up().stderr, "it starts again"


@pytest.fixture
def whole(machine: Machine) -> Machine:
    """One that lacks nothing but what is unpacked."""
    apt_programs(machine, INSTALLED | FOR_TESTS)
    for tool in ("mkdir", "cp", "mv"):
        (machine.bin / tool).symlink_to(str(shutil.which(tool)))
    made = 'mkdir -p .venv/bin; cp "$0" .venv/bin/python; cp "$0" .venv/bin/labkit'
    machine.program("python3", f'case "$*" in *"-m venv"*) {made};; esac')
    machine.program("apt-get", 'echo "$@" >>"$HOME/apt-calls"; : >"$3.deb"')
    machine.program("dpkg-deb", 'mkdir -p "$3/usr/sbin"; : >"$3/usr/sbin/server"')
    return machine


def test_servers_for_the_lab_are_unpacked_once_and_not_installed(whole: Machine) -> None:
    for _ in range(2):
        done = whole.set_up("test")
        assert not done.returncode, done.stderr
    assert (whole.tree / ".venv/unpacked/nginx/usr/sbin/server").exists()
    assert (whole.tree / "apt-calls").read_text() == "-qq download nginx\n"


def test_a_server_that_cannot_be_fetched_stops_no_set_up(whole: Machine) -> None:
    whole.program("apt-get", "exit 1")
    done = whole.set_up("test")
    assert not done.returncode
    assert "could not fetch nginx" in done.stderr
    assert not (whole.tree / ".venv/unpacked/nginx").exists()


@pytest.fixture
def pythons(whole: Machine) -> Machine:
    """One whose .venv notes what is installed into it, by which program, with which of uv's settings."""
    python = """case "$*" in
        *"-m venv"*) mkdir -p .venv/bin; for name in python labkit uv; do cp "$0" .venv/bin/$name; done;;
        *"locked.py lab build") echo "jupyterlab==1";;
        *"config list") echo ":env:.index-url='https://mirror.example/simple'";;
        *"pip install"*"-r "*) for file; do :; done; echo "${0##*/} ${UV_DEFAULT_INDEX:-} $file" >>installed;;
    esac"""
    whole.program("python3", python)
    return whole


def installed(machine: Machine) -> list[str]:
    return (machine.tree / "installed").read_text().splitlines()


def test_uv_installs_the_lock_from_where_pip_would(pythons: Machine) -> None:
    assert not pythons.set_up().returncode
    assert installed(pythons) == ["uv https://mirror.example/simple binder/requirements.lock"]


def test_where_uv_cannot_pip_installs_the_lock(pythons: Machine) -> None:
    body = (pythons.bin / "python3").read_text()
    pythons.program("python3", f'[ "${{0##*/}}" != uv ] || exit 2\n{body}')
    done = pythons.set_up()
    assert not done.returncode
    assert "uv could not; pip takes a minute or two" in done.stderr
    assert installed(pythons)[0].startswith("python ")
    assert (pythons.tree / ".venv/.lock-installed").exists()


def test_for_the_lab_its_part_is_installed_and_later_the_rest_beside_it(pythons: Machine) -> None:
    for _ in range(2):
        assert not pythons.set_up("lab").returncode
    wanted = (pythons.tree / ".venv/lab.txt").read_text()
    assert wanted.startswith("jupyterlab==1\nsetuptools==")
    assert "--hash=sha256:" in wanted
    (pythons.tree / ".venv/kept").touch()
    assert not pythons.set_up("check").returncode
    assert not pythons.set_up("lab").returncode
    assert [line.split()[-1] for line in installed(pythons)] == [".venv/lab.txt", "binder/requirements.lock"]
    assert (pythons.tree / ".venv/kept").exists()


def test_for_the_lab_no_kernel_is_waited_for(pythons: Machine) -> None:
    body = (pythons.bin / "python3").read_text()
    pythons.program("python3", f'[ "${{0##*/}}" != labkit ] || {{ echo "$@" >>asked; exit 1; }}\n{body}')
    assert not pythons.set_up("lab").returncode
    assert not (pythons.tree / "asked").exists()
    pythons.set_up()
    assert "kernel build" in (pythons.tree / "asked").read_text()
