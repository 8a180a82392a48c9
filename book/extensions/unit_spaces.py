"""A number and its unit stay in one line: the space between them becomes one that does not break.

In what is read as prose, also where a formula or emphasis ends with the number; never in code. The search
index (search_index.py) has ordinary spaces in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

NO_BREAK = "\N{NO-BREAK SPACE}"
UNITS = (
    *("ns", "µs", "μs", "ms", "s", "min", "h", "km", "m", "cm", "mm"),
    *("Hz", "kHz", "MHz", "GHz", "dB", "dBm", "W", "mW", "px"),
    *("bit", "kbit", "Mbit", "Gbit", "Tbit", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB"),
)
_UNIT = rf"(?=%|(?:{'|'.join(UNITS)})(?!\w))"
_AFTER_A_DIGIT = re.compile(rf"(?<=\d)[ \n]+{_UNIT}")
_AT_THE_START = re.compile(rf"^[ \n]+{_UNIT}")
AS_IT_IS = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.raw, addnodes.desc_signature)


class Join(SphinxPostTransform):
    """Of every page."""

    default_priority = 900
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for element in self.document.findall(nodes.Element):
            if any(isinstance(child, nodes.Text) for child in element) and not is_as_it_is(element):
                element[:] = list(with_joined(element.children))


def with_joined(children: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """The same nodes, with a text for each row of texts: where a line of the source ends, another begins."""
    before = ""
    for is_text, row in groupby(children, lambda child: isinstance(child, nodes.Text)):
        if is_text:
            yield nodes.Text(joined("".join(map(str, row)), before))
            continue
        for node in row:
            yield node
            before = node.astext()


def joined(text: str, before: str = "") -> str:
    """The text with spaces that do not break. before: what stands in front of it."""
    if before[-1:].isdigit():
        text = _AT_THE_START.sub(NO_BREAK, text)
    return _AFTER_A_DIGIT.sub(NO_BREAK, text)


def is_as_it_is(element: nodes.Element | None) -> bool:
    """Whether it is code or a formula, or in one."""
    return element is not None and (isinstance(element, AS_IT_IS) or is_as_it_is(element.parent))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(Join)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
