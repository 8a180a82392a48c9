"""Code that a page hides, cells with the tag hide-input, lies in one fold a section, at its end.

A section ends where its first subsection starts. A solution has a fold of its own, and so has any other box
in which there is such a cell. What a cell has put out stays where it is; one without an output is in the fold
as a whole, with what is said of it.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from folds import Fold
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

SUMMARY = "Code of this section"


class Gather(SphinxPostTransform):
    """Moves the sources of hidden cells."""

    default_priority = 198  # before 199, by which MyST-NB folds each cell alone
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("nb_element") == "cell_code" and is_hidden(cell):
                del cell["hide_mode"]
                fold_of(place_of(cell)).append(source_of(cell))


def is_hidden(cell: nodes.container) -> bool:
    """Whether only its source is. A cell whose source is removed has nothing to hide."""
    has_source = bool(cell.children) and cell[0].get("nb_element") == "cell_code_source"
    return cell.get("hide_mode") == "input" and has_source


def place_of(cell: nodes.container) -> nodes.Element:
    """The section or box that it is in."""
    place = cell.parent
    while isinstance(place, nodes.container):
        place = place.parent
    return place


def fold_of(place: nodes.Element) -> Fold:
    """The fold at its end, made when it is first asked for."""
    own = [child for child in place if not isinstance(child, nodes.section)]
    if own and isinstance(own[-1], Fold):
        return own[-1]
    fold = Fold(summary=SUMMARY, classes=["lp-code"])
    place.insert(place.index(own[-1]) + 1, fold)
    return fold


def source_of(cell: nodes.container) -> nodes.container:
    """Taken out of its place: the whole cell if there is nothing else in it."""
    if len(cell) == 1:
        cell.parent.remove(cell)
        return cell
    source = cell[0]
    cell.remove(source)
    return nodes.container("", source, classes=["cell"])


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("folds")
    app.add_post_transform(Gather)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
