"""A way through the book, as a table: what to read, how long that takes, and which assignment goes with it.

````
```{way} week
- {read: "3 4", assignment: 04-size-the-buffer}
- {read: "5 6 11"}
```
````

A row is a number and what is said of it; with `part` in place of `week` and no rows, the table has the whole
book, part by part. How long a chapter takes is said at its head, how long an assignment takes in its rubric;
and a chapter that can be left out says at its head for whom it is, after the word **Optional.**
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CHAPTERS, ASSIGNMENTS, TOC = "chapters", "assignments", "book/_toc.yml"
_TITLE = re.compile(r"^# (.+)$", re.M)
_MINUTES = re.compile(r"^\*\*(\d+) minutes to read", re.M)
_OPTIONAL = re.compile(r"^\*\*Optional\.\*\*\s+(.+?)\n\n", re.M | re.S)


@dataclass(frozen=True)
class Chapter:
    """What its source says of itself. optional: for whom it is, if it can be left out."""

    path: Path
    title: str
    minutes: int
    optional: str | None

    @classmethod
    def read(cls, path: Path) -> Chapter:
        text = path.read_text(encoding="utf-8")
        title, minutes, optional = (found.search(text) for found in (_TITLE, _MINUTES, _OPTIONAL))
        if title is None or minutes is None:
            raise ValueError(f"{path}: it needs a title and a line **N minutes to read and try**")
        return cls(path, title[1], int(minutes[1]), " ".join(optional[1].split()) if optional else None)

    @property
    def number(self) -> str:
        return self.path.name.partition("-")[0].lstrip("0")

    @property
    def said(self) -> str:
        """As a row of the table names it."""
        link = f"[{self.number} {self.title}](/{CHAPTERS}/{self.path.name})"
        return f"*optional:* {link}. {self.optional}" if self.optional else link


@dataclass(frozen=True)
class Row:
    """One line of the table. assignment: title and minutes."""

    name: str
    chapters: list[Chapter]
    assignment: tuple[str, int] | None

    def minutes(self, *, optional: bool) -> int:
        return sum(one.minutes for one in self.chapters if bool(one.optional) == optional)


def chapters(root: Path) -> dict[str, Chapter]:
    """All that are written, by their numbers."""
    found = map(Chapter.read, sorted((root / CHAPTERS).glob("*-*.md")))
    return {chapter.number: chapter for chapter in found}


def rows(root: Path, by: str, told: list[dict[str, str]] | None) -> list[Row]:
    """Raises ValueError for a chapter or an assignment that is not there."""
    known = chapters(root)
    if told is None:
        return [
            Row(part["caption"], read, None)
            for part in yaml.safe_load((root / TOC).read_text(encoding="utf-8"))["parts"]
            if (read := [one for one in known.values() if _file(one) in map(_entry, part["chapters"])])
        ]
    found = []
    for number, row in enumerate(told, 1):
        if missing := [name for name in row["read"].split() if name not in known]:
            raise ValueError(f"{by} {number}: there is no chapter {', '.join(missing)}")
        read = [known[name] for name in row["read"].split()]
        found.append(Row(str(number), read, _assignment(root, row.get("assignment"))))
    return found


def _entry(entry: dict[str, str]) -> str:
    return entry["file"]


def _file(chapter: Chapter) -> str:
    return f"{CHAPTERS}/{chapter.path.stem}"


def _assignment(root: Path, name: str | None) -> tuple[str, int] | None:
    if name is None:
        return None
    file = root / ASSIGNMENTS / name / "rubric.yaml"
    if not file.is_file():
        raise ValueError(f"there is no assignment {name}")
    rubric = yaml.safe_load(file.read_text(encoding="utf-8"))
    return rubric["title"], rubric["minutes"]


def hours(minutes: int) -> str:
    """To the nearest half hour, as one says it."""
    halves = max(1, round(minutes / 30))
    whole, half = divmod(halves, 2)
    return f"{whole or ''}{'½' if half else ''} hour{'s' if halves > 2 else ''}"


def table(found: list[Row], by: str) -> str:
    """The table and its sums, in Markdown."""
    set_work = any(row.assignment for row in found)
    lines = [f"| {by} | chapters | minutes |" + (" assignment | minutes |" if set_work else "")]
    lines.append("|" + "---|" * (5 if set_work else 3))
    for row in found:
        read = "<br>".join(one.said for one in row.chapters)
        line = f"| {row.name} | {read} | {row.minutes(optional=False)} |"
        if set_work:
            line += " {} | {} |".format(*(row.assignment or ("", "")))
        lines.append(line)
    core, more = (sum(row.minutes(optional=asked) for row in found) for asked in (False, True))
    total = f"To read and try, without the exercises: {hours(core)}"
    total += f", and {hours(more)} more with the optional chapters." if more else "."
    if set_work:
        total += f" The assignments take {hours(sum(row.assignment[1] for row in found if row.assignment))}."
    return "\n".join([*lines, "", total, ""])


class Way(SphinxDirective):
    """Its argument says what a row is: a week, a part."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        told = yaml.safe_load("\n".join(self.content)) if self.content else None
        try:
            found = rows(root, self.arguments[0], told)
        except ValueError as fault:
            raise self.error(str(fault)) from fault
        for row in found:
            for chapter in row.chapters:
                self.env.note_dependency(str(chapter.path))
        box = nodes.container(classes=["lp-way"])
        text = table(found, self.arguments[0])
        self.state.nested_parse(StringList(text.splitlines(), str(self.env.docname)), 0, box)
        return [box]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("way", Way)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
