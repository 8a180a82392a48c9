"""What pip installs: in a bare root without compilers, as an ordinary user. The same digests as by the kernel
that was built here, and how long it takes is printed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.guest.kernel.build import build
from labkit.execute.wasm.linked import Linked, linked
from labkit.execute.wasm.translated import translated
from labkit.results.run import run
from labkit.spec import Experiment, Flow, Link, Queue, QueueClass, Topology
from labkit.spec.topologies import dumbbell
from scripts.wheels import __main__ as wheels
from scripts.wheels import contents, python_package
from tests.guest.packages import bare_root
from tests.guest.packages.bare_root import inside, said

SUITES = os.environ.get("LABKIT_SUITES", bare_root.suite_of_this_machine()).split()
"""Of which distributions: LABKIT_SUITES="bookworm trixie ubuntu.tar" tries more."""

CLASSES = [QueueClass("a", quantum=1514, match={"src": "left"}), QueueClass("b", quantum=1514)]
EXPERIMENTS = {
    "a dumbbell": Experiment(
        dumbbell(rate="10mbit", delay="10ms", queue="100p", loss="1%"),
        flows=[Flow("left", "right", cc="reno", size="2MB")],
        seed=1,
    ),
    "the teaching NIC": Experiment(
        Topology(
            ["left", "right"],
            [Link("left", "right", delay="5us", nic_b={"rx_ring": 64, "packet_cost": "15us"})],
        ),
        flows=[Flow("left", "right", size="5MB")],
    ),
    "a module of Linux's": Experiment(
        Topology(
            ["left", "right"], [Link("left", "right", rate="5mbit", queue=Queue("drr", classes=CLASSES))]
        ),
        flows=[Flow("left", "right", size="1MB")],
    ),
    "a congestion control of labkit's": Experiment(
        dumbbell(loss="1%"), flows=[Flow("left", "right", cc="reno2013", size="1MB")], modules=["reno2013"]
    ),
}
FIRST = """
import time; began = time.monotonic()
import labkit; imported = time.monotonic()
import pathlib, sys
from labkit import Experiment, run
for path in sorted(pathlib.Path("/specs").iterdir()):
    result = run(Experiment.load(path), cache=False)
    result.goodput()
    print(path.stem, f"{result.place} {result.digest()}", round(time.monotonic() - began, 2),
          round(imported - began, 3), round(time.process_time(), 2), sep=";")
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """labkit's wheel, labkit-kernel with what is here of the kernel in WebAssembly, labkit-kernel-tree."""
    out = tmp_path_factory.mktemp("wheels")
    python_package.wheel(python_package.sdist(out), out)
    kernel, tree = wheels.kernel_wheels()
    what, package, _ = kernel
    wheels.packed(build(), what, package, partial(contents.kernel_package, program=program()), out)
    wheels.packed(build(), *tree, out)
    return out


def program() -> tuple[Linked, Path] | None:
    """Of this machine's compiler: zig's is for a release (test_wheel_programs.py)."""
    try:
        module = linked()
    except SetupError:
        return None
    made = translated(module)
    return (module, made) if made else None


@pytest.fixture(scope="module", params=SUITES)
def root(request: pytest.FixtureRequest, made: Path) -> Iterator[Path]:
    """A bare root with those wheels, and with all that they need, in /wheels."""
    folder = Path(tempfile.mkdtemp(prefix="labkit-root-"))
    try:
        bare_root.made(folder, request.param)
        shutil.copytree(made, folder / "wheels")
        (folder / "wheels").chmod(0o755)
        bare_root.download(folder, folder / "wheels")
        (folder / "specs").mkdir()
        for name, experiment in EXPERIMENTS.items():
            experiment.save(folder / "specs" / f"{name}.json")
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def installed(root: Path) -> tuple[Path, str]:
    """labkit[kernel] in an environment of that user's, and what timed it said."""
    steps = (
        f"date +%s.%N; {bare_root.python(root)} -m venv env; date +%s.%N; times;"
        "env/bin/pip install -q --no-index --find-links /wheels 'labkit[kernel]'; date +%s.%N; times"
    )
    return root, said(inside(root, "sh", "-ec", steps))


@pytest.mark.slow
def test_from_pip_install_to_the_first_result(
    installed: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    root, clock = installed
    system = re.search('PRETTY_NAME="(.*)"', (root / "etc/os-release").read_text())
    for tool in ("cc", "gcc", "ld", "make"):
        assert inside(root, "sh", "-c", f"command -v {tool}").returncode, f"{tool} is in the root"
    assert said(inside(root, "grep", "-E", "^Cap(Eff|Prm|Bnd):", "/proc/self/status")).count("0" * 16) == 3
    rows = [line.split(";") for line in said(inside(root, "env/bin/python", "-c", FIRST)).splitlines()]
    place = "wasm" if program() else "guest"
    here = {name: run(experiment, place=place, cache=False) for name, experiment in EXPERIMENTS.items()}
    assert {name: ran for name, ran, *_ in rows} == {
        name: f"{place} {result.digest()}" for name, result in here.items()
    }
    started, made, _, venv_cpu, ended, _, pip_cpu = (
        sum(map(seconds, line.split())) for line in clock.splitlines()
    )
    again = said(inside(root, "env/bin/python", "-c", FIRST)).splitlines()[0].split(";")
    with capsys.disabled():
        print(
            f"\n{system and system[1]}: venv {made - started:.1f} s (processor {venv_cpu:.1f} s), "
            f"pip install {ended - made:.1f} s (processor {pip_cpu - venv_cpu:.1f} s), "
            f"first result {rows[0][2]} s (Python's processor time {rows[0][4]} s; import labkit "
            f"{rows[0][3]} s), "
            f"in another process {again[2]} s; load {os.getloadavg()[0]:.0f}"
        )


def seconds(said: str) -> float:
    """ "1m2.5s" is 62.5, as "62.5" is."""
    minutes, _, rest = said.removesuffix("s").rpartition("m")
    return 60 * int(minutes or 0) + float(rest)


def test_the_doctor_finds_the_lab_at_work(installed: tuple[Path, str]) -> None:
    root, _ = installed
    table = said(inside(root, "env/bin/labkit", "doctor"))
    assert "The lab works here." in table
    assert "site-packages/labkit_kernel" in table
    lines = "".join(table.split())  # a path may take two
    assert ("site-packages/labkit_kernel/wasm/lab" in lines) == (program() is not None)


def test_a_module_of_ones_own_says_what_it_lacks(installed: tuple[Path, str]) -> None:
    """And nothing but that: no compiler is asked for where it would not do."""
    root, _ = installed
    code = "import labkit; print(labkit.kernel_source('tcp_cong.c'))"
    done = inside(root, "env/bin/python", "-c", code)
    assert done.returncode == 1
    assert 'pip install --find-links dist "labkit[modules]==' in done.stderr.splitlines()[-1]


def test_the_chapters_are_laid_out(installed: tuple[Path, str]) -> None:
    root, _ = installed
    said(inside(root, "env/bin/labkit", "chapters", "lost packets"))
    laid = root / bare_root.HOME / "lost packets"
    chapters = sorted(path.name for path in (bare_root.ROOT / "chapters").glob("*.ipynb"))
    assert sorted(path.name for path in (laid / "chapters").iterdir()) == chapters
    assert (laid / "book" / "data" / "thesis.json").is_file()
    code = "import pandas; print(len(pandas.read_json('../book/data/thesis.json', typ='series')))"
    assert (
        int(said(inside(root, "sh", "-ec", f'cd "lost packets/chapters"; ~/env/bin/python -c "{code}"'))) > 0
    )


def test_nothing_of_the_runs_is_left(installed: tuple[Path, str]) -> None:
    root, _ = installed
    runs = root / bare_root.HOME / ".cache" / "labkit" / "runs"
    assert [path.name for path in runs.iterdir() if path.is_dir()] == []
