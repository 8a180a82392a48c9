"""Where a chapter can be run: the menu's entries, the wheels that containers and Binder install."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.site import extension

ROOT = Path(__file__).parents[2]
PUBLISHED = "https://github.com/ada/lost-packets"
WHEELS = 3


@pytest.fixture(scope="module")
def wheels() -> ModuleType:
    spec = importlib.util.spec_from_file_location("wheels_of_binder", ROOT / "binder/wheels.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "_config.yml").write_text(yaml.safe_dump({"repository": {"url": PUBLISHED}}))
    (tmp_path / "dist").mkdir()
    return tmp_path


def test_wheels_of_the_checkout_come_before_those_of_the_release(wheels: ModuleType, tree: Path) -> None:
    there = wheels.places(tree, True)
    assert len(there) == WHEELS
    assert all(
        re.match(rf"{PUBLISHED}/releases/download/v[0-9.]+/labkit[a-z_]*-[0-9.]+-py3-", place)
        for place in there
    )
    for place in there:
        (tree / "dist" / Path(place).name).touch()
    assert wheels.places(tree, True) == [str(tree / "dist" / Path(place).name) for place in there]


def test_a_part_of_the_wheels_is_refused(wheels: ModuleType, tree: Path) -> None:
    first, *others = (Path(place).name for place in wheels.places(tree, True))
    (tree / "dist" / first).touch()
    with pytest.raises(SystemExit, match=f"lacks {', '.join(others)}: make wheels"):
        wheels.places(tree, True)


def test_without_wheels_and_address_it_says_what_to_do(wheels: ModuleType, tree: Path) -> None:
    (tree / "_config.yml").write_text(yaml.safe_dump({"repository": {"url": ""}}))
    with pytest.raises(SystemExit, match=r"make wheels, or say in _config.yml .* \(repository.url\)"):
        wheels.places(tree, True)


def test_who_compiles_nothing_gets_no_tree(wheels: ModuleType, tree: Path) -> None:
    assert [place for place in wheels.places(tree, True) if "kernel_tree" not in place] == wheels.places(
        tree, False
    )


def places(entries: list[dict[str, str]]) -> list[str]:
    return [entry["text"].partition(":")[0] for entry in entries]


@pytest.mark.parametrize(
    ("here", "repository", "before", "behind"),
    [
        ("", "", [], ["Own Jupyter"]),
        ("#loss", "", ["In this tab"], ["Own Jupyter"]),
        ("#loss", PUBLISHED, ["In this tab"], ["Codespaces", "Own Jupyter"]),
        ("", "https://gitlab.com/ada/lost-packets", [], ["Own Jupyter"]),
    ],
)
def test_the_menu_has_what_there_is(here: str, repository: str, before: list[str], behind: list[str]) -> None:
    found = extension("launch_places").entries(here, repository, "../book/install.html")
    assert tuple(map(places, found)) == (before, behind)
    assert all(": " in entry["text"] for part in found for entry in part), "what will run there"


@pytest.mark.parametrize("address", [PUBLISHED, f"{PUBLISHED}/", f"{PUBLISHED}.git"])
def test_codespaces_is_told_the_repository(address: str) -> None:
    assert (
        extension("launch_places").codespaces(address)
        == "https://codespaces.new/ada/lost-packets?quickstart=1"
    )


def test_the_development_container_names_files_that_there_are() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    folder = ROOT / ".devcontainer"
    assert (folder / container["build"]["dockerfile"]).resolve() == ROOT / "binder/Containerfile"
    assert (folder / container["build"]["context"]).resolve() == ROOT
    assert container["remoteUser"] in (ROOT / "binder/Containerfile").read_text()
    assert all((ROOT / name).is_file() for name in container["customizations"]["codespaces"]["openFiles"])


def test_the_image_is_built_of_files_that_there_are() -> None:
    """And that its list of files for the builder lets through, which has to lie beside it, by this name."""
    listed = (ROOT / "binder/Containerfile.dockerignore").read_text().splitlines()
    through = [line[1:] for line in listed if line.startswith("!")]
    read = set(re.findall(r"/context/([\w./-]*\w)", (ROOT / "binder/Containerfile").read_text()))
    assert {"binder/apt.txt", "binder/locked.py"} <= read
    for name in read:
        assert (ROOT / name).exists(), name
        assert any(name == one or name.startswith(f"{one}/") for one in through), name
