"""What an assertion compares: its expression rewritten so that it tells a witness what it sees.

Only the syntax tree is looked at; the expression's value stays what it was.
"""

from __future__ import annotations

import ast
from typing import Any

LONGEST = 60


class Telling(ast.NodeTransformer):
    """Wraps what is compared, or else what a test is called on and with, in calls of witness.saw(text, it).

    witness: name of what is told.
    """

    def __init__(self, witness: str) -> None:
        self.witness = witness

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        node.left = self._told(node.left)
        node.comparators = [self._told(one) for one in node.comparators]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute):
            base = node.func.value
            node.func.value = self.visit(base) if _inner(base) else self._told(base)
        node.args = [self._argument(one) for one in node.args]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """Of `all(x < y for x in ...)` each comparison is told, not what it goes through."""
        return node

    def _argument(self, node: ast.expr) -> Any:
        return self.visit(node) if _inner(node) or isinstance(node, ast.Starred) else self._told(node)

    def _told(self, node: ast.expr) -> ast.expr:
        if _constant(node):
            return node
        text = ast.unparse(node)
        shown = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
        saw = ast.Attribute(ast.Name(self.witness, ast.Load()), "saw", ast.Load())
        return ast.copy_location(ast.Call(saw, [ast.Constant(shown), node], []), node)


def _inner(node: ast.expr) -> bool:
    """Whether what is compared or called lies within."""
    return isinstance(
        node, ast.Call | ast.Compare | ast.BoolOp | ast.UnaryOp | ast.BinOp | ast.GeneratorExp | ast.ListComp
    ) and any(isinstance(one, ast.Compare | ast.Call) for one in ast.walk(node))


def _constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return False
    return True
