"""A section named Practice is its heading and one fold, whose summary says what is in it.

A chapter's thread ends there. Problems, exercises, the quiz and what goes deeper are sections of that one:
they keep their addresses, and a link to one of them opens the fold (book/static/page.js).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from folds import Fold
from quiz import Quiz
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import is_exercise_node

TITLE = "Practice"
DEEPER = "Going deeper: "
COUNTED = {"Problems": "problem", "Exercises": "exercise", "Quiz": "question"}
"""Sections that are told by how many they have."""


class Close(SphinxPostTransform):
    """Puts all but the heading into the fold."""

    default_priority = 230  # after all that moves or labels cells
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for section in list(self.document.findall(nodes.section)):
            if section[0].astext() == TITLE:
                heading, *rest = section.children
                fold = Fold("", *rest, summary=summary(section), classes=["lp-practice"])
                section.children = []
                section.extend([heading, fold])


def summary(practice: nodes.section) -> str:
    """ "Practice: 3 problems, 5 exercises, 7 questions, on your own machine, 2 sections that go deeper"."""
    return f"{TITLE}: {', '.join(parts(practice))}"


def parts(practice: nodes.section) -> Iterator[str]:
    sections = [child for child in practice if isinstance(child, nodes.section)]
    counts = Counter[str]()
    for section in sections:
        title = section[0].astext()
        kind = DEEPER if title.startswith(DEEPER) else title
        counts[kind] += number_in(section) if kind in COUNTED else 1
    for kind, count in counts.items():
        plural = "s" * (count != 1)
        if kind in COUNTED:
            yield f"{count} {COUNTED[kind]}{plural}"
        elif kind == DEEPER:
            yield f"{count} section{plural} that go{'es' * (count == 1)} deeper"
        else:
            yield kind[0].lower() + kind[1:]


def number_in(section: nodes.section) -> int:
    return sum(is_exercise_node(node) or isinstance(node, Quiz) for node in section.findall())


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("folds")
    app.add_post_transform(Close)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
