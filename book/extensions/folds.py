"""What a page shows when its reader opens it: `<details>`, closed at first, which needs no script."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


class Fold(nodes.General, nodes.Element):  # type: ignore[misc]
    """summary: the words that stay visible; its classes are the element's."""


def visit(self: Any, node: Fold) -> None:
    classes = " ".join(node["classes"])
    self.body.append(f'<details class="lp-fold {classes}">\n<summary>{escape(node["summary"])}</summary>\n')


def depart(self: Any, node: Fold) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(Fold, html=(visit, depart))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
