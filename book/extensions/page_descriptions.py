"""What search engines and links shown elsewhere say of a page: its first paragraph, in a few words."""

from __future__ import annotations

from html import escape
from textwrap import shorten
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 155  # characters; more is cut off where it is shown


def description(doctree: nodes.document) -> str:
    """The first sentences of a page: not the line of times below a chapter's title."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if isinstance(paragraph.parent, nodes.section) and text.endswith((".", "?")):
            return shorten(text, LONGEST, placeholder=" ...")
    return ""


def add(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if doctree is not None and (text := description(doctree)):
        context["metatags"] = (
            f'{context.get("metatags", "")}\n<meta name="description" content="{escape(text)}" />'
        )


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", add)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
