"""The extension's modules import each other from book/extensions, as for Sphinx; a site of programs alone."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labkit.errors import SetupError
from tests.web.programs.page import Page, lay_scripts

EXTENSIONS = str(Path(__file__).parents[3] / "book/extensions")
if EXTENSIONS not in sys.path:
    sys.path.append(EXTENSIONS)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`_static/lab` as the site has it, without the machine."""
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    import live_programs
    from live import python_files, slices

    folder = tmp_path_factory.mktemp("site") / "_static/lab"
    live_programs.write(folder / "chapters", slices.stems(), slices.CHAPTERS)
    try:
        python_files.write(folder / "python")
    except SetupError as missing:
        (folder / "no-python").write_text(str(missing))
    lay_scripts(folder)
    return folder


@pytest.fixture(scope="session")
def page(lab: Path) -> Iterator[Page]:
    with Page(lab) as page:
        yield page
