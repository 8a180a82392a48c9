"""The rooms of labkit and of the pages' wing, and what imports what, read from the sources, Python and
JavaScript. Nothing of labkit is imported here.

The order of the rooms is written down once, here. tests/project/test_rooms.py holds it; the book's page on
the architecture is drawn from it.

    python scripts/rooms.py          the rooms and the arrows between them
    python scripts/rooms.py --json   the same and the imports of each file, as data
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
ORDER: tuple[str, ...] = (
    *("errors", "units", "schema", "netlink", "program", "qdiscs", "decode", "traffic", "probes", "spec"),
    *("compile", "execute", "results", "lab", "models", "charts", "measures", "player", "sweeps", "programs"),
    *("widgets", "chapters", "bench", "opening", "pages", "offline", "mysteries", "course", "doctor", "cli"),
)
"""Left to right: a room imports from its left only. It is a folder of labkit, or a file beside the folders; a
folder of the wing; or a folder of both, where the wing says in JavaScript what labkit says in Python."""
LABKIT = "labkit"
WING = "web"
"""What pages run, in JavaScript. It may import from labkit, by the same order; nothing of labkit from it."""
FACE = "labkit"
"""labkit/__init__.py, which hands on names of all rooms: to the right of them all."""
_NO_NAMES_OF_THEIR_OWN = ("__init__", "__main__")
_SCRIPTS = (".mjs", ".js")
_IMPORTED = re.compile(r'(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)"([^"]+\.m?js)"')
"""A module's name in a script: `import ... from`, `import()`, also as a type, and the URL of a worker."""

Graph = dict[str, set[str]]


def files(root: Path = ROOT) -> list[str]:
    """What is read, from the folder `root`, sorted: "labkit/spec/flow.py", "web/charts/cwnd.mjs". A script
    that lies beside the rooms of the wing builds it."""
    found = (path for folder in (LABKIT, WING) for path in (root / folder).rglob("*"))
    names = (path.relative_to(root) for path in found if path.suffix in (".py", *_SCRIPTS))
    inside = (name for name in names if "node_modules" not in name.parts)
    return sorted(name.as_posix() for name in inside if name.parts[0] != WING or len(name.parts) > 2)


def room_of(path: str) -> str:
    """The room of a file: "spec" of "labkit/spec/flow.py", "units" of "labkit/units.py", "charts" of
    "web/charts/cwnd.mjs", or FACE."""
    parts = Path(path).parts
    if len(parts) > 2:
        return parts[1]
    return FACE if parts[1] == "__init__.py" else Path(parts[1]).stem


def rooms(root: Path = ROOT, of: str = LABKIT) -> dict[str, list[str]]:
    """The rooms that there are, of LABKIT or of the WING, in their order, with their files. What has no place
    in ORDER comes last."""
    found: dict[str, list[str]] = {}
    for file in files(root):
        if _is_of(file, of):
            found.setdefault(room_of(file), []).append(file)
    return {room: found[room] for room in sorted(found, key=lambda room: (_place(room), room))}


def imports(file: str, root: Path = ROOT) -> set[str]:
    """The files that a file names in an import, wherever in it that stands: in a function, under
    TYPE_CHECKING, in import_module("...") too. Packages on the way to a module are not counted."""
    if file.endswith(_SCRIPTS):
        return _of_script(file, root)
    package = Path(file).parent.parts
    found = set()
    for node in ast.walk(ast.parse((root / file).read_text(), filename=file)):
        for names in named(node, package):
            found.update([path for name in names if (path := _file(name, root))][:1])
    return found - {file}


def graph(root: Path = ROOT) -> Graph:
    """Each file, and the files that it imports."""
    return {file: imports(file, root) for file in files(root)}


def arrows(root: Path = ROOT, of: str = LABKIT) -> dict[tuple[str, str], int]:
    """How many imports lead from a room to another one, in LABKIT or in the WING, in the order of rooms. FACE
    is left out."""
    between = Counter(
        (room_of(file), room_of(target))
        for file, targets in graph(root).items()
        for target in targets
        if _is_of(file, of) and _is_of(target, of)
    )
    found = {(a, b): n for (a, b), n in between.items() if a != b and FACE not in (a, b)}
    return dict(sorted(found.items(), key=lambda arrow: [(_place(room), room) for room in arrow[0]]))


def to_the_right(found: Graph) -> list[str]:
    """Each import of a room that stands further right or has no place, or of the WING's by labkit: "file ->
    file"."""
    return [
        f"{file} -> {target}"
        for file, targets in sorted(found.items())
        for target in sorted(targets)
        if (_is_of(target, WING) and not _is_of(file, WING))
        or (room_of(file) != room_of(target) and _place(room_of(file)) <= _place(room_of(target)))
    ]


def circles(found: Graph) -> list[str]:
    """Files that lead back to themselves, a circle of each such group: "a.py -> b.py -> a.py"."""
    whole = nx.DiGraph([(file, target) for file in sorted(found) for target in sorted(found[file])])
    groups = [group for group in nx.strongly_connected_components(whole) if len(group) > 1]
    return [_circle(whole.subgraph(group)) for group in sorted(groups, key=min)]


def _circle(group: nx.DiGraph) -> str:
    around = nx.find_cycle(group, min(group))
    return " -> ".join([around[0][0], *(target for _, target in around)])


def inner(found: Graph, room: str, of: str = LABKIT) -> Graph:
    """The folders of a room and what lies beside them, as if each were one file, and what imports what."""
    within = Path(of) / room
    between: Graph = {}
    for file, targets in found.items():
        parts = {
            Path(one).relative_to(within).parts[0] for one in targets if Path(one).is_relative_to(within)
        }
        if Path(file).is_relative_to(within):
            here = Path(file).relative_to(within).parts[0]
            between.setdefault(here, set()).update(parts - {here})
    return between


def same_stem(names: Iterable[str]) -> list[str]:
    """File names that several files have: "a/x.py, b/x.py"."""
    by_stem: dict[str, list[str]] = {}
    for name in names:
        by_stem.setdefault(Path(name).stem, []).append(name)
    return [
        ", ".join(twice)
        for stem, twice in sorted(by_stem.items())
        if len(twice) > 1 and stem not in _NO_NAMES_OF_THEIR_OWN
    ]


def _is_of(file: str, of: str) -> bool:
    return file.startswith(f"{of}/")


def _place(room: str) -> int:
    return ORDER.index(room) if room in ORDER else len(ORDER)


def named(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """For each name that a node imports: the modules that it may be, the likeliest first."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (alias.name,)
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else ()
        module = ".".join([*above, *filter(None, [node.module])])
        for alias in node.names:
            yield f"{module}.{alias.name}", module
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        name = node.args[0].value
        if called in ("import_module", "__import__") and isinstance(name, str):
            dots = len(name) - len(name.lstrip("."))
            above = package[: len(package) - dots + 1] if dots else ()
            yield (".".join([*above, name[dots:]]),)


def _of_script(file: str, root: Path) -> set[str]:
    """The modules that a script names by a relative path, but for those of npm."""
    names = [name for name in _IMPORTED.findall((root / file).read_text()) if "/node_modules/" not in name]
    paths = {posixpath.normpath(posixpath.join(posixpath.dirname(file), name)) for name in names}
    return {path for path in paths if (root / path).is_file()} - {file}


def _file(module: str, root: Path) -> str | None:
    """The file of a module of labkit, None if it is none."""
    if module.partition(".")[0] != "labkit":
        return None
    path = Path(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if (root / candidate).is_file():
            return candidate.as_posix()
    return None


def main(arguments: list[str]) -> None:
    """Print what was found."""
    if arguments == ["--json"]:
        both = {of: {"rooms": rooms(of=of), "arrows": _listed(of)} for of in (LABKIT, WING)}
        files_to = {file: sorted(targets) for file, targets in graph().items()}
        print(json.dumps({**both, "imports": files_to}, indent=1))
        return
    for of in (LABKIT, WING):
        print(f"# {of}")
        for room, members in rooms(of=of).items():
            print(f"{room}: {len(members)} files")
        for (a, b), count in arrows(of=of).items():
            print(f"{a} -> {b}: {count}")


def _listed(of: str) -> list[dict[str, str | int]]:
    return [{"from": a, "to": b, "imports": count} for (a, b), count in arrows(of=of).items()]


if __name__ == "__main__":
    main(sys.argv[1:])
