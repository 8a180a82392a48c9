"""Leaves out what is put on pages and does not belong there: thebe, which wants a server, a wrong role, heads
of columns that say nothing, and a page's name in a script, which only a menu of versions asks for.

The other thing left out, Font Awesome as a script, is in book/templates.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

LATE = 900  # after the extensions that add scripts, before the page is written


def unused(file: Any) -> bool:
    """Whether it is a script or style sheet of thebe, or one that says a page's name. Scripts within the page
    have no file name."""
    body = str(getattr(file, "attributes", {}).get("body", ""))
    return "thebe" in str(file.filename) or "THEBE" in body or "DOCUMENTATION_OPTIONS.pagename" in body


THEBE = re.compile(
    r'<script type="text/x-thebe-config">.*?</script>\s*<script>kernelName = .*?</script>', re.S
)


# An entry of the bibliography, which docutils has in a list: ARIA allows its role on no <div> any more.
ENTRY, ITEM = 'role="doc-biblioentry"', 'role="listitem"'
# Of pandas' tables the corner, and of tables in the text a first column without a name: ordinary cells.
EMPTY_HEAD = re.compile(r"<th(?: class=\"[^\"]*\")?>(?:\s*<p></p>)?\s*</th>")


def drop(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        body = THEBE.sub("", context["body"])
        body = EMPTY_HEAD.sub("<td></td>", body)
        context["body"] = body.replace(ENTRY, ITEM)
    for files in ("script_files", "css_files"):
        context[files] = [file for file in context.get(files, []) if not unused(file)]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", drop, priority=LATE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
