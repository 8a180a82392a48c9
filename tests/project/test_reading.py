"""The time that a chapter's first line says is what is measured, and most of a chapter is text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.reading import (
    CHAPTERS,
    LONGEST_MIN,
    MOST_CODE,
    MOST_WORDS,
    WORDS_A_MINUTE,
    Reading,
    measure,
    of_chapter,
    said,
    table,
    with_figures,
)
from tests.project.test_house_words import NOT_YET

SOURCES = sorted(CHAPTERS.glob("*-*.md"))


def fault(reading: Reading, badge: int | None, rewritten: bool = True) -> str:
    """What is wrong with a chapter's length, or with what its badge says of it; "" if nothing is."""
    if rewritten and reading.words > MOST_WORDS:
        return f"its thread has {reading.words} words, {MOST_WORDS} are the most: cut, or move to Practice"
    if rewritten and reading.badge > LONGEST_MIN:
        return f"takes {reading.minutes:.0f} minutes, {LONGEST_MIN} are the most: cut, or move to Practice"
    if reading.code_share > MOST_CODE:
        return (
            f"{reading.code_share:.0%} of its lines are code, {MOST_CODE:.0%} are the most: fold (hide-input)"
        )
    if badge != reading.badge:
        return (
            f"its badge says {badge} minutes, measured are {reading.badge}: **{reading.badge} minutes to read"
        )
    return ""


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_chapter_takes_as_long_as_it_says_and_is_text_for_the_most_part(source: Path) -> None:
    badge = said(source.read_text(encoding="utf-8"))
    found = fault(of_chapter(source), badge, rewritten=source.name not in NOT_YET)
    assert not found, found


def test_too_long_too_much_code_and_a_wrong_badge_are_faults() -> None:
    good = Reading(words=14 * WORDS_A_MINUTE, widgets=16, prose_lines=300, code_lines=100)
    assert fault(good, 30) == ""
    assert "badge says 25" in fault(good, 25)
    assert "badge says None" in fault(good, None)
    assert "26% of its lines" in fault(good + Reading(code_lines=6), 30)
    long, wordy = good + Reading(figures=1), Reading(words=MOST_WORDS + 1)
    assert "takes 30 minutes" in fault(long, 35)
    assert "thread has 2201 words" in fault(wordy, 15)
    assert fault(long, 35, rewritten=False) == fault(wordy, 15, rewritten=False) == ""


# What is counted, on sources that are made up

HEAD = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n---\n\n"


def of(text: str, *figures: str) -> Reading:
    return measure(HEAD + text, figures)


def test_words_are_those_that_are_shown() -> None:
    assert of("One *two* **three** `four`, $x + y = 1$ and {term}`dupACK` {cite:p}`rfc5681`.\n").words == 8


def test_comments_are_not_read() -> None:
    assert of("<!-- not\n\nthis -->\nOne.\n\n% nor this\n") == Reading(words=1, prose_lines=1)


def test_a_paragraph_is_wrapped_anew() -> None:
    assert of("word word word word\n" * 10).prose_lines == 2  # 199 characters, in lines of 100


def test_each_item_and_each_row_is_a_line() -> None:
    items = of("Two:\n\n- one, which\n  goes on\n- two\n\n1. three\n")
    assert (items.words, items.prose_lines) == (7, 4)
    rows = of("| a | b |\n|---|---|\n| c | `d` |\n")
    assert (rows.words, rows.prose_lines) == (4, 2)


def test_a_formula_is_a_line_and_no_words() -> None:
    assert of("So\n\n$$ x = y $$\n\nand\n\n$$\nx\n= y\n$$\n\nend.\n") == Reading(words=3, prose_lines=5)


def test_code_counts_by_its_lines_unless_it_is_folded() -> None:
    cell = "```{code-cell} ipython3\nx = 1\n\ny = 2\n```\n"
    assert of(cell).code_lines == 2
    for tag in ("hide-input", "hide-cell", "remove-input", "remove-cell"):
        assert of(cell.replace("x = 1", f":tags: [{tag}]\nx = 1")).code_lines == 0
    assert of(cell.replace("x = 1", ":tags: [in-this-run]\nx = 1")).code_lines == 2


def test_a_fence_in_the_text_is_code() -> None:
    assert of("```console\n$ make lab\n```\n\n```{code-block} python\nx\n```\n") == Reading(code_lines=2)


def test_widgets_are_known_by_what_they_call() -> None:
    cell = '```{code-cell} ipython3\n:tags: [hide-input]\npredict("How?", go, name="x")\n```\n'
    assert of(cell + cell.replace("predict", "explore")) == Reading(widgets=2)
    assert of(cell.replace("predict(", "x = sum(")).widgets == 0
    assert of(cell.replace('predict("How?", go, ', "runs[2].player(")) == Reading(widgets=1)


def test_figures_are_pictures_and_what_recorded_cells_show() -> None:
    cell = "```{code-cell} ipython3\n:tags: [hide-input]\nchart\n```\n"
    picture = "```{figure} x.svg\n:alt: Many words that nobody sees.\n:name: fig-x\n\nTwo words.\n```\n"
    assert of(cell + picture, "chart") == Reading(words=2, figures=2, prose_lines=1)
    assert of(cell).figures == 0


def test_a_widget_with_a_chart_is_no_figure() -> None:
    assert of("```{code-cell} ipython3\nexplore(go)\n```\n", "explore(go)").figures == 0


def test_a_recording_knows_its_figures(tmp_path: Path) -> None:
    shown = {"data": {"application/vnd.vegalite.v5+json": {}}, "output_type": "execute_result"}
    cells = [
        {"source": ["a\n", "b"], "outputs": [shown]},
        {"source": ["c"], "outputs": []},
        {"source": ["d"]},
    ]
    (recording := tmp_path / "01-x.ipynb").write_text(json.dumps({"cells": cells}))
    assert with_figures(recording) == {"a\nb"}
    assert with_figures(tmp_path / "never.ipynb") == set()


def test_an_exercise_is_a_minute_and_its_solution_is_folded() -> None:
    text = (
        ":::{exercise} A title\n:label: ex-1\n\nDo this.\n:::\n\n"
        ":::{solution} ex-1\n:class: dropdown\n\n```python\nx = 1\n```\n\nMany more words.\n:::\n"
    )
    assert of(text) == Reading(words=4, exercises=1, prose_lines=2)


@pytest.mark.parametrize("fence", ["```", ":::"])
def test_a_solution_with_cells_of_its_own_is_folded_too(fence: str) -> None:
    solution = (
        f"{fence}{{solution-start}} ex-1\n:class: dropdown\n{fence}\n\nWords.\n\n"
        f"```{{code-cell}} ipython3\nx = 1\n```\n\nWords.\n\n{fence}{{solution-end}}\n{fence}\n"
    )
    assert of(f"One.\n\n{solution}\nTwo.\n\n{solution}") == Reading(words=2, prose_lines=2)
    assert of(solution.replace(":class: dropdown\n", "")).code_lines == 1  # open to see


def test_a_quiz_is_its_question_and_its_answers() -> None:
    text = (
        ":::{quiz} What is lost?\n- [ ] The queue.\n\n  A queue drops.\n"
        "- [x] The packet, which\n  has left.\n\n  It did not arrive.\n:::\n\nAfter.\n"
    )
    assert of(text) == Reading(words=11, prose_lines=4)


def test_what_goes_deeper_is_left_out_up_to_the_next_section() -> None:
    cell = "```{code-cell} ipython3\nx = 1\n```\n"
    inside = f"Unread.\n\n{cell}\n### Within\n\nUnread.\n\n:::{{exercise}} Unread\nUnread.\n:::\n"
    assert of(f"## Going deeper: why\n\n{inside}\n## Next\n\nRead.\n{cell}") == Reading(
        words=2, prose_lines=2, code_lines=1
    )


def test_practice_is_folded_with_all_of_its_sections() -> None:
    cell = "```{code-cell} ipython3\nx = 1\n```\n"
    folded = f"### Problems\n\nUnread.\n\n{cell}\n### Going deeper: why\n\nUnread.\n\n### Quiz\n\nUnread.\n"
    assert of(f"Read.\n\n## Practice\n\n{folded}\n{cell}") == Reading(words=1, prose_lines=1)
    assert of(f"## Practice\n\n{folded}\n## Next\n\nRead.\n").words == 2
    assert of("## Practice makes perfect\n\nRead.\n").words == 4


def test_minutes_and_badge() -> None:
    reading = Reading(words=10 * WORDS_A_MINUTE, widgets=2, figures=3, exercises=1)
    assert reading.minutes == pytest.approx(14.5)
    assert reading.badge == 15
    assert (reading + Reading(figures=1)).badge == 15  # 15 minutes are 15, and no more
    assert (reading + Reading(figures=2)).badge == 20


def test_the_badge_line_is_read() -> None:
    assert said("# X\n\n**40 minutes to read and try** · **all cells run in about 30 seconds**\n") == 40
    assert said("# X\n\nIt takes 40 minutes to read.\n") is None


def test_the_table_marks_what_is_wrong() -> None:
    good = Reading(words=14 * WORDS_A_MINUTE, widgets=16, prose_lines=300, code_lines=100)
    head, fine, bad = table({"a": (good, 30), "b": (good + Reading(words=900, code_lines=900), 40)}).split(
        "\n"
    )
    assert head.split()[1:6] == ["words", "widgets", "figures", "exercises", "minutes"]
    assert fine.split() == ["a", "2100", "16", "0", "0", "30.0", "30", "25%"]
    assert bad.split() == ["b", "3000!", "16", "0", "0", "36.0!", "40", "77%!"]
