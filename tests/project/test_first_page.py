"""The README: short, without figures that age, its moving picture of this experiment, its links good."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from scripts import moving_picture
from tests.project.test_tree import ROOT, tracked

README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "book/architecture.md").read_text(encoding="utf-8")
WORDS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
]
GUEST, WASM = "guest", "wasm"


def patches(where: str) -> list[str]:
    """By name; before the name of one that is for some releases of Linux alone stands that of its folder."""
    folder = ROOT / "labkit/execute" / where / "kernel/patches"
    found = sorted(folder.rglob("*.patch"), key=lambda path: path.name)
    return [path.relative_to(folder).with_suffix("").as_posix() for path in found]


def test_the_readme_is_of_120_lines_at_most() -> None:
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize("aged", [r"\b20\d\d-\d\d-\d\d\b", r"\bload of\b", r"\d ?(?:MB|ms|×)\b"])
def test_the_readme_has_no_measured_figure(aged: str) -> None:
    """They are on the page "How fast it is", which `make bench` writes."""
    words = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    assert not re.findall(aged, words)


def test_every_link_of_the_readme_leads_to_a_tracked_file() -> None:
    there = {path.relative_to(ROOT).as_posix() for path in tracked()}
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert linked
    assert [one for one in linked if one not in there] == []


def test_every_folder_that_the_readme_names_is_there() -> None:
    named = re.findall(r"`((?:\w+/)+)`", README)
    assert "chapters/" in named
    assert [one for one in named if not (ROOT / one).is_dir()] == []


def test_the_readme_counts_the_patches() -> None:
    guest, wasm = (WORDS[len(patches(where))] for where in (GUEST, WASM))
    assert f"Linux with {guest} small patches, and {wasm} more" in " ".join(README.split())


def test_the_architecture_counts_and_lists_the_patches() -> None:
    guest, wasm = (WORDS[len(patches(where))] for where in (GUEST, WASM))
    assert f"and {guest} small patches." in ARCHITECTURE
    assert f"in WebAssembly has the {guest}, too, and {wasm} of its own" in ARCHITECTURE
    assert f"[{wasm} patches](the-lab-kernel)" in ARCHITECTURE
    assert f"[{guest} small patches](the-lab-kernel)" in ARCHITECTURE
    assert re.findall(r"^\| `((?:[\d.]+/)?\d{4}-[\w-]+)`", ARCHITECTURE, re.MULTILINE) == [
        *patches(GUEST),
        *patches(WASM),
    ]


def test_the_moving_picture_is_of_its_script_s_experiment() -> None:
    """That its run gives this picture is tested with the lab kernel: tests/chapters."""
    drawn = moving_picture.FILE.read_text(encoding="utf-8")
    assert f"experiment {moving_picture.EXPERIMENT.digest()}," in drawn, "python -m scripts.moving_picture"
    assert moving_picture.style() in drawn, "python -m scripts.moving_picture"


def test_the_moving_picture_is_small_described_and_loads_nothing() -> None:
    picture = moving_picture.FILE
    assert picture.stat().st_size < 100_000
    root = ElementTree.parse(picture).getroot()
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert {"title", "desc"} <= names and not names & {"script", "image", "use", "foreignObject"}
    assert "url(" not in picture.read_text() and "@import" not in picture.read_text()
    (alt,) = re.findall(rf"!\[([^]]+)\]\({picture.relative_to(ROOT).as_posix()}\)", README)
    assert len(alt) > 100
