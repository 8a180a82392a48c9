"""The chapters in JupyterLab: folded as on the site, one file each in the list, saved as they were."""

from __future__ import annotations

import asyncio
import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyterlab.commands import get_app_dir
from jupyterlab_server.settings_utils import get_settings
from traitlets.config import Config

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "binder/jupyter/jupyter_server_config.py"
STEM = "01-a-network-in-a-notebook"


@pytest.fixture
def contents(tmp_path: Path) -> Any:
    """What the server reads chapters by."""
    for path in (ROOT / "chapters").glob(f"{STEM}*"):
        shutil.copy(path, tmp_path)
    config = Config()
    exec(compile(CONFIG.read_text(), CONFIG, "exec"), {"get_config": lambda: config, "__name__": "config"})
    return config.ServerApp.contents_manager_class(root_dir=str(tmp_path), config=config)


def cells(model: dict[str, Any], tag: str) -> list[dict[str, Any]]:
    return [cell for cell in model["content"]["cells"] if tag in cell["metadata"].get("tags", [])]


def test_a_reader_sees_one_file_a_chapter(contents: Any, tmp_path: Path) -> None:
    (tmp_path / "my own.ipynb").write_text(nbformat.writes(nbformat.v4.new_notebook()))
    listed = asyncio.run(contents.get(""))["content"]
    assert {one["name"] for one in listed} == {f"{STEM}.md", "my own.ipynb"}


@pytest.mark.parametrize("ending", ["md", "ipynb"])
def test_what_the_site_folds_is_folded(contents: Any, ending: str) -> None:
    model = asyncio.run(contents.get(f"{STEM}.{ending}", type="notebook"))
    folded = cells(model, "hide-input")
    assert len(folded) > 10
    assert all(cell["metadata"]["jupyter"]["source_hidden"] for cell in folded)
    shown = [cell for cell in model["content"]["cells"] if cell not in folded and cell["cell_type"] == "code"]
    assert shown
    assert not [cell for cell in shown if cell["metadata"].get("jupyter", {}).get("source_hidden")]


def test_a_chapter_that_is_saved_does_not_say_that_it_was_folded(contents: Any, tmp_path: Path) -> None:
    model = asyncio.run(contents.get(f"{STEM}.md", type="notebook"))
    asyncio.run(
        contents.save({"type": "notebook", "format": "json", "content": model["content"]}, f"{STEM}.md")
    )
    text = (tmp_path / f"{STEM}.md").read_text()
    assert "source_hidden" not in text
    assert text.partition("\n---\n")[2] == (ROOT / f"chapters/{STEM}.md").read_text().partition("\n---\n")[2]


def test_pip_brings_what_makes_room_for_names(tmp_path: Path) -> None:
    """JupyterLab reads a file of an installed package as it is; `make lab` has its settings and more."""
    files = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["data-files"]
    [brought] = files["share/jupyter/lab/settings/overrides.d"]
    (tmp_path / "overrides.d").mkdir()
    shutil.copy(ROOT / brought, tmp_path / "overrides.d")
    schemas = Path(get_app_dir()) / "schemas"
    browser = "@jupyterlab/filebrowser-extension:browser"
    defaults = {
        place: get_settings(place, str(schemas), str(tmp_path / "none"), schema_name=browser)[0]["schema"][
            "properties"
        ]["showLastModifiedColumn"]["default"]
        for place in (str(tmp_path / "empty"), str(tmp_path))
    }
    assert list(defaults.values()) == [True, False]
    settings = json.loads((ROOT / "binder/jupyter/labconfig/default_setting_overrides.json").read_text())
    assert json.loads((ROOT / brought).read_text()).items() <= settings.items()


def test_recordings_are_folded_too() -> None:
    for path in (ROOT / "chapters").glob("*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            hidden = "hide-input" in cell["metadata"].get("tags", [])
            assert cell["metadata"].get("jupyter", {}).get("source_hidden", False) == hidden, path.name
