"""Charts of case files: what they are drawn from; published points are not joined. Nothing is run."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from labkit import charts
from tests.project.test_reference import extension
from tests.project.test_tree import ROOT, script

THESIS = script("cases").CASES["thesis"]
ACKS, QUEUE = "links.router-C.forward.loss", "links.router-A.forward.queue"


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    sys.path.append(str(ROOT / "book/extensions"))  # as Sphinx does: an extension imports its neighbours
    try:
        return extension("case_figure")
    finally:
        sys.path.pop()


def test_published_figures_are_a_series_of_their_own(drawing: ModuleType) -> None:
    table = drawing.points(script("cases").kept(THESIS, "21-acks-lost"), ACKS, [QUEUE], {}, " packets")
    series = table.groupby("series", sort=False)[ACKS].apply(list)
    assert list(series.index) == ["published", "20 packets", "100 packets", "1000 packets"]
    assert series["published"] == [0.5, 0.6]
    assert (table["low"].dropna() >= 0).all()


def test_only_the_points_of_one_setting_are_drawn(drawing: ModuleType) -> None:
    rack = "sysctls.net.ipv4.tcp_recovery"
    swept = script("cases").kept(THESIS, "26-data-lost")
    table = drawing.points(swept, "links.router-A.forward.loss", ["flows.cc"], {rack: "without RACK"})
    assert set(table[rack]) == {"without RACK"}
    assert set(table["series"]) == {
        f"{who}{cc}" for who in ("", "published, ") for cc in ("reno", "cubic", "htcp")
    }


def test_published_points_are_not_joined(drawing: ModuleType) -> None:
    table = drawing.points(script("cases").kept(THESIS, "21-acks-lost"), ACKS, [QUEUE], {})
    drawn = charts.swept(table, ACKS, "series", title="", caption="").to_dict()
    lines = [layer for layer in drawing.without_lines(drawn)["layer"] if layer["mark"]["type"] == "line"]
    assert lines
    assert all("published" in str(line["transform"]) for line in lines)
