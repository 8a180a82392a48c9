"""Chapter 33's drawing of the decision tree has what the tree has."""

from __future__ import annotations

import re
from pathlib import Path

from labkit.mysteries import NOTHING, TREE

DRAWING = Path(__file__).parents[2] / "chapters/diagnosis-tree.svg"


def texts() -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", DRAWING.read_text())


def test_the_drawing_has_every_layer_and_every_cause_in_their_order() -> None:
    drawn = [text for text in texts() if text in {question.cause for question in TREE}]
    assert drawn == [question.cause for question in TREE]
    layers = list(dict.fromkeys(question.layer for question in TREE))
    assert [text for text in texts() if text in layers] == layers
    assert NOTHING in texts()


def test_the_drawing_names_every_tool() -> None:
    tools = {tool.strip() for question in TREE for tool in question.tool.split(",")}
    assert tools <= set(texts())
