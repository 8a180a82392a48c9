"""The assertions of a chapter, read from its source: nothing is executed."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

ANECDOTE = "in-this-run"
"""Tag of a cell whose assertions are told of the recorded run alone."""
_FENCE = "```"


@dataclass(frozen=True)
class Assertion:
    """An assert statement. place: its cell, with line and column there; line: of the chapter's .md file."""

    cell: str
    place: str
    line: int
    text: str
    anecdote: bool


def digest(nb: NotebookNode) -> str:
    """SHA-256 of what decides how a chapter's assertions come out: its cells of code with their tags. Words
    around them do not."""
    cells = [
        [cell["id"], cell.metadata.get("tags", []), cell.source]
        for cell in nb.cells
        if cell.cell_type == "code"
    ]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def assertions(nb: NotebookNode, source: Path) -> list[Assertion]:
    """Every assertion of a chapter, in the order of the page."""
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    firsts = first_lines(source.read_text(encoding="utf-8"))
    if len(firsts) != len(code):
        raise ValueError(f"{source}: {len(code)} cells of code, and {len(firsts)} where they start")
    found = []
    for cell, first in zip(code, firsts, strict=True):
        tree = ast.parse(TransformerManager().transform_cell(cell.source))
        anecdote = ANECDOTE in cell.metadata.get("tags", [])
        for node in asserts(tree):
            text = " ".join(ast.unparse(node).split())
            found.append(
                Assertion(cell["id"], place(cell["id"], node), first + node.lineno - 1, text, anecdote)
            )
    return found


def asserts(tree: ast.AST) -> list[ast.Assert]:
    """In the order of their lines."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def place(cell: str, node: ast.Assert) -> str:
    """What an assertion is known by."""
    return f"{cell}:{node.lineno}:{node.col_offset}"


def first_lines(text: str) -> list[int]:
    """For each cell of code in a MyST notebook the number of the line where its code starts."""
    return list(_first_lines(text.splitlines()))


def _first_lines(lines: list[str]) -> Iterator[int]:
    inside = False
    for number, line in enumerate(lines, 1):
        if inside:
            inside = not line.startswith(_FENCE)
        elif line.startswith(f"{_FENCE}{{code-cell}}"):
            inside = True
            after = number  # index of the line after the fence
            if after < len(lines) and lines[after].strip() == "---":
                after = next(i for i in range(after + 1, len(lines)) if lines[i].strip() == "---") + 1
            while after < len(lines) and lines[after].startswith(":"):
                after += 1
            while after < len(lines) and not lines[after].strip():
                after += 1
            yield after + 1
