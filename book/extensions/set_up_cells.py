"""A chapter's first cell, which loads labkit and imports what the chapter takes, is folded: no reader has to
see it before a picture."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

MAGIC = "%load_ext"
SHOW, HIDE = "Show the imports", "Hide the imports"


class Fold(SphinxPostTransform):
    """As MyST-NB folds a cell with the tag hide-input, before it does so."""

    default_priority = 198
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code" and cell.astext().startswith(MAGIC):
                cell.attributes |= {"hide_mode": "input", "prompt_show": SHOW, "prompt_hide": HIDE}


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(Fold)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
