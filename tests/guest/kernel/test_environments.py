"""What surrounds the process that runs labkit has no part in what it measures: twenty experiments in 25
environments in `make chaos`, two in three of them here."""

from __future__ import annotations

import os
import shlex
from contextlib import nullcontext
from pathlib import Path

import pytest

from labkit.execute.guest.kernel.build import kernel
from tests import fuzz
from tests.guest.furnish import furnish, python
from tests.guest.kernel.medley import medley
from tests.guest.kernel.test_determinism import allowed, load

DIGESTS = """
import pathlib, sys
from labkit.results.run import run
from labkit.spec import Experiment
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    print(path.stem, run(Experiment.load(path), cache=False).digest(), flush=True)
"""
SELECTION = ("looks", "netem")
"""Of them those that start programs run in the guest alone."""

CROWD = {f"V{i}": "x" * 1500 for i in range(60)}
ODD = {"LANG": "tr_TR.UTF-8", "LC_ALL": "C", "TZ": "Pacific/Chatham", "PYTHONUTF8": "1"}
GLIBC = {"LD_BIND_NOW": "1", "MALLOC_PERTURB_": "85", "MALLOC_ARENA_MAX": "1", "LABKIT_DEBUG": "1"}
SET: dict[str, dict[str, str]] = {
    "plain": {},
    "crowded": CROWD,
    "odd": ODD,
    "hash_seed": {"PYTHONHASHSEED": "4242"},
    "hash_seed_0": {"PYTHONHASHSEED": "0"},
    "no_home": {"HOME": "/nonexistent"},
    "temporary": {"TMPDIR": "/dev/shm"},
    "glibc": GLIBC,
    "python_dev": {"PYTHONDEVMODE": "1"},
    "optimised": {"PYTHONOPTIMIZE": "1", "PYTHONDONTWRITEBYTECODE": "1"},
}
SHELL = {
    "root": "cd /; exec",
    "odd_folder": "mkdir -p 'a b/é'; cd 'a b/é'; exec",
    "closed_input": "exec <&-; exec",
    "few_files": "ulimit -n 1024; exec",
    "small_stack": "ulimit -s 512 -c 0; exec",
    "large_stack": "ulimit -s unlimited; exec",
    "umask": "umask 077; exec",
}
PREFIX = {
    "no_randomisation": f"setarch {os.uname().machine} --addr-no-randomize",
    "old_layout": f"setarch {os.uname().machine} --addr-compat-layout",
    "first_processor": f"taskset -c {min(os.sched_getaffinity(0))}",
    "last_processor": f"taskset -c {max(os.sched_getaffinity(0))}",
    "low_priority": "nice -n 19",
    "own_namespaces": "unshare -n -m -p -f -i -u --mount-proc",
}
OTHERS = ("load", "another_cache")
ENVIRONMENTS = (*SET, *SHELL, *PREFIX, *OTHERS)
assert len(ENVIRONMENTS) == 25


@pytest.fixture(scope="module")
def specs(each_kernel: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiments as files: all of them in `make chaos`."""
    folder = tmp_path_factory.mktemp("specs")
    for name, experiment in medley().items():
        if (fuzz.longer() or name in SELECTION) and (each_kernel == "guest" or not experiment.commands):
            experiment.save(folder / f"{name}.json")
    return folder


def digests(specs: Path, *prefix: str, **settings: str) -> dict[str, str]:
    done = python(DIGESTS, str(specs), prefix=prefix, timeout=3600, **settings)
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def expected(specs: Path) -> dict[str, str]:
    """As this process would have them."""
    return digests(specs)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ENVIRONMENTS if fuzz.longer() else ("few_files", "own_namespaces", "old_layout")
)
def test_every_environment_gives_the_same(
    name: str, specs: Path, expected: dict[str, str], tmp_path: Path
) -> None:
    prefix = shlex.split(PREFIX.get(name, ""))
    if prefix and not allowed(*prefix):
        pytest.skip(f"not allowed here: {' '.join(prefix)}")
    if name in SHELL:
        prefix = ["sh", "-c", f'cd {shlex.quote(str(tmp_path))}; {SHELL[name]} "$@"', "sh"]
    settings = dict(SET.get(name, {}))
    if name == "another_cache":
        cache = furnish(tmp_path / "another-cache-of-a-much-longer-name")
        tree = cache / "kernel" / kernel().key / "tree"
        tree.rmdir()
        tree.symlink_to(kernel().tree)  # what modules are compiled against
        settings["LABKIT_CACHE"] = str(cache)
    with load() if name == "load" else nullcontext():
        assert digests(specs, *prefix, **settings) == expected
