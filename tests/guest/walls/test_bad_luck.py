"""Whatever goes wrong, there is one clear error, nothing is lost and nothing is left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from labkit.errors import AgentError, LabKernelError, LimitReached, SpecError
from labkit.execute.artifacts import store
from labkit.execute.artifacts.working import sweep
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Command, Experiment, Flow
from labkit.spec.topologies import dumbbell, pair
from tests.guest.conftest import guests, keepers, left, processes_of
from tests.guest.furnish import ROOT, furnish, python
from tests.guest.helpers import fresh

NET = pair(rate="10mbit", delay="5ms", queue="50p")
SMALL = Experiment(NET, flows=[Flow("left", "right", size="20kB")])
ENDLESS = Experiment(NET, flows=[Flow("left", "right", duration="50000s")], time_limit="50000s", probes=[])


RUN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
from labkit.results.run import run
from labkit.spec import Experiment
print("ready", flush=True)
print(run(Experiment.from_json(sys.argv[1]), cache=False).digest())
"""
SETUP = """
import sys
from labkit.errors import SetupError
from labkit.results.run import run
from labkit.spec import Experiment
try:
    run(Experiment.from_json(sys.argv[1]), cache=False)
except SetupError as error:
    print(error)
"""


def wait_for(what: Callable[[], list[int]]) -> int:
    """The first of what there will be."""
    deadline = time.monotonic() + 30
    while not (found := what()):
        assert time.monotonic() < deadline, "nothing has started"
        time.sleep(0.02)
    return found[0]


@pytest.fixture
def child(own_cache: Path) -> Iterator[subprocess.Popen[str]]:
    """Another Python in the middle of an endless run."""
    command = [sys.executable, "-c", RUN, ENDLESS.to_json()]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: guests(own_cache))
    time.sleep(0.2)
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


@pytest.mark.usefixtures("each_kernel")
def test_a_guest_that_is_killed_is_a_lab_kernel_error(own_cache: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(fresh, ENDLESS)
        os.kill(wait_for(lambda: guests(own_cache)), signal.SIGKILL)
        with pytest.raises(LabKernelError, match="without a result"):
            running.result(30)
    assert fresh(SMALL).flows["complete"].all()


@pytest.mark.usefixtures("each_kernel")
def test_a_guest_with_too_little_memory_says_how_much_to_give_it() -> None:
    crowd = Experiment(
        dumbbell(rate="1gbit", delay="500ms", queue="100000p"),
        flows=[Flow("left", "right", duration="60s", sndbuf="64MB", rcvbuf="64MB") for _ in range(50)],
        memory="64MiB",
    )
    with pytest.raises(SpecError, match=r"memory=64MiB: too little for 4 hosts .*: write 208MiB or more"):
        fresh(crowd)


def test_a_module_that_oopses_shows_the_last_console_lines(tmp_path: Path) -> None:
    source = tmp_path / "falls.c"
    source.write_text(
        "#include <linux/module.h>\n"
        'static int __init fall(void) { panic("it fell over"); return 0; }\n'
        'module_init(fall);\nMODULE_LICENSE("GPL");\nMODULE_DESCRIPTION("falls over");\n'
    )
    with pytest.raises(LabKernelError, match="it fell over"):
        fresh(SMALL.replace(modules=[str(source)]))


@pytest.mark.usefixtures("each_kernel")
def test_a_time_limit_keeps_what_was_measured() -> None:
    with pytest.raises(LimitReached, match=r"2 s of virtual time.*time_limit") as caught:
        fresh(Experiment(NET, flows=[Flow("left", "right", size="100MB")], time_limit="2s"))
    cut = caught.value.result
    assert isinstance(cut, Result)
    assert cut.end_reason == "limit"
    assert cut.virtual_s == 2.0
    assert cut.flows["error"].tolist() == ["ETIME"]
    assert 1.5e6 < cut.flows["received_bytes"].iloc[0] < 2.5e6
    assert len(cut.tcp_info) > 15


@pytest.mark.usefixtures("each_kernel")
def test_a_wall_limit_keeps_what_was_measured() -> None:
    with pytest.raises(LimitReached, match="wall_limit") as caught:
        fresh(ENDLESS.replace(wall_limit="2s", probes=["tcp_info"]))
    cut = caught.value.result
    assert isinstance(cut, Result)
    assert cut.end_reason == "stopped"
    assert cut.flows["received_bytes"].iloc[0] > 0


def test_a_program_that_never_ends_meets_the_time_limit() -> None:
    with pytest.raises(LimitReached, match="time_limit"):
        fresh(Experiment(NET, commands=[Command("left", "sleep 1000000")], time_limit="10s"))


@pytest.mark.usefixtures("each_kernel")
def test_ctrl_c_ends_the_guest_and_the_next_run_works(own_cache: Path, child: subprocess.Popen[str]) -> None:
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert child.returncode == -signal.SIGINT
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert left(own_cache) == []
    assert fresh(SMALL).flows["complete"].all()


@pytest.mark.usefixtures("each_kernel")
def test_a_killed_python_leaves_nothing(own_cache: Path, child: subprocess.Popen[str]) -> None:
    child.kill()
    child.wait()
    assert left(own_cache) == []


@pytest.mark.usefixtures("each_kernel")
def test_a_killed_keeper_takes_the_guest_along(own_cache: Path, child: subprocess.Popen[str]) -> None:
    os.kill(keepers(own_cache)[0], signal.SIGKILL)
    _, said = child.communicate(timeout=30)
    assert "LabKernelError" in said
    deadline = time.monotonic() + 10
    while processes_of(own_cache) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_of(own_cache) == []
    for folder in (own_cache / "runs").iterdir():
        if folder.is_dir():
            os.utime(folder, (0, 0))  # the next start sweeps folders that nobody holds, a minute later
    sweep(own_cache / "runs")
    assert left(own_cache) == []


def flip(folder: Path) -> None:
    raw = bytearray((folder / "raw").read_bytes())
    raw[len(raw) // 2] ^= 1
    (folder / "raw").write_bytes(raw)


def truncate(folder: Path) -> None:
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text[: len(text) // 2])


def reseed(folder: Path) -> None:
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace('"seed": 4711', '"seed": 4712'))


DAMAGE: dict[str, Callable[[Path], None]] = {
    "a bit flipped": flip,
    "manifest truncated": truncate,
    "manifest with another seed": reseed,
    "raw missing": lambda folder: (folder / "raw").unlink(),
    "manifest missing": lambda folder: (folder / "manifest.json").unlink(),
    "manifest is a list": lambda folder: (folder / "manifest.json").write_text("[]") and None,
    "raw truncated": lambda folder: os.truncate(folder / "raw", 100),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_cache_entry_is_run_again(damage: str) -> None:
    exp = SMALL.replace(seed=4711)
    first = run(exp, cache=False)
    digest, wall = first.digest(), first.wall_s
    assert run(exp).wall_s == wall  # from the cache
    DAMAGE[damage](first.folder)
    again = run(exp)
    assert again.digest() == digest
    assert store.find(again.folder.name) == again.folder
    assert again.manifest["files"] == json.loads((again.folder / "manifest.json").read_text())["files"]


@pytest.mark.usefixtures("each_kernel")
def test_fifty_runs_from_eight_threads_are_all_correct() -> None:
    def one(seed: int) -> tuple[int, str]:
        exp = SMALL.replace(seed=seed % 10, topology=NET.replace(hosts=["left", "right"]))
        result = run(exp, cache=bool(seed % 2))
        assert result.flows["received_bytes"].tolist() == [20_000]
        return seed % 10, result.digest()

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(one, range(50)))
    assert len(found) == 10  # one digest per seed


def unshared(mounts: str) -> list[str]:
    """A prefix that runs a command with other mounts, which nobody else sees; skips without root."""
    prefix = ["unshare", "--mount", "sh", "-ec", f'{mounts}; exec "$@"', "sh"]
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("needs root and unshare for mounts of its own")
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("may not mount here")
    return prefix


@pytest.mark.parametrize("options", ["noexec,size=1M", "ro", "size=64M,noexec,nosuid"])
def test_dev_shm_may_be_small_or_noexec(options: str) -> None:
    done = python(RUN, SMALL.to_json(), prefix=unshared(f"mount -t tmpfs -o {options} none /dev/shm"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == fresh(SMALL).digest()


def setup_error(**settings: object) -> str:
    """What the SetupError of a run in another process says; it must be its only output, and one message."""
    done = python(SETUP, SMALL.to_json(), **settings)  # type: ignore[arg-type]
    assert done.returncode == 0, done.stderr
    assert done.stdout, "it ran"
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.usefixtures("each_kernel")
def test_a_full_disk_is_one_message(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    furnish(cache, link=True)
    mounts = (
        f"mount -t tmpfs -o size=100k none {cache / 'runs'} && mount --bind {cache / 'runs'} {cache / 'runs'}"
    )
    (cache / "runs").mkdir()
    fill = f"{mounts}; dd if=/dev/zero of={cache / 'runs'}/filler bs=1k count=100 2>/dev/null || true"
    said = setup_error(prefix=unshared(fill), LABKIT_CACHE=str(cache))
    assert "no space left" in said and "LABKIT_CACHE" in said


@pytest.mark.usefixtures("each_kernel")
def test_a_disk_that_fills_during_a_run_is_one_message(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    furnish(cache, link=True)
    (cache / "runs").mkdir()
    prefix = unshared(f"mount -t tmpfs -o size=2M none {cache / 'runs'}")
    large = SMALL.replace(flows=[Flow("left", "right", size="30MB")], sample_interval="1ms")
    code = SETUP.replace("SetupError", "LabkitError")
    done = python(code, large.to_json(), prefix=prefix, LABKIT_CACHE=str(cache))
    assert done.returncode == 0, done.stderr
    assert "no space left" in done.stdout.lower()


@pytest.mark.usefixtures("each_kernel")
def test_where_runs_have_a_disk_of_their_own_that_is_named(tmp_path: Path) -> None:
    cache, runs = tmp_path / "cache", tmp_path / "runs"
    cache.mkdir()
    runs.mkdir()
    furnish(cache, link=True)
    large = SMALL.replace(flows=[Flow("left", "right", size="30MB")], sample_interval="1ms")
    done = python(
        SETUP.replace("SetupError", "LabkitError"),
        large.to_json(),
        prefix=unshared(f"mount -t tmpfs -o size=2M none {runs}"),
        LABKIT_CACHE=str(cache),
        LABKIT_RUNS=str(runs),
    )
    assert f"cannot write the cache {runs}: no space left" in done.stdout
    assert "LABKIT_RUNS=DIR" in done.stdout


def test_an_unwritable_cache_without_anything_is_one_message(tmp_path: Path) -> None:
    prefix = unshared(f"mount -t tmpfs -o ro none {tmp_path}")
    said = setup_error(prefix=prefix, LABKIT_CACHE=str(tmp_path), LABKIT_KERNEL="")
    assert "read-only" in said and "LABKIT_CACHE=DIR" in said


@pytest.mark.usefixtures("each_kernel")
def test_an_unwritable_cache_is_one_message(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    furnish(cache, link=True)
    (cache / "runs").mkdir()
    said = setup_error(
        prefix=unshared(f"mount --bind {cache} {cache}; mount -o remount,bind,ro {cache}"),
        LABKIT_CACHE=str(cache),
    )
    assert "read-only" in said and "LABKIT_CACHE=DIR" in said


def test_a_cache_that_is_a_file_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("not a folder")
    said = setup_error(LABKIT_CACHE=str(tmp_path / "cache"))
    assert "not a directory" in said and "LABKIT_CACHE=DIR" in said


def test_no_compiler_is_one_message_with_the_command_that_helps(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    furnish(cache, link=True)
    shutil.rmtree(cache / "native")
    said = setup_error(LABKIT_CACHE=str(cache), PATH=str(tmp_path))
    assert "sudo apt install gcc" in said


@pytest.mark.usefixtures("each_kernel")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("net.ipv4.ip_default_ttl", 0),
        ("net.ipv4.tcp_rmem", "1 x"),
        ("net.ipv4.tcp_congestion_control", "nobody"),
        ("net.ipv4.tcp_window_scaling", "yes"),
    ],
)
def test_a_sysctl_that_refuses_its_value_is_named(name: str, value: int | str) -> None:
    with pytest.raises(AgentError, match=name.replace(".", r"\.")) as caught:
        fresh(SMALL.replace(topology=NET.with_sysctls("right", {name: value})))
    assert "of right" in str(caught.value)
    assert str(value) in str(caught.value)


@pytest.mark.usefixtures("each_kernel")
def test_a_sysctl_that_does_not_exist_is_named() -> None:
    with pytest.raises(AgentError, match=r"net\.ipv4\.tcp_wishful"):
        fresh(SMALL.replace(sysctls={"net.ipv4.tcp_wishful": 1}))


def test_a_kernel_wide_sysctl_on_one_host_is_refused_before_anything_starts() -> None:
    with pytest.raises(SpecError, match=r"net\.core\.netdev_max_backlog.*whole kernel"):
        NET.with_sysctls("right", {"net.core.netdev_max_backlog": 10})
