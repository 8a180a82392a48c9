"""Leaves out what is put on pages and does not belong there: thebe, which wants a server, and a wrong role.

The other thing left out, Font Awesome as a script, is in book/templates.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

LATE = 900  # after the extensions that add scripts, before the page is written


def unused(file: Any) -> bool:
    """Whether a script or style sheet is thebe's. Scripts within the page have no file name."""
    body = getattr(file, "attributes", {}).get("body", "")
    return "thebe" in str(file.filename) or "THEBE" in str(body)


# Docutils calls the bibliography a list whose items are none: they have a role of their own.
LIST = '<div role="list" class="citation-list">'


def drop(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = context["body"].replace(LIST, '<div class="citation-list">')
    for files in ("script_files", "css_files"):
        context[files] = [file for file in context.get(files, []) if not unused(file)]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", drop, priority=LATE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
