"""What `make test` leaves out: what has passed before as it is now, and never the same quarter for good."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import choosing, closure, kept

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
HASHES = [f"{number * 2654435761 % 2**32:08x}" for number in range(64)]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small labkit with a stub, a chapter and a test of its own."""
    for name, text in {
        "labkit/__init__.py": "",
        "labkit/__init__.pyi": "from labkit.spec.flow import Flow as Flow\nfrom .play import game as game\n",
        "labkit/spec/__init__.py": "",
        "labkit/spec/flow.py": "def f():\n    from labkit.units import bits\n",
        "labkit/spec/table.json": "{}",
        "labkit/spec/machine/flow.mjs": "",
        "labkit/units.py": "",
        "labkit/play/__init__.py": "game = 1",
        "book/data/kept/rows.csv": "a,b",
        "tests/guest/conftest.py": "",
        "tests/guest/test_flow.py": "from labkit import Flow\nROWS = ROOT / 'book/data'",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    cells = ["%load_ext labkit\nfrom labkit import *\nFlow('a', 'b')", "%%cc mine\nint x;"]
    kept = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters/01-a.ipynb").write_text(json.dumps(kept))
    monkeypatch.setattr(closure, "ROOT", tmp_path)
    monkeypatch.setattr(closure.rooms, "ROOT", tmp_path)
    caches = (closure._leads_to, closure._stub, closure._beside, closure._sha256)
    for one in caches:
        one.cache_clear()
    yield tmp_path
    for one in caches:
        one.cache_clear()


def names(project: Path, file: str) -> set[str]:
    return {path.relative_to(project).as_posix() for path in closure.of(project / file)}


FLOW = {
    "labkit/__init__.py",
    "labkit/__init__.pyi",
    "labkit/spec/__init__.py",
    "labkit/spec/flow.py",
    "labkit/spec/table.json",
    "labkit/units.py",
}


def test_a_chapter_reaches_what_it_names_and_what_that_imports(project: Path) -> None:
    assert names(project, "chapters/01-a.ipynb") - {"labkit/spec/__init__.py"} == {
        "chapters/01-a.ipynb",
        *(FLOW - {"labkit/spec/__init__.py"}),
    }


def test_a_test_reaches_its_conftest_and_the_data_that_it_names(project: Path) -> None:
    found = names(project, "tests/guest/test_flow.py")
    assert {"tests/guest/conftest.py", "book/data/kept/rows.csv", "labkit/units.py"} <= found
    assert not {"labkit/play/__init__.py", "labkit/spec/machine/flow.mjs"} & found


def test_a_name_that_is_put_together_stands_for_all_that_it_can_be(project: Path) -> None:
    (project / "tests/guest/test_flow.py").write_text(
        '[read(f"book/data/kept/{case}.csv") for case in CASES]'
    )
    assert "book/data/kept/rows.csv" in names(project, "tests/guest/test_flow.py")


def test_all_of_labkit_is_reached_by_its_own_name(project: Path) -> None:
    (project / "tests/guest/test_flow.py").write_text("import labkit")
    assert {"labkit/play/__init__.py", "labkit/spec/flow.py"} <= names(project, "tests/guest/test_flow.py")


@pytest.mark.parametrize("file", ["labkit/units.py", "labkit/spec/table.json", "chapters/01-a.ipynb"])
def test_a_digest_changes_with_any_file_of_the_closure(project: Path, file: str) -> None:
    before = closure.digest(closure.of(project / "chapters/01-a.ipynb"))
    (project / file).write_text((project / file).read_text() + " ")
    closure._sha256.cache_clear()
    assert closure.digest(closure.of(project / "chapters/01-a.ipynb")) != before


def test_a_digest_does_not_change_with_other_files(project: Path) -> None:
    before = closure.digest(closure.of(project / "chapters/01-a.ipynb"))
    (project / "labkit/play/__init__.py").write_text("game = 2")
    closure._sha256.cache_clear()
    assert closure.digest(closure.of(project / "chapters/01-a.ipynb")) == before


def test_every_quarter_comes_up_and_each_test_is_in_one() -> None:
    tests = [f"tests/guest/test_{number}.py" for number in range(200)]
    sizes = [sum(choosing.drawn(test, f"{quarter:08x}") for test in tests) for quarter in range(4)]
    assert sum(sizes) == len(tests)
    assert min(sizes) > 30
    assert len({int(commit, 16) % choosing.QUARTERS for commit in HASHES}) == choosing.QUARTERS


def test_a_pass_is_kept_for_other_processes_and_forgotten_when_it_is_old(tmp_path: Path) -> None:
    here = kept.Kept(tmp_path / "tests/kept.sqlite")
    here.add_pass("a")
    assert kept.Kept(tmp_path / "tests/kept.sqlite").passed() == {"a"}
    here.forget(days=-1)
    assert here.passed() == set()


def test_what_is_chosen_is_there() -> None:
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")]
    for start, patterns in choosing.CHOSEN.items():
        file, _, test = start.partition("::")
        assert any(name.startswith(file) for name in files), start
        assert f"def {test}" in (ROOT / file).read_text() if test else True, start
        for pattern in patterns:
            assert any(path.is_file() for path in ROOT.glob(pattern)), pattern


def item(test: str, **given: object) -> Any:
    file = ROOT / test.partition("::")[0]
    return SimpleNamespace(nodeid=test, path=file, callspec=SimpleNamespace(params=given))


@pytest.mark.parametrize(
    ("test", "given", "some", "none"),
    [
        ("tests/agent/test_keeper.py::a", {}, None, None),
        ("tests/guest/queues/test_links.py::a", {}, {"labkit/spec/link.py"}, {"web/lab/lab.mjs"}),
        (
            "tests/wasm/test_wasm_against_guest.py::a",
            {},
            {"labkit/execute/wasm/machine/wasm_node.mjs"},
            {"chapters/01-*.ipynb"},
        ),
        (
            "tests/web/lab/test_lab_runs.py::a",
            {},
            {"labkit/execute/wasm/machine/*.mjs", "web/player/film.mjs", "labkit/spec/link.py"},
            {"labkit/course/grading.py", "labkit/cli/run_command.py"},
        ),
        (
            "tests/guest/packages/test_pip.py::a",
            {},
            {"chapters/01-*.ipynb", "book/data/thesis.json", "LICENSES/MIT.txt"},
            {"web/lab/lab.mjs"},
        ),
        (
            "tests/web/bench/test_bench_page.py::a",
            {},
            {"web/bench/page.mjs", "book/bench.md", "book/static/offline.js"},
            {"chapters/01-*.ipynb"},
        ),
        (
            "tests/web/programs/test_python.py::a",
            {},
            {"chapters/01-*.ipynb", "chapters/03-*.ipynb", "book/extensions/live/slices.py"},
            set(),
        ),
        *(
            (
                "tests/web/charts/test_figures.py::a",
                {"stem": name},
                {"chapters/03-*.ipynb"},
                {"chapters/01-*.ipynb"},
            )
            for name in ("03", "03-slow-start-and-the-sawtooth")
        ),
    ],
)
def test_what_a_test_depends_on(
    test: str, given: dict[str, str], some: set[str] | None, none: set[str] | None
) -> None:
    """Of the real project: files that are among it, and others that are not."""
    found = choosing.depends_on(item(test, **given))
    if some is None or none is None:
        assert found is None
        return
    assert found is not None
    for pattern in some:
        assert found >= set(ROOT.glob(pattern)) != set(), pattern
    for pattern in none:
        assert not found & set(ROOT.glob(pattern)), pattern


def test_what_is_drawn_begins_with_nothing_that_earlier_tests_have_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If it has passed as it is: what has changed replays the results that no change concerns."""

    def spares(chosen: bool, drawn: bool, passed: bool) -> bool:
        monkeypatch.setattr(choosing, "drawn", lambda name, commit: drawn)
        config = SimpleNamespace(workerinput={"closure": ["a"] * passed}, getoption=lambda name: chosen)
        test = SimpleNamespace(nodeid="a.py::b", config=config, user_properties=[("closure", "a")])
        return choosing.Choosing(config).spares(test)

    assert [spares(False, *both) for both in product((False, True), repeat=2)] == [False] * 4
    assert [spares(True, *both) for both in product((False, True), repeat=2)] == [True, True, True, False]


# ---- Whole, on a project of two tests ----


@pytest.fixture
def whole(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Two tests of which one is chosen; what it depends on is the file `flow`."""
    monkeypatch.setenv("LABKIT_CACHE", str(pytester.path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makefile("", flow="1")
    pytester.makeconftest(
        """
        import pathlib
        from tests import choosing

        choosing.CHOSEN = {"test_chosen.py": ()}
        choosing.identity = lambda item: (
            pathlib.Path("flow").read_text() if item.nodeid.startswith("test_chosen.py") else None)
        choosing.drawn = lambda name, commit: pathlib.Path("drawn").exists()

        def pytest_addoption(parser):
            choosing.pytest_addoption(parser)

        def pytest_configure(config):
            config.pluginmanager.register(choosing.Choosing(config))
        """
    )
    pytester.makepyfile(
        test_chosen="import pathlib\ndef test(): assert pathlib.Path('flow').read_text() != 'wrong'",
        test_always="def test(): pass",
    )
    return pytester


def outcomes(whole: pytest.Pytester, *more: str) -> dict[str, int]:
    found = whole.runpytest_subprocess("-p", "no:cacheprovider", "-p", "xdist", *more).parseoutcomes()
    return {name: found[name] for name in ("passed", "failed", "deselected") if name in found}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_what_has_passed_is_left_out_until_it_changes(
    whole: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    assert outcomes(whole, "--chosen", *workers) == {"passed": 2}
    second = outcomes(whole, "--chosen", *workers)
    assert second["passed"] == 1
    assert outcomes(whole, *workers) == {"passed": 2}, "all of them without the option"
    (whole.path / "flow").write_text("2")
    assert outcomes(whole, "--chosen", *workers) == {"passed": 2}


def test_what_has_failed_runs_again(whole: pytest.Pytester) -> None:
    (whole.path / "flow").write_text("wrong")
    for _ in range(2):
        assert outcomes(whole, "--chosen") == {"passed": 1, "failed": 1}


def test_what_is_drawn_runs_though_it_has_passed(whole: pytest.Pytester) -> None:
    assert outcomes(whole, "--chosen") == {"passed": 2}
    (whole.path / "drawn").touch()
    assert outcomes(whole, "--chosen") == {"passed": 2}
