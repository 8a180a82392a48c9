"""The tree itself: no machine's paths, fresh recordings, the commands that the README promises."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from types import ModuleType

import jupytext
import pytest
import yaml

from labkit.charts.vega import words
from labkit.cli.chapters_command import sources

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*-*.md"))

# A path under somebody's home, this checkout, a scratch folder of one session, a package registry.
# Written with classes, so that this file does not find itself.
MACHINE = re.compile(
    rb"(?<![\w.$}~-])/(?:home/[a-z][\w-]*|[r]oot|[w]ork|Users/\w+|tmp/[w])/|\.[p]yenv\b"
    rb"|[p]ypi\.org/simple|files\.[p]ythonhosted\.org|--(?:extra-)?[i]ndex-url[ =]http|--trusted-[h]ost[ =]\w"
)
ALLOWED = (b"/home/jovyan/", b"/home/student/")  # users of images: Binder's, the virtual machine's


@cache
def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in os.fsdecode(listed.stdout).split("\0") if name]
    return [path for path in paths if path.is_file()]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_tracked_file_names_a_path_of_one_machine() -> None:
    found = []
    for path in tracked():
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            for hit in MACHINE.finditer(line):
                if not any(line.startswith(allowed, hit.start()) for allowed in ALLOWED):
                    found.append(f"{path.relative_to(ROOT)}:{number}: {hit.group().decode()}")
    assert not found, "\n".join(found)


def test_the_pattern_for_machine_paths_finds_one() -> None:
    assert MACHINE.search(b"open('/home/" + b"ada/x')")
    assert not MACHINE.search(b"see /proc/self/cwd/ and /lab/run, or $HOME/work/x")


def test_the_top_level_is_seen_at_a_glance() -> None:
    """What comes new goes into one of its folders: the README's table has them."""
    entries = sorted({path.relative_to(ROOT).parts[0] for path in tracked()})
    assert len(entries) <= 23, entries


def test_what_the_case_files_keep_travels_with_the_package() -> None:
    """A new folder wants a line of [tool.setuptools.data-files]."""
    kept = {path.relative_to(ROOT).as_posix() for path in tracked()}
    kept = {name for name in kept if name.startswith(("book/data/", "book/programs/"))}
    assert kept <= {name for name, _ in sources()}


def test_no_tracked_file_is_larger_than_one_and_a_half_megabytes() -> None:
    assert not [path for path in tracked() if path.stat().st_size > 1_500_000]


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_recording_is_of_this_source(source: Path) -> None:
    recording = source.with_suffix(".ipynb")
    cure = f"make record CHAPTER={source.name.partition('-')[0]}"
    assert recording.exists(), cure
    recorded = json.loads(recording.read_text())["metadata"]["labkit"]["source_sha256"]
    assert recorded == hashlib.sha256(source.read_bytes()).hexdigest(), cure


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_opens_as_a_notebook(source: Path) -> None:
    chapter = jupytext.read(source)  # as JupyterLab does it: by the file's own header
    assert chapter.metadata["jupytext"]["text_representation"]["format_name"] == "myst", "chapter 1's header"
    assert chapter.metadata["kernelspec"]["name"] == "python3", "JupyterLab would ask for a kernel"
    assert chapter.cells[0].cell_type == "markdown"


def test_a_chapter_is_asked_for_by_its_whole_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = script("record")
    monkeypatch.setattr(record, "CHAPTERS", tmp_path)
    for name in ("08-a", "09-b", "A-c"):
        (tmp_path / f"{name}.md").touch()
    names = {asked: [source.stem for source in record.chosen(asked.split())] for asked in ("", "08", "09 A")}
    assert names == {"": ["08-a", "09-b", "A-c"], "08": ["08-a"], "09 A": ["09-b", "A-c"]}
    with pytest.raises(SystemExit, match="no chapter '0'"):
        record.chosen(["0"])


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_every_recorded_figure_is_described(source: Path) -> None:
    unsaid = words({})  # what a chart with neither description nor title is read aloud as
    cells = json.loads(source.with_suffix(".ipynb").read_text())["cells"]
    assert not [cell["id"] for cell in cells if unsaid in json.dumps(cell.get("outputs", []))]


def test_every_recording_has_its_source() -> None:
    assert not [p for p in (ROOT / "chapters").glob("*.ipynb") if not p.with_suffix(".md").exists()]


def test_every_chapter_is_in_the_contents() -> None:
    contents = yaml.safe_load((ROOT / "book/_toc.yml").read_text())
    files = {entry["file"] for part in contents["parts"] for entry in part["chapters"]}
    assert {f"chapters/{source.stem}" for source in CHAPTERS} <= files


@pytest.mark.parametrize(
    "target",
    [
        "lab",
        "test",
        "check",
        "fuzz",
        "truth",
        "book",
        "record",
        "claims",
        "wheels",
        "container",
        "vm",
        "bench",
        "clean",
    ],
)
def test_makefile_has(target: str) -> None:
    dry = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert dry.returncode == 0, dry.stderr


@pytest.mark.parametrize("path", [".ci/run", "scripts/setup.sh", "scripts/lab.sh", "binder/postBuild"])
def test_script_is_executable_and_parses(path: str) -> None:
    assert os.access(ROOT / path, os.X_OK)
    subprocess.run(["bash", "-n", ROOT / path], check=True)


def test_the_site_check_tells_loading_from_linking() -> None:
    loaded = script("book").loaded_from_elsewhere
    assert loaded('<script async src="https://cdn.example/x.js"></script>') == ["https://cdn.example/x.js"]
    assert loaded('<link href="//fonts.example/a.css" rel="stylesheet">') == ["//fonts.example/a.css"]
    assert loaded('<a href="https://example.org">there</a>') == []
    assert loaded('<link rel="license" href="https://cc.example/">') == []
    assert loaded('<img src="_images/overview.svg">') == []


def test_a_recording_depends_on_its_source_alone(tmp_path: Path) -> None:
    source = tmp_path / "01-x.md"
    source.write_text("# X\n\n```{code-cell}\n1 + 1\n```\n\nAfter.\n")
    load = script("record").load
    assert load(source) == load(source)
    assert load(source).metadata.keys() == {"kernelspec", "labkit"}
