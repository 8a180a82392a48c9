"""The code that one widget of a chapter depends on, as short as it can be, out of the chapter's notebook.

`needed` is all of it: the cell's `explore(...)` or `predict(...)` with chart, summary and measure. `making`
makes the experiments and nothing else, so that it runs where there are no tables and no figures. Neither
runs the laboratory.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import labkit
from labkit.spec import custom_cc
from labkit.widgets import explorer, prediction
from live.names import names

CHAPTERS = Path(__file__).parents[3] / "chapters"
WIDGET = "WIDGET"  # what the last line of a slice binds
_IMPORT = "from labkit import "
_SHOWN = frozenset({"chart", "summary", "since", "start", "name", "caption"})
KINDS = {explorer.MIME: "explore", prediction.MIME: "predict"}


@dataclass(frozen=True)
class Recorded:
    """A widget as a chapter's notebook has it. cell: the number of its cell; stored: its payload; still: the
    picture that stands beside it, if there is one."""

    name: str
    kind: str
    cell: int
    stored: dict[str, Any]
    still: dict[str, Any] | None


def stems(chapters: Path = CHAPTERS) -> list[str]:
    """All chapters, in their order."""
    return sorted(path.stem for path in chapters.glob("*.ipynb"))


def recorded(stem: str, chapters: Path = CHAPTERS) -> dict[str, Recorded]:
    """The widgets of a chapter by name, in their order."""
    found = {}
    for number, cell in enumerate(_cells(chapters / f"{stem}.ipynb")):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for mime, kind in KINDS.items():
                if mime in data:
                    still = data.get("application/vnd.vegalite.v5+json")
                    found[data[mime]["name"]] = Recorded(data[mime]["name"], kind, number, data[mime], still)
    return found


def needed(stem: str, name: str, chapters: Path = CHAPTERS) -> str:
    """Everything that the widget's call depends on, and the call; its value is WIDGET. Raises KeyError."""
    *before, call = _statements(stem, name, chapters)
    chosen = _chosen(before, call)
    written = {node.value for tree in chosen for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    own_ccs = [tree for tree in before if (_own_cc(tree) or ()) in written and tree not in chosen]
    if own_ccs:
        importing = ast.parse("from labkit import compile_cc").body
        chosen = [*importing, *(tree for tree in before if tree in chosen or tree in own_ccs), call]
    return _text(chosen)


def making(stem: str, name: str, chapters: Path = CHAPTERS) -> str:
    """What makes the widget's experiments. Whoever runs it gives it an `explore(experiment, knobs, **more)`
    and a `predict(experiment)`, and finds in WIDGET what that returned. Raises KeyError."""
    trees = [_OnlyExperiments().visit(tree) for tree in _statements(stem, name, chapters)]
    *before, call = map(ast.fix_missing_locations, trees)
    return _text(_chosen(before, call))


def widget(stem: str, name: str, chapters: Path = CHAPTERS) -> Any:
    """The Explorer or the Question itself; nothing has been run. Raises KeyError and what its code raises."""
    return run_slice(needed(stem, name, chapters), {}, chapters)


def run_slice(source: str, given: Mapping[str, Any], chapters: Path = CHAPTERS) -> Any:
    """WIDGET of a slice, executed where the chapter is. given: names of labkit that it finds, not imports."""
    lines = [line for line in source.splitlines() if line.removeprefix(_IMPORT) not in given]
    space = {"__name__": "chapter", **given}
    with contextlib.chdir(chapters):
        exec(compile("\n".join(lines), "chapter", "exec"), space)
    return space[WIDGET]


@contextlib.contextmanager
def forgetting() -> Iterator[None]:
    """Congestion controls that cells write in it are forgotten behind it: others may have their names."""
    known = set(custom_cc.names())
    try:
        yield
    finally:
        for name in set(custom_cc.names()) - known:
            custom_cc.forget(name)


@functools.lru_cache(maxsize=4)
def _notebook(path: Path, changed_ns: int) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_bytes())["cells"]
    return cells


def _cells(path: Path) -> list[dict[str, Any]]:
    return _notebook(path, path.stat().st_mtime_ns)


def _statements(stem: str, name: str, chapters: Path) -> list[ast.stmt]:
    """All of the chapter's up to the widget's call, which is the last and binds WIDGET."""
    found = recorded(stem, chapters)
    if name not in found:
        raise KeyError(f"{stem}: no widget {name!r}: there are {', '.join(found) or 'none'}")
    cells = _cells(chapters / f"{stem}.ipynb")[: found[name].cell + 1]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    *before, last = [tree for source in sources for tree in _of_cell(source)]
    if not isinstance(last, ast.Expr):
        raise KeyError(f"{stem}: the cell of {name!r} does not end with a call")
    target = ast.Assign([ast.Name(WIDGET, ast.Store())], last.value, lineno=last.lineno)
    return [*before, ast.fix_missing_locations(target)]


def _of_cell(source: str) -> Iterator[ast.stmt]:
    """A cell's statements; imports name by name. %%cc is a call of compile_cc; other magics are left out."""
    if source.startswith("%%cc "):
        first, _, body = source.partition("\n")
        yield from ast.parse(f"compile_cc({first.split()[1]!r}, {body!r})").body
    elif not source.startswith("%%"):
        lines = ["" if line.startswith(("%", "!")) else line for line in source.splitlines()]
        for tree in ast.parse("\n".join(lines)).body:
            yield from _single(tree)


def _single(tree: ast.stmt) -> Iterator[ast.stmt]:
    """An import as one statement for each name."""
    if isinstance(tree, ast.ImportFrom):
        for alias in tree.names:
            if alias.name != "*":
                yield ast.ImportFrom(tree.module, [alias], tree.level, lineno=tree.lineno)
            elif tree.module == "labkit":
                each = (ast.alias(name) for name in labkit.__all__)
                yield from (ast.ImportFrom("labkit", [one], 0, lineno=tree.lineno) for one in each)
            else:
                raise ValueError(f"from {tree.module} import *: write the names")
    elif isinstance(tree, ast.Import):
        yield from (ast.Import([alias], lineno=tree.lineno) for alias in tree.names)
    else:
        yield tree


def _chosen(before: Sequence[ast.stmt], call: ast.stmt) -> list[ast.stmt]:
    """Those that the call depends on, in order, and the call.

    A name is wanted at a statement: all that changed its object before, back to where it was bound whole.
    What a function looks up late is wanted where the function is, as it may be called there, and at the end.
    """
    known = [*map(names, before), names(call)]
    end = len(before)
    chosen: set[int] = set()
    wanted = {(name, end) for name in known[end].now | known[end].late}
    done: set[tuple[str, int]] = set()
    while wanted:
        name, at = one = wanted.pop()
        done.add(one)
        for i in reversed(range(at)):
            mine = known[i]
            if name in mine.binds | mine.changes:
                chosen.add(i)
                more = {(used, i) for used in mine.now} | {
                    (used, when) for used in mine.late for when in (at, end)
                }
                wanted |= more - done
                if name in mine.binds and mine.whole:
                    break
    return [*(before[i] for i in sorted(chosen)), call]


def _own_cc(tree: ast.stmt) -> str | None:
    """The name of the congestion control that a statement compiles."""
    match tree:
        case ast.Expr(ast.Call(ast.Name("compile_cc"), [ast.Constant(str(name)), *_])):
            return name
    return None


def _text(trees: Iterable[ast.stmt]) -> str:
    return "".join(f"{ast.unparse(tree)}\n" for tree in trees)


class _OnlyExperiments(ast.NodeTransformer):
    """Calls of explore and predict without what is said and drawn of results."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "explore":
            node.keywords = [word for word in node.keywords if word.arg not in _SHOWN]
        elif isinstance(node.func, ast.Name) and node.func.id == "predict":
            node.args, node.keywords = node.args[1:2], []
        return node
