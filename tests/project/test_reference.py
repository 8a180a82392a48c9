"""The book's reference: every public name is on a page, every column has a unit, every arrow is drawn."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import labkit
from labkit import charts, models
from tests.project.test_tree import script

ROOT = Path(__file__).parents[2]
PAGES = {
    page: (ROOT / f"book/{page}.md").read_text()
    for page in ("api", "api-figures", "api-models", "api-player")
}
DESCRIBED = re.compile(r"^\.\. auto(function|class|exception|module):: (\S+)$", re.MULTILINE)


def extension(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"book/extensions/{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # a dataclass looks its own module up
    spec.loader.exec_module(module)
    return module


def described() -> dict[str, str]:
    """Name -> how it is described."""
    return {name: kind for page in PAGES.values() for kind, name in DESCRIBED.findall(page)}


def found(name: str) -> Any:
    """What a dotted name stands for."""
    module, _, last = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return getattr(importlib.import_module(module), last)


def modules(package: ModuleType) -> list[str]:
    names = [info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    return [name for name in names if not name.endswith("__main__")]


def test_every_name_of_labkit_is_described() -> None:
    assert {f"labkit.{name}" for name in labkit.__all__ if name != "charts"} <= described().keys()


def test_every_figure_is_described() -> None:
    assert {f"labkit.charts.{name}" for name in charts.__all__} <= described().keys()


def test_every_model_is_described_with_all_its_names() -> None:
    for name in modules(models):
        assert described().get(name) == "module", f"{name}: write `.. automodule:: {name}` and `:members:`"
        assert f"automodule:: {name}\n   :members:" in PAGES["api-models"]
        for function in ast.parse(Path(found(name).__file__).read_text()).body:
            if isinstance(function, ast.FunctionDef | ast.ClassDef) and not function.name.startswith("_"):
                assert ast.get_docstring(function), (
                    f"{name}.{function.name}: autodoc leaves out what has none"
                )


def test_every_error_is_described() -> None:
    for name in modules(labkit):
        importlib.import_module(name)
    errors, known = {labkit.LabkitError}, {found(name) for name in described()}
    while more := {sub for error in errors for sub in error.__subclasses__()} - errors:
        errors |= more
    ours = {error for error in errors if error.__module__.startswith("labkit.")}
    assert not [f"{error.__module__}.{error.__name__}" for error in ours - known]


@pytest.mark.parametrize("name", ["Result", "Lab", "Sweep"])
def test_every_public_method_has_a_docstring(name: str) -> None:
    """Without one autodoc leaves it out."""
    cls = getattr(labkit, name)
    parts = {part: of for base in cls.__mro__[:-1] for part, of in vars(base).items() if part[0] != "_"}
    assert len(parts) > 5
    assert not [part for part, of in parts.items() if part != "manifest" and not of.__doc__]


@pytest.mark.parametrize("name", sorted(described()))
def test_what_is_described_is_there(name: str) -> None:
    assert found(name).__doc__


def test_every_page_of_the_book_folder_is_in_the_contents() -> None:
    contents = yaml.safe_load((ROOT / "book/_toc.yml").read_text())
    listed = {contents["root"], *(entry["file"] for part in contents["parts"] for entry in part["chapters"])}
    assert {f"book/{page.stem}" for page in (ROOT / "book").glob("*.md")} <= listed


def all_units() -> dict[str, dict[str, str]]:
    """Every dictionary of units in labkit, by the name that it has there."""
    dictionaries = {}
    for name in modules(labkit):
        for part, value in vars(importlib.import_module(name)).items():
            if re.fullmatch(r"([A-Z_]+_)?UNITS", part) and all(isinstance(u, str) for u in value.values()):
                dictionaries[f"{name}.{part}"] = value
    return dictionaries


def test_every_column_of_every_table_is_listed_with_a_unit() -> None:
    listed = extension("columns").tables()
    assert len({table.had_by for table in listed}) == len(listed) > 15
    assert not [(t.had_by, column) for t in listed for column, unit in t.units.items() if not unit.strip()]
    assert not [table.had_by for table in listed if not table.what]
    known = {(column, unit) for table in listed for column, unit in table.units.items()}
    assert len(all_units()) > 15
    assert not [
        f"{name}: {column}" for name, units in all_units().items() for column in units.items() - known
    ]


def test_a_docstring_becomes_plain_text_and_code() -> None:
    as_rest = extension("prose").as_rest
    assert as_rest(["A *star, `code` and snd_mss.", "Two."]) == [
        "\\A \\*star, \\ ``code``\\  and snd\\_mss. Two.",
        "",
    ]
    assert as_rest(["with Lab() as lab:", "    lab.run()"])[:3] == ["::", "", "    with Lab() as lab:"]
    assert as_rest(["size, rate: both."], ["size", "rate"])[0].count("``") == 4
    assert ":py:obj:`labkit.charts.cwnd`" in as_rest(["see `labkit.charts.cwnd`"])[0]


def test_a_docstring_names_only_what_is_there() -> None:
    exists = extension("prose").exists
    assert exists("labkit.units.seconds")
    assert exists("labkit.spec")
    assert not exists("labkit.units.minutes")
    assert not exists("labkit.no.such")


def test_a_type_is_shown_without_what_validates_it() -> None:
    plain = extension("prose").plain
    assert plain("Annotated[Duration, Field(gt=0)] | None") == "Duration | None"
    assert plain("tuple[Annotated[Flow, read_by(_as_flow)], ...]") == "tuple[Flow, ...]"


def test_the_drawing_has_every_room_and_every_arrow() -> None:
    draw, rooms = extension("rooms_drawing").draw, script("rooms")
    present = [room for room in rooms.rooms() if room in rooms.ORDER]
    arrows = list(rooms.arrows())
    svg = draw(present, arrows)
    assert [svg.count(f">{room}</text>") for room in present] == [1] * len(present)
    assert svg.count("<path class=") == len(arrows) > 50


def test_the_drawing_tells_needed_arrows_from_others_and_wrong_ones() -> None:
    draw = extension("rooms_drawing").draw
    svg = draw(["a", "b", "c"], [("b", "a"), ("c", "b"), ("c", "a")])
    assert (svg.count("lp-strong"), svg.count("lp-weak"), svg.count("lp-wrong")) == (2, 1, 0)
    assert "each leads up." in svg
    assert "some lead down" in draw(["a", "b"], [("a", "b")])
