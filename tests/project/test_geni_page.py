"""GENI's exercises as files, their kept rows, and the page: all three of one piece. Nothing is run."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from labkit import SweepFile
from tests.project.test_tree import ROOT, script

GENI = script("geni")


@pytest.mark.parametrize("name", GENI.names())
def test_the_kept_rows_are_of_this_file(name: str) -> None:
    planned = GENI.plan(SweepFile.load(GENI.FILES / f"{name}.yaml"))
    digests = {planned.experiment(key).digest() for key in list(planned.keys())}
    assert set(GENI.kept(name).table["spec_digest"]) == digests, f"scripts/geni.py {name}"


def test_the_pages_tables_are_of_the_kept_rows() -> None:
    page = GENI.PAGE.read_text(encoding="utf-8")
    assert page == GENI.filled(page), "scripts/geni.py --tables"


def test_the_page_has_every_exercise() -> None:
    page = GENI.PAGE.read_text(encoding="utf-8")
    assert sorted(match[2] for match in GENI.BLOCK.finditer(page)) == GENI.names()
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
        for row in SweepFile.load(GENI.FILES / f"{file}.yaml").published.rows
    ]
    assert sorted(zip(copies["cc"], copies["mbit_s"], strict=True)) == sorted(ours)
