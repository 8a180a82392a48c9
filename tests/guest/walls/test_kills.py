"""Whoever is hit by whatever signal at whatever moment: within five seconds nothing is left, and the next run
is as it always was. A few here, two hundred in `make chaos`."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from labkit.execute.artifacts.binaries import binaries
from labkit.spec import Experiment, Flow
from labkit.spec.topologies import dumbbell, pair
from tests import fuzz
from tests.guest.conftest import folders_of, guests, keepers, processes_of
from tests.guest.furnish import ROOT
from tests.guest.helpers import fresh

PATIENCE_S = 5.0
SMALL = Experiment(pair(rate="10mbit", delay="5ms"), flows=[Flow("left", "right", size="20kB")])
LONG = Experiment(
    dumbbell(rate="100mbit", delay="5ms", loss="0.1%"),
    flows=[Flow("left", "right", duration="50000s")],
    time_limit="50000s",
    probes=["tcp_info", "tcp_probe", "drops"],
)
KINDS = {
    "run": """
run(Experiment.from_json(sys.argv[1]), cache=False)
""",
    "lab": """
with Lab(pair(rate="100mbit", delay="5ms")) as lab:
    lab.start(Flow("left", "right", duration="10000s"))
    while True:
        lab.advance("300ms")
""",
    "lab with programs": """
with Lab(pair(rate="100mbit", delay="5ms")) as lab:
    lab.spawn("right", "sleep 100000")
    lab.start(Flow("left", "right", duration="10000s"))
    while True:
        lab.advance("300ms")
        lab.run("left", "ping -c 1 right")
""",
    "sweep": """
exp = Experiment.from_json(sys.argv[1])
with ProcessPoolExecutor(2) as pool:
    sweep(exp, {"links.r1-r2.forward.loss": ["0%", "1%"]}, executor=pool, cache=False, progress=False)
""",
}
BEGIN = """
import signal, sys
from concurrent.futures import ProcessPoolExecutor
from labkit import Experiment, Flow, Lab, pair, run, sweep
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
"""
KERNELS = {"guest": ("run", "lab with programs", "sweep"), "wasm": ("run", "lab", "sweep")}
SIGNALS = [
    *[signal.SIGKILL] * 4,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGSEGV,
    signal.SIGSTOP,
]
VICTIMS = ["owner", "owner", "keeper", "guest", "guest's process"]


@dataclass(frozen=True)
class Hit:
    """What is started in which kernel, who is hit by what, and so long (s) after the first guest is there;
    early: while Python starts, so long after that."""

    kernel: str
    kind: str
    victim: str
    signal: signal.Signals
    after_s: float
    early: bool


def drawn(kernel: str, number: int) -> Hit:
    """The same for the same number and seed."""
    draw = random.Random(f"{fuzz.seed()} {kernel} {number}")
    early = draw.random() < 0.15
    after_s = draw.uniform(0, 2.0) if early else draw.choice([0.0, draw.uniform(0, 0.05), draw.uniform(0, 2)])
    kind, victim = draw.choice(KERNELS[kernel]), draw.choice(VICTIMS)
    return Hit(kernel, kind, victim, draw.choice(SIGNALS), after_s, early)


def target(hit: Hit, owner: int, cache: Path) -> int:
    """The process to hit; the owner, where there is no other yet."""
    if hit.victim == "keeper":
        return next(iter(keepers(cache)), owner)
    if hit.victim == "guest":
        return next(iter(guests(cache)), owner)
    return guests(cache)[-1] if hit.victim != "owner" and guests(cache) else owner


def strike(hit: Hit, process: subprocess.Popen[bytes], cache: Path) -> None:
    deadline = time.monotonic() + 60
    while not hit.early and not guests(cache) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(hit.after_s)
    pid = target(hit, process.pid, cache)
    try:
        os.kill(pid, hit.signal)
        if hit.signal == signal.SIGSTOP:
            time.sleep(0.5)
            os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return


def ended(hit: Hit, process: subprocess.Popen[bytes]) -> bool:
    """The owner, who may have got away unharmed; with its pool, if it has one: their whole process group.
    True: a keeper was killed, too, which then removes nothing."""
    if hit.kind != "sweep":
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2.0)
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return hit.victim == "keeper" and hit.signal in (signal.SIGKILL, signal.SIGSEGV)


def rest(cache: Path, *, folders: bool) -> list[str]:
    """What is left after a while."""
    deadline = time.monotonic() + PATIENCE_S
    while (
        found := processes_of(cache) + (folders_of(cache) if folders else [])
    ) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def shared(cache: Path) -> list[str]:
    """What all programs see of the runs in a cache: mounts, and labkit's names among shared memory."""
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    mine = [mount for mount in mounts if str(cache) in mount]
    return [*mine, *(name for name in os.listdir("/dev/shm") if "labkit" in name)]


@pytest.mark.parametrize("number", range(fuzz.examples(6)))
def test_a_signal_at_any_moment_leaves_nothing(
    each_kernel: str, number: int, own_cache: Path, tmp_path: Path
) -> None:
    hit, before, expected = drawn(each_kernel, number), shared(own_cache), fresh(SMALL).digest()
    said, place = tmp_path / "said", tmp_path / "tmp"
    place.mkdir()
    with said.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", BEGIN + KINDS[hit.kind], LONG.to_json()],
            env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(place)},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            strike(hit, process, own_cache)
        finally:
            keeper_too = ended(hit, process)
    assert rest(own_cache, folders=not keeper_too) == [], f"{hit}: {said.read_text()}"
    for name in folders_of(own_cache):  # the next start removes what nobody holds, a minute later
        os.utime(own_cache / "runs" / name, (0, 0))
    assert fresh(SMALL).digest() == expected, hit
    assert folders_of(own_cache) == [], hit
    assert shared(own_cache) == before, hit
    assert [name for name in os.listdir(place) if "labkit" in name] == [], hit


ORPHAN = """
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int stops(void *unused) { (void)unused; kill(getpid(), SIGSTOP); for (;;) pause(); }
int main(int argc, char **argv)
{
	static char stack[65536];
	pid_t child = argc > 1 ? clone(stops, stack + sizeof stack, CLONE_FILES | SIGCHLD, NULL) : fork();
	if (child == 0)
		stops(NULL);
	waitpid(child, NULL, WUNTRACED);
	printf("%d\\n", child);
	fflush(stdout);
	for (;;)
		pause();
}
"""


def runs(process: Path) -> bool:
    """process: of /proc. A zombie does not run: whoever adopted it has not buried it yet."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("how", [[], ["clone"]], ids=["fork", "clone"])
def test_a_process_of_the_guest_that_stopped_itself_ends_with_it(how: list[str], tmp_path: Path) -> None:
    """As the lab kernel makes some when it starts, to trace them: hit just then, it left them for ever."""
    source, program = tmp_path / "orphan.c", tmp_path / "orphan"
    source.write_text(ORPHAN)
    subprocess.run(["cc", "-o", str(program), str(source)], check=True)
    environment = {"LD_PRELOAD": str(binaries().shim)}
    with subprocess.Popen(
        [str(program), *how], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        child = Path("/proc") / process.stdout.readline().strip()
        assert child.name and runs(child)
        process.kill()
    deadline = time.monotonic() + PATIENCE_S
    while runs(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not runs(child)
