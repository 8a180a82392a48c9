"""How long a chapter takes to read, and how much of what is seen is code: measured, not guessed.

`python scripts/reading.py` prints a line for each chapter. What counts is the thread: the section "Practice"
is folded (book/extensions/practice.py), a section "Going deeper: ..." can be left out, and so can all else
that is folded (solutions, hidden cells, a quiz's answers to what was chosen). A chapter's figures are known
from its recording; a cell that was never run shows none.
"""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import jupytext

CHAPTERS = Path(__file__).parents[1] / "chapters"

WORDS_A_MINUTE = 150
"""Adults read non-fiction at 238 words a minute, most of them at 175 to 300 (Brysbaert, How many words do we
read per minute?, Journal of Memory and Language 109, 2019). Here a reader stops at formulas, numbers and
terms that are new, and often reads a foreign language: less than the slowest of these."""
WIDGET_MIN = 1.0  # commit to a guess, turn a knob, look, turn it back
EXERCISE_MIN = 1.0  # read it and decide; who solves it takes the time that it takes
FIGURE_MIN = 0.5  # axes, caption, and what the text says is to be seen
LONGEST_MIN = 30
MOST_WORDS = (
    2200  # "a reader follows the thread in 20 to 30 minutes": of words alone they are a quarter of an hour
)
MOST_CODE = 0.25  # "code at most a quarter of what is seen unfolded"
LINE = 100  # characters of prose in a line of the site, on a wide screen
BADGE_STEP_MIN = 5  # a badge is rounded up to this

PRACTICE, DEEPER = "Practice", "Going deeper: "  # sections off the thread: a heading, and how one begins
FOLDED = frozenset({"hide-input", "hide-cell", "remove-input", "remove-cell"})  # tags of MyST-NB
SHOWN = "application/vnd.vegalite.v5+json"  # a recorded output that is a figure

_CODE = frozenset({"code", "code-block"})
_UNSEEN = frozenset({"dropdown", "index", "raw", "solution", "toggle"})

BADGE = re.compile(r"^\*\*(\d+) minutes to read", re.MULTILINE)
_WIDGET = re.compile(r"^(?:explore\(|play\(|predict\(|\S+\.player\()", re.MULTILINE)
_HEADING = re.compile(r"(#+)\s+(.*)")
_OPEN = re.compile(r"(`{3,}|:{3,})\s*(?:\{([\w-]+)\}|[\w-]+)?\s*(.*)")
_ITEM = re.compile(r"(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?")
_CITED = re.compile(r"\{cite:?\w*\}`[^`]*`")
_ROLE = re.compile(r"\{[\w:]+\}(?=`)")
_FORMULA = re.compile(r"\$[^$]+\$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SOLVED = re.compile(
    r"^(`{3,}|:{3,})\{solution-start\}[^\n]*\n:class: dropdown\n.*?^\1\{solution-end\}\n\1$",
    re.DOTALL | re.MULTILINE,
)
"""A folded solution that has cells of its own."""


@dataclass(frozen=True)
class Reading:
    """What a reader meets on the thread. words: of prose; both kinds of lines: as the site shows them."""

    words: int = 0
    widgets: int = 0
    figures: int = 0
    exercises: int = 0
    prose_lines: int = 0
    code_lines: int = 0

    @property
    def minutes(self) -> float:
        looked = WIDGET_MIN * self.widgets + EXERCISE_MIN * self.exercises + FIGURE_MIN * self.figures
        return self.words / WORDS_A_MINUTE + looked

    @property
    def badge(self) -> int:
        """Minutes as the chapter's first line says them: rounded up to the next five."""
        return BADGE_STEP_MIN * math.ceil(self.minutes / BADGE_STEP_MIN)

    @property
    def code_share(self) -> float:
        """Lines of code that are not folded over all lines that are not; 0 if there are none."""
        lines = self.code_lines + self.prose_lines
        return self.code_lines / lines if lines else 0.0

    def __add__(self, other: Reading) -> Reading:
        return Reading(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def measure(source: str, with_figure: Collection[str] = ()) -> Reading:
    """Of a chapter's source (a MyST notebook). with_figure: sources of those cells that show a figure."""
    total, aside = Reading(), 0
    for cell in jupytext.reads(_SOLVED.sub("", source), fmt="md:myst").cells:
        if cell.cell_type == "markdown":
            part, aside = _prose(_COMMENT.sub("", cell.source), aside)
            total += part
        elif cell.cell_type == "code" and not aside:
            total += _code(cell.source, cell.metadata.get("tags", ()), with_figure)
    return total


def _code(source: str, tags: Collection[str], with_figure: Collection[str]) -> Reading:
    widget = bool(_WIDGET.search(source))
    lines = 0 if FOLDED & set(tags) else sum(bool(line.strip()) for line in source.splitlines())
    figure = source in with_figure and not widget
    return Reading(widgets=widget, figures=figure, code_lines=lines)


def _prose(text: str, aside: int) -> tuple[Reading, int]:
    """Of a Markdown cell. aside: the level of the heading off the thread that holds here, 0 if none does."""
    total = Reading()
    for kind, block in _blocks(text):
        if kind == "heading" and (heading := _HEADING.match(block)):
            level = len(heading[1])
            if aside == 0 or level <= aside:
                aside = level if heading[2] == PRACTICE or heading[2].startswith(DEEPER) else 0
        if not aside:
            total += _block(kind, block)
    return total, aside


def _block(kind: str, block: str) -> Reading:
    if kind == "code":
        return Reading(code_lines=sum(bool(line.strip()) for line in block.splitlines()))
    if kind == "math":
        return Reading(prose_lines=1)
    words = [word for word in _plain(block).split() if re.search(r"\w", word)]
    lines = len(textwrap.wrap(_plain(block), LINE))
    return Reading(len(words), 0, kind == "figure", kind == "exercise", lines, 0)


def _plain(text: str) -> str:
    """As it is shown: a formula and a citation are a word each, no markup."""
    text = _ROLE.sub("", _FORMULA.sub("formula", _CITED.sub("Author-year", text)))
    return re.sub(r"\s+", " ", re.sub(r"[`*|]", " ", text.replace("**", ""))).strip()


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Headings, paragraphs, list items, table rows, code and directives of a text, each with its kind."""
    lines, paragraph = iter(text.splitlines()), list[str]()
    for line in lines:
        opened = _OPEN.match(line)
        starts = opened or _HEADING.match(line) or _ITEM.match(line) or line.startswith(("|", "$$"))
        if paragraph and (starts or not line.strip()):
            yield "text", " ".join(paragraph)
            paragraph = []
        if opened:
            yield from _fenced(opened[2] or "code", opened[3], list(_until(opened[1], lines)))
        elif _HEADING.match(line):
            yield "heading", line
        elif line.startswith("$$"):
            formula = line if line.count("$$") > 1 else " ".join([line, *_until("$$", lines)])
            yield "math", formula
        elif line.startswith("|"):
            if re.search(r"\w", line):
                yield "row", line
        elif line.strip() and not line.startswith("%"):
            paragraph.append(_ITEM.sub("", line.strip(), count=1) if _ITEM.match(line) else line.strip())
    if paragraph:
        yield "text", " ".join(paragraph)


def _until(mark: str, lines: Iterator[str]) -> Iterator[str]:
    """Lines up to the one that closes what mark has opened; that one is taken, too."""
    for line in lines:
        if line.strip() == mark or (mark == "$$" and line.rstrip().endswith(mark)):
            return
        yield line


def _fenced(name: str, title: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    """The blocks of a directive, or of a fence of code. What is folded, or not shown at all, has none."""
    if name in _CODE:
        yield "code", "\n".join(lines)
        return
    options = [line for line in lines if re.match(r":[\w-]+:", line)]
    body = "\n".join(line for line in lines if line not in options)
    if name in _UNSEEN or any("dropdown" in line for line in options):
        return
    if name == "figure":
        yield "figure", body
    elif name == "math":
        yield "math", body
    elif name == "quiz":
        yield from _blocks(f"{title}\n\n{_asked(body)}")
    elif name == "exercise":
        yield "exercise", title
        yield from _blocks(body)
    else:
        yield from _blocks(f"{title}\n\n{body}")


def _asked(body: str) -> str:
    """A quiz before anybody has chosen: the question and its answers, not what is said to each."""
    kept, answers, said = list[str](), False, False
    for line in body.splitlines():
        answers = answers or bool(_ITEM.match(line))
        said = answers and not _ITEM.match(line) and (said or not line.strip())
        if not said:
            kept.append(line)
    return "\n".join(kept)


def with_figures(recording: Path) -> set[str]:
    """Sources of the cells of a recording that show a figure."""
    if not recording.exists():
        return set()
    cells = json.loads(recording.read_text(encoding="utf-8"))["cells"]
    return {
        "".join(cell["source"])
        for cell in cells
        if any(SHOWN in output.get("data", {}) for output in cell.get("outputs", ()))
    }


def of_chapter(source: Path) -> Reading:
    return measure(source.read_text(encoding="utf-8"), with_figures(source.with_suffix(".ipynb")))


def said(source: str) -> int | None:
    """Minutes that the badge line of a chapter says; None if it says nothing."""
    found = BADGE.search(source)
    return int(found[1]) if found else None


def table(chapters: dict[str, tuple[Reading, int | None]]) -> str:
    """A line per chapter, and what is too long or too full of code marked with "!"."""
    rows = [f"{'chapter':40}  words  widgets figures exercises minutes  badge   code"]
    for name, (reading, badge) in chapters.items():
        wordy = "!" if reading.words > MOST_WORDS else " "
        late = "!" if reading.badge > LONGEST_MIN else " "
        wrong = " " if badge == reading.badge else "!"
        full = "!" if reading.code_share > MOST_CODE else " "
        rows.append(
            f"{name:40} {reading.words:6}{wordy} {reading.widgets:7} {reading.figures:7} "
            f"{reading.exercises:9} {reading.minutes:7.1f}{late} {badge or '-':>5}{wrong} "
            f"{reading.code_share:5.0%}{full}"
        )
    return "\n".join(rows)


def main() -> None:
    sources = sorted(CHAPTERS.glob("*-*.md"))
    print(table({path.stem: (of_chapter(path), said(path.read_text(encoding="utf-8"))) for path in sources}))


if __name__ == "__main__":
    main()
