"""The page's laboratory in a few files: made by web/build.mjs when the site is built, loaded by its pages."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (WEB / "node_modules/esbuild").is_dir():
        pytest.skip("no esbuild here: scripts/setup.sh check")
    folder = tmp_path_factory.mktemp("site") / "web/bundled"
    subprocess.run(["node", WEB / "build.mjs", "--lab", folder], check=True)
    return folder


def test_it_has_both_scripts_that_pages_start_with_and_all_that_they_import(bundled: Path) -> None:
    texts = {path.name: path.read_text() for path in bundled.iterdir()}
    assert {"start.mjs", "page.mjs"} <= texts.keys()
    imported = {
        name for text in texts.values() for name in re.findall(r'(?:from|import)\s*\(?"\./([^"]+)"', text)
    }
    assert len(imported) > 5 and imported <= texts.keys()
    assert not re.search(r'(?:from|import)\s*\(?"\.\./', "".join(texts.values())), "all else is in it"


def test_what_it_starts_lies_where_it_looks_for_it(bundled: Path) -> None:
    """Workers, and what is fetched: by addresses that start from the script's own."""
    texts = "".join(path.read_text() for path in bundled.iterdir())
    named = set(re.findall(r'new URL\("([^"]+\.mjs)",\s*import\.meta\.url\)', texts))
    assert named == {"../lab/worker.mjs", "../lab/loader.mjs", "../programs/python_worker.mjs"}
    assert all((WEB / "bundled" / name).resolve().is_file() for name in named)
