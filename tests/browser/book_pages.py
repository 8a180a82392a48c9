"""The pages of the real book."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

TOC = yaml.safe_load((Path(__file__).parents[2] / "book/_toc.yml").read_text())
PAGES = [TOC["root"], "search", *(entry["file"] for part in TOC["parts"] for entry in part["chapters"])]

every_page = pytest.mark.parametrize("page", PAGES)
