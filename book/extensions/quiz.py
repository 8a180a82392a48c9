"""A multiple-choice question with feedback for each choice: the `quiz` directive.

    :::{quiz} Why is the link idle?
    - [ ] A wrong choice.

      Why it is wrong.
    - [x] The right choice.

      Why it is right.
    :::

A group of radio buttons; the feedback appears beneath a choice when it is chosen, by the style sheet
quiz.css alone. Without style sheets, and on paper, all of it can be read.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)

BOX = "task-list-item-checkbox"  # what MyST makes of [ ] and [x]
CURE = "a choice is `- [ ] text` or `- [x] text`, an empty line, and its feedback, indented like the text"


class Quiz(nodes.General, nodes.Element):  # type: ignore[misc]
    """The group. Its children: a Question, then Choices."""


class Question(nodes.General, nodes.Element):  # type: ignore[misc]
    """What is asked."""


class Choice(nodes.General, nodes.Element):  # type: ignore[misc]
    """A Label and a Feedback. quiz: the group's id; ident: its own; right: whether it is the right one."""


class Label(nodes.General, nodes.Element):  # type: ignore[misc]
    """The text of a choice. ident: of the button that it labels."""


class Feedback(nodes.General, nodes.Element):  # type: ignore[misc]
    """What is said to who chose it. right: as in Choice."""


class QuizDirective(SphinxDirective):
    """`{quiz} Question` and a list of choices; a long question may be the first paragraph instead."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        number = self.env.new_serialno("quiz") + 1
        quiz = Quiz(ids=[f"quiz-{number}"])
        self.set_source_info(quiz)
        parsed = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, parsed)
        lists = [child for child in parsed if isinstance(child, nodes.bullet_list)]
        before = [child for child in parsed if child not in lists]
        if self.arguments:
            asked, problems = self.state.inline_text(self.arguments[0], self.lineno)
        else:
            asked, problems = (before.pop(0).children if before else []), []
        quiz += Question("", nodes.Text(f"{number}. "), *asked)
        items = [item for each in lists for item in each]
        quiz += [*before, *(self.choice(item, quiz, index) for index, item in enumerate(items))]
        self.check(quiz)
        return [quiz, *problems]

    def choice(self, item: nodes.list_item, quiz: Quiz, index: int) -> Choice:
        """One item of the list. Its first paragraph is the text, the rest the feedback."""
        text, *feedback = item.children or [nodes.paragraph()]
        boxes = [node for node in text.findall(nodes.raw) if BOX in node.astext()]
        if not boxes:
            self.fault(f"choice {index + 1} has no box")
        right = any("checked" in box.astext() for box in boxes)
        for box in boxes:
            box.parent.remove(box)
        if not feedback:
            self.fault(f"choice {index + 1} has no feedback")
        verdict = nodes.strong("", "Yes." if right else "No.")
        if feedback and isinstance(feedback[0], nodes.paragraph):
            feedback[0].insert(0, [verdict, nodes.Text(" ")])
        else:
            feedback.insert(0, nodes.paragraph("", "", verdict))
        ident = f"{quiz['ids'][0]}-{index + 1}"
        children = [Label("", *text.children, ident=ident), Feedback("", *feedback, right=right)]
        return Choice("", *children, quiz=quiz["ids"][0], ident=ident, right=right)

    def check(self, quiz: Quiz) -> None:
        choices = list(quiz.findall(Choice))
        right = sum(choice["right"] for choice in choices)
        if len(choices) < 2 or right != 1:
            self.fault(f"{right} right of {len(choices)} choices: it needs two or more, one of them right")

    def fault(self, what: str) -> None:
        log.warning("quiz: %s; %s", what, CURE, location=self.get_location())


def visit_choice(self: Any, node: Choice) -> None:
    names = f'name="{node["quiz"]}" id="{node["ident"]}"'
    self.body.append(f'<div class="lp-choice"><input type="radio" {names} autocomplete="off">')


def visit_label(self: Any, node: Label) -> None:
    self.body.append(f'<label for="{node["ident"]}">')


def visit_feedback(self: Any, node: Feedback) -> None:
    # The outer element is there from the start, so that a screen reader notices what appears in it.
    kind = "lp-right" if node["right"] else "lp-wrong"
    self.body.append(f'<div class="lp-said" aria-live="polite"><div class="lp-feedback {kind}">')


def element(opened: str, closed: str) -> tuple[Any, Any]:
    """Writers of a node that is one element."""
    return (lambda self, node: self.body.append(opened)), (lambda self, node: self.body.append(closed))


def open_quiz(self: Any, node: Quiz) -> None:
    self.body.append(self.starttag(node, "fieldset", CLASS="lp-quiz"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("quiz", QuizDirective)
    app.add_node(Quiz, html=(open_quiz, element("", "</fieldset>\n")[1]))
    app.add_node(Question, html=element("<legend>", "</legend>\n"))
    app.add_node(Choice, html=(visit_choice, element("", "</div>\n")[1]))
    app.add_node(Label, html=(visit_label, element("", "</label>")[1]))
    app.add_node(Feedback, html=(visit_feedback, element("", "</div></div>")[1]))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
