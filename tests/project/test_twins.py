"""What is counted of twins (scripts/twins.py): written lines, in rooms that are there."""

from __future__ import annotations

from pathlib import Path

from scripts import twins


def test_every_room_and_its_twin_are_there() -> None:
    assert [room.name for room in twins.rooms()] == list(twins.TWINS)
    assert [
        place for place in [*twins.TWINS.values(), *twins.TESTS] if not (twins.ROOT / place).exists()
    ] == []


def test_a_room_of_the_wing_that_is_not_counted_has_no_twin() -> None:
    """The laboratory in the page, lab programs, the bench, the first page, what every page does, the service
    worker; structs, which are made; of widgets all but a file."""
    alone = {"bench", "lab", "offline", "opening", "pages", "program", "programs"}
    found = {path.name for path in (twins.ROOT / "web").iterdir() if path.is_dir()} - {"node_modules"}
    assert found - alone == {Path(room).parts[1] for room in twins.TWINS}


def test_what_a_script_has_made_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "own.mjs").write_text("a\nb\n")
    (tmp_path / "facts.mjs").write_text(f"// Facts. {twins.MADE}facts.py.\nc\n")
    assert twins.lines(tmp_path, "*.mjs") == 2
