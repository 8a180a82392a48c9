"""The lists that set a machine up agree with each other: lock, pyproject, conda, Binder, apt."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from binder import locked as binder
from scripts.wheels.__main__ import KERNEL, TREE

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "binder/requirements.lock").read_text()
SUPPORTED = ("3.11", "3.12", "3.13")


OWN = ("kernel", "modules")
"""Extras that bring what `make wheels` makes: of this version, in no registry that the lock could name."""


def direct() -> dict[str, Requirement]:
    """Every direct dependency of pyproject.toml, extras included."""
    extras = [lines for extra, lines in PROJECT["optional-dependencies"].items() if extra not in OWN]
    lines = chain(PROJECT["dependencies"], *extras)
    requirements = [Requirement(line) for line in lines]
    return {canonicalize_name(r.name): r for r in requirements}


def locked(lock: str = LOCK) -> dict[str, tuple[Requirement, list[str]]]:
    """Every pin of the lock with its hashes."""
    found = {}
    for block in re.split(r"\n(?=[a-z0-9])", lock):
        pin = Requirement(block.split("\\\n")[0].strip())
        assert canonicalize_name(pin.name) not in found, f"{pin.name} is pinned twice"
        found[canonicalize_name(pin.name)] = (pin, re.findall(r"--hash=sha256:([0-9a-f]{64})", block))
    return found


def locked_version(name: str) -> Version:
    (specifier,) = locked()[name][0].specifier
    return Version(specifier.version)


def conda() -> dict[str, Requirement]:
    lines = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    by_pip = next(line["pip"] for line in lines if isinstance(line, dict))
    names = [line for line in [*lines, *by_pip] if isinstance(line, str) and line != "-e ."]
    requirements = [Requirement(name) for name in names]
    return {canonicalize_name(r.name): r for r in requirements}


def apt() -> list[str]:
    lines = (ROOT / "binder/apt.txt").read_text().splitlines()
    return [name for line in lines if (name := line.split("#")[0].strip())]


@pytest.mark.parametrize("name", direct())
def test_lock_satisfies_pyproject(name: str) -> None:
    assert name in locked(), (
        f"{name} is not in binder/requirements.lock: solve it again (scripts/RELEASING.md)"
    )
    assert direct()[name].specifier.contains(locked_version(name))


def test_the_lock_names_all_that_its_packages_need() -> None:
    """It is installed without looking for more: what it left out would be missing here."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout


def test_every_pin_is_exact_and_has_hashes() -> None:
    for pin, hashes in locked().values():
        assert [s.operator for s in pin.specifier] == ["=="], pin
        assert hashes, pin


def needed(requirement: Requirement, found: set[tuple[str, str]]) -> set[str]:
    """Of an installed package and all that it needs here: the names, as their own descriptions say."""
    name = canonicalize_name(requirement.name)
    names = {name}
    for extra in {"", *requirement.extras}:
        if (name, extra) not in found:
            found.add((name, extra))
            for line in metadata.requires(name) or []:
                wanted = Requirement(line)
                if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
                    names |= needed(wanted, found)
    return names


@pytest.mark.parametrize("extras", [(), ("lab",), ("course",), ("book",), ("dev", "lab")], ids=" ".join)
def test_a_part_of_the_lock_has_all_that_its_packages_need(extras: tuple[str, ...]) -> None:
    found: set[tuple[str, str]] = set()
    wanted = {name for line in binder.requirements(*extras) for name in needed(Requirement(line), found)}
    whole, part = locked(), locked(binder.locked(*extras))
    here = {name for name, (pin, _) in part.items() if pin.marker is None or pin.marker.evaluate()}
    assert wanted <= here
    assert extras != ("lab",) or wanted == here, "and no more, where it has to be small"
    for name, pinned in part.items():
        assert pinned == whole[name], "the same files, so that a container runs what was tested"


def test_what_serves_the_chapters_brings_nothing_of_tests_and_book() -> None:
    there = locked(binder.locked("lab"))
    assert not {"pytest", "mypy", "sphinx", "jupyter-book", "playwright", "vl-convert-python"} & set(there)


def test_a_part_that_there_is_not_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"no extra lap: pyproject.toml has kernel, .*lab, "):
        binder.locked("lap")
    with pytest.raises(SystemExit, match=r"requirements.lock lacks nonesuch: solve it again"):
        binder.part(LOCK, ["pandas>=3", "nonesuch<4"])


@pytest.mark.parametrize("python", SUPPORTED)
def test_lock_pins_every_direct_dependency_on_each_python(python: str) -> None:
    environment = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    for name in direct():
        marker = locked()[name][0].marker
        assert marker is None or marker.evaluate(environment), f"{name} on Python {python}"


def imported(folder: str) -> set[str]:
    """The top-level names of all absolute imports under a folder."""
    names: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names - sys.stdlib_module_names - {"labkit"}


def test_labkit_declares_what_it_imports() -> None:
    owners = packages_distributions()
    runtime = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    runtime.add("pydantic-core")  # comes with pydantic, at the one version that fits it
    extra = {canonicalize_name(Requirement(line).name) for line in PROJECT["optional-dependencies"]["course"]}
    rooms = [path for path in (ROOT / "labkit").iterdir() if path.is_dir()]
    for room in rooms:
        declared = runtime | extra if room.name == "course" else runtime
        for name in imported(f"labkit/{room.name}"):
            owned = {canonicalize_name(owner) for owner in owners.get(name, [])}
            assert declared & owned, f"{room.name}: import {name}"


def test_the_runtime_needs_nothing_of_tests_and_book() -> None:
    """Who came by pip gets what labkit imports, and no more."""
    owners = packages_distributions()
    used = {canonicalize_name(owner) for name in imported("labkit") for owner in owners.get(name, [])}
    assert {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]} <= used


def test_the_ready_made_kernel_is_of_the_same_version() -> None:
    extras = PROJECT["optional-dependencies"]
    asked = {line for extra in OWN for line in extras[extra]}
    assert asked == {f"{what.name}=={PROJECT['version']}" for what in (KERNEL, TREE)}
    assert extras["kernel"] == [f"{KERNEL.name}=={PROJECT['version']}"]


def test_lock_has_the_build_backend() -> None:
    assert "setuptools" in locked(), "the editable install runs without network and build isolation"


def test_lock_names_no_index() -> None:
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links|--trusted-host", LOCK)


def test_jupyter_book_stays_below_2() -> None:
    wanted = direct()["jupyter-book"].specifier
    assert wanted.contains("1.0.4.post1")
    assert not wanted.contains("2.0.0")
    assert locked_version("jupyter-book") < Version("2")


def test_conda_asks_for_what_pyproject_asks_for() -> None:
    theirs = {name: r.specifier for name, r in conda().items() if name not in ("python", "pip")}
    assert theirs == {name: r.specifier for name, r in direct().items()}


@pytest.mark.parametrize("name", sorted(set(conda()) - {"python", "pip"}))
def test_conda_allows_the_locked_version(name: str) -> None:
    assert conda()[name].specifier.contains(locked_version(name))


def test_conda_and_binder_use_a_supported_python() -> None:
    assert all(conda()["python"].specifier.contains(python) for python in SUPPORTED)
    assert (ROOT / "binder/runtime.txt").read_text().strip().removeprefix("python-") in SUPPORTED


PYTHON_OF_BINDER = """#!/bin/sh
case $1 in
    binder/locked.py) exec {python} "$@" ;;
    binder/wheels.py) echo labkit.whl ;;
    -m) for file; do :; done; {{ echo "$@"; cat "$file"; }} >>installed ;;
esac
"""


def test_binder_installs_the_part_of_the_lock_that_serves_the_chapters(tmp_path: Path) -> None:
    """Its last step, before a Python that writes down what pip is told."""
    shutil.copytree(ROOT / "binder", tmp_path / "binder")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "bin").mkdir()
    programs = {"python": PYTHON_OF_BINDER.format(python=sys.executable), "labkit": "#!/bin/sh\n"}
    for name, body in programs.items():
        (tmp_path / "bin" / name).write_text(body)
        (tmp_path / "bin" / name).chmod(0o755)
    settings = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "NB_PYTHON_PREFIX": str(tmp_path)}
    subprocess.run(["binder/postBuild"], cwd=tmp_path, env=settings, check=True, timeout=60)
    options = "-m pip install --no-cache-dir --no-deps"
    assert (tmp_path / "installed").read_text() == (
        f"{options} --require-hashes -r lab.txt\n{binder.locked('lab')}{options} -r wheels.txt\nlabkit.whl\n"
    )
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {"bin", "binder", "etc", "installed", "pyproject.toml"}, "it cleans up"


def test_binder_finds_no_list_of_packages_before_its_last_step() -> None:
    for name in ("requirements.txt", "environment.yml", "Pipfile", "setup.py", "Dockerfile"):
        assert not (ROOT / "binder" / name).exists(), f"repo2docker would build by {name}"


def test_apt_list_reads_as_repo2docker_reads_it() -> None:
    assert apt(), "no packages"
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.+-]+", name) for name in apt())
    assert len(apt()) == len(set(apt()))


def test_kernel_sources_are_of_versions_that_keep_rfc6675() -> None:
    text = (ROOT / "binder/apt.txt").read_text()
    (listed,) = re.findall(r"^# kernel-source: (.*)$", text, re.MULTILINE)
    for package in listed.split():
        version = Version(package.removeprefix("linux-source-"))
        assert Version("6.6") <= version < Version("6.17"), package


def test_no_other_file_names_system_packages() -> None:
    for path in (
        "Makefile",
        ".ci/run",
        "scripts/setup.sh",
        "scripts/lab.sh",
        "binder/postBuild",
        "binder/Containerfile",
    ):
        for line in (ROOT / path).read_text().replace("\\\n", " ").splitlines():
            said = re.split(r"apt-get (?:-\S+ )*install ", line)[1:]
            assert not said or "$" in said[0], f"{path}: {line.strip()}"


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
def test_jupyterlabs_program_for_node_starts_beside_our_package_json() -> None:
    """That of its builder is no ES module; taken for one, the first start prints a stack trace."""
    found = importlib.util.find_spec("jupyter_builder")
    assert found is not None and found.origin is not None
    command = ["node", str(Path(found.origin).with_name("yarn.js")), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
