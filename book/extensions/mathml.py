"""Formulas as MathML, made while the site is built: no script, nothing loaded, read aloud as it stands.

Selected by `html_math_renderer: mathml` in _config.yml; Sphinx's own renderer loads MathJax from elsewhere.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

log = logging.getLogger(__name__)


def mathml(node: nodes.math | nodes.math_block, display: str) -> str:
    """The formula as a <math> element; LaTeX that cannot be read is a warning that names the place."""
    try:
        return str(convert(node.astext(), display=display))
    except Exception as fault:  # the converter's faults have no common base
        log.warning("formula %r: %s", node.astext(), type(fault).__name__, location=node)
        return ""


def inline(self: Any, node: nodes.math) -> None:
    self.body.append(self.starttag(node, "span", "", CLASS="math") + mathml(node, "inline") + "</span>")
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(mathml(node, "block") + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
