"""Cells with the tag `in-this-run` say so on the page: what they assert is told of the recorded run alone."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

TAG = "tag_in-this-run"  # as MyST-NB writes it into the classes of a cell
WORDS = "In this run"


class Label(SphinxPostTransform):
    """The words stand in front of the cell, outside of what may be folded, as text that is read out."""

    default_priority = 210  # after 199, by which MyST-NB folds a cell's first child
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for cell in list(self.document.findall(nodes.container)):
            if TAG in cell["classes"]:
                cell.insert(0, nodes.paragraph("", WORDS, classes=["lp-in-this-run"]))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(Label)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
