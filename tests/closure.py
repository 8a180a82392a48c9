"""What a test or a recorded chapter depends on: every file of the project that can change its outcome.

Found by the imports that `scripts/rooms.py` reads, wherever they stand in a file; by the data files that a
source names; and by all that is no Python in the rooms of labkit on the way (C, patches, tables). What lies
outside of the project, such as the lab kernel, is added by `tests/choosing.py`. A closure may hold more than
needed, never less: each replay notes what it reads, and `tests/chapters/test_recordings.py` compares.

Of a package with a stub (`__init__.pyi`: labkit, labkit.charts) a name stands for the module that it comes
from, so `from labkit import Queue` does not reach the widgets.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from glob import glob
from pathlib import Path

from scripts import rooms

ROOT = rooms.ROOT
_MAGIC = re.compile(r"^\s*[%!].*$", re.MULTILINE)
_DOTTED = re.compile(r"(labkit|tests|scripts|bench)(\.\w+)+")  # a module that is named in a text
_PACKAGE = ("__init__.py", "__init__.pyi")  # a stub is read, too, when its package is imported
_FOR_ALL = ROOT / "tests/conftest.py"  # what it imports is for pages, and for the order of tests


def of(file: Path) -> frozenset[Path]:
    """The files, this one among them, that what is in a Python file or a notebook depends on."""
    if file.suffix == ".ipynb":
        code = "\n".join(_code(file))
        return frozenset({file} | _reached(_named(ast.parse(code), file)))
    return frozenset(_reached({file}))


def loaded_by_star(package: str) -> frozenset[Path]:
    """What `from package import *` loads: all that the package hands on, used or not. What is not used
    decides no outcome, and is in no closure; that it can be imported, tests/unit says."""
    return frozenset(_reached({*_package(package), *_everything(package)}))


def digest(files: Iterable[Path]) -> str:
    """SHA-256 of the names and contents of files."""
    names = sorted(file.relative_to(ROOT).as_posix() for file in files)
    lines = (f"{_sha256(ROOT / name)} {name}\n" for name in names)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _reached(start: set[Path]) -> set[Path]:
    """From these files on: what they import, and so forth, and what lies in the rooms on the way."""
    found: set[Path] = set()
    ahead = set(start)
    while ahead:
        file = ahead.pop()
        if file not in found:
            found.add(file)
            ahead |= _leads_to(file)
    return found


@cache
def _leads_to(file: Path) -> frozenset[Path]:
    """One step: what a file itself names."""
    found: set[Path] = set()
    if file.suffix == ".py" and file != _FOR_ALL:
        found |= _named(ast.parse(file.read_text()), file)
    if file.is_relative_to(ROOT / "labkit"):
        packages = [folder / name for folder in file.parents for name in _PACKAGE]
        found |= {package for package in packages if package.is_file()}
        found |= _beside(rooms.room_of(file.relative_to(ROOT).as_posix()))
    elif file.suffix == ".py":
        found |= {place for folder in file.parents if (place := folder / "conftest.py").is_file()}
    return frozenset(found)


def _named(tree: ast.AST, file: Path) -> set[Path]:
    """The modules that are imported there, and the files and folders of data that its texts name."""
    package = file.relative_to(ROOT).parent.parts
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found: set[Path] = set()
    for node in ast.walk(tree):
        for names in rooms.named(node, package):
            found |= _modules(names, used)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= _data(node.value, file)
            found |= _package(node.value) if _DOTTED.fullmatch(node.value) else set()
        elif isinstance(node, ast.JoinedStr):  # f"measured/{case}.csv": whatever the case may be
            parts = (part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
            found |= _all_like("".join(map(str, parts)), file)
    return found - {file}


def _modules(names: tuple[str, ...], used: set[str]) -> set[Path]:
    """Files of a name that is imported: ("labkit.spec.Flow", "labkit.spec") is the first that is a module."""
    for name in names:
        package, _, last = name.rpartition(".")
        if last == "*":
            return {file for one in used for file in _from_stub(package, one)} | _package(package)
        if found := _from_stub(package, last):
            return found | _package(package)
        if file := _module(name):
            return {file, *(path for path in _everything(name))}
    return set()


def _package(name: str) -> set[Path]:
    return {file} if (file := _module(name)) else set()


def _everything(name: str) -> Iterator[Path]:
    """All that a package hands on, if it is imported whole: `from labkit import charts`."""
    for module in _stub(name).values():
        if file := _module(module):
            yield file


def _from_stub(package: str, name: str) -> set[Path]:
    module = _stub(package).get(name)
    file = _module(module) if module else None
    return {file, *_everything(module)} if module and file else set()


@cache
def _stub(package: str) -> dict[str, str]:
    """Of a package with a stub: each name and the module that has it. Else nothing."""
    file = ROOT.joinpath(*package.split("."), "__init__.pyi")
    if not package or not file.is_file():
        return {}
    found = {}
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                found[alias.asname or alias.name] = whole if _module(whole) else module
    return found


def _module(name: str) -> Path | None:
    """The file of a module of the project."""
    path = ROOT.joinpath(*name.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _data(text: str, file: Path) -> set[Path]:
    """What a text names, from the root or from the file's own folder: a file, or all of a folder."""
    if not 3 < len(text) < 200 or "\n" in text or not ("/" in text or "." in text):
        return set()
    for place in (file.parent / text, ROOT / text):
        try:
            there = place.resolve()
            if not there.is_relative_to(ROOT) or there in (ROOT, file.parent) or ".git" in there.parts:
                continue
            if there.is_file():
                return {there}
            if there.is_dir():
                return set(_files(there))
        except (OSError, ValueError):  # a text that can be no path: too long a part, a NUL
            continue
    return set()


def _all_like(pattern: str, file: Path) -> set[Path]:
    """The files that a text with stars in it names, from the root or from the file's own folder."""
    if "/" not in pattern or not 3 < len(pattern) < 200 or pattern.startswith(("*", "/")) or "\n" in pattern:
        return set()
    there = {
        (place / name).resolve() for place in (file.parent, ROOT) for name in glob(pattern, root_dir=place)
    }
    return {
        path for path in there if path.is_file() and path.is_relative_to(ROOT) and ".git" not in path.parts
    }


@cache
def _beside(room: str) -> frozenset[Path]:
    """What is no Python in a room, but for the modules that pages and node run: no recording needs them."""
    folder = ROOT / "labkit" / room
    found = _files(folder) if folder.is_dir() else []
    return frozenset(file for file in found if file.suffix not in (".py", ".mjs"))


def _files(folder: Path) -> list[Path]:
    skipped = ("__pycache__", "node_modules", "_build", ".venv")
    return [
        file for file in folder.rglob("*") if file.is_file() and not set(file.parts).intersection(skipped)
    ]


def _code(notebook: Path) -> Iterator[str]:
    """The cells of a chapter without their magics; a cell of a magic (%%on, %%cc) runs elsewhere."""
    for cell in json.loads(notebook.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not source.lstrip().startswith("%%"):
            yield _MAGIC.sub("", source)


@cache
def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
