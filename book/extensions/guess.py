"""A puzzle's question, answered by the reader before its measurement is shown: the `guess` directive.

    :::{guess} Which path carries more?
    - The short one
    - Both about the same
    :::

A group of radio buttons; what comes behind it in its section appears when one of them is chosen, by the style
sheet quiz.css alone, and a last one is for a reader who would rather see it. Without style sheets, and on
paper, all of it can be read. web/pages/remembering.mjs keeps the choice, as that of a quiz.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)

RATHER = "I would rather see it"
LATER = "What was measured appears when you have chosen."


class Guess(nodes.General, nodes.Element):  # type: ignore[misc]
    """question; choices, as texts; name: of its buttons."""


class GuessDirective(SphinxDirective):
    """`{guess} Question` and a list of choices, each of plain text."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        number = self.env.new_serialno("guess") + 1
        choices = [line[2:].strip() for line in self.content if line.startswith("- ")]
        guess = Guess(question=self.arguments[0], choices=choices, name=f"quiz-guess-{number}")
        self.set_source_info(guess)
        if len(choices) < 2:
            said = "guess: %s choices: it needs two or more, each a line `- text`"
            log.warning(said, len(choices), location=guess)
        return [guess]


def html(question: str, choices: list[str], name: str) -> str:
    """The group."""
    buttons = "".join(
        f'<div class="lp-choice"><input type="radio" name="{name}" id="{name}-{i}" autocomplete="off">'
        f'<label for="{name}-{i}">{escape(choice)}</label></div>\n'
        for i, choice in enumerate([*choices, RATHER], 1)
    )
    legend = f"<legend>{escape(question)}</legend>\n"
    return f'<fieldset class="lp-quiz lp-guess">{legend}{buttons}<p class="lp-later">{LATER}</p></fieldset>\n'


def visit(self: Any, node: Guess) -> None:
    self.body.append(html(node["question"], node["choices"], node["name"]))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("guess", GuessDirective)
    app.add_node(Guess, html=(visit, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
