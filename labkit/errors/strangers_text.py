"""Text that somebody else wrote, made fit to be shown: a student's, a module's, a guest's.

A terminal obeys control characters, an editor reorders lines by marks of direction, and invisible characters
make two words look alike. So whatever has no picture of its own is shown by its number, as Python writes it:
\\x1b, \\u202e.
"""

from __future__ import annotations

import unicodedata

_SHOWN = (
    "Zs"  # blanks of all widths; all else without a picture is C0, C1, format, a half character, unassigned
)


def escaped(text: str, *, lines: bool = False, most: int | None = None) -> str:
    """The text with what cannot be seen written out. lines: line ends and tabs stay, as they are meant to be
    seen. most: no more characters of it, and "..." for the rest."""
    if most is not None:
        shown = escaped(text[: most + 1], lines=lines)
        return shown if len(shown) <= most else f"{shown[: most - 3]}..."
    if text.isprintable():
        return text
    if lines:
        text = text.replace("\r\n", "\n")
    return "".join(_shown(one, "\n\t" if lines else "") for one in text)


def quoted(text: str, who: str = "guest") -> str:
    """Lines of somebody else's, each led by who said it: none can be taken for ours."""
    return "\n".join(f"{who}> {escaped(line)}" for line in text.split("\n"))


def _shown(one: str, kept: str) -> str:
    if one.isprintable() or one in kept or unicodedata.category(one) == _SHOWN:
        return one
    return one.encode("unicode_escape").decode("ascii")
