"""Every tracked file has a licence whose text is here; the files that say who we are agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.wheels.__main__ import KERNEL, TREE
from tests.project.test_setup_files import PROJECT, SUPPORTED
from tests.project.test_tree import tracked

ROOT = Path(__file__).parents[2]
REUSE = tomllib.loads((ROOT / "REUSE.toml").read_text())
OF_GLIBC = {
    "LGPL-2.1-or-later"
}  # not of a file here, but of the wheel of the lab kernel: its agent holds glibc
TEXTS = {path.stem for path in (ROOT / "LICENSES").glob("*.txt")} - OF_GLIBC
SPDX = re.compile(r"SPDX-License-Identifier:\s+([\w.-]+(?: (?:AND|OR) [\w.-]+)*)")
CFF = yaml.safe_load((ROOT / "CITATION.cff").read_text())
CITED = {"cff-version", "message", "title", "authors"}  # what CFF 1.2.0 requires


def matches(pattern: str, name: str) -> bool:
    """As REUSE.toml reads it: * is anything within a folder, ** anything."""
    parts = [".*" if part == "**" else "[^/]*" if part == "*" else re.escape(part)
             for part in re.split(r"(\*\*|\*)", pattern)]  # fmt: skip
    return re.fullmatch("".join(parts), name) is not None


def licence(name: str) -> str | None:
    """Of a file: its own SPDX line, else that of the last annotation that names it."""
    own = SPDX.search((ROOT / name).read_bytes()[:1000].decode(errors="replace"))
    if own and not name.endswith((".toml", ".md", "test_licences.py")):
        return own[1]
    found = None
    for annotation in REUSE["annotations"]:
        paths = annotation["path"] if isinstance(annotation["path"], list) else [annotation["path"]]
        if any(matches(path, name) for path in paths):
            found = annotation["SPDX-License-Identifier"]
    return found


def names() -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in tracked()]


def test_every_file_has_a_licence_whose_text_is_here() -> None:
    used = {name: licence(name) for name in names() if not name.startswith("LICENSES/")}
    assert not [name for name, of in used.items() if of is None]
    assert {part for of in used.values() if of for part in of.split(" AND ")} == TEXTS


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("labkit/units.py", "MIT"),
        ("labkit/execute/guest/modules/labnic/receive.c", "GPL-2.0-only"),
        ("labkit/execute/guest/modules/labnic/labnic.h", "GPL-2.0-only"),
        ("labkit/execute/guest/kernel/patches/0001-um-hz-1000.patch", "GPL-2.0-only"),
        ("labkit/execute/guest/kernel/build.py", "MIT"),
        ("book/intro.md", "CC-BY-4.0"),
        ("book/extensions/quiz.py", "MIT"),
        ("chapters/06-flipped-bits.ipynb", "CC-BY-4.0 AND MIT"),
    ],
)
def test_the_licence_of(name: str, of: str) -> None:
    assert licence(name) == of


def test_all_kernel_code_is_gpl() -> None:
    kernel = [name for name in names() if name.startswith("labkit/") and name.endswith((".c", ".h"))]
    linked = [name for name in kernel if "linux/module.h" in (ROOT / name).read_text()]
    assert linked
    assert {licence(name) for name in linked} == {"GPL-2.0-only"}


def test_every_annotation_names_files_and_a_copyright() -> None:
    for annotation in REUSE["annotations"]:
        paths = annotation["path"] if isinstance(annotation["path"], list) else [annotation["path"]]
        assert annotation["SPDX-FileCopyrightText"]
        for path in paths:
            assert any(matches(path, name) for name in names()), f"REUSE.toml: {path} names no file"


def test_the_citation_has_what_its_format_requires() -> None:
    assert CFF.keys() >= CITED
    assert CFF["cff-version"] == "1.2.0"
    assert all({"name"} <= author.keys() for author in CFF["authors"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", CFF["date-released"])


def test_the_wheel_of_the_kernel_has_its_licences_here_and_in_the_readme() -> None:
    texts = {path.stem for path in (ROOT / "LICENSES").glob("*.txt")}
    packed = {*KERNEL.licences, *TREE.licences}
    assert OF_GLIBC <= packed <= texts
    readme = (ROOT / "README.md").read_text()
    assert all(f"LICENSES/{name}.txt" in readme for name in packed)
    assert "labkit-kernel-sources" in readme


def test_citation_and_package_agree() -> None:
    theirs: list[Any] = [author["name"] for author in PROJECT["authors"]]
    assert [author["name"] for author in CFF["authors"]] == theirs
    assert CFF["version"] == PROJECT["version"]
    assert set(CFF["license"]) == TEXTS


def test_the_changelog_has_this_version_and_what_comes() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert PROJECT["version"] == headings[1]


def test_a_command_that_installs_labkit_cannot_fetch_what_is_called_so_on_pypi() -> None:
    """It names the folder of our wheels and this version."""
    pages = [ROOT / "README.md", *(ROOT / "book").glob("*.md")]
    text = "\n".join(page.read_text() for page in pages).replace("\\\n", "")
    commands = re.findall(r"pip install .*labkit.*", text)
    assert len(commands) > 4
    for command in commands:
        assert "--find-links" in command, command
        assert f']=={PROJECT["version"]}"' in command, command


def test_the_classifiers_name_every_python_and_that_types_come_along() -> None:
    minor = {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", c)}
    assert minor == set(SUPPORTED)
    assert "Typing :: Typed" in PROJECT["classifiers"]
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"][
        "labkit"
    ]
    assert "py.typed" in data
    assert (ROOT / "labkit/py.typed").exists()
