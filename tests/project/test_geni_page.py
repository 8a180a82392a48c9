"""GENI's exercises as files, their kept rows, and the page: all three of one piece. Nothing is run."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from labkit import SweepFile
from tests.project.test_tree import ROOT, script

CASES = script("cases")
GENI = CASES.CASES["geni"]


@pytest.mark.parametrize("name", GENI.names())
def test_the_kept_rows_are_of_this_file(name: str) -> None:
    planned = CASES.plan(GENI.file(name))
    digests = {planned.experiment(key).digest() for key in list(planned.keys())}
    assert set(CASES.kept(GENI, name).table["spec_digest"]) == digests, f"scripts/cases.py geni {name}"


def test_the_pages_tables_are_of_the_kept_rows() -> None:
    page = GENI.page.read_text(encoding="utf-8")
    assert page == CASES.filled(GENI, page), "scripts/cases.py geni --tables"


def test_the_page_has_every_exercise() -> None:
    page = GENI.page.read_text(encoding="utf-8")
    assert sorted(match[2] for match in GENI.block.finditer(page)) == GENI.names()
    files = set(re.findall(r"([\w-]+)\.yaml", page))
    assert files == set(GENI.names())


CHAPTERS = {  # a chapter's own copy -> how a row of it stands in the files
    "geni.json": ("1-no-loss", "4-loss"),
    "geni-reordering.json": ("7-delay", "7-reordering"),
}


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_chapters_copies_of_published_figures_agree(name: str) -> None:
    known = json.loads((ROOT / "book/data" / name).read_text())
    copies = pd.DataFrame(known.get("exercises", known.get("results")))
    ours = [
        (row["flows.cc"], row["goodput"])
        for file in CHAPTERS[name]
        for row in SweepFile.load(GENI.files / f"{file}.yaml").published.rows
    ]
    assert sorted(zip(copies["cc"], copies["mbit_s"], strict=True)) == sorted(ours)
