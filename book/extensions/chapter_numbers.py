"""A chapter has the number in its file's name, whichever chapters the book has yet: 07-name.md is chapter 3,
12-name.md is chapter 12.

Sphinx counts the pages of a toctree; where chapters are still missing, its numbers are not those by which the
text refers to them. Sections, figures and exercises follow.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from docutils import nodes
from sphinx.environment.collectors.toctree import TocTreeCollector

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_CHAPTER = re.compile(r"(?:^|/)(\d\d|[A-Z])-[^/]*$")
_AFTER_THE_COUNTING = 900  # of Sphinx's own collectors, whose priority is 500


def renumber(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Replace the first part of every section number of a chapter, then number its figures again."""
    for page, sections in env.toc_secnumbers.items():
        found = _CHAPTER.search(page)
        if found is None:
            continue
        chapter = found[1].lstrip("0")  # Sphinx joins the parts with dots, whatever they are
        for anchor, number in sections.items():
            sections[anchor] = cast("tuple[int, ...]", (chapter, *number[1:])) if number else number
        for node in [env.titles[page], *env.tocs[page].findall(nodes.reference)]:
            if node.get("secnumber"):
                node["secnumber"] = [chapter, *node["secnumber"][1:]]
    TocTreeCollector().assign_figure_numbers(env)
    return []


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("env-get-updated", renumber, priority=_AFTER_THE_COUNTING)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
