"""The same experiment gives the same bytes: whoever runs it, wherever, with whatever else going on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from labkit.compile.compiler import compile_experiment
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import ALL_PROBES, DEFAULT_PROBES, Change, Command, Experiment, Flow, SysctlChange
from labkit.spec.topologies import dumbbell, pair
from tests.guest.furnish import furnish, python

DIGEST = """
import sys
from labkit.results.run import run
from labkit.spec import Experiment
print(run(Experiment.load(sys.argv[1]), cache=False).digest())
"""
PACKAGES = ("numpy", "pandas", "pydantic", "pyroute2")  # what running an experiment imports
PROGRAM = """
import hashlib, sys
from labkit.compile.compiler import compile_experiment
from labkit.spec import Experiment
print(hashlib.sha256(compile_experiment(Experiment.load(sys.argv[1])).program).hexdigest())
"""


def experiment(seed: int = 1) -> Experiment:
    """Something of everything: each probe, each source of randomness, changes, a program of the host."""
    return Experiment(
        dumbbell(
            rate="10mbit",
            delay="10ms",
            jitter="1ms",
            queue="fq_codel",
            loss="1%",
            corrupt="0.1%",
            duplicate="0.1%",
            reorder="0.5%",
        ),
        flows=[
            Flow("left", "right", cc="cubic", size="800kB"),
            Flow("left", "right", cc="bbr", duration="1.2s", start="0.1s"),
            Flow("right", "left", protocol="udp", rate="500kbit", pattern="poisson", duration="1s"),
        ],
        changes=[
            Change("0.7s", ("r1", "r2"), rate="8mbit", delay="12ms"),
            SysctlChange("0.5s", "right", "net.ipv4.tcp_sack", 0),
        ],
        commands=[Command("left", "ping -c 2 -i 0.2 right; ss -ti; id; env; date", "0.2s")],
        seed=seed,
    )


@pytest.fixture(scope="module")
def expected() -> Result:
    """The run that all others are held against."""
    return run(experiment(), cache=False)


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The experiment as a file that any user can read."""
    folder = Path(tempfile.mkdtemp(prefix="labkit-spec-"))
    folder.chmod(0o755)
    experiment().save(folder / "experiment.json")
    yield folder / "experiment.json"
    shutil.rmtree(folder)


@pytest.fixture
def other_cache() -> Iterator[Path]:
    """A cache of another name, with the kernel copied into it, which any user can write."""
    folder = Path(tempfile.mkdtemp(prefix="another-labkit-cache-of-a-longer-name-"))
    furnish(folder)
    folder.chmod(0o777)
    for name in ("runs", "results", "modules"):
        (folder / name).mkdir()
        (folder / name).chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def load() -> Iterator[None]:
    """Every processor has something else to do as well."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def allowed(*command: str) -> bool:
    """Does this machine let us do that?"""
    found = shutil.which(command[0]) is not None
    return found and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0


def digest_of(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_experiment_has_something_of_everything(expected: Result) -> None:
    assert expected.experiment.probes == DEFAULT_PROBES
    assert expected.retransmits()["left-right"] > 0
    assert len(expected.tcp_probe) > 300
    assert len(expected.queue) > 30
    assert expected.commands["status"].tolist() == [0]
    assert expected.flows["complete"].all()


def test_eight_runs_in_one_process_agree(expected: Result) -> None:
    assert {run(experiment(), cache=False).digest() for _ in range(8)} == {expected.digest()}


def test_runs_from_several_threads_agree(expected: Result) -> None:
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(run, experiment(), cache=False) for _ in range(4)]
    assert {one.result().digest() for one in runs} == {expected.digest()}


def test_runs_agree_under_other_load(expected: Result) -> None:
    with load():
        assert {run(experiment(), cache=False).digest() for _ in range(2)} == {expected.digest()}


def test_another_cache_and_home_make_no_difference(expected: Result, spec: Path, other_cache: Path) -> None:
    home = {"HOME": str(other_cache), "LABKIT_CACHE": str(other_cache), "USER": "somebody", "TMPDIR": "/"}
    assert digest_of(python(DIGEST, str(spec), **home)) == expected.digest()


def test_an_empty_environment_makes_no_difference(expected: Result, spec: Path) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "LABKIT_CACHE")}
    assert digest_of(python(DIGEST, str(spec), env=kept)) == expected.digest()


def test_a_crowded_environment_makes_no_difference(expected: Result, spec: Path) -> None:
    crowd = {f"VARIABLE_{i}": "x" * 997 for i in range(50)}
    odd = {"TZ": "Pacific/Chatham", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "1", "HZ": "7", "TERM": "dumb"}
    done = python(DIGEST, str(spec), **crowd, **odd)
    assert digest_of(done) == expected.digest()


def test_another_user_gets_the_same(expected: Result, spec: Path, other_cache: Path) -> None:
    prefix = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--no-new-privs"]
    prefix += ["--bounding-set=-all", "--inh-caps=-all"]
    if os.geteuid() != 0 or not allowed(*prefix):
        pytest.skip("needs root and setpriv to be somebody else")
    if not allowed(*prefix, sys.executable, "-c", "import labkit.results.run;import sys;sys.exit(0)"):
        pytest.skip("the interpreter is in a folder that nobody else may read")
    home = {"HOME": "/nonexistent", "LABKIT_CACHE": str(other_cache), "USER": "nobody"}
    done = python(DIGEST, str(spec), prefix=prefix, **home)
    assert digest_of(done) == expected.digest()


@pytest.mark.parametrize("option", ["--addr-no-randomize", "--addr-compat-layout"])
def test_address_randomisation_makes_no_difference(expected: Result, spec: Path, option: str) -> None:
    prefix = ["setarch", os.uname().machine, option]
    if not allowed(*prefix):
        pytest.skip("setarch may not do this here")
    assert digest_of(python(DIGEST, str(spec), prefix=prefix)) == expected.digest()


def test_one_processor_and_low_priority_make_no_difference(expected: Result, spec: Path) -> None:
    prefix = ["taskset", "-c", str(min(os.sched_getaffinity(0))), "nice", "-n", "19"]
    if not allowed(*prefix):
        pytest.skip("no taskset")
    assert digest_of(python(DIGEST, str(spec), prefix=prefix)) == expected.digest()


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_another_python_gives_the_same(expected: Result, spec: Path, version: str) -> None:
    interpreter = shutil.which(f"python{version}")
    if interpreter is None:
        pytest.skip(f"no python{version} here")
    if python(f"import {', '.join(PACKAGES)}", interpreter=interpreter).returncode:
        pytest.skip(f"python{version} does not start, or has not {', '.join(PACKAGES)}")
    program = python(PROGRAM, str(spec), interpreter=interpreter)
    assert digest_of(program) == expected.manifest["program_sha256"]
    assert digest_of(python(DIGEST, str(spec), interpreter=interpreter)) == expected.digest()


def test_the_lab_program_does_not_depend_on_the_hash_seed(expected: Result, spec: Path) -> None:
    for seed in ("0", "4242"):
        program = python(PROGRAM, str(spec), PYTHONHASHSEED=seed)
        assert digest_of(program) == expected.manifest["program_sha256"]


def test_a_different_seed_gives_different_bytes(expected: Result) -> None:
    other = run(experiment(seed=2), cache=False)
    assert compile_experiment(experiment(2)).program != compile_experiment(experiment(1)).program
    assert other.digest() != expected.digest()
    assert other.flows["last_byte_s"]["left-right"] != expected.flows["last_byte_s"]["left-right"]


def named(probes: Collection[str]) -> str:
    """The same in every process, which xdist wants: a set has no order."""
    return "+".join(sorted(probes)) or "none"


@pytest.mark.parametrize("probes", [set(), *({probe} for probe in sorted(ALL_PROBES)), ALL_PROBES], ids=named)
def test_probes_change_nothing(expected: Result, probes: set[str]) -> None:
    seen = ["sent_bytes", "received_bytes", "sent_packets", "received_packets", "complete", "error"]
    seen += ["established_s", "first_byte_s", "last_byte_s", "end_s", "retransmits"]
    other = run(experiment().replace(probes=frozenset(probes)), cache=False)
    pd.testing.assert_frame_equal(other.flows[seen], expected.flows[seen], check_exact=True)
    pd.testing.assert_frame_equal(other.counters, expected.counters)
    pd.testing.assert_frame_equal(other.interfaces, expected.interfaces)
    assert other.output(0) == expected.output(0)
    assert other.virtual_s == expected.virtual_s


def test_the_guests_memory_and_disk_are_the_same_each_time() -> None:
    # where the host puts a program's heap is random, and the guest's memory lay behind it
    files = " ".join(f"/proc/{name}" for name in ("meminfo", "zoneinfo", "sys/net/ipv4/tcp_mem"))
    looked = Experiment(pair(), commands=[Command("left", f"free -b; df; dmesg; cat {files}")])
    seen = {run(looked, cache=False).output(0) for _ in range(5)}
    assert len(seen) == 1
    assert "MemTotal" in seen.pop()


@pytest.mark.parametrize("memory", ["131MB", "1GB"])
def test_the_guests_memory_changes_nothing(expected: Result, memory: str) -> None:
    other = run(experiment().replace(memory=memory), cache=False)
    pd.testing.assert_frame_equal(other.flows, expected.flows, check_exact=True)
    assert other.output(0) == expected.output(0)


def test_captures_change_nothing(expected: Result) -> None:
    other = run(experiment().replace(capture=["left", "r1", "r2.eth1", "right"]), cache=False)
    pd.testing.assert_frame_equal(other.flows, expected.flows, check_exact=True)
    pd.testing.assert_frame_equal(other.counters, expected.counters)
    assert other.output(0) == expected.output(0)


@pytest.mark.parametrize("probes", [*({probe} for probe in sorted(ALL_PROBES)), ALL_PROBES], ids=named)
def test_probes_leave_the_kernels_random_numbers_alone(probes: set[str]) -> None:
    # BBR draws its phase from them; what a probe's timers add to the pool must not change what comes out
    read = "head -c8 /dev/urandom | od -An -tx1"
    commands = [Command("left", read, f"{at}s") for at in (0.01, 0.5, 1.5, 2.5)]
    bare = Experiment(
        dumbbell(rate="10mbit"),
        flows=[Flow("left", "right", duration="3s")],
        commands=commands,
        sample_interval="33.3ms",
        probes=frozenset(),
    )
    seen = [
        run(exp, cache=False).commands["stdout"] for exp in (bare, bare.replace(probes=frozenset(probes)))
    ]
    assert seen[0].tolist() == seen[1].tolist()
