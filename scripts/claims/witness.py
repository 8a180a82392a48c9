"""Sits in the kernel that executes a chapter and writes down of every assertion whether it held: an extension
of IPython. An assertion that fails does not end its cell: what comes after it is to be seen too.

LABKIT_CLAIMS names a file with the chapter's cells and where to report.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from scripts.claims.assertions import place
from scripts.claims.operands import Telling
from scripts.claims.value_text import shown, words

NAME = "__claims__"
VARIABLE = "LABKIT_CLAIMS"


class Witness(ast.NodeTransformer):
    """Rewrites the assertions of each cell before it runs, and hears from them.

    cells: (identifier, source) of the chapter's cells of code, in order.
    """

    def __init__(self, cells: list[tuple[str, str]], report: Path) -> None:
        self.cells, self.report = list(cells), report
        self.cell = ""
        self.held: dict[str, int] = {}
        self.failed: dict[str, dict[str, Any]] = {}
        self.broken: dict[str, str] = {}
        self._seen = threading.local()

    def before(self, info: Any) -> None:
        """A cell is about to run."""
        while self.cells:
            self.cell, source = self.cells.pop(0)
            if source == info.raw_cell:
                return
        raise ValueError(f"no cell of the chapter is {info.raw_cell!r}")

    def after(self, result: Any) -> None:
        """A cell has run."""
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            self.broken[self.cell] = _last_line(error)
        found = {"held": self.held, "failed": self.failed, "broken": self.broken}
        fresh = self.report.with_suffix(".new")
        fresh.write_text(json.dumps(found))
        fresh.replace(self.report)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        """try: witness.starts(); assert ...; except Exception: witness.fails(it); else: witness.holds(it)."""
        where = place(self.cell, node)
        asserted = ast.Assert(Telling(NAME).visit(node.test), node.msg)
        guarded = ast.Try(
            body=[_call("starts"), asserted],
            handlers=[ast.ExceptHandler(_name("Exception"), None, [_call("fails", where)])],
            orelse=[_call("holds", where)],
            finalbody=[],
        )
        return ast.fix_missing_locations(ast.copy_location(guarded, node))

    def starts(self) -> None:
        """An assertion is looked at; one may lead to others, in a function that it calls."""
        self._stack().append({})

    def saw(self, text: str, value: Any) -> Any:
        """The value of a part of it."""
        if stack := self._stack():
            stack[-1][text] = value
        return value

    def holds(self, where: str) -> None:
        self._stack().pop()
        self.held[where] = self.held.get(where, 0) + 1

    def fails(self, where: str) -> None:
        """By its own error or another one; what it saw is kept of its first failure."""
        seen = self._stack().pop()
        known = self.failed.setdefault(where, {"times": 0, "values": {}, "error": ""})
        known["times"] += 1
        if known["times"] > 1:
            return
        values = {text: shown(value) for text, value in seen.items()}
        known["values"] = {text: value for text, value in values.items() if value is not None}
        error = sys.exc_info()[1]
        if error is not None and not (isinstance(error, AssertionError) and not error.args):
            known["error"] = _last_line(error)

    def _stack(self) -> list[dict[str, Any]]:
        if not hasattr(self._seen, "stack"):
            self._seen.stack = []
        stack: list[dict[str, Any]] = self._seen.stack
        return stack


def _call(method: str, *args: str) -> ast.stmt:
    called = ast.Attribute(_name(NAME), method, ast.Load())
    return ast.Expr(ast.Call(called, [ast.Constant(arg) for arg in args], []))


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _last_line(error: BaseException) -> str:
    return words(traceback.format_exception_only(error)[-1])


def load_ipython_extension(shell: Any) -> None:
    """Called by the kernel at its start."""
    given = json.loads(Path(os.environ[VARIABLE]).read_text())
    witness = Witness([tuple(cell) for cell in given["cells"]], Path(given["report"]))
    setattr(builtins, NAME, witness)
    shell.ast_transformers.append(witness)
    shell.events.register("pre_run_cell", witness.before)
    shell.events.register("post_run_cell", witness.after)
    if given["shake"]:
        from scripts.claims.chance import shift

        shift(given["shake"])
