"""Cells that begin with `%%cc` are C: they are highlighted as that, not as the notebook's Python."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

LANGUAGES = {"%%cc": "c"}  # a cell magic: the language of what follows


class Language(SphinxPostTransform):
    """The highlighter takes a cell's language from its node, and warns of what it cannot read in it."""

    default_priority = 210

    def run(self, **options: Any) -> None:
        for block in self.document.findall(nodes.literal_block):
            magic = block.astext().split(maxsplit=1)[:1]
            if magic and (language := LANGUAGES.get(magic[0])):
                block["language"] = language


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(Language)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
