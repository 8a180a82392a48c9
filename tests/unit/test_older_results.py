"""A result that labkit 0.1 wrote (manifest format 1) is read by this one: its ledger, its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labkit import Result
from labkit.compile.description import describe, read
from labkit.compile.layout import lay_out

OLD = Path(__file__).parent / "data" / "format-1.zip"


@pytest.fixture(scope="module")
def old() -> Result:
    return Result.load(OLD)


def test_it_was_written_in_the_older_format_and_stays_so(old: Result, tmp_path: Path) -> None:
    old.save(tmp_path / "again")
    manifest = json.loads((tmp_path / "again" / "manifest.json").read_text())
    assert (manifest["format"], manifest["place"]) == (1, "lab")
    assert "ways" not in manifest["layout"]


def test_its_manifest_is_the_present_one(old: Result) -> None:
    facts = {name: old.manifest[name] for name in ("format", "place", "virtual_time", "open")}
    assert facts == {"format": 2, "place": "guest", "virtual_time": True, "open": False}


def test_its_ledger_is_what_labkit_0_1_made_of_it(old: Result) -> None:
    table = old.ledger()
    assert table["cause"].tolist() == ["wire loss", *["queue full"] * 3, "wire loss"]
    assert table["found_by"].tolist() == ["sack", *["rack"] * 4]
    assert table["seq"].tolist() == [7241, 13033, 24617, 27513, 44889]
    assert old.balance().loc[("left-right", "data"), ["sent", "delivered", "lost"]].tolist() == [50, 44, 5]


def test_a_layout_comes_back_from_its_description_as_it_was(old: Result) -> None:
    layout = lay_out(old.experiment)
    built = read(json.loads(json.dumps(describe(layout, [], []))))
    assert built.addresses == layout.link_addresses
    assert built.hosts == list(layout.topology.names)
    for ends, way in layout.ways.items():
        found = built.ways[ends]
        for name in ("out", "into", "enter", "leave", "queue"):
            device = getattr(way, name)
            assert getattr(getattr(found, name), "index", None) == getattr(device, "index", None)
        assert found.detach == way.detach
