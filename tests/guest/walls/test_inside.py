"""What a command can do and see: a program that tries all it can (inside/attempts.c) gets nowhere, as root
and as an ordinary user; it leaves nothing on the machine, and nothing in the results of others."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from labkit import Command, Experiment, Flow, Lab, Result, pair
from labkit.errors import SpecError, UnsupportedError
from labkit.execute.guest.machine_files import VISIBLE
from labkit.results.run import run
from tests.guest.helpers import fresh

SOURCE = Path(__file__).parent / "inside" / "attempts.c"
NAMES = re.findall(r'say\("([a-z0-9-]+)"', SOURCE.read_text())
NOBODY = 65534
NET = pair(delay="1ms")
FLOW = Flow("left", "right", size="20kB")
# As root of the kernel these are a command's own affair, or the network's: none of them reaches the machine.
OF_A_PRIVILEGED = {
    *("remount-root", "remount-root-bind", "bind-mount", "unmount", "pivot-root", "mounts-of-its-own"),
    *("ptrace", "ptrace-seize", "pid1-root", "pid1-cwd", "pid1-descriptors", "pid1-memory", "pid1-namespace"),
    *("pid1-environment", "pid1-root-symlink", "take-descriptor", "create-in-root", "own-remount"),
    *("core-pattern", "modprobe", "kernel-setting", "kernel-object", "mount-hostfs-new-call"),
    *("remount-machine-bind",),
}


def said(lines: str) -> dict[str, int]:
    return {name: int(error) for name, error in (line.split() for line in lines.splitlines())}


@contextlib.contextmanager
def listening() -> Iterator[None]:
    """On the machine, at an abstract address that the program tries."""
    with socket.socket(socket.AF_UNIX) as ours:
        ours.bind("\0labkit-attempt")
        ours.listen()
        yield


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("inside") / "attempts"
    subprocess.run(["cc", "-static", "-O1", "-Wall", "-Wextra", "-Werror", SOURCE, "-o", made], check=True)
    return made


@pytest.fixture(scope="module")
def tried(program: Path) -> Result:
    """Everything tried, as both, while another host's flow and command go on."""
    commands = [
        Command("left", "/attempts"),
        Command("left", f"/attempts {NOBODY}", at="10ms"),
        Command("left", "/attempts", at="20ms", privileged=True),
        Command("right", "sleep 0.1; cat /etc/hosts; ps ax | wc -l"),
        Command("left", "ls /tmp /run; date +%s", at="100ms"),
    ]
    with listening():
        return fresh(Experiment(NET, flows=[FLOW], commands=commands, files={"/attempts": str(program)}))


def test_every_attempt_was_made(tried: Result) -> None:
    assert len(NAMES) == len(set(NAMES)) > 60
    for number in range(3):
        assert list(said(tried.output(number))) == NAMES, tried.output(number)[-200:]


@pytest.mark.parametrize("name", NAMES)
def test_root_does_not_get_out(name: str, tried: Result) -> None:
    assert said(tried.output(0))[name] != 0


@pytest.mark.parametrize("name", NAMES)
def test_a_user_does_not_get_out(name: str, tried: Result) -> None:
    assert said(tried.output(1))[name] != 0


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OF_A_PRIVILEGED])
def test_who_asks_for_the_guests_privileges_reaches_the_machine_no_more(name: str, tried: Result) -> None:
    assert said(tried.output(2))[name] != 0


def test_the_machine_is_as_before(tried: Result) -> None:
    assert tried.manifest["end"] == {"reason": "complete"}
    for folder in ("/", "/usr", "/usr/bin", "/tmp"):
        assert not list(Path(folder).glob("labkit-attempt*"))
    assert not os.stat("/usr/bin/env").st_mode & 0o4000


def test_others_see_nothing_of_it(tried: Result) -> None:
    assert "10.0.1.1" in tried.output(3) and tried.output(3).endswith(
        "5\n"
    )  # its ps, its shell, wc, process 1
    listed, date = tried.output(4).split()[:-1], tried.output(4).split()[-1]
    assert "raw" not in listed and int(date) < 10
    alone = fresh(Experiment(NET, flows=[FLOW], commands=[Command("right", "sleep 0.1")]))
    assert tried.flows.to_dict() == alone.flows.to_dict()


def output(command: str, **more: object) -> str:
    return fresh(Experiment(NET, commands=[Command("left", f"({command}) 2>&1")], probes=(), **more)).output(
        0
    )


def test_the_list_of_what_is_seen_is_all_that_is_seen() -> None:
    shown = set(VISIBLE)
    seen = set(
        output("cat /proc/mounts | grep ' hostfs ' | cut -d' ' -f2; find / /etc -maxdepth 1 -type l").split()
    )
    seen -= {"/", "/var/tmp", "/var/run", "/var/lock"}
    assert seen and seen <= {f"/{name}" for name in shown}
    assert output("ls -A /home /root /mnt /opt /srv | grep -v ':$' | tr -d '\\n'") == ""
    listed = set(output("ls /etc; ls -d /etc/ssl/* /etc/security/*").split())
    listed -= {"ssl", "security", "hosts"}
    assert listed <= {name.removeprefix("etc/") for name in shown} | {f"/{name}" for name in shown}


def test_security_md_says_what_is_seen() -> None:
    text = Path(".github/SECURITY.md").read_text()
    for name in VISIBLE:
        assert f"`{name.removeprefix('etc/')}`" in text or f"`/{name}`" in text, name


def test_a_host_has_processes_of_its_own() -> None:
    wait = "sleep 1 & exec sleep 1"
    commands = [Command("left", wait), Command("right", "ps ax -o comm= | sort | uniq -c", at="0.1s")]
    commands.append(Command("left", "ps ax -o comm= | grep -c sleep", at="0.1s"))
    result = fresh(Experiment(NET, commands=commands))
    assert "sleep" not in result.output(1) and result.output(2) == "2\n"


def test_limits_devices_and_descriptors_are_as_programs_expect() -> None:
    assert output("ulimit -n") == "1024\n"
    assert output("setpriv --reuid 65534 --clear-groups sh -c 'echo x > /dev/null && echo fine'") == "fine\n"
    assert output("su -s /bin/sh nobody -c 'id -un'") == "nobody\n"
    assert output("bash -c 'cat <(echo fine)'") == "fine\n"
    assert output("for i in /proc/self/fd/*; do echo $i; done").split()[:3] == [
        f"/proc/self/fd/{i}" for i in range(3)
    ]
    assert len(output("ls /proc/self/fd").split()) == 4  # the last is the folder itself


def test_network_settings_are_a_commands_to_set_and_the_kernels_are_not() -> None:
    assert output("echo 0 > /proc/sys/net/ipv4/tcp_sack; cat /proc/sys/net/ipv4/tcp_sack") == "0\n"
    assert "Read-only" in output("echo 1 > /proc/sys/kernel/panic")


def test_privileges_are_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "mount -t tmpfs none /mnt && echo mounted"
    asking = Experiment(NET, commands=[Command("left", line, privileged=True)])
    assert fresh(asking).output(0) == "mounted\n"
    assert "mounted" not in output(line)
    with Lab(NET) as lab:
        assert lab.run("left", line).status != 0
        assert lab.run("left", line, privileged=True).stdout == "mounted\n"
        monkeypatch.setenv("LABKIT_HARDENED", "1")
        with pytest.raises(UnsupportedError, match="hardened"):
            lab.run("left", line, privileged=True)
    with pytest.raises(UnsupportedError, match="hardened"):
        run(asking)


def test_setting_the_clock_shifts_nothing() -> None:
    date = "date -s 2030-01-01"
    plain = fresh(Experiment(NET, flows=[FLOW], commands=[Command("left", "true")]))
    for privileged in (False, True):
        tried = fresh(Experiment(NET, flows=[FLOW], commands=[Command("left", date, privileged=privileged)]))
        assert tried.flows.to_dict() == plain.flows.to_dict()
        assert tried.commands["status"][0] == 1


def test_files_are_shown_as_they_are_and_known_by_their_content(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "numbers").write_text("1 2 3\n")
    (folder / "run.sh").write_text("#!/bin/sh\necho it runs\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "secret").symlink_to("/etc/shadow")
    line = "cat /data/deep/numbers; /data/run.sh; cat /data/secret; echo x > /data/new; ls /data"
    exp = Experiment(NET, commands=[Command("left", f"({line}) 2>&1")], files={"/data": folder})
    first = run(exp)
    assert first.output(0).split("\n")[:2] == ["1 2 3", "it runs"]
    assert first.output(0).endswith("deep\nrun.sh\nsecret\n") and "root:" not in first.output(0)
    assert run(exp).digest() == first.digest()
    assert list(run(exp).manifest["shown"]) == ["/data"]
    (folder / "deep" / "numbers").write_text("4 5 6\n")
    assert run(exp).output(0).startswith("4 5 6\n")
    assert not (folder / "new").exists()


def test_an_open_laboratory_shows_them_too(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    with Lab(NET, files={"/data/one": tmp_path / "one"}) as lab:
        assert lab.run("right", "cat /data/one").stdout == "1"


def test_files_that_cannot_be_shown_are_refused_by_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source, what in ((tmp_path / "none", "no such file"), (tmp_path, "pipe is no file, folder or link")):
        with pytest.raises(SpecError, match=what):
            run(Experiment(NET, duration="1ms", files={"/data": source}))
