"""Which names a statement of a notebook binds, changes and uses. Runs nothing.

A name in a function's body is looked up when the function is called: it is used *late*, all others *now*.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

_INLINE = frozenset({"genexpr", "listcomp", "setcomp", "dictcomp"})
_CHANGING = "add append clear discard extend insert pop popitem remove reverse setdefault sort update"
_MUTATORS = frozenset(_CHANGING.split())
_BINDING = (ast.Assign, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Names:
    """binds: names that stand for something new after it; changes: names whose objects it may change;
    whole: what it binds it binds in any case, so that nothing of before is left."""

    binds: frozenset[str]
    changes: frozenset[str]
    now: frozenset[str]
    late: frozenset[str]
    whole: bool


def names(statement: ast.stmt) -> Names:
    """Those of one statement at the top level of a module."""
    table = symtable.symtable(ast.unparse(statement), "cell", "exec")
    now = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    binds = {symbol.get_name() for symbol in table.get_symbols() if _is_bound(symbol)}
    late: set[str] = set()
    for child in table.get_children():
        _collect(child, now, late)
    whole = isinstance(statement, _BINDING) or (
        isinstance(statement, ast.AnnAssign) and statement.value is not None
    )
    return Names(frozenset(binds), frozenset(_changed(statement)), frozenset(now), frozenset(late), whole)


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _collect(table: symtable.SymbolTable, now: set[str], late: set[str]) -> None:
    """Names of the module that a function, a class or a comprehension uses. A class body runs at once."""
    is_late = table.get_type() == "function" and table.get_name() not in _INLINE
    into = late if is_late else now
    into.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
    for child in table.get_children():
        _collect(child, late if is_late else now, late)


def _changed(statement: ast.stmt) -> Iterator[str]:
    """x[1] = 2, x.y += 1, del x[1], x.append(1): wherever they stand in it."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            yield from _root(node)
        elif isinstance(node, ast.AugAssign):
            yield from _root(node.target)
        elif isinstance(node, ast.Delete):
            yield from (name for target in node.targets for name in _root(target))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _MUTATORS
        ):
            yield from _root(node.func.value)


def _root(node: ast.expr) -> Iterator[str]:
    """x of x[1].y."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
