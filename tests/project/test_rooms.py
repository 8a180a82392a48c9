"""The rooms of labkit keep their order, no files import each other in a circle, and a name means one thing.

In Python and in JavaScript, whose rooms in the wing of the site's pages have the same order. No file is an
exception. In C the same is held by which file calls into which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from scripts import rooms
from tests.project import c_calls

LABKIT = rooms.ROOT / "labkit"
AGENT = LABKIT / "execute/agent/src"
LABNIC = LABKIT / "execute/guest/modules/labnic"
IMPORTED = re.compile(r'\b(?:from|import)\b ?\(?"([^"]+)"')
TWINS = frozenset({"charts", "decode", "measures", "player", "program", "results", "spec", "traffic"})
"""Rooms of the wing that say what labkit's room of that name says. A file has the name of its twin."""


@pytest.fixture(scope="module")
def found() -> rooms.Graph:
    return rooms.graph()


def tree(root: Path, **sources: str) -> rooms.Graph:
    """The graph of a made-up labkit: spec_flow="import x" is labkit/spec/flow.py, FACE labkit/__init__.py."""
    for name, source in sources.items():
        where = "__init__" if name == "FACE" else name.replace("_", "/", 1)
        path = root / f"labkit/{where}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return rooms.graph(root)


def scripts(root: Path, sources: Mapping[str, str]) -> rooms.Graph:
    """The graph of a made-up tree of scripts: path -> source."""
    for name, source in sources.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source)
    return rooms.graph(root)


def by_suffix(names: Iterable[str]) -> dict[str, list[str]]:
    """Those of labkit and its twins, by what they are written in."""
    found: dict[str, list[str]] = {}
    for name in names:
        if name.startswith(f"{rooms.WING}/") and rooms.room_of(name) not in TWINS:
            continue
        found.setdefault(Path(name).suffix, []).append(name)
    return found


def test_no_room_imports_from_its_right(found: rooms.Graph) -> None:
    wrong = rooms.to_the_right(found)
    assert not wrong, f"left to right: {', '.join(rooms.ORDER)}\n" + "\n".join(wrong)


def test_no_files_import_each_other_in_a_circle(found: rooms.Graph) -> None:
    assert not (around := rooms.circles(found)), "\n".join(around)


def test_every_room_has_its_place_in_the_order() -> None:
    assert set(rooms.rooms()) <= {*rooms.ORDER, rooms.FACE}
    assert set(rooms.rooms(of=rooms.WING)) <= set(rooms.ORDER)


@pytest.mark.parametrize("room", rooms.ORDER)
def test_no_folders_of_a_room_import_each_other_in_a_circle(found: rooms.Graph, room: str) -> None:
    for wing in (rooms.LABKIT, rooms.WING):
        assert not (around := rooms.circles(rooms.inner(found, room, wing))), "\n".join(around)


def test_the_graph_is_of_all_of_labkit(found: rooms.Graph) -> None:
    assert len(found) > 150
    assert "labkit/units.py" in found["labkit/spec/link.py"]
    assert "web/decode/table.mjs" in found["web/results/ledger.mjs"]
    assert "web/lab/worker.mjs" in found["web/lab/client.mjs"], "by its URL"
    assert "labkit/execute/wasm/machine/wasm_machine.mjs" in found["web/lab/worker.mjs"]
    assert len(found["web/widgets/start.mjs"]) > 3
    assert rooms.arrows()["compile", "spec"] >= 1
    assert rooms.arrows(of=rooms.WING)["bench", "charts"] >= 1


def test_a_file_name_means_one_thing(found: rooms.Graph) -> None:
    for names in by_suffix(found).values():
        assert not (twice := rooms.same_stem(names)), "\n".join(twice)


def test_a_script_has_the_room_of_its_namesake_in_python(found: rooms.Graph) -> None:
    written = by_suffix(found)
    python = {Path(name).stem: rooms.room_of(name) for name in written[".py"]}
    twins = [name for name in [*written[".mjs"], *written[".js"]] if Path(name).stem in python]
    assert len(twins) > 40
    assert not [name for name in twins if rooms.room_of(name) != python[Path(name).stem]]


def test_a_script_of_the_wing_names_what_it_imports_by_its_path(found: rooms.Graph) -> None:
    """So that a page loads it as it is: nothing is looked up in a package, and nothing is missing."""
    named = [
        (file, name)
        for file in found
        if file.startswith(f"{rooms.WING}/")
        for name in IMPORTED.findall((rooms.ROOT / file).read_text())
    ]
    assert len(named) > 500
    of_npm = [(file, name) for file, name in named if "/node_modules/" in name]
    assert of_npm == [("web/lab/sha256.mjs", "../node_modules/@noble/hashes/sha2.js")]
    there = [(rooms.ROOT / file).parent / name for file, name in named if (file, name) not in of_npm]
    assert not [path for path in there if not path.is_file()]


def test_at_most_four_files_lie_beside_the_rooms() -> None:
    beside = sorted({path.stem for path in LABKIT.iterdir() if path.is_file()})  # with its stub a file is one
    assert len(beside) <= 4, ", ".join(beside)


def test_no_files_of_the_agent_call_each_other_in_a_circle(tmp_path: Path) -> None:
    symbols = c_calls.by_symbols(AGENT, tmp_path)
    assert len(symbols) > 20 and symbols["main.c"]
    assert not (around := rooms.circles(symbols)), "\n".join(around)
    text = c_calls.by_text(AGENT)
    missed = {file: others - text[file] for file, others in symbols.items() if others - text[file]}
    assert not missed, "the text shows fewer calls than the linker sees"


def test_no_files_of_the_teaching_nic_call_each_other_in_a_circle() -> None:
    text = c_calls.by_text(LABNIC)
    assert len(text) > 10 and text["ethtool.c"]
    assert not (around := rooms.circles(text)), "\n".join(around)


# ---- The checks themselves, on trees that are wrong ----


def test_an_import_to_the_right_is_found(tmp_path: Path) -> None:
    made_up = tree(tmp_path, spec_flow="from labkit.results import table", results_table="", units="")
    assert rooms.to_the_right(made_up) == ["labkit/spec/flow.py -> labkit/results/table.py"]
    assert rooms.circles(made_up) == []


def test_an_import_from_the_left_is_right(tmp_path: Path) -> None:
    made_up = tree(
        tmp_path, spec_flow="", results_table="from labkit.spec.flow import Flow\nimport labkit.units"
    )
    assert made_up["labkit/results/table.py"] == {"labkit/spec/flow.py"}
    assert rooms.to_the_right(made_up) == []


@pytest.mark.parametrize(
    "hidden",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from labkit.lab import shell",
        "def f():\n    from labkit.lab.shell import Shell",
        "from ..lab import shell",
        "from ..lab.shell import Shell",
        "import labkit.lab.shell as s",
        "import importlib\nimportlib.import_module('labkit.lab.shell')",
        "from importlib import import_module\nimport_module('..lab.shell', __package__)",
    ],
)
def test_a_hidden_import_is_found_too(tmp_path: Path, hidden: str) -> None:
    made_up = tree(tmp_path, spec_flow=hidden, lab_shell="")
    assert rooms.to_the_right(made_up) == ["labkit/spec/flow.py -> labkit/lab/shell.py"]


@pytest.mark.parametrize(
    "hidden",
    [
        'import { x } from "../lab/shell.mjs";',
        'import {\n  x,\n} from "../lab/shell.mjs";',
        'export * from "../lab/shell.mjs";',
        'import "../lab/shell.mjs";',
        'const { x } = await import("../lab/shell.mjs");',
        '/** @typedef {import("../lab/shell.mjs").Shell} Shell */',
        'new Worker(new URL("../lab/shell.mjs", import.meta.url), { type: "module" });',
        'const shell = new URL(\n  "../lab/shell.mjs",\n  import.meta.url,\n);',
    ],
)
def test_an_import_of_a_script_is_found_wherever_it_stands(tmp_path: Path, hidden: str) -> None:
    made_up = scripts(tmp_path, {"web/spec/flow.mjs": hidden, "web/lab/shell.mjs": ""})
    assert rooms.to_the_right(made_up) == ["web/spec/flow.mjs -> web/lab/shell.mjs"]


@pytest.mark.parametrize(("room", "may"), [("spec", False), ("lab", True), ("charts", True)])
def test_the_wing_of_pages_imports_of_labkit_by_the_same_order(tmp_path: Path, room: str, may: bool) -> None:
    page, taken = f"web/{room}/page.mjs", "labkit/lab/machine/boot.mjs"
    of_npm = 'import "../node_modules/other/index.mjs";'
    takes = {page: f'import "../../labkit/lab/machine/boot.mjs";\n{of_npm}', taken: ""}
    takes["web/node_modules/other/index.mjs"] = ""
    made_up = scripts(tmp_path, takes)
    assert made_up == {page: {taken}, taken: set()}, "and what npm installs there is none of it"
    assert rooms.to_the_right(made_up) == ([] if may else [f"{page} -> {taken}"])


@pytest.mark.parametrize("room", ["spec", "lab"])
def test_labkit_imports_nothing_of_the_wing(tmp_path: Path, room: str) -> None:
    taken, given = f"web/{room}/page.mjs", "labkit/lab/machine/boot.mjs"
    made_up = scripts(tmp_path, {taken: "", given: f'import "../../../{taken}";'})
    assert rooms.to_the_right(made_up) == [f"{given} -> {taken}"]


def test_a_circle_of_scripts_and_one_of_folders_are_found(tmp_path: Path) -> None:
    a, b = "web/spec/a.mjs", "web/spec/b.mjs"
    made_up = scripts(tmp_path, {a: 'import "./b.mjs";', b: '/** @typedef {import("./a.mjs").A} A */'})
    assert rooms.circles(made_up) == [f"{a} -> {b} -> {a}"]
    upper, lower = tmp_path / "labkit/spec/upper", tmp_path / "labkit/spec/lower"
    for folder, sources in (
        (upper, {"x": "from labkit.spec.lower import x2", "y": ""}),
        (lower, {"x2": "", "y2": "from labkit.spec.upper import y"}),
    ):
        folder.mkdir(parents=True)
        for name, source in sources.items():
            (folder / f"{name}.py").write_text(source)
    found = {file: targets for file, targets in rooms.graph(tmp_path).items() if file.endswith(".py")}
    assert rooms.circles(found) == []
    assert rooms.circles(rooms.inner(found, "spec")) == ["lower -> upper -> lower"]


@pytest.mark.parametrize("taken", ["from labkit import run", "import labkit"])
def test_the_face_of_labkit_is_to_the_right_of_all(tmp_path: Path, taken: str) -> None:
    made_up = tree(tmp_path, FACE="from labkit.cli import main", cli_main=taken)
    assert rooms.to_the_right(made_up) == ["labkit/cli/main.py -> labkit/__init__.py"]


def test_a_room_without_a_place_is_found(tmp_path: Path) -> None:
    assert rooms.to_the_right(tree(tmp_path, attic_old="from labkit import units", units="")) == []
    made_up = tree(tmp_path, spec_flow="from labkit.attic import old", attic_old="")
    assert rooms.to_the_right(made_up) == ["labkit/spec/flow.py -> labkit/attic/old.py"]
    assert not set(rooms.rooms(tmp_path)) <= {*rooms.ORDER, rooms.FACE}


def test_a_circle_within_a_room_is_found(tmp_path: Path) -> None:
    made_up = tree(
        tmp_path,
        spec_a="from labkit.spec import b",
        spec_b="from labkit.spec.c import x",
        spec_c="def f():\n    from labkit.spec import a",
        spec_d="from labkit.spec import a, b, c",
    )
    around = "labkit/spec/a.py -> labkit/spec/b.py -> labkit/spec/c.py -> labkit/spec/a.py"
    assert rooms.circles(made_up) == [around]


def test_a_package_that_imports_its_file_and_the_file_it_are_a_circle(tmp_path: Path) -> None:
    made_up = tree(
        tmp_path, spec___init__="from labkit.spec.flow import Flow", spec_flow="from labkit.spec import x"
    )
    assert rooms.circles(made_up) == [
        "labkit/spec/__init__.py -> labkit/spec/flow.py -> labkit/spec/__init__.py"
    ]


def test_a_name_for_two_files_is_found() -> None:
    names = [
        "labkit/lab/tables.py",
        "labkit/lab/__init__.py",
        "labkit/cli/__init__.py",
        "labkit/cli/tables.py",
    ]
    assert rooms.same_stem(names) == ["labkit/lab/tables.py, labkit/cli/tables.py"]


def test_a_circle_of_c_files_is_found_by_text_and_by_symbols(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int b(int);\nint a(int n)\n{\n\treturn b(n);\n}\n")
    (tmp_path / "b.c").write_text("int count;\nint c(int);\nint b(int n)\n{\n\treturn c(n);\n}\n")
    (tmp_path / "c.c").write_text(
        "/* a(1) */ extern int count;\nstatic int a(void)\n{\n\treturn 0;\n}\n"
        "int c(int n)\n{\n\treturn n + count + a();\n}\n"
    )
    symbols = c_calls.by_symbols(tmp_path, tmp_path)
    assert symbols == {"a.c": {"b.c"}, "b.c": {"c.c"}, "c.c": {"b.c"}}
    assert rooms.circles(symbols) == ["b.c -> c.c -> b.c"]
    text = c_calls.by_text(tmp_path)
    assert text["b.c"] == {"c.c"} and "b.c" in text["c.c"]
    assert rooms.circles(text)
