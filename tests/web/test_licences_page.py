"""The page of licences names all that the site carries, with versions and texts of what is installed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from tests.site import extension

ROOT = Path(__file__).parents[2]


def test_every_package_that_a_page_gets_is_named_with_its_version() -> None:
    named = {one.what: one for one in extension("licences").carried()}
    for name in json.loads((ROOT / "web/package.json").read_text())["dependencies"]:
        assert name in named
        about = ROOT / "web/node_modules" / name / "package.json"
        if about.is_file():
            assert named[name].version == json.loads(about.read_text())["version"]
    assert named["Linux"].licence == "GPL-2.0-only"
    assert all(one.licence and "\n" not in one.licence for one in named.values())


def test_what_of_python_is_in_a_page_is_named() -> None:
    parts = extension("live.python_files")._PURE
    assert parts.keys() <= set(extension("licences").PYTHON)


def test_texts_and_the_source_of_the_machine_lie_on_the_site(tmp_path: Path) -> None:
    licences = extension("licences")
    licences.write(tmp_path)
    for one in licences.carried():
        for path in one.texts:
            assert (tmp_path / licences.text_name(one, path)).read_bytes() == path.read_bytes()
    with zipfile.ZipFile(tmp_path / licences.SOURCE) as source:
        names = set(source.namelist())
    assert {
        "labkit/execute/agent/src/main.c",
        "labkit/execute/wasm/kernel/wasm.config",
        "labkit/execute/wasm/kernel/patches/0001-skbuff-as-on-64-bits.patch",
        "labkit/execute/guest/kernel/patches/0004-random-only-the-seed.patch",
        "LICENSES/GPL-2.0-only.txt",
    } <= names
    assert not [name for name in names if "__pycache__" in name]
